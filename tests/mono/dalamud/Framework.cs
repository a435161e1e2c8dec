// The game's main loop: a thread of 60 updates a second. What an update handler throws is kept for the test to see.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Dalamud.Plugin.Services;

namespace Fake
{
    public sealed class Framework : IFramework, IDisposable
    {
        private readonly Queue<Action> queue = new Queue<Action>();
        private readonly Thread thread;
        private volatile bool stop;

        public Framework()
        {
            thread = new Thread(Loop) { Name = "framework", IsBackground = true };
            thread.Start();
        }

        public event OnUpdateDelegate Update;

        public bool IsInFrameworkUpdateThread { get { return Thread.CurrentThread == thread; } }
        public bool IsFrameworkUnloading { get; set; }
        public List<Exception> Faults { get; } = new List<Exception>();
        public long Updates { get; private set; }
        public bool HasUpdateHandlers { get { return Update != null; } }

        public Task RunOnFrameworkThread(Action action)
        {
            return RunOnFrameworkThread(() => { action(); return true; });
        }

        public Task<T> RunOnFrameworkThread<T>(Func<T> func)
        {
            var source = new TaskCompletionSource<T>();
            Action run = () =>
            {
                try
                {
                    source.SetResult(func());
                }
                catch (Exception e)
                {
                    source.SetException(e);
                }
            };
            if (IsInFrameworkUpdateThread) run();
            else lock (queue) queue.Enqueue(run);
            return source.Task;
        }

        // No update comes any more, though nobody has said so yet.
        public void Stop()
        {
            stop = true;
            if (!IsInFrameworkUpdateThread) thread.Join();
        }

        public void Dispose()
        {
            Stop();
            IsFrameworkUnloading = true;
        }

        private void Loop()
        {
            var clock = Stopwatch.StartNew();
            while (!stop)
            {
                Updates++;
                Drain();
                var update = Update;
                foreach (var handler in update == null ? new Delegate[0] : update.GetInvocationList())
                {
                    try
                    {
                        ((OnUpdateDelegate)handler)(this);
                    }
                    catch (Exception e)
                    {
                        lock (Faults) Faults.Add(e);
                    }
                }
                var left = Updates * 1000 / 60 - clock.ElapsedMilliseconds;
                if (left > 0) Thread.Sleep((int)left);
            }
        }

        private void Drain()
        {
            for (;;)
            {
                Action next;
                lock (queue)
                {
                    if (queue.Count == 0) return;
                    next = queue.Dequeue();
                }
                next();
            }
        }
    }
}
