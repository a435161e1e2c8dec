// What the scenarios share: a game with one plugin under test, and another plugin, `Other`, that talks to it.
using System;
using System.Collections;
using System.IO;
using System.Linq;
using System.Reflection;
using Dalamud.Plugin;
using Fake;

namespace Scenario
{
    internal abstract class PluginScenario
    {
        protected readonly Game Game = new Game();
        protected readonly PluginInterface Other;
        protected InstalledPlugin Plugin;

        private readonly string folder;
        private readonly string name;

        protected PluginScenario(string folder, string name)
        {
            this.folder = folder;
            this.name = name;
            Other = Game.Install("Other", PathOf("Other", "Other"));
        }

        internal abstract void Run();

        protected string PathOf(string place, string plugin)
        {
            return Path.Combine(folder, place, plugin + ".dll");
        }

        // Loads the plugin from a folder of its own name, or from another build's.
        protected void Load(string build = null)
        {
            Plugin = Game.Load(name, PathOf(build ?? name, name));
        }

        // On the framework thread, as Dalamud does it.
        protected void Unload()
        {
            OnFramework(() => Game.Unload(Plugin));
        }

        protected void OnFramework(Action action)
        {
            Game.Framework.RunOnFrameworkThread(action).Wait();
        }

        // Calls a function of the plugin's.
        protected string Ask(string gate)
        {
            return Other.GetIpcSubscriber<string>(name + "." + gate).InvokeFunc();
        }

        protected string Ask(string gate, string first)
        {
            return Other.GetIpcSubscriber<string, string>(name + "." + gate).InvokeFunc(first);
        }

        protected string Ask(string gate, string first, string second)
        {
            return Other.GetIpcSubscriber<string, string, string>(name + "." + gate).InvokeFunc(first, second);
        }

        protected bool Has(string part)
        {
            return Game.Log.Lines.Any(line => line.Contains(part));
        }

        protected string LogText()
        {
            return string.Join("\n", Game.Log.Lines);
        }

        // How often a plugin that had not ended at once has ended after all.
        protected int Ended()
        {
            return Game.Log.Lines.Count(line => line.EndsWith("has ended"));
        }

        protected void NothingWasThrown()
        {
            var faults = Game.Framework.Faults.Select(e => e.ToString());
            Check.Equal("nothing has thrown into the framework thread", "", string.Join("\n", faults));
        }

        // Functions that native code calls must live as long as it may call. A thunk of a collected delegate ends the
        // program at once, so this looks before anybody leaps.
        protected void ThunksAreAlive()
        {
            var thunks = Thunks();
            Check.True("the shim has given away its functions", thunks.Length >= 16);
            for (var i = 0; i < 3; i++) Collect();
            Check.Equal("all of them are alive after a collection", thunks.Length, thunks.Count(t => t.IsAlive));
        }

        // What the shim of the plugin under test has given to native code.
        protected WeakReference[] Thunks()
        {
            var host = FieldOf(FieldOf(Plugin.Instance, "bridge"), "host");
            return ((IEnumerable)FieldOf(host, "thunks")).Cast<Delegate>().Select(t => new WeakReference(t)).ToArray();
        }

        protected static void Collect()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        protected static bool IsMapped(string plugin)
        {
            return File.ReadAllLines("/proc/self/maps").Any(line => line.EndsWith("/" + plugin + ".rust.so"));
        }

        protected static object FieldOf(object owner, string field)
        {
            return owner.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic).GetValue(owner);
        }
    }
}
