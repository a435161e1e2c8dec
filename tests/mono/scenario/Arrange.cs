// What the services of the test's plugins do (tests/mono/services).
using System;

namespace Scenario
{
    internal static class Arrange
    {
        // Null: the service gives an empty JSON text.
        internal static void Service(string name, Func<string> service)
        {
            AppDomain.CurrentDomain.SetData(name, service);
        }

        internal static void Mode(string mode)
        {
            Service("mode", () => mode);
        }
    }
}
