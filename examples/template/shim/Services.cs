// Yours: what the Rust side needs from the game beyond log, chat, commands, frames and session. Dalamud's other services
// come as properties with [PluginService], as in any plugin.
namespace XivMcp.Shim
{
    public sealed partial class Plugin
    {
        // [Dalamud.IoC.PluginService] internal static Dalamud.Plugin.Services.IDataManager Data { get; private set; }

        static partial void AddServices(ServiceTable services)
        {
            // JSON in, JSON out, on the thread that Rust calls from: `context.services.call_service("character_name", "null")`.
            // Game state may only be read on the framework thread.
            services.Add("character_name", json => Json.Text(PlayerState.IsLoaded ? PlayerState.CharacterName : null));
        }
    }
}
