// The shim against a small native plugin in C: what a Rust plugin never does (bad text, wrong tables, strange statuses),
// and each value type both ways.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using Dalamud.Plugin;
using Dalamud.Plugin.Ipc.Exceptions;
using Fake;
using Lumina.Excel;
using Lumina.Excel.Sheets;

namespace Scenario
{
    internal sealed class ProbeScenario : PluginScenario
    {
        internal ProbeScenario(string folder) : base(folder, "Probe")
        {
        }

        internal override void Run()
        {
            Check.Section("loading");
            Load();
            Check.HasLine("the plugin learns its host", Game.Log.Lines, "Information Probe: host xivmcp shim", "Mono");
            Check.HasLine("the shim says what it loaded", Game.Log.Lines, "Probe.rust.so", "built with probe");
            Values();
            Texts();
            Errors();
            Framework();
            Services();
            Collections();
            Unloading();
            Stubborn();
            Refusals();
            NothingWasThrown();
            GameEnds();
        }

        private void Values()
        {
            Check.Section("values");
            Echo("Bool", true, false);
            Echo("I8", sbyte.MinValue, sbyte.MaxValue, (sbyte)-1);
            Echo("U8", byte.MinValue, byte.MaxValue);
            Echo("I16", short.MinValue, short.MaxValue);
            Echo("U16", ushort.MinValue, ushort.MaxValue);
            Echo("I32", int.MinValue, int.MaxValue, -1);
            Echo("U32", uint.MinValue, uint.MaxValue);
            Echo("I64", long.MinValue, long.MaxValue, -1L);
            Echo("U64", ulong.MinValue, ulong.MaxValue);
            Echo("F32", float.MinValue, float.Epsilon, -0.1f, float.PositiveInfinity);
            Echo("F64", double.MaxValue, double.Epsilon, -0.1, double.NegativeInfinity);
            Echo("Text", "", "a");
            var eight = Other.GetIpcSubscriber<string, string, string, string, string, string, string, string, string>("Probe.Eight");
            Check.Equal("eight arguments arrive in order", "1|2|3|4|5|6|7|8|", eight.InvokeFunc("1", "2", "3", "4", "5", "6", "7", "8"));
            var mixed = Other.GetIpcSubscriber<bool, long, float, double, string, string>("Probe.Mixed");
            Check.Equal("arguments of five types", "1 -5000000000 1.50 2.125 x", mixed.InvokeFunc(true, -5000000000, 1.5f, 2.125, "x"));
            var loose = Other.GetIpcSubscriber<int, int>("Probe.EchoI64");
            Check.Equal("unequal types are converted on the way", 7, loose.InvokeFunc(7));
            Other.GetIpcSubscriber<string, object>("Probe.Act").InvokeAction("out");
            Check.HasLine("an action", Game.Log.Lines, "acted out");
            Other.GetIpcProvider<string, object>("Other.News").SendMessage("the shop is open");
            Check.HasLine("a message", Game.Log.Lines, "heard the shop is open");
            Check.Equal("the plugin's subscription is one", 1, Other.GetIpcProvider<string, object>("Other.News").SubscriptionCount);
        }

        // There: another plugin calls a gate of the native one. Back: the native one calls a gate of another.
        private void Echo<T>(string type, params T[] values)
        {
            Other.GetIpcProvider<T, T>("Other.Echo" + type).RegisterFunc(value => value);
            var there = Other.GetIpcSubscriber<T, T>("Probe.Echo" + type);
            var back = Other.GetIpcSubscriber<T, T>("Probe.Relay" + type);
            Check.Equal(type + " into the plugin and back", string.Join(" ", values), string.Join(" ", values.Select(there.InvokeFunc)));
            Check.Equal(type + " out of the plugin and back", string.Join(" ", values), string.Join(" ", values.Select(back.InvokeFunc)));
        }

