// The functions that the native plugin calls. Each catches everything: an exception that left one would end the game.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using Dalamud.Game.Command;

namespace XivMcp.Shim
{
    internal sealed unsafe class HostFunctions
    {
        // Native code calls these; while it may, they must not be collected.
        private readonly List<Delegate> thunks = new List<Delegate>();
        private readonly ConcurrentDictionary<string, Gate> gates = new ConcurrentDictionary<string, Gate>();
        private readonly Registrations registrations;
        private readonly FrameworkQueue queue;
        private readonly NativePlugin plugin;
        private readonly Session session;
        private readonly ServiceTable services;

        internal HostFunctions(
            Registrations registrations, FrameworkQueue queue, NativePlugin plugin, Session session, ServiceTable services)
        {
            this.registrations = registrations;
            this.queue = queue;
            this.plugin = plugin;
            this.session = session;
            this.services = services;
        }

        // From now on everything but the log answers CLOSED.
        internal volatile bool Closed;

        internal HostTable Table(Slice internalName, Slice hostName)
        {
            return new HostTable
            {
                Size = (uint)sizeof(HostTable),
                Version = Abi.Version,
                InternalName = internalName,
                HostName = hostName,
                CallFunction = Thunk(new Fn.CallFunction(CallFunction)),
                CallAction = Thunk(new Fn.CallAction(CallAction)),
                SendMessage = Thunk(new Fn.CallAction(SendMessage)),
                ProvideFunction = Thunk(new Fn.ProvideFunction(ProvideFunction)),
                ProvideAction = Thunk(new Fn.ProvideAction(ProvideAction)),
                Subscribe = Thunk(new Fn.ProvideAction(Subscribe)),
                Remove = Thunk(new Fn.WithId(Remove)),
                RunOnNextUpdate = Thunk(new Fn.WithId(RunOnNextUpdate)),
                IsFrameworkThread = Thunk(new Fn.Ask(IsFrameworkThread)),
                Log = Thunk(new Fn.Log(Log)),
                PrintChat = Thunk(new Fn.PrintChat(PrintChat)),
                AddCommand = Thunk(new Fn.AddCommand(AddCommand)),
                OnUpdate = Thunk(new Fn.WithId(OnUpdate)),
                OnSession = Thunk(new Fn.WithId(OnSession)),
                Session = Thunk(new Fn.Session(CurrentSession)),
                CallService = Thunk(new Fn.CallService(CallService)),
            };
        }

        private IntPtr Thunk(Delegate function)
        {
            thunks.Add(function);
            return Marshal.GetFunctionPointerForDelegate(function);
        }

        private int CallFunction(IntPtr context, Slice gate, Value* arguments, uint count, GateType returns, Reply* reply)
        {
            return Answer(reply, count, () =>
            {
                var values = Values.Read(arguments, count);
                var result = GateOf(gate, TypesOf(values), returns).CallFunction(values);
                Values.Write(reply, returns, result);
            });
        }

        private int CallAction(IntPtr context, Slice gate, Value* arguments, uint count, Reply* reply)
        {
            return Answer(reply, count, () =>
            {
                var values = Values.Read(arguments, count);
                GateOf(gate, TypesOf(values), GateType.Unit).CallAction(values);
            });
        }

        private int SendMessage(IntPtr context, Slice gate, Value* arguments, uint count, Reply* reply)
        {
            return Answer(reply, count, () =>
            {
                var values = Values.Read(arguments, count);
                GateOf(gate, TypesOf(values), GateType.Unit).Send(values);
            });
        }

        private int ProvideFunction(
            IntPtr context, Slice gate, GateType* parameters, uint count, GateType returns, ulong id, Reply* reply)
        {
            return Answer(reply, count, () => Provide(Place.Function, gate, parameters, count, returns, id, (to, call) =>
            {
                to.ProvideFunction(call);
                return to.TakeFunctionAway;
            }));
        }

        private int ProvideAction(IntPtr context, Slice gate, GateType* parameters, uint count, ulong id, Reply* reply)
        {
            return Answer(reply, count, () => Provide(Place.Action, gate, parameters, count, GateType.Unit, id, (to, call) =>
            {
                to.ProvideAction(call);
                return to.TakeActionAway;
            }));
        }

        private int Subscribe(IntPtr context, Slice gate, GateType* parameters, uint count, ulong id, Reply* reply)
        {
            return Answer(reply, count, () =>
                Provide(Place.Subscription, gate, parameters, count, GateType.Unit, id, (to, call) => to.Subscribe(call)));
        }

