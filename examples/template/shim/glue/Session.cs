// Where the character is. The game may only be read on the framework thread, the plugin asks on any: so it is read once
// a frame and kept.
using System;

namespace XivMcp.Shim
{
    internal sealed class Session
    {
        private volatile object now; // a SessionState, or null while nobody is logged in

        internal SessionState? Now => (SessionState?)now;

        internal void Read()
        {
            var state = Current();
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