        private void Texts()
        {
            Check.Section("text");
            var echo = Other.GetIpcSubscriber<string, string>("Probe.RelayText");
            foreach (var text in new[] { "冒険者、ようこそ", "🗡️ emoji 👨‍👩‍👧", "a\0b\0", "\0", "tab\t and \r\n", "{0} {braces}" })
                Check.Equal("byte for byte: " + text.Replace("\0", "\\0").Trim(), text, echo.InvokeFunc(text));
            var large = new string('ö', 512 * 1024);
            Check.True("1 MiB", echo.InvokeFunc(large) == large);
            Check.Equal("a lone surrogate becomes U+FFFD", "a\uFFFDb", echo.InvokeFunc("a\uD83Db"));
            Check.Equal("null is empty", "", echo.InvokeFunc(null));
            Check.Contains("text that is not UTF-8 is refused", "7|", Ask("CallBadText"));
            Check.Throws("and in a reply it is an error", "DecoderFallbackException", () => Ask("BadReply"));
            Ask("LogLevels");
            var levels = Game.Log.Lines.Where(l => l.EndsWith("{braces} %d \uFFFD")).Select(l => l.Split(' ')[0]);
            Check.Equal("log levels, braces and bad bytes in the log", "Verbose Debug Information Warning Error Error", string.Join(" ", levels));
            Ask("Chat", "割引 {0}");
            Check.Equal("chat", "割引 {0}, error: 割引 {0}", string.Join(", ", Game.Chat.Lines));
        }

        private void Errors()
        {
            Check.Section("errors");
            Check.Equal("nobody there: not ready", "1||IPC method Other.Nobody was not registered yet|-1", Ask("Call0", "Other.Nobody"));
            Check.Contains("no action there: not ready", "1|", Ask("CallAction", "Other.EchoText", "x"));
            Check.Contains("one argument too few: length mismatch", "4||", Ask("Call0", "Other.EchoText"));
            Check.Contains("the number that was given", "|0", Ask("Call0", "Other.EchoText"));
            Check.Contains("nine arguments are refused", "13||9 arguments were given; a gate takes up to 8", Ask("CallTooMany"));
            Other.GetIpcProvider<string>("Other.Throws").RegisterFunc(() => { throw new InvalidOperationException("not {now}"); });
            Check.Equal("a gate that throws: type and text, unwrapped", "2|InvalidOperationException|not {now}|-1", Ask("Call0", "Other.Throws"));
            Other.GetIpcProvider<string>("Other.Nested").RegisterFunc(() => Other.GetIpcSubscriber<string>("Other.Nobody").InvokeFunc());
            Check.Contains("not ready inside the gate is not about the gate", "2|IpcNotReadyError|", Ask("Call0", "Other.Nested"));
            Other.GetIpcProvider<object>("Other.Odd").RegisterFunc(() => new List<string>());
            Check.Contains("what cannot be converted: type mismatch", "5||", Ask("Call0", "Other.Odd"));
            Check.Throws("the plugin's failure reaches other plugins", "NativePluginException: BagError: no bags left", () => Ask("Fail"));
            Check.Throws("its panic too", "NativePluginException: panic: index out of bounds", () => Ask("Panic"));
            Check.Throws("a reply of another type", "InvalidReply: the function returned a I32 where Text was declared", () => Ask("WrongReply"));
            Other.GetIpcProvider<string>("Other.Through").RegisterFunc(() => Ask("Fail"));
            Check.Contains("through both sides type and text stay", "2|BagError|no bags left|", Ask("Call0", "Other.Through"));
            Action<string> listener = text => { throw new InvalidOperationException("deaf"); };
            Other.GetIpcSubscriber<string, object>("Probe.Messages").Subscribe(listener);
            Check.Contains("a subscriber that throws reaches the sender", "2|InvalidOperationException|deaf", Ask("Send", "Probe.Messages", "x"));
            Other.GetIpcSubscriber<string, object>("Probe.Messages").Unsubscribe(listener);
            Check.Contains("a message that nobody hears", "0|", Ask("Send", "Probe.Messages", "x"));
            Check.Equal("a replaced function stays when the old one goes", "replaced b", Ask("Replace") + " " + Ask("OnePlace"));
        }

