// Stands in for the shim's Library.cs: Mono 6.8 has no NativeLibrary.
using System;
using System.Runtime.InteropServices;

namespace XivMcp.Shim
{
    internal sealed class Library
    {
        internal const string Ending = ".rust.so";

        private const int Now = 2;

        private IntPtr handle;

        internal Library(string path)
        {
            handle = dlopen(path, Now);
            if (handle == IntPtr.Zero) throw new DllNotFoundException(Marshal.PtrToStringAnsi(dlerror()));
        }

        internal IntPtr Symbol(string name)
        {
            return dlsym(handle, name);
        }

        internal void Free()
        {
            if (handle != IntPtr.Zero) dlclose(handle);
            handle = IntPtr.Zero;
        }

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(string path, int mode);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlsym(IntPtr handle, string name);

        [DllImport("libdl.so.2")]
        private static extern int dlclose(IntPtr handle);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlerror();
    }
}
