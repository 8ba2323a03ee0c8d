"""The promises about time, on a machine as slow as the CI runners."""

import unittest

from larder import Cache, JitterClock
from larder.trace import timeline


class SlowSource:
    """Stands for the price backend: takes 300 ms and counts its calls."""

    def __init__(self, clock, seconds=0.3):
        self.clock = clock
        self.seconds = seconds
        self.calls = 0

    def __call__(self):
        self.calls += 1
        self.clock.sleep(self.seconds)
        return f"price-{self.calls}"


class TtlTest(unittest.TestCase):
    def setUp(self):
        self.clock = JitterClock()
        self.cache = Cache(ttl=0.5, clock=self.clock)
        self.source = SlowSource(self.clock)

    def show(self):
        return "\n" + timeline(self.cache.events.last())

    def test_fresh_value_is_served_without_a_second_load(self):
        self.cache.get_or_load("sku:4711", self.source)
        self.clock.sleep(0.15)
        value = self.cache.get_or_load("sku:4711", self.source)
        self.assertEqual(value, "price-1", self.show())
        self.assertEqual(self.source.calls, 1, self.show())

    def test_value_is_not_served_after_its_life(self):
        self.cache.get_or_load("sku:4711", self.source)
        self.clock.sleep(0.55)
        value = self.cache.get_or_load("sku:4711", self.source)
        self.assertEqual(value, "price-2", self.show())

    def test_put_is_served_for_its_life(self):
        self.cache.put("sku:4711", "by hand")
        self.clock.sleep(0.3)
        self.assertEqual(self.cache.get("sku:4711"), "by hand", self.show())
        self.clock.sleep(0.3)
        self.assertIsNone(self.cache.get("sku:4711"), self.show())

    def test_own_ttl_of_one_key(self):
        self.cache.put("short", 1, ttl=0.2)
        self.cache.put("long", 2, ttl=5)
        self.clock.sleep(0.6)
        self.assertIsNone(self.cache.get("short"), self.show())
        self.assertEqual(self.cache.get("long"), 2, self.show())


if __name__ == "__main__":
    unittest.main()