        private void Framework()
        {
            Check.Section("framework thread");
            var nested = "";
            var first = 0L;
            var second = 0L;
            Game.Framework.Update += framework =>
            {
                if (first == 0 && Has("closure 1002 run on 1")) first = Game.Framework.Updates;
                if (second == 0 && Has("closure 1100 run on 1")) second = Game.Framework.Updates;
            };
            OnFramework(() =>
            {
                Ask("Closures");
                nested = Has("closure 1000") ? "inside" : "later";
            });
            Check.Equal("a closure never runs inside the call that queues it", "later", nested);
            Check.Until("closures run on the framework thread", () => Has("closure 1100 run on 1") && second != 0, LogText);
            Check.Equal("in their order", "1000 1001 1002 1100", string.Join(" ",
                Game.Log.Lines.Where(l => l.Contains("closure ")).Select(l => l.Split(' ')[3])));
            Check.Equal("one that is queued meanwhile runs at the next update", 1L, second - first);
            var frames = int.Parse(Ask("Frames"));
            Check.Until("the update comes each frame", () => int.Parse(Ask("Frames")) > frames + 3, () => Ask("Frames"));
            Check.Equal("nobody is logged in", "0 7 7", Ask("Session"));
            OnFramework(() =>
            {
                Game.PlayerState.IsLoaded = true;
                Game.PlayerState.CharacterName = "Y'shtola Rhul";
                Game.PlayerState.CurrentWorld = new RowRef<World>(67);
                Game.ClientState.PlayLogin(132);
            });
            Check.HasLine("login", Game.Log.Lines, "session 1 132 67");
            OnFramework(() => Game.ClientState.PlayTerritory(133));
            Check.HasLine("another territory", Game.Log.Lines, "session 3 133 67");
            Check.Equal("the session can be asked for on any thread", "1 133 67", Ask("Session"));
            OnFramework(Game.ClientState.PlayLogout);
            Check.HasLine("logout", Game.Log.Lines, "session 2 nowhere");
            Check.Equal("and nobody is there", "0 7 7", Ask("Session"));
            OnFramework(() => Game.ClientState.PlayTerritory(134));
            Check.True("a territory before the login is no event", !Has("session 3 nowhere"));
            Game.ClientState.Breaks = true;
            frames = int.Parse(Ask("Frames"));
            Check.Until("frames go on if the session cannot be read", () => int.Parse(Ask("Frames")) > frames + 3, () => Ask("Frames"));
            Game.ClientState.Breaks = false;
            Check.Equal("which is told once", 1, Game.Log.Lines.Count(line => line.Contains("where the character is cannot be read")));
        }

        private void Services()
        {
            Check.Section("services and commands");
            Check.Contains("a service", "0||{\"a\":\"\u3042\"}", Ask("Service", "echo", "{\"a\":\"\u3042\"}"));
            Check.Contains("a service of the game", "0||\"Y'shtola Rhul\"", Ask("Service", "character_name", "null"));
            Check.Contains("a service that gives null", "0||null", Ask("Service", "nothing", ""));
            Check.Contains("an unknown service is named", "10||no service named `missing`", Ask("Service", "missing", ""));
            Check.Contains("a service that throws", "2|InvalidOperationException|the bags are {locked}", Ask("Service", "fails", ""));
            Check.Contains("one that a gate fails has failed itself", "2|IpcNotReadyError|", Ask("Service", "asks", ""));
            Check.Contains("a command", "0|", Ask("Command", "/probe"));
            Check.Equal("its help", "help", Game.Commands.Help("/probe"));
            OnFramework(() => Game.Commands.Type("/probe  two words "));
            Check.HasLine("the player types it", Game.Log.Lines, "/probe [two words] on 1");
            Check.Contains("a command without a slash is refused", "11||a command is a `/` and one word", Ask("Command", "probe2"));
            Check.Contains("a command of two words is refused", "11||a command is a `/` and one word", Ask("Command", "/probe two"));
            Game.Commands.AddHandler("/taken", null);
            Check.Contains("a taken command is refused", "11||the command is taken", Ask("Command", "/taken"));
        }

