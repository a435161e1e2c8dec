// What went wrong, in both directions: an exception becomes a status for the plugin, a status becomes an exception for
// the other plugins.
using System;
using System.Reflection;
using System.Text;
using Dalamud.Plugin.Ipc.Exceptions;

namespace XivMcp.Shim
{
    // What another plugin sees if the native plugin's function failed or panicked.
    internal sealed class NativePluginException : Exception
    {
        internal readonly string Kind;
        internal readonly string Text;

        internal NativePluginException(string kind, string text) : base(kind.Length == 0 ? text : kind + ": " + text)
        {
            Kind = kind;
            Text = text;
        }
    }

    // A status of our own, on its way to the plugin.
    internal sealed class StatusException : Exception
    {
        internal readonly Status Status;

        internal StatusException(Status status, string text) : base(text)
        {
            Status = status;
        }
    }

    internal static unsafe class Failures
    {
        // Puts what happened into the reply, if there is one. Never throws.
        internal static Status Put(Exception e, Reply* reply, uint given)
        {
            try
            {
                var status = Status.Failed;
                var kind = "";
                var text = e.Message;
                if (e is StatusException ours)
                {
                    status = ours.Status;
                }
                else if (e is DecoderFallbackException)
                {
                    status = Status.BadText;
                    text = "a text that was passed is not UTF-8: " + e.Message;
                }
                else if (e is IpcNotReadyError)
                {
                    status = Status.NotReady;
                }
                else if (e is IpcLengthMismatchError)
                {
                    status = Status.LengthMismatch;
                }
                else if (e is IpcTypeMismatchError || e is IpcValueNullError)
                {
                    status = Status.TypeMismatch;
                }
                else
                {
                    // What a provider or a service throws arrives wrapped: whatever it is, it is not about this gate.
                    var cause = Unwrap(e);
                    var native = cause as NativePluginException;
                    kind = native != null ? native.Kind : cause.GetType().Name;
                    text = native != null ? native.Text : cause.Message;
                }
                if (reply == null) return status;
                // Dalamud's errors tell these only in words.
                reply->Given = status == Status.LengthMismatch ? given : Abi.NotKnown;
                reply->Expected = Abi.NotKnown;
                Text.Give(&reply->Text, text);
                if (status == Status.Failed) Text.Give(&reply->Kind, kind);
                return status;
            }
            catch (Exception)
            {
                return Status.Failed;
            }
        }

        // The exception for a call of `gate` that came back with a status other than OK.
        internal static Exception Of(Status status, Reply* reply, string gate)
        {
            var text = Text.TakeLenient(&reply->Text);
            var kind = Text.TakeLenient(&reply->Kind);
            switch (status)
            {
                case Status.Closed:
                case Status.Unknown:
                    return new IpcNotReadyError(gate);
                case Status.Panicked:
                    return new NativePluginException("panic", text);
                case Status.Failed:
                    return new NativePluginException(kind, text);
                default:
                    return new NativePluginException(status.ToString(), text);
            }
        }

        internal static Exception Unwrap(Exception e)
        {
            while (e is TargetInvocationException && e.InnerException != null) e = e.InnerException;
            return e;
        }
    }
}
