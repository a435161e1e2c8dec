// The rules of a gate, as Dalamud has them: one function, one action, subscribers in order, the caller's context,
// conversion between unequal types, and a provider's exception wrapped once (DynamicInvoke does that).
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using Dalamud.Plugin;
using Dalamud.Plugin.Ipc;
using Dalamud.Plugin.Ipc.Exceptions;

namespace Fake
{
    internal sealed class Channel
    {
        [ThreadStatic] private static Stack<IExposedPlugin> callers;

        private readonly string name;
        private readonly List<Delegate> subscribers = new List<Delegate>();

        internal Channel(string name)
        {
            this.name = name;
        }

        internal volatile Delegate Func;
        internal volatile Delegate Action;

        internal int SubscriptionCount
        {
            get { lock (subscribers) return subscribers.Count; }
        }

        internal IpcContext Context
        {
            get { return callers != null && callers.Count > 0 ? new IpcContext(callers.Peek()) : null; }
        }

        internal void Subscribe(Delegate subscriber)
        {
            lock (subscribers) subscribers.Add(subscriber);
        }

        internal void Unsubscribe(Delegate subscriber)
        {
            lock (subscribers)
            {
                if (!subscribers.Remove(subscriber))
                    throw new InvalidOperationException("not a subscriber of " + name + ": pass the same delegate");
            }
        }

        internal void Send(params object[] values)
        {
            Delegate[] now;
            lock (subscribers) now = subscribers.ToArray();
            foreach (var subscriber in now) subscriber.DynamicInvoke(Convert(subscriber, values));
        }

        internal void CallAction(IExposedPlugin caller, params object[] values)
        {
            Call(Action, caller, values);
        }

        internal TRet CallFunction<TRet>(IExposedPlugin caller, params object[] values)
        {
            var function = Func;
            var result = Call(function, caller, values);
            var type = function.Method.ReturnType;
            return (TRet)(type == typeof(TRet) ? result : Convert(result, type, typeof(TRet)));
        }

        private object Call(Delegate target, IExposedPlugin caller, object[] values)
        {
            if (target == null) throw new IpcNotReadyError(name);
            if (callers == null) callers = new Stack<IExposedPlugin>();
            callers.Push(caller);
            try
            {
                return target.DynamicInvoke(Convert(target, values));
            }
            finally
            {
                callers.Pop();
            }
        }

        private object[] Convert(Delegate target, object[] values)
        {
            var parameters = target.Method.GetParameters();
            if (values.Length != parameters.Length)
                throw new IpcLengthMismatchError(name, values.Length, parameters.Length);
            var converted = new object[values.Length];
            for (var i = 0; i < values.Length; i++)
            {
                var type = parameters[i].ParameterType;
                if (values[i] == null)
                {
                    if (type.IsValueType) throw new IpcValueNullError(name, type, i);
                    continue;
                }
                var given = values[i].GetType();
                converted[i] = given == type ? values[i] : Convert(values[i], given, type);
            }
            return converted;
        }

        // Dalamud goes through JSON here; for the simple types that comes to the same as this.
        private object Convert(object value, Type from, Type to)
        {
            if (value == null || to.IsInstanceOfType(value)) return value;
            try
            {
                var fraction = value is float || value is double || value is decimal;
                var number = fraction ? System.Convert.ToDouble(value, CultureInfo.InvariantCulture) : 0;
                if (fraction && number != Math.Floor(number) && to != typeof(float) && to != typeof(double) && to != typeof(string))
                    throw new FormatException(value + " is no whole number");
                return System.Convert.ChangeType(value, to, CultureInfo.InvariantCulture);
            }
            catch (Exception e) when (!(e is TargetInvocationException))
            {
                throw new IpcTypeMismatchError(name, from, to, e);
            }
        }
    }
}