        private void Collections()
        {
            Check.Section("garbage collections");
            ThunksAreAlive();
            var more = Enumerable.Range(0, 300).Select(NewThunk).ToArray();
            Check.Equal("300 new thunks do not take their places", "ok!", Other.GetIpcSubscriber<string, string>("Probe.RelayText").InvokeFunc("ok!"));
            Check.Contains("nor that of a service", "0||1", Ask("Service", "echo", "1"));
            GC.KeepAlive(more);
            var stop = false;
            var wrong = 0;
            var calls = 0;
            var threads = Enumerable.Range(0, 4).Select(n => new Thread(() =>
            {
                var relay = Other.GetIpcSubscriber<string, string>("Probe.RelayText");
                for (var i = 0; i < 2000; i++)
                {
                    var text = n + " " + i;
                    if (relay.InvokeFunc(text) != text) Interlocked.Increment(ref wrong);
                    Interlocked.Increment(ref calls);
                }
            })).ToArray();
            var collector = new Thread(() => { while (!stop) Collect(); });
            collector.Start();
            foreach (var thread in threads) thread.Start();
            foreach (var thread in threads) thread.Join();
            stop = true;
            collector.Join();
            Check.Equal("8000 calls on 4 threads during collections", "8000 calls, 0 wrong", calls + " calls, " + wrong + " wrong");
            Check.Equal("every buffer was freed", "0", Ask("Buffers"));
        }

        private void Unloading()
        {
            Check.Section("unloading");
            Ask("Take");
            Check.Throws("what the plugin took away is gone", "IpcNotReadyError", () => Ask("Gone"));
            Check.Equal("and so is its subscription", 0, Other.GetIpcProvider<string, object>("Other.News").SubscriptionCount);
            Game.Unload(Plugin);
            Check.HasLine("the plugin was told to stop", Game.Log.Lines, "stop, limit long");
            Check.HasLine("and released, with no buffer out", Game.Log.Lines, "released, 0 buffers out");
            Check.True("the library is unmapped", !IsMapped("Probe"));
            Check.Throws("its gates are gone", "IpcNotReadyError", () => Ask("Frames"));
            Check.Equal("its commands too", "/taken", string.Join(" ", Game.Commands.Names));
            Check.True("nothing of it listens to the session", !Game.ClientState.HasHandlers);
            for (var i = 0; i < 20; i++)
            {
                Load();
                if (Other.GetIpcSubscriber<int, int>("Probe.RelayI32").InvokeFunc(i) != i) break;
                Game.Unload(Plugin);
            }
            Check.True("twenty reloads", !Plugin.IsLoaded && !IsMapped("Probe"));

            Load();
            Other.GetIpcSubscriber<int, object>("Probe.Keep").InvokeFunc(2);
            Game.Unload(Plugin);
            Check.HasLine("a plugin that has not ended is named", Game.Log.Lines, "Warning Probe: has not ended yet: the tool `probe_farm`");
            Check.True("and its library stays", IsMapped("Probe"));
            Check.Throws("but its gates are gone", "IpcNotReadyError", () => Ask("Frames"));
            Check.Until("until it has ended", () => !IsMapped("Probe"), LogText);
            Check.HasLine("it was asked again on the framework thread", Game.Log.Lines, "stop, limit short, framework 1");

            Load();
            Other.GetIpcSubscriber<int, object>("Probe.Keep").InvokeFunc(1);
            var unloading = Plugin;
            Arrange.Service("unload_me", () =>
            {
                Game.Unload(unloading);
                return "true";
            });
            Check.Contains("unloaded from inside its own call", "0||true", Ask("Service", "unload_me", ""));
            Check.Until("it goes once the call has returned", () => !IsMapped("Probe"), LogText);
        }

