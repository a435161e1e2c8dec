// Runs the shim's own code against the fake of Dalamud, with real native libraries. The argument is the folder that
// .ci/mono has built: one folder for each plugin, as Dalamud has them.
using System;
using System.IO;

namespace Scenario
{
    internal static class Program
    {
        private static int Main(string[] arguments)
        {
            var folder = Path.GetFullPath(arguments[0]);
            Run("the shim and a native plugin in C", () => new ProbeScenario(folder).Run());
            Run("the fixture", () => new FixtureScenario(folder).Run());
            Run("a plugin with tools", () => new ToolsScenario(folder).Run());
            Run("Hello MCP", () => new HelloScenario(folder).Run());
            Run("the template", () => new TemplateScenario(folder).Run());
            Console.WriteLine("\n" + Check.Passed + " checks hold, " + Check.Failed + " failed");
            return Check.Failed == 0 ? 0 : 1;
        }

        private static void Run(string name, Action scenario)
        {
            try
            {
                scenario();
            }
            catch (Exception e)
            {
                Check.Fault(name, e);
            }
        }
    }
}