        private void Provide(
            Place place, Slice gate, GateType* parameters, uint count, GateType returns, ulong id,
            Func<Gate, Func<object[], object>, Action> put)
        {
            Values.CheckCount(count);
            var types = new GateType[count];
            for (var i = 0; i < types.Length; i++) types[i] = parameters[i];
            var to = GateOf(gate, types.Select(Values.ParameterType), returns);
            registrations.Add(
                new Registration(id, place, Text.Read(gate)),
                registration => put(to, values => plugin.Invoke(registration, types, returns, values)));
        }

        private int Remove(IntPtr context, ulong id)
        {
            try
            {
                registrations.Remove(id);
                return (int)Status.Ok;
            }
            catch (Exception e)
            {
                return (int)Failures.Put(e, null, 0);
            }
        }

        private int RunOnNextUpdate(IntPtr context, ulong id)
        {
            return Answer(null, 0, () =>
            {
                if (Plugin.Framework.IsFrameworkUnloading || !queue.Add(id)) throw Ended();
            });
        }

        private int IsFrameworkThread(IntPtr context)
        {
            try
            {
                return Plugin.Framework.IsInFrameworkUpdateThread ? 1 : 0;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        private void Log(IntPtr context, LogSeverity level, Slice text)
        {
            try
            {
                Shim.Log.Write(level, Text.ReadLenient(text));
            }
            catch (Exception)
            {
                // There is nobody left to tell.
            }
        }

        private int PrintChat(IntPtr context, int isError, Slice text)
        {
            return Answer(null, 0, () =>
            {
                var line = Text.Read(text);
                if (isError != 0) Plugin.ChatGui.PrintError(line);
                else Plugin.ChatGui.Print(line);
            });
        }

        private int AddCommand(IntPtr context, Slice command, Slice help, ulong id, Reply* reply)
        {
            return Answer(reply, 0, () =>
            {
                var name = Text.Read(command);
                var info = Text.Read(help);
                if (!name.StartsWith("/") || name.Length < 2 || name.Any(char.IsWhiteSpace))
                    throw new StatusException(Status.Refused, "a command is a `/` and one word, such as `/hello`");
                registrations.Add(new Registration(id, Place.Command, name), registration =>
                {
                    var handler = new CommandInfo((typed, arguments) => Typed(id, typed, arguments)) { HelpMessage = info };
                    if (!Plugin.CommandManager.AddHandler(name, handler))
                        throw new StatusException(Status.Refused, "the command is taken by another plugin; choose another name");
                    return () => Plugin.CommandManager.RemoveHandler(name);
                });
            });
        }

        private void Typed(ulong id, string command, string arguments)
        {
            try
            {
                plugin.Command(id, command, (arguments ?? "").Trim());
            }
            catch (Exception e)
            {
                Shim.Log.Write(LogSeverity.Error, "the command " + command + " failed: " + e);
            }
        }

        private int OnUpdate(IntPtr context, ulong id)
        {
            return Answer(null, 0, () => registrations.Add(new Registration(id, Place.Update, ""), _ => () => { }));
        }

        private int OnSession(IntPtr context, ulong id)
        {
            return Answer(null, 0, () => registrations.Add(new Registration(id, Place.Session, ""), _ => () => { }));
        }

        private int CurrentSession(IntPtr context, SessionState* state)
        {
            try
            {
                var now = Closed ? null : session.Now;
                if (now == null) return 0;
                *state = now.Value;
                return 1;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        private int CallService(IntPtr context, Slice name, Slice json, Reply* reply)
        {
            return Answer(reply, 0, () =>
            {
                var result = services.Call(Text.Read(name), Text.Read(json));
                Values.Write(reply, GateType.Text, result);
            });
        }

        // The barrier that nearly all functions stand behind.
        private int Answer(Reply* reply, uint given, Action work)
        {
            try
            {
                if (Closed) return (int)Status.Closed;
                work();
                return (int)Status.Ok;
            }
            catch (Exception e)
            {
                return (int)Failures.Put(e, reply, given);
            }
        }

        private Gate GateOf(Slice name, IEnumerable<Type> parameters, GateType returns)
        {
            var types = parameters.Concat(new[] { Values.ReturnType(returns) }).ToArray();
            var text = Text.Read(name);
            var key = string.Concat(types.Select(t => t.Name + ",")) + text;
            return gates.GetOrAdd(key, _ => Gate.Create(Plugin.PluginInterface, text, types));
        }

        private static IEnumerable<Type> TypesOf(object[] values)
        {
            return values.Select(value => value.GetType());
        }

        private static StatusException Ended()
        {
            return new StatusException(Status.Closed, "the plugin or the game is unloading");
        }
    }
}
