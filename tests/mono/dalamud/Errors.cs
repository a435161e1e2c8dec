// What Dalamud throws at a gate. The texts are Dalamud's own in meaning; nobody may tell errors apart by them.
using System;

namespace Dalamud.Plugin.Ipc.Exceptions
{
    public abstract class IpcError : Exception
    {
        protected IpcError(string message, Exception inner = null) : base(message, inner)
        {
        }
    }

    public sealed class IpcNotReadyError : IpcError
    {
        public IpcNotReadyError(string name) : base("IPC method " + name + " was not registered yet")
        {
        }
    }

    public sealed class IpcLengthMismatchError : IpcError
    {
        public IpcLengthMismatchError(string name, int requestedLength, int actualLength)
            : base("IPC method " + name + " has a different number of arguments than was supplied. "
                + requestedLength + " != " + actualLength)
        {
        }
    }

    public sealed class IpcTypeMismatchError : IpcError
    {
        public IpcTypeMismatchError(string name, Type requestedType, Type actualType, Exception inner)
            : base("IPC method " + name + " blew up when converting from " + requestedType + " to " + actualType, inner)
        {
        }
    }

    public sealed class IpcValueNullError : IpcError
    {
        public IpcValueNullError(string name, Type expectedType, int index)
            : base("IPC method " + name + " expects value type " + expectedType + " at index " + index
                + " but null was supplied")
        {
        }
    }
}
