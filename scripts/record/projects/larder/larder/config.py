"""Settings of a cache, checked once."""

from dataclasses import dataclass, fields, replace

POLICIES = ("lru", "lfu")


@dataclass(frozen=True)
class Config:
    """All times are seconds.

    ttl             how long a value is served
    max_entries     how many entries are held
    policy          who is evicted: "lru" or "lfu"
    lock_timeout    how long a thread waits for another one that loads the same key
    refresh_ahead   reload when less than this share of the life is left; 0 switches it off
    sweep_every     how often expired entries are looked for
    """

    ttl: float = 60.0
    max_entries: int = 1000
    policy: str = "lru"
    lock_timeout: float = 10.0
    refresh_ahead: float = 0.0
    sweep_every: float = 5.0

    def __post_init__(self):
        if self.ttl <= 0:
            raise ValueError(f"ttl must be positive, not {self.ttl!r}")
        if self.max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, not {self.max_entries!r}")
        if self.policy not in POLICIES:
            raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {self.policy!r}")
        if self.lock_timeout <= 0:
            raise ValueError(f"lock_timeout must be positive, not {self.lock_timeout!r}")
        if not 0 <= self.refresh_ahead < 1:
            raise ValueError(f"refresh_ahead is a share from 0 to below 1, not {self.refresh_ahead!r}")
        if self.sweep_every <= 0:
            raise ValueError(f"sweep_every must be positive, not {self.sweep_every!r}")

    def changed(self, **changes):
        """A copy with some settings replaced; unknown names are refused."""
        known = {f.name for f in fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise TypeError(f"unknown settings: {', '.join(unknown)}")
        return replace(self, **changes)
