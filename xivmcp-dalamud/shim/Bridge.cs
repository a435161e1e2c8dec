// Brings the native library up and down, in the order that the header asks for, and passes the game's events on.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Dalamud.Plugin.Services;

namespace XivMcp.Shim
{
    internal sealed class Bridge
    {
        // How long the game may stand still at most while the plugin ends.
        private const uint StopLimitMs = 5000;

        // How often a plugin that has not ended is asked again, once a second. No const, since a test has no minute.
        private static int stopTries = 60;

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

        // Throws a sentence for the developer if the plugin cannot start.
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
            var runsWithoutTable = status == Status.Ok && !plugin.HasTable;
            if (status == Status.Ok && plugin.HasTable && plugin.Mismatch == null)
            {
                Log.Write(LogSeverity.Debug, "runs: " + Path.GetFileName(path) + ", built with " + plugin.SdkName);
                return;
            }
            Detach();
            if (runsWithoutTable || plugin.Mismatch != null)
            {
                // There is no way to tell it to stop.
                message = plugin.Mismatch ?? "its entry gave no table of functions";
                StaysLoaded("it cannot be told to stop");
            }
            else if (status == Status.KeepLoaded)
            {
                StopAgainLater(message, StopLimitMs);
            }
            else
            {
                if (status == Status.Panicked) message = "panicked: " + message;
                End();
            }
            throw Refusal(path + " did not start: " + message);
        }

        internal void Stop()
        {
            // The framework thread will run no closure any more: whoever waits for one must know.
            if (Plugin.Framework.IsFrameworkUnloading) GiveUpClosures();
            var clock = Stopwatch.StartNew();
            var status = plugin.Stop(StopLimitMs, out var runs);
            Detach();
            if (status == Status.Ok) End();
            else StopAgainLater(runs, (uint)Math.Max(0, StopLimitMs - clock.ElapsedMilliseconds));
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

        private unsafe Status Enter(IntPtr entry, out string message)
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

        // Takes away what Dalamud still has of the plugin.
        private void Detach()
        {
            host.Closed = true;
            Plugin.Framework.Update -= OnUpdate;
            Plugin.ClientState.Login -= OnLogin;
            Plugin.ClientState.Logout -= OnLogout;
            Plugin.ClientState.TerritoryChanged -= OnTerritoryChanged;
            registrations.RemoveAll(e => Log.Write(LogSeverity.Warning, "while taking a gate away: " + e));
            queue.Close();
        }

        // Nothing of the plugin runs any more: frees it.
        private void End()
        {
            if (!plugin.Release(TimeSpan.FromMilliseconds(StopLimitMs)))
            {
                StaysLoaded("a call into it did not return");
                return;
            }
            library.Free();
            self.Free();
        }

        // Something of the plugin still runs, or it was unloaded from inside a call of its own. It is asked again from
        // the framework thread, at first at once with what is left of the time, then now and then.
        private async void StopAgainLater(string runs, uint limitMs)
        {
            try
            {
                Log.Write(LogSeverity.Warning, "has not ended yet: " + runs);
                for (var i = 0; i < stopTries; i++)
                {
                    var limit = i == 0 ? limitMs : 0;
                    await Task.Delay(i == 0 ? 20 : 1000).ConfigureAwait(false);
                    var stop = Plugin.Framework.RunOnFrameworkThread(() => plugin.Stop(limit, out runs));
                    var status = await stop.ConfigureAwait(false);
                    if (status != Status.Ok) continue;
                    End();
                    Log.Write(LogSeverity.Debug, "has ended");
                    return;
                }
            }
            catch (Exception e)
            {
                runs = e.ToString();
            }
            StaysLoaded(runs);
        }

        private static void StaysLoaded(string runs)
        {
            Log.Write(LogSeverity.Error, "the plugin's library stays loaded until the game ends, since freeing it now "
                + "would crash the game: " + runs);
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
                // The game changes the territory on the way in too; the login that follows tells it.
                if (state == null && change != SessionChange.Logout) return;
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
