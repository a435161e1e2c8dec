// Where the character is. The game may only be read on the framework thread, the plugin asks on any: so it is read once
// a frame and kept.
using System;

namespace XivMcp.Shim
{
    internal sealed class Session
    {
        private volatile object now; // a SessionState, or null while nobody is logged in
        private bool failed;

        internal SessionState? Now => (SessionState?)now;

        // Does not throw: what comes after it in a frame must run. A failure is logged once, and counts as nobody there.
        internal void Read()
        {
            object state = null;
            try
            {
                state = Current();
            }
            catch (Exception e)
            {
                if (!failed) Log.Write(LogSeverity.Error, "where the character is cannot be read: " + e);
                failed = true;
            }
            if (!Equals(state, now)) now = state;
        }

        private static object Current()
        {
            if (!Plugin.ClientState.IsLoggedIn) return null;
            return new SessionState
            {
                Territory = (uint)Plugin.ClientState.TerritoryType,
                World = Plugin.PlayerState.IsLoaded ? Plugin.PlayerState.CurrentWorld.RowId : 0,
            };
        }
    }
}
