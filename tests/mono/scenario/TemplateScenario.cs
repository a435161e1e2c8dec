// The template as an author gets it: its own shim folder, with its own services, and its own crate.
using Fake;

namespace Scenario
{
    internal sealed class TemplateScenario : PluginScenario
    {
        internal TemplateScenario(string folder) : base(folder, "MyPlugin")
        {
        }

        internal override void Run()
        {
            Check.Section("the template");
            var host = new XivMcpHost(Game, PathOf("XivMcp", "XivMcp"));
            host.Load();
            Load();
            Check.Equal("its tool", "myplugin_greet", string.Join(" ", host.ToolNames()));
            var call = host.Call("MyPlugin", "myplugin_greet", "{\"name\":\"Tataru\"}");
            Check.Equal("greets", "{\"result\":{\"greeting\":\"Hello, Tataru!\"}}", call.Reply);
            OnFramework(() => Game.Commands.Type("/myplugin"));
            Check.HasLine("its command", Game.Chat.Lines, "XIV MCP: enabled");
            Unload();
            Check.Equal("it leaves nothing", "0 tools, 0 commands", host.ToolNames().Length + " tools, " + Game.Commands.Names.Length + " commands");
            NothingWasThrown();
            Game.Dispose();
        }
    }
}
