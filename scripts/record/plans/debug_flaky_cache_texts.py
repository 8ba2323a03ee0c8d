"""Longer texts of the plan `debug-flaky-cache`: the system prompt and what the agent writes into files."""

SYSTEM = """
You are a coding agent that works in a terminal, in the project folder /home/dev/larder. A person gives you tasks; you
solve them by reading and changing files and by running commands.

How to work
- Look before you change. Read the file you are about to edit, and find the callers of what you want to alter.
- Prefer the smallest change that removes the cause. Do not paper over a symptom: a test that is made quiet is worse than
  a test that fails.
- After each change run the tests that cover it. Say what you ran and what came out, with numbers. When something fails,
  show the part of the output that matters.
- If an experiment does not confirm your idea, take it back completely before you try the next one, and say so.
- Keep to the style of the file: names, comments, order of imports. Comments explain a reason, not the obvious.
- Never commit, tag or publish unless the person asks for it.
- What the person said about limits stays in force until the person takes it back, also many messages later.

Tools
- `read` shows a file; for long files use offset and limit.
- `grep` finds lines by regular expression.
- `edit` replaces a text that occurs exactly once; copy it with its indentation.
- `write` creates a file or replaces it whole. Use it for new files, not for small changes.
- `bash` runs a command. There is no terminal behind it: no editors, no pagers, no questions. Commands that print more than
  50 kB are cut at the start.
Independent calls may be made together in one reply; their results come back in order.

Answers
- Be short and concrete. Start with the result, then the evidence, then what is open.
- Name files with their path, functions with their module, times with their unit.
- When there is more than one way, give the alternatives with one line for and one line against each, and say which one you
  would take and why.
- If you are not sure, say what you know, what you guess, and which check would settle it.

The environment is Linux with Python, git and the usual shell tools. The network cannot be reached. The clock of the machine
is not to be trusted for measurements, so tests bring their own source of time.
"""

REGRESSION_TEST = '''
"""When a life begins: regression tests for LARD-318. Time stands still unless a test moves it."""

import unittest
from contextlib import contextmanager

from larder import Cache, ManualClock
from larder.entry import Entry
from larder.events import Events
from larder.loader import Loader
from larder.lock import KeyLocks
from larder.store import MemoryStore

from tests.test_ttl import SlowSource


class SlowLocks(KeyLocks):
    """Getting the lock takes time, as if another thread held it."""

    def __init__(self, clock, seconds):
        super().__init__()
        self._clock = clock
        self._seconds = seconds

    @contextmanager
    def hold(self, key, timeout):
        with super().hold(key, timeout):
            self._clock.advance(self._seconds)
            yield


class StampTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()

    def test_life_begins_when_the_value_is_available(self):
        cache = Cache(ttl=10, clock=self.clock)
        source = SlowSource(self.clock, 4)
        cache.get_or_load("k", source)
        self.clock.advance(9.9)
        self.assertEqual(cache.get_or_load("k", source), "price-1")
        self.clock.advance(0.1)
        self.assertEqual(cache.get_or_load("k", source), "price-2")

    def test_load_longer_than_the_life_is_still_served_once(self):
        cache = Cache(ttl=2, clock=self.clock)
        source = SlowSource(self.clock, 3)
        cache.get_or_load("k", source)
        self.assertEqual(cache.get("k"), "price-1")

    def test_waiter_does_not_get_a_value_that_expired_while_it_waited(self):
        store = MemoryStore()
        loader = Loader(store, self.clock, Events(), lock_timeout=60)
        loader._locks = SlowLocks(self.clock, 20)
        store.set(Entry("k", "old", self.clock.now(), ttl=10))
        self.assertEqual(loader.load("k", lambda: "new", ttl=10).value, "new")

    def test_refresh_gives_a_whole_life(self):
        cache = Cache(ttl=10, refresh_ahead=0.3, clock=self.clock)
        source = SlowSource(self.clock, 4)
        cache.get_or_load("k", source)
        self.clock.advance(8)
        cache.get_or_load("k", source)
        self.clock.advance(6.9)
        cache.get_or_load("k", source)
        self.assertEqual(source.calls, 2)

    def test_events_carry_the_times_that_were_used(self):
        cache = Cache(ttl=10, clock=self.clock)
        cache.get_or_load("k", SlowSource(self.clock, 4))
        times = {event.kind: event.at for event in cache.events.last()}
        self.assertEqual(times["store"] - times["load"], 4)


if __name__ == "__main__":
    unittest.main()
'''

ADR = """
# ADR 007: the life of a value begins after its load

Status: accepted, 2026-03-04. Ticket: LARD-318.

## Context

`Loader.load` read the clock once, before it waited for the key's lock and before it called the source. The entry was
stamped with that time. A source that takes 300 ms took 300 ms away from the life of every value. With a `ttl` of 0.5 s only
about 200 ms were left, and scheduling delay decided whether a test passed: 22 of 60 seeds failed in `tests.test_ttl`, 19 of
60 in `tests.test_refresh`.

## Decision

The clock is read twice, both times under the lock: once to decide whether what is in the store is still fresh, and once
after the source has returned. The second reading stamps the entry.

## Rejected

- **A grace of 20 ms in `Entry.expired`.** Fewer failures (5 of 60), but values would be served after their life: breaks
  promise 1 of the README.
- **Wider margins or retries in the tests.** They hide the loss of life, which customers feel as needless loads.
- **A shorter `ttl` for the source.** The source does not know when it began to wait.
- **Stamping in `MemoryStore.set`.** Two stores, one of them persistent; the store has no clock and should not get one.

## Consequences

- A value lives `ttl` seconds from the moment it is available, whatever the load took.
- A waiter that waited longer than a life does not get a stale value any more.
- A value can be as old as `ttl` plus the duration of its load, measured from the start of the load. The price service
  accepts this; the nightly export sets its own `ttl`.
- `load` events keep the time at which the load began, `store` events the stamp.
"""
