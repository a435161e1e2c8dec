// What Hello MCP needs from the game beyond log, chat and commands: the name that it greets.
namespace XivMcp.Shim
{
    public sealed partial class Plugin
    {
        static partial void AddServices(ServiceTable services)
        {
            // The character's name, or null while nobody is logged in. Call it on the framework thread.
            services.Add("character_name", json => Json.Text(PlayerState.IsLoaded ? PlayerState.CharacterName : null));
        }
    }
}
