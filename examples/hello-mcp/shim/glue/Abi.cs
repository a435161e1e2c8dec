// The C ABI of xivmcp.h, as C# sees it: the same names, the same order. The header has the contract.
#pragma warning disable 0649 // fields that only the native side sets
using System;
using System.Runtime.InteropServices;

namespace XivMcp.Shim
{
    internal static class Abi
    {
        internal const string ShimVersion = "0.1.0";
        internal const uint Version = 1;
        internal const string EntrySymbol = "xivmcp_plugin_entry_v1";
        internal const uint MaxArguments = 8;
        internal const uint NotKnown = uint.MaxValue;
    }

    internal enum Status
    {
        Ok = 0,
        NotReady = 1,
        Failed = 2,
        Panicked = 3,
        LengthMismatch = 4,
        TypeMismatch = 5,
        Closed = 6,
        BadText = 7,
        Unsupported = 8,
        Version = 9,
        Unknown = 10,
        Refused = 11,
        KeepLoaded = 12,
        Invalid = 13,
    }

    internal enum GateType : uint
    {
        Unit = 0,
        Bool = 1,
        I8 = 2,
        U8 = 3,
        I16 = 4,
        U16 = 5,
        I32 = 6,
        U32 = 7,
        I64 = 8,
        U64 = 9,
        F32 = 10,
        F64 = 11,
        Text = 12,
    }

    internal enum SessionChange
    {
        Login = 1,
        Logout = 2,
        TerritoryChanged = 3,
    }

    internal enum LogSeverity
    {
        Verbose = 0,
        Debug = 1,
        Information = 2,
        Warning = 3,
        Error = 4,
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct Slice
    {
        internal byte* Ptr;
        internal UIntPtr Len;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Value
    {
        internal GateType ValueType;
        internal uint Reserved;
        internal ulong Bits;
        internal Slice Text;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct Owned
    {
        internal byte* Ptr;
        internal UIntPtr Len;
        internal IntPtr Owner;
        internal IntPtr Free;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct Reply
    {
        internal GateType ValueType;
        internal uint Position;
        internal ulong Bits;
        internal uint Given;
        internal uint Expected;
        internal Owned Text;
        internal Owned Kind;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct SessionState
    {
        internal uint Territory;
        internal uint World;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct HostTable
    {
        internal uint Size;
        internal uint Version;
        internal IntPtr Context;
        internal Slice InternalName;
        internal Slice HostName;
        internal IntPtr CallFunction;
        internal IntPtr CallAction;
        internal IntPtr SendMessage;
        internal IntPtr ProvideFunction;
        internal IntPtr ProvideAction;
        internal IntPtr Subscribe;
        internal IntPtr Remove;
        internal IntPtr RunOnNextUpdate;
        internal IntPtr IsFrameworkThread;
        internal IntPtr Log;
        internal IntPtr PrintChat;
        internal IntPtr AddCommand;
        internal IntPtr OnUpdate;
        internal IntPtr OnSession;
        internal IntPtr Session;
        internal IntPtr CallService;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct PluginTable
    {
        internal uint Size;
        internal uint Version;
        internal IntPtr Context;
        internal Slice SdkName;
        internal IntPtr Invoke;
        internal IntPtr RunClosure;
        internal IntPtr Command;
        internal IntPtr Update;
        internal IntPtr SessionEvent;
        internal IntPtr Stop;
        internal IntPtr Release;
    }

    // The functions of both tables. Those that look alike on the C side share a type.
    internal static unsafe class Fn
    {
        private const CallingConvention C = CallingConvention.Cdecl;

        [UnmanagedFunctionPointer(C)]
        internal delegate int Entry(HostTable* host, PluginTable** plugin, Owned* message);

        [UnmanagedFunctionPointer(C)]
        internal delegate void Free(IntPtr owner, byte* ptr, UIntPtr len);

        // The host's.
        [UnmanagedFunctionPointer(C)]
        internal delegate int CallFunction(
            IntPtr context, Slice gate, Value* arguments, uint count, GateType returns, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int CallAction(IntPtr context, Slice gate, Value* arguments, uint count, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int ProvideFunction(
            IntPtr context, Slice gate, GateType* parameters, uint count, GateType returns, ulong id, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int ProvideAction(
            IntPtr context, Slice gate, GateType* parameters, uint count, ulong id, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int WithId(IntPtr context, ulong id);

        [UnmanagedFunctionPointer(C)]
        internal delegate int Ask(IntPtr context);

        [UnmanagedFunctionPointer(C)]
        internal delegate void Log(IntPtr context, LogSeverity level, Slice text);

        [UnmanagedFunctionPointer(C)]
        internal delegate int PrintChat(IntPtr context, int isError, Slice text);

        [UnmanagedFunctionPointer(C)]
        internal delegate int AddCommand(IntPtr context, Slice command, Slice help, ulong id, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int Session(IntPtr context, SessionState* session);

        [UnmanagedFunctionPointer(C)]
        internal delegate int CallService(IntPtr context, Slice name, Slice json, Reply* reply);

        // The plugin's.
        [UnmanagedFunctionPointer(C)]
        internal delegate int Invoke(IntPtr context, ulong id, Value* arguments, uint count, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate int RunClosure(IntPtr context, ulong id, int giveUp);

        [UnmanagedFunctionPointer(C)]
        internal delegate int Command(IntPtr context, ulong id, Slice command, Slice arguments);

        [UnmanagedFunctionPointer(C)]
        internal delegate int SessionEvent(IntPtr context, ulong id, SessionChange change, SessionState* session);

        [UnmanagedFunctionPointer(C)]
        internal delegate int Stop(IntPtr context, uint limitMs, Reply* reply);

        [UnmanagedFunctionPointer(C)]
        internal delegate void Release(IntPtr context);
    }
}
