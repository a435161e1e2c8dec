// Hello MCP as it ships: its own shim folder and services, and its library, with a player and XIV MCP around it.
using System.Linq;
using Lumina.Excel;
using Lumina.Excel.Sheets;

namespace Scenario
{
    internal sealed class HelloScenario : PluginScenario
    {
        private const string Name = "HelloMcp";

        private readonly XivMcpHost host;

        internal HelloScenario(string folder) : base(folder, Name)
        {
            host = new XivMcpHost(Game, PathOf("XivMcp", "XivMcp"));
        }

        internal override void Run()
        {
            Check.Section("Hello MCP");
            Load();
            host.Load();
            Check.Equal("its tools", "hellomcp_greet hellomcp_print hellomcp_countdown hellomcp_pretend_purchase",
                string.Join(" ", host.ToolNames()));
            Check.Contains("what its jobs use", "navigate_to", host.Dependencies);
            Check.Equal("nobody is logged in: a greeting all the same", "{\"result\":{\"greeting\":\"Hello, traveller!\"}}", Quick("hellomcp_greet", "{}"));
            OnFramework(() =>
            {
                Game.PlayerState.IsLoaded = true;
                Game.PlayerState.CharacterName = "Y'shtola \"Rhul\"";
                Game.PlayerState.CurrentWorld = new RowRef<World>(67);
                Game.ClientState.PlayLogin(132);
            });
            Check.Equal("the character is greeted by name, through the named service",
                "{\"result\":{\"greeting\":\"Ahoy, Y'shtola \\\"Rhul\\\"!\"}}", Quick("hellomcp_greet", "{\"style\":\"pirate\"}"));
            Check.Contains("a style that is none: the error lists them", "formal", Quick("hellomcp_greet", "{\"style\":\"rude\"}"));
            Quick("hellomcp_print", "{\"text\":\"割引 {0}\"}");
            Check.HasLine("it prints to chat", Game.Chat.Lines, "割引 {0}");

            var countdown = host.Call(Name, "hellomcp_countdown", "{\"seconds\":600}");
            Check.Until("a countdown reports", () => countdown.ProgressLines.Length > 0, () => countdown.Reply);
            host.Cancel(Name, countdown);
            Check.Contains("cancelled, it ends", "error: ", host.EndOf(countdown));
            Check.HasLine("after it has cleaned up", Game.Chat.Lines, "The countdown was stopped");
            var purchase = host.Call(Name, "hellomcp_pretend_purchase", "{\"item\":\"Cotton Yarn\",\"price\":300}");
            Check.Contains("a purchase asks, with the price", "300", host.Answer(true));
            Check.Contains("and goes on", "\"bought\":true", host.EndOf(purchase));

            OnFramework(() => Game.Commands.Type("/hellomcp"));
            Check.HasLine("/hellomcp tells the status", Game.Chat.Lines, "Hello MCP is enabled.");
            OnFramework(() => Game.Commands.Type("/hellomcp countdown"));
            Check.HasLine("and starts a job", Game.Chat.Lines, "Count down and tell [Hello MCP] is running.");
            Check.Contains("whose steps are these", "hellomcp_countdown", host.Jobs.FirstOrDefault());
            OnFramework(() => Game.Commands.Type("/hellomcp"));
            Check.HasLine("and lists the jobs", Game.Chat.Lines, "Count down and tell [Hello MCP]: running (0/3)");
            ThunksAreAlive();

            countdown = host.Call(Name, "hellomcp_countdown", "{\"seconds\":600}");
            Unload();
            Check.Contains("unloaded during a call, the call ends", "error: ", host.EndOf(countdown));
            Check.Equal("it leaves nothing", "0 tools, 0 commands", host.ToolNames().Length + " tools, " + Game.Commands.Names.Length + " commands");
            Load();
            Check.Equal("and comes again", 4, host.ToolNames().Length);
            Check.Contains("as before", "Hello, Tataru!", Quick("hellomcp_greet", "{\"name\":\"Tataru\"}"));
            Unload();
            NothingWasThrown();
            Game.Dispose();
        }

        private string Quick(string tool, string arguments)
        {
            return host.Call(Name, tool, arguments).Reply;
        }
    }
}
