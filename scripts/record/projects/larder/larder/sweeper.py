"""Removes expired entries, at most every `every` seconds, in the thread of whoever calls."""


class Sweeper:
    """Call `maybe(now)` often; it does something when it is time."""

    def __init__(self, store, events, every):
        self._store = store
        self._events = events
        self._every = every
        self._next = None

    def maybe(self, now):
        """Sweep if it is time. Returns how many entries went."""
        if self._next is None:
            self._next = now + self._every
            return 0
        if now < self._next:
            return 0
        self._next = now + self._every
        return self.sweep(now)

    def sweep(self, now):
        gone = 0
        for entry in self._store.entries():
            if entry.expired(now):
                self._store.delete(entry.key)
                self._events.emit("expire", entry.key, now, f"age {entry.age(now):.4f}")
                gone += 1
        self._events.emit("sweep", "*", now, f"{gone} gone")
        return gone
