// Dalamud's call gates as a plugin sees them: a provider's and a subscriber's side, for 0 to 8 arguments each.
using System;
using Dalamud.Plugin;

namespace Dalamud.Plugin.Ipc
{
    public sealed class IpcContext
    {
        public IpcContext(IExposedPlugin sourcePlugin)
        {
            SourcePlugin = sourcePlugin;
        }

        public IExposedPlugin SourcePlugin { get; }
    }

    public interface ICallGateProvider
    {
        int SubscriptionCount { get; }
        void UnregisterAction();
        void UnregisterFunc();
        IpcContext GetContext();
    }

    public interface ICallGateSubscriber
    {
        bool HasAction { get; }
        bool HasFunction { get; }
    }

    public interface ICallGateProvider<TRet> : ICallGateProvider
    {
        void RegisterAction(Action action);
        void RegisterFunc(Func<TRet> func);
        void SendMessage();
    }

    public interface ICallGateProvider<T1, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1> action);
        void RegisterFunc(Func<T1, TRet> func);
        void SendMessage(T1 a);
    }

    public interface ICallGateProvider<T1, T2, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2> action);
        void RegisterFunc(Func<T1, T2, TRet> func);
        void SendMessage(T1 a, T2 b);
    }

    public interface ICallGateProvider<T1, T2, T3, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3> action);
        void RegisterFunc(Func<T1, T2, T3, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c);
    }

    public interface ICallGateProvider<T1, T2, T3, T4, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3, T4> action);
        void RegisterFunc(Func<T1, T2, T3, T4, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c, T4 d);
    }

    public interface ICallGateProvider<T1, T2, T3, T4, T5, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3, T4, T5> action);
        void RegisterFunc(Func<T1, T2, T3, T4, T5, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e);
    }

    public interface ICallGateProvider<T1, T2, T3, T4, T5, T6, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3, T4, T5, T6> action);
        void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f);
    }

    public interface ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3, T4, T5, T6, T7> action);
        void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, T7, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g);
    }

    public interface ICallGateProvider<T1, T2, T3, T4, T5, T6, T7, T8, TRet> : ICallGateProvider
    {
        void RegisterAction(Action<T1, T2, T3, T4, T5, T6, T7, T8> action);
        void RegisterFunc(Func<T1, T2, T3, T4, T5, T6, T7, T8, TRet> func);
        void SendMessage(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h);
    }

    public interface ICallGateSubscriber<TRet> : ICallGateSubscriber
    {
        void Subscribe(Action action);
        void Unsubscribe(Action action);
        void InvokeAction();
        TRet InvokeFunc();
    }

    public interface ICallGateSubscriber<T1, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1> action);
        void Unsubscribe(Action<T1> action);
        void InvokeAction(T1 a);
        TRet InvokeFunc(T1 a);
    }

    public interface ICallGateSubscriber<T1, T2, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2> action);
        void Unsubscribe(Action<T1, T2> action);
        void InvokeAction(T1 a, T2 b);
        TRet InvokeFunc(T1 a, T2 b);
    }

    public interface ICallGateSubscriber<T1, T2, T3, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3> action);
        void Unsubscribe(Action<T1, T2, T3> action);
        void InvokeAction(T1 a, T2 b, T3 c);
        TRet InvokeFunc(T1 a, T2 b, T3 c);
    }

    public interface ICallGateSubscriber<T1, T2, T3, T4, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3, T4> action);
        void Unsubscribe(Action<T1, T2, T3, T4> action);
        void InvokeAction(T1 a, T2 b, T3 c, T4 d);
        TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d);
    }

    public interface ICallGateSubscriber<T1, T2, T3, T4, T5, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3, T4, T5> action);
        void Unsubscribe(Action<T1, T2, T3, T4, T5> action);
        void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e);
        TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e);
    }

    public interface ICallGateSubscriber<T1, T2, T3, T4, T5, T6, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3, T4, T5, T6> action);
        void Unsubscribe(Action<T1, T2, T3, T4, T5, T6> action);
        void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f);
        TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f);
    }

    public interface ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3, T4, T5, T6, T7> action);
        void Unsubscribe(Action<T1, T2, T3, T4, T5, T6, T7> action);
        void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g);
        TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g);
    }

    public interface ICallGateSubscriber<T1, T2, T3, T4, T5, T6, T7, T8, TRet> : ICallGateSubscriber
    {
        void Subscribe(Action<T1, T2, T3, T4, T5, T6, T7, T8> action);
        void Unsubscribe(Action<T1, T2, T3, T4, T5, T6, T7, T8> action);
        void InvokeAction(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h);
        TRet InvokeFunc(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h);
    }
}
