// Brings the native library up and down, in the order that the header asks for, and passes the game's events on.
using System;
using System.IO;
using System.Runtime.InteropServices;
using Dalamud.Plugin.Services;

namespace XivMcp.Shim
{
    internal sealed unsafe class Bridge
    {
        // How long the game may stand still at most while the plugin ends.
        private const uint StopLimitMs = 5000;

        private readonly Registrations registrations = new Registrations();
        private readonly FrameworkQueue queue = new FrameworkQueue();
        private readonly NativePlugin plugin = new NativePlugin();
        private readonly Session session = new Session();
        private readonly HostFunctions host;
        private Library library;

        // Holds this object, and with it every function that native code may call, until the library is freed.
        private GCHandle self;

        internal Bridge(ServiceTable services)
        {
            host = new HostFunctions(registrations, queue, plugin, session, services);
        }

        // Throws a sentence for the developer if the plugin cannot start; nothing is left then.
        internal void Start()
        {
            var path = Path.ChangeExtension(Plugin.PluginInterface.AssemblyLocation.FullName, null) + Library.Ending;
            var entry = Load(path);
            self = GCHandle.Alloc(this);
            Plugin.Framework.Update += OnUpdate;
            Plugin.ClientState.Login += OnLogin;
            Plugin.ClientState.Logout += OnLogout;
            Plugin.ClientState.TerritoryChanged += OnTerritoryChanged;
            var status = Status.Failed;
            var message = "";
            try
            {
                if (Plugin.Framework.IsInFrameworkUpdateThread) session.Read();
                status = Enter(entry, out message);
            }
            catch (Exception e)
            {
                message = e.ToString();
            }
            if (status == Status.Ok && plugin.Mismatch == null)
            {
                Log.Write(LogSeverity.Debug, "runs: " + Path.GetFileName(path) + ", built with " + plugin.SdkName);
                return;
            }
            if (plugin.Mismatch != null)
            {
                message = plugin.Mismatch;
                status = Status.KeepLoaded;
            }
            else if (status == Status.Panicked)
            {
                message = "panicked: " + message;
            }
            End(status == Status.KeepLoaded ? message : null);
            throw Refusal(path + " did not start: " + message);
        }

        internal void Stop()
        {
            // The framework thread will run no closure any more: whoever waits for one must know.
            if (Plugin.Framework.IsFrameworkUnloading) GiveUpClosures();
            var status = plugin.Stop(StopLimitMs, out var text);
            End(status == Status.Ok ? null : text.Length > 0 ? text : "it ended with the status " + status);
        }

        private IntPtr Load(string path)
        {
            if (!File.Exists(path))
            {
                throw Refusal(path + " is missing, the plugin's Rust library. If it was there before, a virus scanner may "
                    + "have taken it away: look into its quarantine, make an exception for the plugin's folder, and install "
                    + "again. Else build the Rust crate first, then this project, which copies the library there");
            }
            try
            {
                library = new Library(path);
            }
            catch (Exception e)
            {
                throw Refusal(path + " could not be loaded: " + e.Message + ". It must be a library for 64-bit Windows "
                    + "(x86_64-pc-windows-msvc or -gnu), also under Wine; if it is, a virus scanner may hold it back");
            }
            var entry = library.Symbol(Abi.EntrySymbol);
            if (entry != IntPtr.Zero) return entry;
            library.Free();
            throw Refusal(path + " does not export " + Abi.EntrySymbol + ": it was built for another version of this shim "
                + "(" + Abi.ShimVersion + "), or its crate does not name its entry with xivmcp-dalamud's macro");
        }

        private Status Enter(IntPtr entry, out string message)
        {
            var name = Text.Bytes(Plugin.PluginInterface.InternalName);
            var version = Text.Bytes("xivmcp shim " + Abi.ShimVersion + " on " + RuntimeInformation.FrameworkDescription);
            var sentence = new Owned();
            fixed (byte* one = name)
            fixed (byte* two = version)
            {
                var table = host.Table(
                    new Slice { Ptr = one, Len = (UIntPtr)name.Length },
                    new Slice { Ptr = two, Len = (UIntPtr)version.Length });
                var function = Marshal.GetDelegateForFunctionPointer<Fn.Entry>(entry);
                var status = (Status)function(&table, plugin.Place, &sentence);
                message = Text.TakeLenient(&sentence);
                return status;
            }
        }

        // After the plugin has stopped, or did not start: takes away what is left, and frees the library, unless
        // something of it still runs. `runs` says what, or is null.
        private void End(string runs)
        {
            host.Closed = true;
            Plugin.Framework.Update -= OnUpdate;
            Plugin.ClientState.Login -= OnLogin;
            Plugin.ClientState.Logout -= OnLogout;
            Plugin.ClientState.TerritoryChanged -= OnTerritoryChanged;
            registrations.RemoveAll(e => Log.Write(LogSeverity.Warning, "while taking a gate away: " + e));
            queue.Close();
            if (runs == null && !plugin.Release(TimeSpan.FromMilliseconds(StopLimitMs)))
                runs = "a call into it did not return";
            if (runs != null)
            {
                Log.Write(LogSeverity.Error, "the plugin's library stays loaded until the game ends, since freeing it now would "
                    + "crash the game: " + runs);
                return;
            }
            library.Free();
            self.Free();
        }

        private void OnUpdate(IFramework framework)
        {
            Guarded("an update", () =>
            {
                session.Read();
                // While the entry has not told where to call, they wait.
                if (!plugin.HasTable) return;
                foreach (var id in queue.Take()) plugin.RunClosure(id, false);
                foreach (var id in registrations.Updates) plugin.Update(id);
            });
        }

        private void OnLogin()
        {
            Changed(SessionChange.Login);
        }

        private void OnLogout(int type, int code)
        {
            Changed(SessionChange.Logout);
        }

        private void OnTerritoryChanged(uint territory)
        {
            Changed(SessionChange.TerritoryChanged);
        }

        private void Changed(SessionChange change)
        {
            Guarded("an event of the session", () =>
            {
                session.Read();
                var state = change == SessionChange.Logout ? null : session.Now;
                foreach (var id in registrations.Sessions) plugin.SessionEvent(id, change, state);
            });
        }

        private void GiveUpClosures()
        {
            foreach (var id in queue.Close()) plugin.RunClosure(id, true);
        }

        private static void Guarded(string what, Action work)
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                Log.Write(LogSeverity.Error, what + " failed: " + e);
            }
        }

        private static InvalidOperationException Refusal(string sentence)
        {
            Log.Write(LogSeverity.Error, sentence);
            return new InvalidOperationException(sentence);
        }
    }
}
