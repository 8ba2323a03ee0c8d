"""Refresh-ahead."""

import unittest

from larder import Cache, JitterClock, ManualClock
from larder.trace import timeline

from tests.test_ttl import SlowSource


class RefreshTest(unittest.TestCase):
    def test_hit_early_in_life_does_not_reload(self):
        clock = ManualClock()
        cache = Cache(ttl=10, refresh_ahead=0.2, clock=clock)
        source = SlowSource(clock, 0.1)
        cache.get_or_load("k", source)
        clock.advance(5)
        cache.get_or_load("k", source)
        self.assertEqual(source.calls, 1)

    def test_hit_late_in_life_reloads_and_serves_the_old_value(self):
        clock = ManualClock()
        cache = Cache(ttl=10, refresh_ahead=0.2, clock=clock)
        source = SlowSource(clock, 0.1)
        cache.get_or_load("k", source)
        clock.advance(8.5)
        self.assertEqual(cache.get_or_load("k", source), "price-1")
        self.assertEqual(source.calls, 2)
        self.assertEqual(cache.get_or_load("k", source), "price-2")

    def test_slow_reload_leaves_a_whole_life(self):
        clock = JitterClock()
        cache = Cache(ttl=1.0, refresh_ahead=0.3, clock=clock)
        source = SlowSource(clock, 0.3)
        cache.get_or_load("k", source)
        clock.sleep(0.1)
        cache.put("k", "seed value")
        clock.sleep(0.75)
        cache.get_or_load("k", source)  # reloads, takes 0.3
        clock.sleep(0.35)
        before = source.calls
        cache.get_or_load("k", source)
        self.assertEqual(source.calls, before, "\n" + timeline(cache.events.last()))


if __name__ == "__main__":
    unittest.main()