        private void Stubborn()
        {
            Check.Section("what never ends");
            var stubborn = Game.Load("Stubborn", PathOf("Stubborn", "Stubborn"));
            var bridge = FieldOf(stubborn.Instance, "bridge");
            var tries = bridge.GetType().GetField("stopTries", BindingFlags.Static | BindingFlags.NonPublic);
            tries.SetValue(null, 2);
            Other.GetIpcSubscriber<int, object>("Stubborn.Keep").InvokeFunc(1000);
            OnFramework(() => Game.Unload(stubborn));
            Check.Until("after the last try the log says that it stays", () => Has("Error Stubborn: the plugin's library stays loaded until the game ends, since freeing it now "
                + "would crash the game: the tool `probe_farm`"), LogText);
            Check.True("it does", IsMapped("Stubborn"));
            Check.True("and what it may still call is held by a handle", ((System.Runtime.InteropServices.GCHandle)FieldOf(bridge, "self")).IsAllocated);
            Check.True("nothing of it listens to the session any more", !Game.ClientState.HasHandlers);
            Check.Throws("its gates are gone", "IpcNotReadyError", () => Other.GetIpcSubscriber<string>("Stubborn.Frames").InvokeFunc());
        }

        private void Refusals()
        {
            Check.Section("what does not start");
            Refuses("Missing", "Missing.rust.so is missing, the plugin's Rust library. If it was there before, a virus scanner may");
            Refuses("Broken", "Broken.rust.so could not be loaded: ");
            Refuses("NoEntry", "does not export xivmcp_plugin_entry_v1");
            Refuses("NoTable", "did not start: its entry gave no table of functions");
            Check.HasLine("nobody can tell it to stop, so it stays", Game.Log.Lines, "Error NoTable: the plugin's library stays loaded", "it cannot be told to stop");
            Check.True("mapped", IsMapped("NoTable"));
            Refuses("Refuses", "did not start: no data for this game version");
            Check.True("it was released and unmapped", Has("released") && !IsMapped("Refuses"));
            Check.Throws("its gates are gone", "IpcNotReadyError", () => Other.GetIpcSubscriber<string>("Refuses.Frames").InvokeFunc());
            Refuses("Panics", "did not start: panicked: assertion failed, src/lib.rs:3");
            Refuses("Version", "did not start: it speaks version 2 of the ABI, this shim version 1; build the library and copy the shim's glue");
            Refuses("Small", "did not start: its table of functions is too small");
            Check.True("nothing of them listens to the session", !Game.ClientState.HasHandlers);
            Check.Equal("nor to the messages of others", 0, Other.GetIpcProvider<string, object>("Other.News").SubscriptionCount);
        }

        private void GameEnds()
        {
            Check.Section("the game ends");
            Load();
            Game.Framework.Stop();
            Ask("Closures");
            Game.Dispose();
            Game.Unload(Plugin);
            var closures = Game.Log.Lines.Where(line => line.Contains("given up on 0")).Select(line => line.Split(' ')[3]);
            Check.Equal("closures that can never run are given up", "1000 1001 1002", string.Join(" ", closures));
            Check.True("before the plugin was told to stop", Array.FindLastIndex(Game.Log.Lines, line => line.Contains("given up"))
                < Array.FindLastIndex(Game.Log.Lines, line => line.Contains("stop, limit")));
            Check.True("and the library goes", !IsMapped("Probe"));
        }

        private void Refuses(string name, string sentence)
        {
            Check.Throws(name + " is refused with a sentence", sentence, () => Game.Load(name, PathOf(name, name)));
            Check.HasLine(name + ": the sentence is in the log", Game.Log.Lines, "Error " + name + ": ", sentence);
        }

        private object NewThunk(int n)
        {
            Thunk thunk = x => x + n + GetHashCode();
            var pointer = System.Runtime.InteropServices.Marshal.GetFunctionPointerForDelegate(thunk);
            return Tuple.Create(thunk, pointer);
        }

        [System.Runtime.InteropServices.UnmanagedFunctionPointer(System.Runtime.InteropServices.CallingConvention.Cdecl)]
        private delegate int Thunk(int x);
    }
}
