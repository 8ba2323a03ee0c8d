"""Entries in files, one per key, so that a restart keeps them."""

import hashlib
import os
import threading
from pathlib import Path

from . import codec


class FileStore:
    """Same methods as MemoryStore. File names are digests, so any key is allowed."""

    def __init__(self, folder):
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()

    def _path(self, key):
        return self._folder / (hashlib.sha256(key.encode()).hexdigest()[:32] + ".json")

    def get(self, key):
        path = self._path(key)
        with self._lock:
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                return None
        return codec.decode(data, path)

    def set(self, entry):
        path = self._path(entry.key)
        temporary = path.with_suffix(".tmp")
        with self._lock:
            temporary.write_bytes(codec.encode(entry))
            os.replace(temporary, path)

    def delete(self, key):
        with self._lock:
            try:
                self._path(key).unlink()
            except FileNotFoundError:
                return False
            return True

    def entries(self):
        with self._lock:
            found = [codec.decode(path.read_bytes(), path) for path in sorted(self._folder.glob("*.json"))]
        return sorted(found, key=lambda e: (e.stored_at, e.key))

    def clear(self):
        with self._lock:
            paths = list(self._folder.glob("*.json"))
            for path in paths:
                path.unlink()
            return len(paths)

    def __len__(self):
        with self._lock:
            return sum(1 for _ in self._folder.glob("*.json"))
