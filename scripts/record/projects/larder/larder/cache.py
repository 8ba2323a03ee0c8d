"""The cache."""

from . import keys, policy
from .clock import SystemClock
from .config import Config
from .entry import Entry
from .errors import LoadTimeout
from .events import Events
from .loader import Loader
from .refresh import RefreshAhead
from .stats import Stats
from .store import MemoryStore
from .sweeper import Sweeper


class Cache:
    """A cache with a time to live.

    Settings come as a `Config` or as keyword arguments of the same names. `clock` and `store` are for tests and for
    persistence.
    """

    def __init__(self, config=None, *, clock=None, store=None, **settings):
        self.config = (config or Config()).changed(**settings)
        self.clock = clock or SystemClock()
        self.events = Events()
        self.stats = Stats()
        self.events.listen(self.stats.see)
        self._store = MemoryStore() if store is None else store
        self._policy = policy.by_name(self.config.policy)
        self._sweeper = Sweeper(self._store, self.events, self.config.sweep_every)
        self._refresh = RefreshAhead(self.config.refresh_ahead)
        self._loader = Loader(self._store, self.clock, self.events, self.config.lock_timeout)

    def get(self, key, default=None):
        """The value, or `default` when there is none that is fresh."""
        keys.check(key)
        now = self.clock.now()
        self._sweeper.maybe(now)
        entry = self._fresh(key, now)
        if entry is None:
            self.events.emit("miss", key, now)
            return default
        entry.touch(now)
        self.events.emit("hit", key, now, f"age {entry.age(now):.4f}")
        return entry.value

    def get_or_load(self, key, function, ttl=None):
        """The value; when there is none that is fresh, `function()` is called to get it."""
        keys.check(key)
        ttl = self.config.ttl if ttl is None else ttl
        now = self.clock.now()
        self._sweeper.maybe(now)
        entry = self._fresh(key, now)
        if entry is None:
            self.events.emit("miss", key, now)
            return self._load(key, function, ttl).value
        entry.touch(now)
        self.events.emit("hit", key, now, f"age {entry.age(now):.4f}")
        if self._refresh.wanted(entry, now):
            self.events.emit("refresh", key, now, f"left {entry.life_left(now):.3f}")
            self._load(key, function, ttl, force=True)
        return entry.value

    def put(self, key, value, ttl=None):
        """Store a value that the caller already has."""
        keys.check(key)
        now = self.clock.now()
        entry = Entry(key, value, now, self.config.ttl if ttl is None else ttl)
        self._store.set(entry)
        self.events.emit("store", key, now, f"ttl {entry.ttl:g}")
        self._make_room(key, now)

    def invalidate(self, key):
        """Forget a key. True if it was there."""
        keys.check(key)
        self._refresh.forget(key)
        was_there = self._store.delete(key)
        self.events.emit("invalidate", key, self.clock.now(), "was there" if was_there else "was not there")
        return was_there

    def clear(self):
        """Forget everything; returns how many entries there were."""
        return self._store.clear()

    def __len__(self):
        return len(self._store)

    def _fresh(self, key, now):
        entry = self._store.get(key)
        if entry is None:
            return None
        if entry.expired(now):
            self._store.delete(key)
            self._refresh.forget(key)
            self.events.emit("expire", key, now, f"age {entry.age(now):.4f}")
            return None
        return entry

    def _load(self, key, function, ttl, force=False):
        try:
            entry = self._loader.load(key, function, ttl, force)
        except LoadTimeout:
            self.events.emit("timeout", key, self.clock.now())
            raise
        self._make_room(key, self.clock.now())
        return entry

    def _make_room(self, newest, now):
        while len(self._store) > self.config.max_entries:
            others = [e for e in self._store.entries() if e.key != newest]
            victim = self._policy.victim(others)
            self._store.delete(victim.key)
            self._refresh.forget(victim.key)
            self.events.emit("evict", victim.key, now, self._policy.name)
