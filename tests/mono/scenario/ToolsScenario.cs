// A plugin with tools, written in Rust, from its loading to its reload: XIV MCP calls it, the player answers, the game
// goes on.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Fake;
using Lumina.Excel;
using Lumina.Excel.Sheets;

namespace Scenario
{
    internal sealed class ToolsScenario : PluginScenario
    {
        private const string Name = "ToolsPlugin";

        private readonly XivMcpHost host;

        internal ToolsScenario(string folder) : base(folder, Name)
        {
            host = new XivMcpHost(Game, PathOf("XivMcp", "XivMcp"));
        }

        internal override void Run()
        {
            Arrange.Mode("");
            Registration();
            QuickCalls();
            LongRunningCalls();
            GameEvents();
            Collections();
            Reloading();
            Stubborn();
            FailedEntries();
            NothingWasThrown();
            Game.Dispose();
        }

        private void Registration()
        {
            Check.Section("tools: registration");
            Load();
            Check.HasLine("the plugin's own log", Game.Log.Lines, "Information ToolsPlugin:", "the plugin runs", "generation=\"1\"");
            Check.Equal("without XIV MCP nothing is registered", 0, host.ToolNames().Length);
            host.Load();
            Check.Equal("on Ready the tools are registered", "tools_add tools_echo tools_generation tools_panic tools_ask", string.Join(" ", host.ToolNames().Take(5)));
            Check.True("by the plugin itself", host.Callers.All(caller => caller == Name));
            Check.Contains("with the derived schema", "\"left\"", host.Definitions[0]);
            host.Unload();
            host.Load();
            Check.Equal("and again when XIV MCP loads again", "tools_add", host.ToolNames().First());
            OnFramework(() => Game.Commands.Type("/tools  now "));
            Check.HasLine("the command asks for the status", Game.Chat.Lines, "/tools [now] Enabled");
            host.RefuseRegistration = "the name is taken by another plugin";
            host.Unload();
            host.Load();
            Check.HasLine("a refused tool is in the log", Game.Log.Lines, "Warning ToolsPlugin:", "tools_add", "the name is taken by another plugin");
            host.RefuseRegistration = null;
            host.Unload();
            host.Load();
        }

        private void QuickCalls()
        {
            Check.Section("tools: quick calls");
            Check.Equal("a typed tool", "{\"result\":{\"theSum\":42}}", Quick("tools_add", "{\"left\":40,\"right\":2}"));
            Check.Contains("wrong arguments name what is wrong", "right", Quick("tools_add", "{\"left\":40}"));
            Check.Contains("a tool's error", "{\"error\":\"The sum is too large.\"}", Quick("tools_add", "{\"left\":2147483647,\"right\":1}"));
            Check.Contains("an unknown tool is named", "tools_nothing", Quick("tools_nothing", "{}"));
            foreach (var text in new[] { "冒険者、ようこそ 🗡️", "a\\u0000b", "" })
                Check.Equal("a text as it is: " + text, "{\"result\":\"" + text + "\"}", Quick("tools_echo", "{\"text\":\"" + text + "\"}"));
            var large = new string('ö', 512 * 1024);
            Check.True("1 MiB", Quick("tools_echo", "{\"text\":\"" + large + "\"}") == "{\"result\":\"" + large + "\"}");
            Check.Contains("a lone surrogate does no harm", "\uFFFD", Quick("tools_echo", "{\"text\":\"\uD83D\"}"));
            Check.Contains("a handler that panics is an error", "{\"error\":\"", Quick("tools_panic", "{}"));
            Check.HasLine("the panic is in the log with its place", Game.Log.Lines, "Error ToolsPlugin:", "index out of bounds", "tools.rs:");
            Check.Equal("and the plugin goes on", "{\"result\":\"1\"}", Quick("tools_generation", "{}"));
            Check.Contains("a gate that nobody provides", "Other.Nobody", Quick("tools_ask", "{\"text\":\"Other.Nobody\"}"));
            Other.GetIpcProvider<string>("Other.Throws").RegisterFunc(() => { throw new InvalidOperationException("not {now}"); });
            Check.Contains("a gate that throws: type and text", "InvalidOperationException: not {now}", Quick("tools_ask", "{\"text\":\"Other.Throws\"}"));
            Game.PlayerState.CharacterName = "Y'shtola \"Rhul\"";
            Check.Contains("a service", "Y'shtola \\\\\\\"Rhul", Quick("tools_service_character_name", "{}"));
            Check.Contains("a service that throws", "InvalidOperationException: the bags are {locked}", Quick("tools_service_fails", "{}"));
            Check.Contains("a service that is not there", "no service named `missing`", Quick("tools_service_missing", "{}"));
        }

