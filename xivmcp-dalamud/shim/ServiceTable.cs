// The services that the author adds in Services.cs, and the little JSON that they may need.
using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using System.Text;

namespace XivMcp.Shim
{
    public sealed class ServiceTable
    {
        private readonly ConcurrentDictionary<string, Func<string, string>> services =
            new ConcurrentDictionary<string, Func<string, string>>();

        // A service gets JSON and gives JSON, on the thread that Rust calls it from. What it throws, Rust gets as an
        // error with type and text. The same name again replaces.
        public void Add(string name, Func<string, string> service)
        {
            services[name] = service;
        }

        internal string Call(string name, string json)
        {
            if (!services.TryGetValue(name, out var service))
                throw new StatusException(Status.Unknown, "no service named `" + name + "` was added in Services.cs");
            try
            {
                return service(json) ?? "null";
            }
            catch (Exception e)
            {
                // Wrapped as a gate's own exception is: whatever type it has, it is the service that failed.
                throw new TargetInvocationException(e);
            }
        }
    }

    public static class Json
    {
        // A text as JSON, with its quotes; null as null. For more, the game's .NET has System.Text.Json.
        public static string Text(string text)
        {
            if (text == null) return "null";
            var json = new StringBuilder("\"");
            foreach (var c in text)
            {
                if (c == '"' || c == '\\') json.Append('\\').Append(c);
                else if (c < ' ') json.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else json.Append(c);
            }
            return json.Append('"').ToString();
        }
    }
}
