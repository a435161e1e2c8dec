// Dalamud's gates are generic in their argument types; the plugin names its types at run time. Here is one small class
// for each number of arguments, made for the right types by reflection, so that the calls themselves need none.
using System;
using System.Reflection;
using Dalamud.Plugin;
using Dalamud.Plugin.Ipc;

namespace XivMcp.Shim
{
    internal abstract class Gate
    {
        private static readonly Type[] Shapes =
        {
            typeof(Gate<>), typeof(Gate<,>), typeof(Gate<,,>), typeof(Gate<,,,>), typeof(Gate<,,,,>),
            typeof(Gate<,,,,,>), typeof(Gate<,,,,,,>), typeof(Gate<,,,,,,,>), typeof(Gate<,,,,,,,,>),
        };

        // The types are those of the arguments, then that of the return value.
        internal static Gate Create(IDalamudPluginInterface dalamud, string name, Type[] types)
        {
            var shape = Shapes[types.Length - 1].MakeGenericType(types);
            return (Gate)Activator.CreateInstance(
                shape, BindingFlags.Instance | BindingFlags.NonPublic, null, new object[] { dalamud, name }, null);
        }

        internal abstract object CallFunction(object[] values);
        internal abstract void CallAction(object[] values);
        internal abstract void Send(object[] values);
        internal abstract void ProvideFunction(Func<object[], object> function);
        internal abstract void ProvideAction(Func<object[], object> action);
        internal abstract void TakeFunctionAway();
        internal abstract void TakeActionAway();

        // Gives what ends the subscription: Dalamud wants the same delegate again.
        internal abstract Action Subscribe(Func<object[], object> subscriber);
    }

    internal sealed class Gate<TRet> : Gate
    {
        private readonly ICallGateProvider<TRet> provider;
        private readonly ICallGateSubscriber<TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<TRet>(name);
        }

        internal override object CallFunction(object[] v) => subscriber.InvokeFunc();
        internal override void CallAction(object[] v) => subscriber.InvokeAction();
        internal override void Send(object[] v) => provider.SendMessage();
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc(() => (TRet)call(new object[0]));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction(() => call(new object[0]));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action listen = () => call(new object[0]);
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, TRet> provider;
        private readonly ICallGateSubscriber<T1, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, TRet>(name);
        }

        internal override object CallFunction(object[] v) => subscriber.InvokeFunc((T1)v[0]);
        internal override void CallAction(object[] v) => subscriber.InvokeAction((T1)v[0]);
        internal override void Send(object[] v) => provider.SendMessage((T1)v[0]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a) => (TRet)call(new object[] { a }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a) => call(new object[] { a }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1> listen = (a) => call(new object[] { a });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, TRet>(name);
        }

        internal override object CallFunction(object[] v) => subscriber.InvokeFunc((T1)v[0], (T2)v[1]);
        internal override void CallAction(object[] v) => subscriber.InvokeAction((T1)v[0], (T2)v[1]);
        internal override void Send(object[] v) => provider.SendMessage((T1)v[0], (T2)v[1]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b) => (TRet)call(new object[] { a, b }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b) => call(new object[] { a, b }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2> listen = (a, b) => call(new object[] { a, b });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, TRet>(name);
        }

        internal override object CallFunction(object[] v) => subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2]);
        internal override void CallAction(object[] v) => subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2]);
        internal override void Send(object[] v) => provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c) => (TRet)call(new object[] { a, b, c }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c) => call(new object[] { a, b, c }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3> listen = (a, b, c) => call(new object[] { a, b, c });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, T4, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, T4, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, T4, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, T4, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, T4, TRet>(name);
        }

        internal override object CallFunction(object[] v) =>
            subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3]);
        internal override void CallAction(object[] v) =>
            subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3]);
        internal override void Send(object[] v) => provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c, d) => (TRet)call(new object[] { a, b, c, d }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c, d) => call(new object[] { a, b, c, d }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3, T4> listen = (a, b, c, d) => call(new object[] { a, b, c, d });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, T4, T5, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, T4, T5, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, T4, T5, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, T4, T5, TRet>(name);
        }

        internal override object CallFunction(object[] v) =>
            subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4]);
        internal override void CallAction(object[] v) =>
            subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4]);
        internal override void Send(object[] v) =>
            provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c, d, e) => (TRet)call(new object[] { a, b, c, d, e }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c, d, e) => call(new object[] { a, b, c, d, e }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3, T4, T5> listen = (a, b, c, d, e) => call(new object[] { a, b, c, d, e });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, T4, T5, T6, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, T4, T5, T6, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, T4, T5, T6, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, T4, T5, T6, TRet>(name);
        }

        internal override object CallFunction(object[] v) =>
            subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5]);
        internal override void CallAction(object[] v) =>
            subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5]);
        internal override void Send(object[] v) =>
            provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c, d, e, f) => (TRet)call(new object[] { a, b, c, d, e, f }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c, d, e, f) => call(new object[] { a, b, c, d, e, f }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3, T4, T5, T6> listen = (a, b, c, d, e, f) => call(new object[] { a, b, c, d, e, f });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, T7, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet>(name);
        }

        internal override object CallFunction(object[] v) =>
            subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6]);
        internal override void CallAction(object[] v) =>
            subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6]);
        internal override void Send(object[] v) =>
            provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c, d, e, f, g) => (TRet)call(new object[] { a, b, c, d, e, f, g }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c, d, e, f, g) => call(new object[] { a, b, c, d, e, f, g }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3, T4, T5, T6, T7> listen = (a, b, c, d, e, f, g) =>
                call(new object[] { a, b, c, d, e, f, g });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }

    internal sealed class Gate<T1, T2, T3, T4, T5, T6, T7, T8, TRet> : Gate
    {
        private readonly ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet> provider;
        private readonly ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet> subscriber;

        internal Gate(IDalamudPluginInterface dalamud, string name)
        {
            provider = dalamud.GetIpcProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(name);
            subscriber = dalamud.GetIpcSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet>(name);
        }

        internal override object CallFunction(object[] v) =>
            subscriber.InvokeFunc((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6], (T8)v[7]);
        internal override void CallAction(object[] v) =>
            subscriber.InvokeAction((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6], (T8)v[7]);
        internal override void Send(object[] v) =>
            provider.SendMessage((T1)v[0], (T2)v[1], (T3)v[2], (T4)v[3], (T5)v[4], (T6)v[5], (T7)v[6], (T8)v[7]);
        internal override void ProvideFunction(Func<object[], object> call) =>
            provider.RegisterFunc((a, b, c, d, e, f, g, h) => (TRet)call(new object[] { a, b, c, d, e, f, g, h }));
        internal override void ProvideAction(Func<object[], object> call) =>
            provider.RegisterAction((a, b, c, d, e, f, g, h) => call(new object[] { a, b, c, d, e, f, g, h }));
        internal override void TakeFunctionAway() => provider.UnregisterFunc();
        internal override void TakeActionAway() => provider.UnregisterAction();

        internal override Action Subscribe(Func<object[], object> call)
        {
            Action<T1, T2, T3, T4, T5, T6, T7, T8> listen = (a, b, c, d, e, f, g, h) =>
                call(new object[] { a, b, c, d, e, f, g, h });
            subscriber.Subscribe(listen);
            return () => subscriber.Unsubscribe(listen);
        }
    }
}