        private void LongRunningCalls()
        {
            Check.Section("tools: long-running calls");
            var farm = host.Call(Name, "tools_farm", "{\"monsters\":3}");
            Check.Equal("the reply is pending", "{\"pending\":true}", farm.Reply);
            Check.Equal("the result", "{\"result\":{\"killCount\":3}}", host.EndOf(farm));
            Check.Equal("its progress", "1 kills,2 kills,3 kills", string.Join(",", farm.ProgressLines));
            Check.HasLine("its guard has stopped", Game.Chat.Lines, "farming ends after 3");

            farm = host.Call(Name, "tools_farm", "{\"monsters\":1000000}");
            Check.Until("a call that goes on", () => farm.ProgressLines.Length > 2, () => farm.Reply);
            Check.True("is not at its end", farm.End == null);
            var before = Lines("farming ends");
            host.Cancel(Name, farm);
            Check.Contains("cancelled, it ends", "error: ", host.EndOf(farm));
            Check.Equal("after its guard has stopped", before + 1, Lines("farming ends"));

            var repair = host.Call(Name, "tools_repair", "{}");
            Check.Contains("an approval is asked for", "Repair for 3,200 gil", host.Answer(true));
            Check.Equal("the player agrees", "{\"result\":\"repaired\"}", host.EndOf(repair));
            repair = host.Call(Name, "tools_repair", "{}");
            host.Answer(false);
            Check.Equal("the player does not", "{\"result\":\"the player said no\"}", host.EndOf(repair));

            var thread = host.Call(Name, "tools_thread", "{}");
            Check.Equal("progress from a thread of the author's", "{\"result\":\"three steps\"} step 1,step 2,step 3",
                host.EndOf(thread) + " " + string.Join(",", thread.ProgressLines));
            var frames = host.Call(Name, "tools_frames", "{}");
            Check.Equal("first on the framework thread, then not, its closures always", "{\"result\":[true,false,true]}", host.EndOf(frames));
            var panics = host.Call(Name, "tools_panic_later", "{}");
            Check.Contains("a panic on another thread is an error", "error: ", host.EndOf(panics));
            Check.HasLine("and in the log with its place", Game.Log.Lines, "Error ToolsPlugin:", "no bags left", "tools.rs:");
        }

        private void GameEvents()
        {
            Check.Section("tools: the game");
            OnFramework(() =>
            {
                Game.PlayerState.IsLoaded = true;
                Game.PlayerState.CurrentWorld = new RowRef<World>(67);
                Game.ClientState.PlayLogin(132);
            });
            Check.HasLine("login, with territory and world", Game.Chat.Lines, "in 132 on 67");
            OnFramework(Game.ClientState.PlayLogout);
            Check.HasLine("logout", Game.Chat.Lines, "bye");
            OnFramework(() => Game.Commands.Type("/tools panic"));
            Check.HasLine("a command that panics", Game.Log.Lines, "Error ToolsPlugin:", "the command was told to panic", "lib.rs:");
        }

        private void Collections()
        {
            Check.Section("tools: garbage collections");
            ThunksAreAlive();
            var stop = false;
            var collector = new Thread(() => { while (!stop) Collect(); });
            collector.Start();
            var calls = Enumerable.Range(0, 20).Select(i => host.Call(Name, "tools_farm", "{\"monsters\":5}")).ToArray();
            var sums = Enumerable.Range(0, 200).Select(i => Quick("tools_add", "{\"left\":" + i + ",\"right\":1}")).ToArray();
            Check.Equal("20 long-running calls at once", 20, calls.Count(call => host.EndOf(call) == "{\"result\":{\"killCount\":5}}"));
            Check.Equal("200 quick ones", 200, sums.Where((sum, i) => sum == "{\"result\":{\"theSum\":" + (i + 1) + "}}").Count());
            stop = true;
            collector.Join();
        }

