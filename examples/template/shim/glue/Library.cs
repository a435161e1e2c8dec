// Loading a native library, with .NET's own loader. A host without NativeLibrary replaces this one file.
using System;
using System.Runtime.InteropServices;

namespace XivMcp.Shim
{
    internal sealed class Library
    {
        // What the project file puts behind the assembly's name when it copies the Rust library beside it.
        internal const string Ending = ".rust.dll";

        private IntPtr handle;

        // Throws what the loader says if it cannot load the file.
        internal Library(string path)
        {
            handle = NativeLibrary.Load(path);
        }

        // Zero if there is none.
        internal IntPtr Symbol(string name)
        {
            return NativeLibrary.TryGetExport(handle, name, out var address) ? address : IntPtr.Zero;
        }

        internal void Free()
        {
            if (handle != IntPtr.Zero) NativeLibrary.Free(handle);
            handle = IntPtr.Zero;
        }
    }
}
