// Values of gates: C# objects on this side, a type and 64 bits (or text) on the other.
using System;
using System.Runtime.InteropServices;

namespace XivMcp.Shim
{
    internal static unsafe class Values
    {
        private static readonly Type[] Types =
        {
            typeof(object), typeof(bool), typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(int),
            typeof(uint), typeof(long), typeof(ulong), typeof(float), typeof(double), typeof(string),
        };

        // The C# type of a return value; Dalamud writes `object` for nothing.
        internal static Type ReturnType(GateType type)
        {
            if ((uint)type >= Types.Length)
                throw new StatusException(Status.Invalid, "the value type " + (uint)type + " is not known to this shim");
            return Types[(int)type];
        }

        internal static Type ParameterType(GateType type)
        {
            if (type == GateType.Unit)
                throw new StatusException(Status.Invalid, "an argument needs a type that is not UNIT");
            return ReturnType(type);
        }

        internal static void CheckCount(uint count)
        {
            if (count <= Abi.MaxArguments) return;
            throw new StatusException(
                Status.Invalid, count + " arguments were given; a gate takes up to " + Abi.MaxArguments);
        }

        internal static object ToObject(GateType type, ulong bits, string text)
        {
            switch (type)
            {
                case GateType.Bool: return bits != 0;
                case GateType.I8: return unchecked((sbyte)bits);
                case GateType.U8: return unchecked((byte)bits);
                case GateType.I16: return unchecked((short)bits);
                case GateType.U16: return unchecked((ushort)bits);
                case GateType.I32: return unchecked((int)bits);
                case GateType.U32: return unchecked((uint)bits);
                case GateType.I64: return unchecked((long)bits);
                case GateType.U64: return bits;
                case GateType.F32: return FloatOf(unchecked((uint)bits));
                case GateType.F64: return BitConverter.Int64BitsToDouble(unchecked((long)bits));
                case GateType.Text: return text;
                default: return null;
            }
        }

        // The bits of a value of that type; 0 for text and for nothing.
        internal static ulong ToBits(GateType type, object value)
        {
            switch (type)
            {
                case GateType.Bool: return (bool)value ? 1UL : 0;
                case GateType.I8: return unchecked((ulong)(sbyte)value);
                case GateType.U8: return (byte)value;
                case GateType.I16: return unchecked((ulong)(short)value);
                case GateType.U16: return (ushort)value;
                case GateType.I32: return unchecked((ulong)(int)value);
                case GateType.U32: return (uint)value;
                case GateType.I64: return unchecked((ulong)(long)value);
                case GateType.U64: return (ulong)value;
                case GateType.F32: return BitsOf((float)value);
                case GateType.F64: return unchecked((ulong)BitConverter.DoubleToInt64Bits((double)value));
                default: return 0;
            }
        }

        // The arguments of a call that the plugin makes.
        internal static object[] Read(Value* arguments, uint count)
        {
            CheckCount(count);
            var values = new object[count];
            for (var i = 0; i < values.Length; i++)
            {
                var type = arguments[i].ValueType;
                ParameterType(type);
                var text = type == GateType.Text ? Text.Read(arguments[i].Text) : null;
                values[i] = ToObject(type, arguments[i].Bits, text);
            }
            return values;
        }

        internal static void Write(Reply* reply, GateType type, object value)
        {
            reply->ValueType = type;
            reply->Bits = ToBits(type, value);
            if (type == GateType.Text) Text.Give(&reply->Text, (string)value);
        }

        private static float FloatOf(uint bits)
        {
            return *(float*)&bits;
        }

        private static uint BitsOf(float value)
        {
            return *(uint*)&value;
        }
    }

    // The arguments of a call into the plugin, in one block of native memory.
    internal sealed unsafe class NativeArguments : IDisposable
    {
        internal readonly Value* First;
        internal readonly uint Count;

        internal NativeArguments(GateType[] types, object[] values)
        {
            Count = (uint)values.Length;
            var texts = new byte[values.Length][];
            var size = values.Length * sizeof(Value);
            for (var i = 0; i < values.Length; i++)
            {
                if (types[i] != GateType.Text) continue;
                texts[i] = Text.Bytes((string)values[i]);
                size = checked(size + texts[i].Length);
            }
            First = (Value*)Marshal.AllocHGlobal(Math.Max(size, 1));
            var next = (byte*)(First + values.Length);
            for (var i = 0; i < values.Length; i++)
            {
                First[i] = new Value { ValueType = types[i], Bits = Values.ToBits(types[i], values[i]) };
                if (texts[i] == null) continue;
                Marshal.Copy(texts[i], 0, (IntPtr)next, texts[i].Length);
                First[i].Text = new Slice { Ptr = next, Len = (UIntPtr)texts[i].Length };
                next += texts[i].Length;
            }
        }

        public void Dispose()
        {
            Marshal.FreeHGlobal((IntPtr)First);
        }
    }
}
