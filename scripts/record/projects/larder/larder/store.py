"""Entries in memory."""

import threading


class MemoryStore:
    """A dictionary with a lock. Values are kept by reference, not copied."""

    def __init__(self):
        self._entries = {}
        self._lock = threading.RLock()

    def get(self, key):
        with self._lock:
            return self._entries.get(key)

    def set(self, entry):
        with self._lock:
            self._entries[entry.key] = entry

    def delete(self, key):
        """True if the key was there."""
        with self._lock:
            return self._entries.pop(key, None) is not None

    def entries(self):
        """A snapshot, oldest first."""
        with self._lock:
            return sorted(self._entries.values(), key=lambda e: (e.stored_at, e.key))

    def clear(self):
        with self._lock:
            count = len(self._entries)
            self._entries.clear()
            return count

    def __len__(self):
        with self._lock:
            return len(self._entries)
