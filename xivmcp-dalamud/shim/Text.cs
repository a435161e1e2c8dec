// Text across the boundary: UTF-8 with a length. UTF-16 that is none (a lone surrogate) becomes U+FFFD on the way out;
// bytes that are not UTF-8 are refused on the way in.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace XivMcp.Shim
{
    internal static unsafe class Text
    {
        private static readonly Encoding Lenient = new UTF8Encoding(false, false);
        private static readonly Encoding Strict = new UTF8Encoding(false, true);
        private static readonly Fn.Free FreeBuffer = FreeOurs;
        private static readonly IntPtr FreePointer = Marshal.GetFunctionPointerForDelegate(FreeBuffer);

        // A library frees all its buffers with one function, or few: the delegate for it is made once.
        private static volatile Tuple<IntPtr, Fn.Free> lastFree;

        internal static byte[] Bytes(string text)
        {
            return Lenient.GetBytes(text ?? "");
        }

        internal static string Read(Slice slice)
        {
            return Decode(Strict, slice.Ptr, slice.Len);
        }

        internal static string ReadLenient(Slice slice)
        {
            return Decode(Lenient, slice.Ptr, slice.Len);
        }

        // Fills a buffer that the other side frees through FreeOurs.
        internal static void Give(Owned* owned, string text)
        {
            var bytes = Bytes(text);
            var memory = Marshal.AllocHGlobal(Math.Max(bytes.Length, 1));
            Marshal.Copy(bytes, 0, memory, bytes.Length);
            owned->Ptr = (byte*)memory;
            owned->Len = (UIntPtr)bytes.Length;
            owned->Owner = IntPtr.Zero;
            owned->Free = FreePointer;
        }

        // Takes over a buffer that the other side made: copies it and frees it, whatever is in it.
        internal static string Take(Owned* owned)
        {
            try
            {
                return Decode(Strict, owned->Ptr, owned->Len);
            }
            finally
            {
                Free(owned);
            }
        }

        internal static string TakeLenient(Owned* owned)
        {
            var text = Decode(Lenient, owned->Ptr, owned->Len);
            Free(owned);
            return text;
        }

        internal static void Free(Owned* owned)
        {
            var given = *owned;
            *owned = new Owned();
            if (given.Free == IntPtr.Zero) return;
            var known = lastFree;
            if (known == null || known.Item1 != given.Free)
                lastFree = known = Tuple.Create(given.Free, Marshal.GetDelegateForFunctionPointer<Fn.Free>(given.Free));
            known.Item2(given.Owner, given.Ptr, given.Len);
        }

        private static string Decode(Encoding encoding, byte* bytes, UIntPtr length)
        {
            return length == UIntPtr.Zero ? "" : encoding.GetString(bytes, checked((int)length));
        }

        private static void FreeOurs(IntPtr owner, byte* bytes, UIntPtr length)
        {
            Marshal.FreeHGlobal((IntPtr)bytes);
        }
    }
}
