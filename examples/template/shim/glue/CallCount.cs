// How many calls are inside the native plugin: it is only released when there are none.
using System;
using System.Diagnostics;
using System.Threading;

namespace XivMcp.Shim
{
    internal sealed class CallCount
    {
        private readonly object door = new object();
        private int inside;
        private bool closed;

        // False: no call may start any more. Else Leave must follow.
        internal bool Enter()
        {
            lock (door)
            {
                if (closed) return false;
                inside++;
                return true;
            }
        }

        internal void Leave()
        {
            lock (door)
            {
                if (--inside == 0) Monitor.PulseAll(door);
            }
        }

        // No call starts any more; waits until those that are inside have left. False: the limit has passed.
        internal bool Close(TimeSpan limit)
        {
            var clock = Stopwatch.StartNew();
            lock (door)
            {
                closed = true;
                while (inside > 0)
                {
                    var left = limit - clock.Elapsed;
                    if (left <= TimeSpan.Zero || !Monitor.Wait(door, left)) return inside == 0;
                }
                return true;
            }
        }
    }
}
