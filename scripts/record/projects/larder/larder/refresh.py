"""Refresh-ahead: reload a value before it expires."""


class RefreshAhead:
    """Decides whether a hit should also start a reload.

    `share` is the part of the life, counted from its end, in which a hit reloads. A key is not reloaded twice for the same
    entry: the decision remembers `stored_at`.
    """

    def __init__(self, share):
        self._share = share
        self._seen = {}

    def wanted(self, entry, now):
        if not self._share or entry.life_left(now) >= self._share:
            return False
        if self._seen.get(entry.key) == entry.stored_at:
            return False
        self._seen[entry.key] = entry.stored_at
        return True

    def forget(self, key):
        self._seen.pop(key, None)
