// The native plugin's functions, callable from C#. Until the plugin has put its table into its place, and after the
// end, calls are answered here, as if nothing were there.
using System;
using System.Runtime.InteropServices;
using Dalamud.Plugin.Ipc.Exceptions;

namespace XivMcp.Shim
{
    internal sealed unsafe class NativePlugin
    {
        private readonly CallCount calls = new CallCount();
        private readonly PluginTable** place = (PluginTable**)Marshal.AllocHGlobal(sizeof(IntPtr));
        private volatile Functions functions;

        internal NativePlugin()
        {
            *place = null;
        }

        ~NativePlugin()
        {
            Marshal.FreeHGlobal((IntPtr)place);
        }

        // Where the entry puts the plugin's table.
        internal PluginTable** Place => place;

        internal bool HasTable => System.Threading.Volatile.Read(ref *(IntPtr*)place) != IntPtr.Zero;

        internal string SdkName => Loaded()?.SdkName ?? "";

        // Nothing, or why the plugin's table cannot be used.
        internal string Mismatch => Loaded()?.Mismatch;

        // Calls what was provided or subscribed at a gate; throws what other plugins are to see.
        internal object Invoke(Registration registration, GateType[] parameters, GateType returns, object[] values)
        {
            var to = registration.Removed ? null : Enter();
            if (to == null) throw new IpcNotReadyError(registration.Name);
            try
            {
                using (var arguments = new NativeArguments(parameters, values))
                {
                    var reply = new Reply();
                    var status = (Status)to.Invoke(to.Context, registration.Id, arguments.First, arguments.Count, &reply);
                    if (status != Status.Ok) throw Failures.Of(status, &reply, registration.Name);
                    Text.Free(&reply.Kind);
                    var text = Text.Take(&reply.Text);
                    if (reply.ValueType != returns)
                    {
                        var wrong = "the function returned a " + reply.ValueType + " where " + returns + " was declared";
                        throw new NativePluginException("InvalidReply", wrong);
                    }
                    return Values.ToObject(returns, reply.Bits, text);
                }
            }
            finally
            {
                calls.Leave();
            }
        }

        internal void RunClosure(ulong id, bool giveUp)
        {
            Call(to => to.RunClosure(to.Context, id, giveUp ? 1 : 0));
        }

        internal void Command(ulong id, string command, string arguments)
        {
            Call(to =>
            {
                var first = Text.Bytes(command);
                var second = Text.Bytes(arguments);
                fixed (byte* one = first)
                fixed (byte* two = second)
                {
                    var left = new Slice { Ptr = one, Len = (UIntPtr)first.Length };
                    var right = new Slice { Ptr = two, Len = (UIntPtr)second.Length };
                    return to.Command(to.Context, id, left, right);
                }
            });
        }

        internal void Update(ulong id)
        {
            Call(to => to.Update(to.Context, id));
        }

        // `session` is null after a logout.
        internal void SessionEvent(ulong id, SessionChange change, SessionState? session)
        {
            Call(to =>
            {
                var state = session ?? new SessionState();
                return to.SessionEvent(to.Context, id, change, session == null ? null : &state);
            });
        }

        // Ends the plugin. `text` says what still runs, if something does.
        internal Status Stop(uint limitMs, out string text)
        {
            text = "";
            var to = Loaded();
            if (to == null || to.Mismatch != null) return Status.Invalid;
            var reply = new Reply();
            var status = (Status)to.Stop(to.Context, limitMs, &reply);
            Text.Free(&reply.Kind);
            text = Text.TakeLenient(&reply.Text);
            return status;
        }

        // Waits until all calls have left the plugin, and takes its memory away. False: a call did not leave in time.
        internal bool Release(TimeSpan limit)
        {
            if (!calls.Close(limit)) return false;
            var to = Loaded();
            if (to == null) return true;
            if (to.Mismatch != null) return false;
            to.Release(to.Context);
            *place = null;
            return true;
        }

        // Before the table is there, and after the end, nothing happens. The plugin logs its own panics, so the status
        // tells nothing that somebody here could do something about.
        private void Call(Func<Functions, int> call)
        {
            var to = Enter();
            if (to == null) return;
            try
            {
                call(to);
            }
            finally
            {
                calls.Leave();
            }
        }

        private Functions Enter()
        {
            if (!calls.Enter()) return null;
            var to = Loaded();
            if (to != null && to.Mismatch == null) return to;
            calls.Leave();
            return null;
        }

        private Functions Loaded()
        {
            if (functions == null && HasTable) functions = new Functions(*place);
            return functions;
        }

        // The table as delegates. Fields beyond the size that the plugin told count as NULL.
        private sealed class Functions
        {
            internal readonly string Mismatch;
            internal readonly string SdkName = "";
            internal readonly IntPtr Context;
            internal readonly Fn.Invoke Invoke;
            internal readonly Fn.RunClosure RunClosure;
            internal readonly Fn.Command Command;
            internal readonly Fn.WithId Update;
            internal readonly Fn.SessionEvent SessionEvent;
            internal readonly Fn.Stop Stop;
            internal readonly Fn.Release Release;

            internal Functions(PluginTable* given)
            {
                if (given->Version != Abi.Version)
                {
                    Mismatch = "it speaks version " + given->Version + " of the ABI, this shim version " + Abi.Version
                        + "; build the library and copy the shim's glue from the same version of xivmcp-dalamud";
                    return;
                }
                var table = new PluginTable();
                var size = Math.Min(given->Size, (uint)sizeof(PluginTable));
                Buffer.MemoryCopy(given, &table, sizeof(PluginTable), size);
                var needed = new[]
                {
                    table.Invoke, table.RunClosure, table.Command, table.Update, table.SessionEvent, table.Stop,
                    table.Release,
                };
                if (Array.IndexOf(needed, IntPtr.Zero) >= 0)
                {
                    Mismatch = "its table of functions is too small or has holes (" + given->Size + " bytes, "
                        + sizeof(PluginTable) + " are known here); build it with xivmcp-dalamud " + Abi.ShimVersion;
                    return;
                }
                SdkName = Text.ReadLenient(table.SdkName);
                Context = table.Context;
                Invoke = Marshal.GetDelegateForFunctionPointer<Fn.Invoke>(table.Invoke);
                RunClosure = Marshal.GetDelegateForFunctionPointer<Fn.RunClosure>(table.RunClosure);
                Command = Marshal.GetDelegateForFunctionPointer<Fn.Command>(table.Command);
                Update = Marshal.GetDelegateForFunctionPointer<Fn.WithId>(table.Update);
                SessionEvent = Marshal.GetDelegateForFunctionPointer<Fn.SessionEvent>(table.SessionEvent);
                Stop = Marshal.GetDelegateForFunctionPointer<Fn.Stop>(table.Stop);
                Release = Marshal.GetDelegateForFunctionPointer<Fn.Release>(table.Release);
            }
        }
    }
}
