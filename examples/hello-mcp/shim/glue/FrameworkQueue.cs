// Closures that wait for the framework thread, by the plugin's numbers.
using System.Collections.Generic;

namespace XivMcp.Shim
{
    internal sealed class FrameworkQueue
    {
        private static readonly List<ulong> Nothing = new List<ulong>();

        private readonly object door = new object();
        private List<ulong> waiting = new List<ulong>();
        private bool closed;

        // False: it can never run.
        internal bool Add(ulong id)
        {
            lock (door)
            {
                if (closed) return false;
                waiting.Add(id);
                return true;
            }
        }

        // What has been waiting until now. What is added while these run is for the next update.
        internal IReadOnlyList<ulong> Take()
        {
            lock (door)
            {
                if (waiting.Count == 0) return Nothing;
                var now = waiting;
                waiting = new List<ulong>();
                return now;
            }
        }

        // Gives those that are left; nothing can be added any more.
        internal IReadOnlyList<ulong> Close()
        {
            lock (door)
            {
                closed = true;
                return Take();
            }
        }
    }
}
