// One line for each thing that must hold. A failure says what came and what was expected, and the program goes on, so
// that one run shows all of them.
using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace Scenario
{
    internal static class Check
    {
        internal static int Passed { get; private set; }
        internal static int Failed { get; private set; }

        internal static void Section(string name)
        {
            Console.WriteLine("\n# " + name);
        }

        internal static void Equal<T>(string sentence, T expected, T came)
        {
            Report(sentence, Equals(expected, came), Show(expected), Show(came));
        }

        internal static void True(string sentence, bool came)
        {
            Report(sentence, came, "true", "false");
        }

        internal static void Contains(string sentence, string part, string came)
        {
            Report(sentence, came != null && came.Contains(part), "a text with " + Show(part), Show(came));
        }

        internal static void HasLine(string sentence, string[] lines, params string[] parts)
        {
            var found = lines.Any(line => parts.All(line.Contains));
            Report(sentence, found, "a line with " + string.Join(" and ", parts.Select(Show)), "(the last lines)\n    "
                + string.Join("\n    ", lines.Skip(Math.Max(0, lines.Length - 20))));
        }

        // The work must fail; gives what it threw, without the wrapping of a delegate call.
        internal static Exception Throws(string sentence, string part, Action work)
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                var cause = e;
                while (cause is System.Reflection.TargetInvocationException && cause.InnerException != null) cause = cause.InnerException;
                Contains(sentence, part, cause.GetType().Name + ": " + cause.Message);
                return cause;
            }
            Report(sentence, false, "an exception with " + Show(part), "none");
            return null;
        }

        // Something that another thread brings about. The limit is for a run that has gone wrong.
        internal static void Until(string sentence, Func<bool> condition, Func<string> state)
        {
            var clock = Stopwatch.StartNew();
            while (!condition())
            {
                if (clock.Elapsed > TimeSpan.FromSeconds(30))
                {
                    Report(sentence, false, "within 30 s", state());
                    return;
                }
                Thread.Sleep(1);
            }
            Report(sentence, true, "", "");
        }

        internal static void Fault(string section, Exception e)
        {
            Report(section + " runs to its end", false, "no exception", e.ToString());
        }

        private static void Report(string sentence, bool holds, string expected, string came)
        {
            if (holds)
            {
                Passed++;
                Console.WriteLine("ok      " + sentence);
                return;
            }
            Failed++;
            Console.WriteLine("FAILED  " + sentence + "\n  expected: " + expected + "\n  came:     " + came);
        }

        private static string Show(object value)
        {
            var text = value == null ? "null" : value.ToString();
            if (text.Length > 400) text = text.Substring(0, 400) + "… (" + text.Length + " characters)";
            return value is string ? "\"" + text + "\"" : text;
        }
    }
}
