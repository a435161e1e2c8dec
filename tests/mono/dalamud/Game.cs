// The fake game: gates, framework thread, log, chat, commands, who is logged in, and the plugins with their loading
// and unloading. A test arranges and reads it directly; a plugin sees it through Dalamud's interfaces only.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Dalamud.Game.Command;
using Dalamud.IoC;
using Dalamud.Plugin;
using Dalamud.Plugin.Services;
using Lumina.Excel;
using Lumina.Excel.Sheets;

namespace Fake
{
    public sealed class InstalledPlugin : IExposedPlugin
    {
        internal InstalledPlugin(string internalName, FileInfo assembly)
        {
            InternalName = internalName;
            Assembly = assembly;
        }

        public string Name { get { return InternalName; } }
        public string InternalName { get; }
        public bool IsLoaded { get { return Instance != null; } }
        public Version Version { get { return new Version(1, 0, 0, 0); } }
        public FileInfo Assembly { get; internal set; }
        public IDalamudPlugin Instance { get; internal set; }
    }

    public sealed class Game : IDisposable
    {
        private readonly Dictionary<string, Channel> channels = new Dictionary<string, Channel>();

        public Framework Framework { get; } = new Framework();
        public Log Log { get; } = new Log();
        public Chat Chat { get; } = new Chat();
        public Commands Commands { get; } = new Commands();
        public ClientState ClientState { get; } = new ClientState();
        public PlayerState PlayerState { get; } = new PlayerState();
        public List<InstalledPlugin> Plugins { get; } = new List<InstalledPlugin>();

        // Installs a plugin without loading it: whoever plays another plugin in a test uses its interface directly.
        public PluginInterface Install(string internalName, string assembly)
        {
            return new PluginInterface(this, Entry(internalName, assembly));
        }

        // Loads a plugin as Dalamud does: a fresh copy of its assembly, services into properties and constructor.
        public InstalledPlugin Load(string internalName, string assembly)
        {
            var entry = Entry(internalName, assembly);
            if (entry.IsLoaded) throw new InvalidOperationException(internalName + " is loaded already");
            var type = Assembly.Load(File.ReadAllBytes(assembly)).GetTypes()
                .Single(t => typeof(IDalamudPlugin).IsAssignableFrom(t) && !t.IsAbstract);
            var services = new object[]
            {
                new PluginInterface(this, entry), Framework, Log.Of(internalName), Chat, Commands, ClientState, PlayerState,
            };
            Func<Type, object> service = wanted => services.Single(wanted.IsInstanceOfType);
            const BindingFlags statics = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
            foreach (var property in type.GetProperties(statics))
            {
                if (property.IsDefined(typeof(PluginServiceAttribute), false))
                    property.SetValue(null, service(property.PropertyType), null);
            }
            var constructor = type.GetConstructors().Single();
            var arguments = constructor.GetParameters().Select(p => service(p.ParameterType)).ToArray();
            entry.Instance = (IDalamudPlugin)constructor.Invoke(arguments);
            return entry;
        }

        public void Unload(InstalledPlugin plugin)
        {
            var instance = plugin.Instance;
            plugin.Instance = null;
            instance.Dispose();
        }

        public void Dispose()
        {
            Framework.Dispose();
        }

        internal Channel Channel(string name)
        {
            lock (channels)
            {
                Channel channel;
                if (!channels.TryGetValue(name, out channel)) channels.Add(name, channel = new Channel(name));
                return channel;
            }
        }

        private InstalledPlugin Entry(string internalName, string assembly)
        {
            lock (Plugins)
            {
                var entry = Plugins.SingleOrDefault(p => p.InternalName == internalName);
                if (entry == null) Plugins.Add(entry = new InstalledPlugin(internalName, new FileInfo(assembly)));
                entry.Assembly = new FileInfo(assembly);
                return entry;
            }
        }
    }

    // Every line that any plugin wrote, as "Level Plugin: text".
    public sealed class Log
    {
        private readonly List<string> lines = new List<string>();

        public string[] Lines
        {
            get { lock (lines) return lines.ToArray(); }
        }

