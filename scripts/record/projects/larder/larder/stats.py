"""Counters made from events."""

from collections import Counter


class Stats:
    """Counts events by kind. Attach with `events.listen(stats.see)`."""

    def __init__(self):
        self._counts = Counter()

    def see(self, event):
        self._counts[event.kind] += 1

    def __getattr__(self, kind):
        if kind.startswith("_"):
            raise AttributeError(kind)
        return self._counts[kind]

    @property
    def hit_rate(self):
        asked = self._counts["hit"] + self._counts["miss"]
        return self._counts["hit"] / asked if asked else 0.0

    def as_dict(self):
        return dict(sorted(self._counts.items())) | {"hit_rate": round(self.hit_rate, 4)}
