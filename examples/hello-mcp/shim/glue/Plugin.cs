// The Dalamud plugin. Nobody needs to edit this: the name comes from the assembly, the tools from the Rust library, and
// what else the plugin wants from the game from Services.cs, the other part of this class.
using System;
using Dalamud.IoC;
using Dalamud.Plugin;
using Dalamud.Plugin.Services;

namespace XivMcp.Shim
{
    public sealed partial class Plugin : IDalamudPlugin
    {
        private readonly Bridge bridge;

        public Plugin()
        {
            var services = new ServiceTable();
            AddServices(services);
            bridge = new Bridge(services);
            bridge.Start();
        }

        [PluginService] internal static IDalamudPluginInterface PluginInterface { get; private set; }
        [PluginService] internal static IFramework Framework { get; private set; }
        [PluginService] internal static IPluginLog PluginLog { get; private set; }
        [PluginService] internal static IChatGui ChatGui { get; private set; }
        [PluginService] internal static ICommandManager CommandManager { get; private set; }
        [PluginService] internal static IClientState ClientState { get; private set; }
        [PluginService] internal static IPlayerState PlayerState { get; private set; }

        public void Dispose()
        {
            bridge.Stop();
        }

        static partial void AddServices(ServiceTable services);
    }
}