        internal IPluginLog Of(string plugin)
        {
            return new PluginLog(this, plugin);
        }

        private sealed class PluginLog : IPluginLog
        {
            private readonly Log log;
            private readonly string plugin;

            internal PluginLog(Log log, string plugin)
            {
                this.log = log;
                this.plugin = plugin;
            }

            public void Fatal(string template, params object[] values) { Add("Fatal", template, values); }
            public void Error(string template, params object[] values) { Add("Error", template, values); }
            public void Warning(string template, params object[] values) { Add("Warning", template, values); }
            public void Information(string template, params object[] values) { Add("Information", template, values); }
            public void Debug(string template, params object[] values) { Add("Debug", template, values); }
            public void Verbose(string template, params object[] values) { Add("Verbose", template, values); }

            private void Add(string level, string template, object[] values)
            {
                // A brace that is no placeholder fails here, so a text passed as the template is noticed.
                var line = level + " " + plugin + ": " + string.Format(template, values);
                lock (log.lines) log.lines.Add(line);
            }
        }
    }

    // The chat window: "message" or "error: message".
    public sealed class Chat : IChatGui
    {
        private readonly List<string> lines = new List<string>();

        public string[] Lines
        {
            get { lock (lines) return lines.ToArray(); }
        }

        public void Print(string message, string messageTag = null, ushort? tagColor = null)
        {
            lock (lines) lines.Add(message);
        }

        public void PrintError(string message, string messageTag = null, ushort? tagColor = null)
        {
            lock (lines) lines.Add("error: " + message);
        }
    }

    public sealed class Commands : ICommandManager
    {
        private readonly Dictionary<string, CommandInfo> handlers = new Dictionary<string, CommandInfo>();

        public string[] Names
        {
            get { lock (handlers) return handlers.Keys.ToArray(); }
        }

        public string Help(string command)
        {
            lock (handlers) return handlers[command].HelpMessage;
        }

        public bool AddHandler(string command, CommandInfo info)
        {
            lock (handlers)
            {
                if (!command.StartsWith("/") || handlers.ContainsKey(command)) return false;
                handlers.Add(command, info);
                return true;
            }
        }

        public bool RemoveHandler(string command)
        {
            lock (handlers) return handlers.Remove(command);
        }

        // What the player types. Call it on the framework thread, as the game does.
        public void Type(string line)
        {
            var space = line.IndexOf(' ');
            var command = space < 0 ? line : line.Substring(0, space);
            CommandInfo info;
            lock (handlers) info = handlers[command];
            info.Handler(command, space < 0 ? "" : line.Substring(space + 1).Trim());
        }
    }

    public sealed class ClientState : IClientState
    {
        private volatile bool isLoggedIn;

        public event Action Login;
        public event LogoutDelegate Logout;
        public event Action<uint> TerritoryChanged;

        public uint TerritoryType { get; private set; }
        public bool IsLoggedIn
        {
            get
            {
                if (Breaks) throw new InvalidOperationException("a build of Dalamud that does not fit the game");
                return isLoggedIn;
            }
        }

        // Whether reading the session throws.
        public bool Breaks { get; set; }
        public bool HasHandlers { get { return Login != null || Logout != null || TerritoryChanged != null; } }

        public void PlayLogin(uint territory)
        {
            TerritoryType = territory;
            isLoggedIn = true;
            var handlers = Login;
            if (handlers != null) handlers();
        }

        public void PlayLogout()
        {
            isLoggedIn = false;
            TerritoryType = 0;
            var handlers = Logout;
            if (handlers != null) handlers(0, 0);
        }

        public void PlayTerritory(uint territory)
        {
            TerritoryType = territory;
            var handlers = TerritoryChanged;
            if (handlers != null) handlers(territory);
        }
    }

    public sealed class PlayerState : IPlayerState
    {
        public bool IsLoaded { get; set; }
        public string CharacterName { get; set; } = "";
        public ulong ContentId { get; set; }
        public RowRef<World> CurrentWorld { get; set; }
    }
}
