"""Single flight: one thread loads a key, the others wait for its value."""

from .entry import Entry
from .lock import KeyLocks


class Loader:
    """Loads values into a store.

    `load(key, function, ttl)` returns an entry that is fresh at the time of return. A thread that had to wait looks into
    the store first, because the one before it has probably just filled it.
    """

    def __init__(self, store, clock, events, lock_timeout):
        self._store = store
        self._clock = clock
        self._events = events
        self._lock_timeout = lock_timeout
        self._locks = KeyLocks()

    def load(self, key, function, ttl, force=False):
        now = self._clock.now()
        with self._locks.hold(key, self._lock_timeout):
            if not force:
                entry = self._store.get(key)
                if entry is not None and not entry.expired(now):
                    return entry
            self._events.emit("load", key, now)
            value = function()
            entry = Entry(key, value, now, ttl)
            self._store.set(entry)
            self._events.emit("store", key, now, f"ttl {ttl:g}")
            return entry

    def waiting(self):
        """How many keys are being loaded or waited for."""
        return len(self._locks)