        private void Reloading()
        {
            Check.Section("tools: unload and reload");
            var farm = host.Call(Name, "tools_farm", "{\"monsters\":1000000}");
            Check.Until("a call is in flight", () => farm.ProgressLines.Length > 0, () => farm.Reply);
            var before = Lines("farming ends");
            Unload();
            Check.Contains("it ends as cancelled", "error: ", host.EndOf(farm));
            Check.Equal("its guard has stopped, though the framework thread unloads", before + 1, Lines("farming ends"));
            Check.Equal("the tools are unregistered", 0, host.ToolNames().Length);
            Check.Throws("Invoke is gone", "IpcNotReadyError", () => Other.GetIpcSubscriber<string, string, string, string>(Name + ".XivMcp.Invoke").InvokeFunc("", "", ""));
            Check.Throws("Cancel is gone", "IpcNotReadyError", () => Other.GetIpcSubscriber<string, object>(Name + ".XivMcp.Cancel").InvokeAction(""));
            Check.Equal("the command is gone", 0, Game.Commands.Names.Length);
            Check.True("nobody listens to the session", !Game.ClientState.HasHandlers);
            Check.Equal("nor to Ready and Disposing", "0 0", Subscribers());
            Check.Equal("no thread of the plugin's is left", "", PluginThreads());

            Load("Changed");
            Check.HasLine("a build with changed code", Game.Log.Lines, "the plugin runs", "generation=\"2\"");
            Check.Equal("answers", "{\"result\":\"2\"}", Quick("tools_generation", "{}"));
            Game.Unload(Plugin);
            for (var i = 0; i < 20; i++)
            {
                Load();
                if (Quick("tools_generation", "{}") != "{\"result\":\"1\"}") break;
                host.Call(Name, "tools_farm", "{\"monsters\":1000000}");
                // In turn from the framework thread, as Dalamud does, and from another one.
                if (i % 2 == 0) Game.Unload(Plugin);
                else Unload();
            }
            Check.True("twenty reloads with a call in flight", !Plugin.IsLoaded);
            Check.Equal("no thread of the plugin's is left after them", "", PluginThreads());
            Check.True("no library was kept loaded", !Game.Log.Lines.Any(line => line.Contains("stays loaded")));
        }

        private void Stubborn()
        {
            Check.Section("tools: what does not end");
            var release = new ManualResetEvent(false);
            Arrange.Service("hold", () =>
            {
                release.WaitOne();
                return "\"held\"";
            });
            Load();
            host.Call(Name, "tools_hold", "{}");
            Unload();
            Check.HasLine("a handler that does not end is named", Game.Log.Lines, "Warning ToolsPlugin:", "did not stop in time", "tools_hold");
            Check.HasLine("the shim says that the plugin has not ended", Game.Log.Lines, "Warning ToolsPlugin: has not ended yet: ");
            Check.Equal("its tools are gone all the same", 0, host.ToolNames().Length);
            Check.True("and it is kept loaded", IsMapped(Name));
            release.Set();
            Check.Until("until it has ended", () => Ended() > 0, LogText);
            Check.Equal("no thread of the plugin's is left then", "", PluginThreads());

            Load();
            var ended = Ended();
            var unloading = Plugin;
            Arrange.Service("unload_me", () =>
            {
                Game.Unload(unloading);
                return "true";
            });
            Check.Contains("a tool that unloads its own plugin still answers", "result", Quick("tools_service_unload_me", "{}"));
            Check.Until("and the plugin goes after that", () => Ended() > ended, LogText);
            Check.Equal("with all of its threads", "", PluginThreads());
        }

        private void FailedEntries()
        {
            Check.Section("tools: an entry that fails");
            foreach (var mode in new[] { "fails", "panics" })
            {
                Arrange.Mode(mode);
                var sentence = mode == "fails" ? "no data for this game version" : "the entry was told to panic";
                Check.Throws("it " + mode + ": the reason", sentence, () => Load());
                Check.HasLine("it " + mode + ": in the log", Game.Log.Lines, "Error ToolsPlugin:", "did not start", sentence);
                Check.Equal("it " + mode + ": what it had registered is gone", "0 tools, 0 commands, 0 0 subscribers",
                    host.ToolNames().Length + " tools, " + Game.Commands.Names.Length + " commands, " + Subscribers() + " subscribers");
                Check.Equal("it " + mode + ": no thread of the plugin's is left", "", PluginThreads());
            }
            Arrange.Mode("");
            Load();
            Check.Equal("and the next load works", "{\"result\":\"1\"}", Quick("tools_generation", "{}"));
            Game.Unload(Plugin);
        }

        private string Quick(string tool, string arguments)
        {
            return host.Call(Name, tool, arguments).Reply;
        }

        private int Lines(string part)
        {
            return Game.Chat.Lines.Count(line => line.Contains(part));
        }

        private string Subscribers()
        {
            return Other.GetIpcProvider<object>("XivMcp.Ready").SubscriptionCount + " "
                + Other.GetIpcProvider<object>("XivMcp.Disposing").SubscriptionCount;
        }

        // The names of threads that Rust's side has started and not joined.
        private static string PluginThreads()
        {
            var names = Directory.GetDirectories("/proc/self/task").Select(task =>
            {
                try
                {
                    return File.ReadAllText(task + "/comm").Trim();
                }
                catch (IOException)
                {
                    return ""; // it has just ended
                }
            });
            return string.Join(" ", names.Where(name => name.StartsWith("xivmcp")));
        }
    }
}
