// The services that the test's plugins find, written as an author writes them. What the test decides at run time it
// leaves in the application domain: each load of a plugin is a new assembly.
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
            services.Add("asks", json => PluginInterface.GetIpcSubscriber<string>("Other.Nobody").InvokeFunc());
            foreach (var name in new[] { "mode", "hold", "wait", "unload_me" })
            {
                services.Add(name, json =>
                {
                    var service = (Func<string>)AppDomain.CurrentDomain.GetData(name);
                    return service == null ? "\"\"" : service();
                });
            }
        }
    }
}
