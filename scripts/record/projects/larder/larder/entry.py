"""One cached value and its times."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Entry:
    """A value, when it was stored, and how long it may be served.

    `stored_at` and `ttl` are in seconds of the cache's clock. `hits` is used by the LFU policy, `used_at` by the LRU policy.
    """

    key: str
    value: Any
    stored_at: float
    ttl: float
    hits: int = 0
    used_at: float = field(default=0.0)

    def __post_init__(self):
        if self.ttl <= 0:
            raise ValueError(f"ttl must be positive, not {self.ttl!r}")
        if not self.used_at:
            self.used_at = self.stored_at

    @property
    def expires_at(self):
        return self.stored_at + self.ttl

    def age(self, now):
        return now - self.stored_at

    def expired(self, now):
        """True when the value may not be served any more."""
        return now >= self.expires_at

    def life_left(self, now):
        """Share of the life that is left, from 1 (new) to 0 (expired)."""
        return max(0.0, min(1.0, (self.expires_at - now) / self.ttl))

    def touch(self, now):
        self.hits += 1
        self.used_at = now
