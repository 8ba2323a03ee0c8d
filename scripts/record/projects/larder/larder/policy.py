"""Who is evicted when the cache is full."""


class Lru:
    """The entry that was not used for the longest time."""

    name = "lru"

    def victim(self, entries):
        return min(entries, key=lambda e: (e.used_at, e.stored_at, e.key), default=None)


class Lfu:
    """The entry with the fewest hits; of those, the oldest."""

    name = "lfu"

    def victim(self, entries):
        return min(entries, key=lambda e: (e.hits, e.stored_at, e.key), default=None)


def by_name(name):
    for policy in (Lru, Lfu):
        if policy.name == name:
            return policy()
    raise ValueError(f"no eviction policy is called {name!r}")
