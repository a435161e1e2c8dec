// The plugin that the tests of xivmcp-dalamud use, in .NET: gates of each type from and to Rust, and the ways in which a
// plugin's end can go wrong.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Fake;

namespace Scenario
{
    internal sealed class FixtureScenario : PluginScenario
    {
        private const string Name = "Fixture";

        internal FixtureScenario(string folder) : base(folder, Name)
        {
        }

        internal override void Run()
        {
            LoadAs("");
            Check.Section("the fixture: gates");
            Echo("bool", true, false);
            Echo("sbyte", sbyte.MinValue, (sbyte)-1);
            Echo("byte", byte.MaxValue);
            Echo("short", short.MinValue);
            Echo("ushort", ushort.MaxValue);
            Echo("int", int.MinValue, -1);
            Echo("uint", uint.MaxValue);
            Echo("long", long.MinValue, -1L);
            Echo("ulong", ulong.MaxValue);
            Echo("float", -0.1f, float.Epsilon);
            Echo("double", -0.1, double.MaxValue);
            Echo("string", "", "冒険者 🗡️", "a\0b");
            var join = Other.GetIpcSubscriber<string, bool, sbyte, ushort, int, ulong, float, double, string>(Name + ".Join");
            Check.Equal("eight arguments of eight types",
                "[Text(\"a\"), Bool(true), I8(-1), U16(65535), I32(-2), U64(18446744073709551615), F32(0.5), F64(0.25)]",
                join.InvokeFunc("a", true, -1, 65535, -2, ulong.MaxValue, 0.5f, 0.25));
            Check.Throws("a function that panics", "the fixture panics", () => Ask("Panic"));
            Check.HasLine("in the log, with its place", Game.Log.Lines, "Error Fixture:", "the fixture panics", "gates.rs:");
            Check.Throws("a function that fails", "FixtureException: no bags", () => Ask("Fail", "no bags"));
            Check.Throws("a function that returns another type", "was provided as returning string", () => Ask("WrongType"));
            Check.Contains("nobody there", "Err(NotReady { gate: \"Other.Nobody\" })", Ask("Call", "Other.Nobody", ""));
            Other.GetIpcProvider<string, string>("Other.Throws").RegisterFunc(text => { throw new InvalidOperationException(text); });
            Check.Contains("a gate that throws", "Err(Failed { gate: \"Other.Throws\", kind: \"InvalidOperationException\", message: \"not {now}\" })",
                Ask("Call", "Other.Throws", "not {now}"));
            Other.GetIpcProvider<string>("Other.None").RegisterFunc(() => "x");
            Check.Contains("a mismatch of which Dalamud tells only the text", "Mismatch", Ask("Call", "Other.None", ""));

            Check.Section("the fixture: messages and closures");
            var heard = "";
            Other.GetIpcSubscriber<string, object>(Name + ".Heard").Subscribe(text => heard += text);
            Other.GetIpcSubscriber<string, object>(Name + ".Listen").InvokeAction("Other.News");
            var news = Other.GetIpcProvider<string, object>("Other.News");
            news.SendMessage("open");
            Check.Equal("a message comes and goes", "open", heard);
            Check.Throws("a subscriber that panics stops the sender", "the subscriber panics", () => news.SendMessage("panic"));
            Check.Equal("a closure that is waited for elsewhere", "ran on it", Ask("OnFramework"));
            Other.GetIpcSubscriber<object>(Name + ".LaterPanics").InvokeAction();
            Check.Until("a closure that panics is in the log", () => Has("the closure panics"), LogText);
            Check.Equal("and the queue goes on", "ran on it", Ask("OnFramework"));
            Other.GetIpcSubscriber<object>(Name + ".CountUpdates").InvokeAction();
            var updates = Other.GetIpcSubscriber<int>(Name + ".Updates");
            Check.Until("an update that panics once is called again", () => updates.InvokeFunc() > 5, LogText);
            Unload();

            Check.Section("the fixture: ends");
            LoadAs("drop panics");
            Unload();
            Check.True("a destructor that panics", Has("the drop panics") && !Plugin.IsLoaded);
            LoadAs("drop waits");
            Unload();
            Check.HasLine("a destructor that waits for a closure", Game.Chat.Lines, "the closure ran");
            LoadAs("drop waits");
            Game.Unload(Plugin);
            Check.Equal("the same, not unloaded by the framework thread", 2, Game.Chat.Lines.Count(line => line == "the closure ran"));
            LoadAs("leaks");
            Unload();
            Check.HasLine("a context that is leaked keeps the library", Game.Log.Lines, "has not ended yet", "holds its context");
            var release = new ManualResetEvent(false);
            Arrange.Service("wait", () =>
            {
                release.WaitOne();
                return "";
            });
            LoadAs("thread");
            Unload();
            var ended = Ended();
            release.Set();
            Check.Until("a thread that was left alone is waited for", () => Ended() > ended, LogText);
            NothingWasThrown();
            Game.Dispose();
            LoadAs("drop waits");
            Game.Unload(Plugin);
            Check.HasLine("a game that unloads gives closures up", Game.Chat.Lines, "it was given up");
        }

        private void Echo<T>(string type, params T[] values)
        {
            var echo = Other.GetIpcSubscriber<T, T>(Name + ".Echo." + type);
            Check.Equal(type, string.Join(" ", values), string.Join(" ", values.Select(echo.InvokeFunc)));
        }

        private void LoadAs(string mode)
        {
            Arrange.Mode(mode);
            Load();
        }
    }
}
