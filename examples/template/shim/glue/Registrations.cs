// What the plugin has provided, subscribed to, added or asked for, by the plugin's own numbers.
using System;
using System.Collections.Generic;
using System.Linq;

namespace XivMcp.Shim
{
    internal enum Place
    {
        Function,
        Action,
        Subscription,
        Command,
        Update,
        Session,
    }

    internal sealed class Registration
    {
        internal readonly ulong Id;
        internal readonly Place Place;
        internal readonly string Name;
        internal volatile bool Removed;
        internal Action TakeAway;

        internal Registration(ulong id, Place place, string name)
        {
            Id = id;
            Place = place;
            Name = name;
        }
    }

    internal sealed class Registrations
    {
        private readonly Dictionary<ulong, Registration> byId = new Dictionary<ulong, Registration>();

        // Who holds a gate's function or action. This lock is also held while Dalamud is told of a change there, which
        // calls nobody back: else one thread could take away what another has just put in its place.
        private readonly Dictionary<string, Registration> holders = new Dictionary<string, Registration>();

        internal volatile ulong[] Updates = new ulong[0];
        internal volatile ulong[] Sessions = new ulong[0];

        // Adds the registration before `put` makes it known to Dalamud: a call may come at once. `put` gives what
        // takes it away again. If it fails, nothing is left.
        internal void Add(Registration registration, Func<Registration, Action> put)
        {
            lock (byId)
            {
                byId.Add(registration.Id, registration);
                Refresh();
            }
            try
            {
                var one = registration.Place == Place.Function || registration.Place == Place.Action;
                var takeAway = one ? PutAlone(registration, put) : put(registration);
                lock (byId)
                {
                    registration.TakeAway = takeAway;
                    if (!registration.Removed) return;
                }
                takeAway(); // it was removed while it was being put there
            }
            catch (Exception)
            {
                Remove(registration.Id);
                throw;
            }
        }

        internal void Remove(ulong id)
        {
            Action takeAway;
            lock (byId)
            {
                if (!byId.TryGetValue(id, out var registration)) return;
                byId.Remove(id);
                Refresh();
                registration.Removed = true;
                takeAway = registration.TakeAway;
            }
            takeAway?.Invoke();
        }

        internal void RemoveAll(Action<Exception> failed)
        {
            ulong[] ids;
            lock (byId) ids = byId.Keys.ToArray();
            foreach (var id in ids)
            {
                try
                {
                    Remove(id);
                }
                catch (Exception e)
                {
                    failed(e);
                }
            }
        }

        // A place that holds one at a time: what replaced this registration meanwhile stays. Whether another plugin
        // replaced it Dalamud does not tell; gates carry their plugin's name, so nobody does.
        private Action PutAlone(Registration registration, Func<Registration, Action> put)
        {
            var key = registration.Place + " " + registration.Name;
            lock (holders)
            {
                var takeAway = put(registration);
                holders[key] = registration;
                return () =>
                {
                    lock (holders)
                    {
                        if (!holders.TryGetValue(key, out var holder) || holder != registration) return;
                        holders.Remove(key);
                        takeAway();
                    }
                };
            }
        }

        private void Refresh()
        {
            Updates = Of(Place.Update);
            Sessions = Of(Place.Session);
        }

        private ulong[] Of(Place place)
        {
            return byId.Values.Where(r => r.Place == place).Select(r => r.Id).OrderBy(id => id).ToArray();
        }
    }
}
