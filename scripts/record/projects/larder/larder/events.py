"""What happened, in order. Listeners must be quick: they run in the thread that caused the event."""

from collections import deque
from dataclasses import dataclass

KINDS = ("hit", "miss", "load", "store", "expire", "evict", "refresh", "invalidate", "timeout", "sweep")


@dataclass(frozen=True)
class Event:
    kind: str
    key: str
    at: float
    note: str = ""

    def line(self):
        note = f"  {self.note}" if self.note else ""
        return f"{self.at:12.4f}  {self.kind:<10}  {self.key}{note}"


class Events:
    """Keeps the last `keep` events and calls listeners."""

    def __init__(self, keep=10_000):
        self._last = deque(maxlen=keep)
        self._listeners = []

    def listen(self, listener):
        self._listeners.append(listener)

    def emit(self, kind, key, at, note=""):
        if kind not in KINDS:
            raise ValueError(f"unknown event {kind!r}")
        event = Event(kind, key, at, note)
        self._last.append(event)
        for listener in self._listeners:
            listener(event)

    def last(self, count=None):
        events = list(self._last)
        return events if count is None else events[-count:]
