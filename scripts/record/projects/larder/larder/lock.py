"""One lock per key, made when needed and dropped when nobody holds or waits for it."""

import threading
from contextlib import contextmanager

from .errors import LoadTimeout


class KeyLocks:
    """`with locks.hold(key, timeout):` runs the body alone for that key."""

    def __init__(self):
        self._guard = threading.Lock()
        self._locks = {}

    def _borrow(self, key):
        with self._guard:
            lock, users = self._locks.get(key, (None, 0))
            lock = lock or threading.Lock()
            self._locks[key] = (lock, users + 1)
            return lock

    def _give_back(self, key):
        with self._guard:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)

    @contextmanager
    def hold(self, key, timeout):
        lock = self._borrow(key)
        try:
            if not lock.acquire(timeout=timeout):
                raise LoadTimeout(key, timeout)
            try:
                yield
            finally:
                lock.release()
        finally:
            self._give_back(key)

    def __len__(self):
        with self._guard:
            return len(self._locks)
