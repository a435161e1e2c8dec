// The services that the test's plugins find, written as an author writes them.
using System;

namespace XivMcp.Shim
{
    public sealed partial class Plugin
    {
        static partial void AddServices(ServiceTable services)
        {
            services.Add("echo", json => json);
            services.Add("character_name", json => Json.Text(PlayerState.CharacterName));
            services.Add("nothing", json => null);
            services.Add("fails", json => { throw new InvalidOperationException("the bags are {locked}"); });
            services.Add("unload_me", json =>
            {
                UnloadMe();
                return "true";
            });
        }

        // Set by the test: a plugin can be unloaded from inside a call of its own.
        public static Action UnloadMe { get; set; }
    }
}
