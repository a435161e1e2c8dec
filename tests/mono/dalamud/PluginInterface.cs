// One plugin's door into the fake game.
using System.Collections.Generic;
using System.IO;
using Dalamud.Plugin;
using Dalamud.Plugin.Ipc;

namespace Fake
{
    public sealed class PluginInterface : IDalamudPluginInterface
    {
        private readonly Game game;
        private readonly InstalledPlugin plugin;

        internal PluginInterface(Game game, InstalledPlugin plugin)
        {
            this.game = game;
            this.plugin = plugin;
        }

        public string InternalName { get { return plugin.InternalName; } }
        public FileInfo AssemblyLocation { get { return plugin.Assembly; } }
        public DirectoryInfo ConfigDirectory { get { return plugin.Assembly.Directory; } }
        public IEnumerable<IExposedPlugin> InstalledPlugins { get { return game.Plugins; } }

        public ICallGateProvider<TRet> GetIpcProvider<TRet>(string name) { return new Gate<TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<TRet> GetIpcSubscriber<TRet>(string name) { return new Gate<TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, TRet> GetIpcProvider<T1, TRet>(string name) { return new Gate<T1, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, TRet> GetIpcSubscriber<T1, TRet>(string name) { return new Gate<T1, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, TRet> GetIpcProvider<T1, T2, TRet>(string name) { return new Gate<T1, T2, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, TRet> GetIpcSubscriber<T1, T2, TRet>(string name) { return new Gate<T1, T2, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, TRet> GetIpcProvider<T1, T2, T3, TRet>(string name) { return new Gate<T1, T2, T3, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, TRet> GetIpcSubscriber<T1, T2, T3, TRet>(string name) { return new Gate<T1, T2, T3, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, T4, TRet> GetIpcProvider<T1, T2, T3, T4, TRet>(string name) { return new Gate<T1, T2, T3, T4, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, T4, TRet> GetIpcSubscriber<T1, T2, T3, T4, TRet>(string name) { return new Gate<T1, T2, T3, T4, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, T4, T5, TRet> GetIpcProvider<T1, T2, T3, T4, T5, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, T4, T5, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, T4, T5, T6, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, T4, T5, T6, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, T7, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, T7, TRet>(game.Channel(name), plugin); }

        public ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet> GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(game.Channel(name), plugin); }
        public ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet> GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(string name) { return new Gate<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(game.Channel(name), plugin); }
    }
}
