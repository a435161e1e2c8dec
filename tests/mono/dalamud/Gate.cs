// Both sides of a gate, one class for each number of arguments: no rules here, those are the channel's.
using System;
using Dalamud.Plugin;
using Dalamud.Plugin.Ipc;

namespace Fake
{
    internal abstract class Gate
    {
        protected readonly Channel Channel;
        protected readonly IExposedPlugin Plugin;

        protected Gate(Channel channel, IExposedPlugin plugin)
        {
            Channel = channel;
            Plugin = plugin;
        }

        public int SubscriptionCount { get { return Channel.SubscriptionCount; } }
        public bool HasAction { get { return Channel.Action != null; } }
        public bool HasFunction { get { return Channel.Func != null; } }
        public void UnregisterAction() { Channel.Action = null; }
        public void UnregisterFunc() { Channel.Func = null; }
        public IpcContext GetContext() { return Channel.Context; }
    }

    internal sealed class Gate<TRet> : Gate, ICallGateProvider<TRet>, ICallGateSubscriber<TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action action) { Channel.Action = action; }
        public void RegisterFunc(Func<TRet> func) { Channel.Func = func; }
        public void SendMessage() { Channel.Send(); }
        public void Subscribe(Action action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action action) { Channel.Unsubscribe(action); }
        public void InvokeAction() { Channel.CallAction(Plugin); }
        public TRet InvokeFunc() { return Channel.CallFunction<TRet>(Plugin); }
    }

    internal sealed class Gate<T1, TRet> : Gate, ICallGateProvider<T1, TRet>, ICallGateSubscriber<T1, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a) { Channel.Send(a); }
        public void Subscribe(Action<T1> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a) { Channel.CallAction(Plugin, a); }
        public TRet InvokeFunc(T1 a) { return Channel.CallFunction<TRet>(Plugin, a); }
    }

    internal sealed class Gate<T1, T2, TRet> : Gate, ICallGateProvider<T1, T2, TRet>, ICallGateSubscriber<T1, T2, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b) { Channel.Send(a, b); }
        public void Subscribe(Action<T1, T2> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b) { Channel.CallAction(Plugin, a, b); }
        public TRet InvokeFunc(T1 a, T2 b) { return Channel.CallFunction<TRet>(Plugin, a, b); }
    }

    internal sealed class Gate<T1, T2, T3, TRet> : Gate, ICallGateProvider<T1, T2, T3, TRet>, ICallGateSubscriber<T1, T2, T3, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c) { Channel.Send(a, b, c); }
        public void Subscribe(Action<T1, T2, T3> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c) { Channel.CallAction(Plugin, a, b, c); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c) { return Channel.CallFunction<TRet>(Plugin, a, b, c); }
    }

    internal sealed class Gate<T1, T2, T3, T4, TRet> : Gate, ICallGateProvider<T1, T2, T3, T4, TRet>, ICallGateSubscriber<T1, T2, T3, T4, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3, T4> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, T4, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c, T4 d) { Channel.Send(a, b, c, d); }
        public void Subscribe(Action<T1, T2, T3, T4> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3, T4> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c, T4 d) { Channel.CallAction(Plugin, a, b, c, d); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d) { return Channel.CallFunction<TRet>(Plugin, a, b, c, d); }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, TRet> : Gate, ICallGateProvider<T1, T2, T3, T4, T5, TRet>, ICallGateSubscriber<T1, T2, T3, T4, T5, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3, T4, T5> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, T4, T5, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e) { Channel.Send(a, b, c, d, e); }
        public void Subscribe(Action<T1, T2, T3, T4, T5> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3, T4, T5> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e) { Channel.CallAction(Plugin, a, b, c, d, e); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e) { return Channel.CallFunction<TRet>(Plugin, a, b, c, d, e); }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, TRet> : Gate, ICallGateProvider<T1, T2, T3, T4, T5, T6, TRet>, ICallGateSubscriber<T1, T2, T3, T4, T5, T6, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3, T4, T5, T6> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f) { Channel.Send(a, b, c, d, e, f); }
        public void Subscribe(Action<T1, T2, T3, T4, T5, T6> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3, T4, T5, T6> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f) { Channel.CallAction(Plugin, a, b, c, d, e, f); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f) { return Channel.CallFunction<TRet>(Plugin, a, b, c, d, e, f); }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, T7, TRet> : Gate, ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, TRet>, ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3, T4, T5, T6, T7> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, T7, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g) { Channel.Send(a, b, c, d, e, f, g); }
        public void Subscribe(Action<T1, T2, T3, T4, T5, T6, T7> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3, T4, T5, T6, T7> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g) { Channel.CallAction(Plugin, a, b, c, d, e, f, g); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g) { return Channel.CallFunction<TRet>(Plugin, a, b, c, d, e, f, g); }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, T7, T8, TRet> : Gate, ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet>, ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet>
    {
        internal Gate(Channel channel, IExposedPlugin plugin) : base(channel, plugin)
        {
        }

        public void RegisterAction(Action<T1, T2, T3, T4, T5, T6, T7, T8> action) { Channel.Action = action; }
        public void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, T7, T8, TRet> func) { Channel.Func = func; }
        public void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h) { Channel.Send(a, b, c, d, e, f, g, h); }
        public void Subscribe(Action<T1, T2, T3, T4, T5, T6, T7, T8> action) { Channel.Subscribe(action); }
        public void Unsubscribe(Action<T1, T2, T3, T4, T5, T6, T7, T8> action) { Channel.Unsubscribe(action); }
        public void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h) { Channel.CallAction(Plugin, a, b, c, d, e, f, g, h); }
        public TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h) { return Channel.CallFunction<TRet>(Plugin, a, b, c, d, e, f, g, h); }
    }
}
