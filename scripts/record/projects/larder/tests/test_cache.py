"""The public class, with time standing still."""

import tempfile
import threading
import unittest

from larder import Cache, Config, KeyRefused, LoadTimeout, ManualClock
from larder.filestore import FileStore


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.cache = Cache(ttl=10, max_entries=3, clock=self.clock)

    def test_missing_key_gives_the_default(self):
        self.assertIsNone(self.cache.get("nothing"))
        self.assertEqual(self.cache.get("nothing", 7), 7)

    def test_put_and_get(self):
        self.cache.put("a", 1)
        self.assertEqual(self.cache.get("a"), 1)

    def test_invalidate(self):
        self.cache.put("a", 1)
        self.assertTrue(self.cache.invalidate("a"))
        self.assertFalse(self.cache.invalidate("a"))
        self.assertIsNone(self.cache.get("a"))

    def test_lru_evicts_the_least_recently_used(self):
        for key in "abc":
            self.cache.put(key, key)
            self.clock.advance(0.1)
        self.cache.get("a")
        self.clock.advance(0.1)
        self.cache.put("d", "d")
        self.assertEqual([self.cache.get(k) for k in "abcd"], ["a", None, "c", "d"])

    def test_lfu_evicts_the_least_used(self):
        cache = Cache(ttl=10, max_entries=2, policy="lfu", clock=self.clock)
        cache.put("a", 1)
        cache.put("b", 2)
        cache.get("a")
        cache.put("c", 3)
        self.assertIsNone(cache.get("b"))
        self.assertEqual(cache.get("a"), 1)

    def test_newest_entry_is_never_the_victim(self):
        cache = Cache(ttl=10, max_entries=1, clock=self.clock)
        cache.put("a", 1)
        cache.put("b", 2)
        self.assertEqual(cache.get("b"), 2)

    def test_stats(self):
        self.cache.get_or_load("a", lambda: 1)
        self.cache.get_or_load("a", lambda: 1)
        self.assertEqual(self.cache.stats.hit, 1)
        self.assertEqual(self.cache.stats.miss, 1)
        self.assertEqual(self.cache.stats.hit_rate, 0.5)

    def test_hit_rate_before_the_first_request(self):
        self.assertEqual(self.cache.stats.hit_rate, 0.0)

    def test_refused_keys(self):
        for key in ("", "x" * 201, "a\nb", 5):
            with self.assertRaises(KeyRefused):
                self.cache.put(key, 1)

    def test_settings_are_checked(self):
        for bad in ({"ttl": 0}, {"max_entries": 0}, {"policy": "fifo"}, {"refresh_ahead": 1}, {"lock_timeout": -1}):
            with self.assertRaises(ValueError):
                Cache(**bad)
        with self.assertRaises(TypeError):
            Cache(tll=5)

    def test_config_and_keywords_together(self):
        cache = Cache(Config(ttl=5), max_entries=9)
        self.assertEqual((cache.config.ttl, cache.config.max_entries), (5, 9))

    def test_error_of_the_source_reaches_the_caller_and_nothing_is_stored(self):
        def broken():
            raise ConnectionError("backend down")

        with self.assertRaises(ConnectionError):
            self.cache.get_or_load("a", broken)
        self.assertEqual(len(self.cache), 0)

    def test_single_flight(self):
        cache = Cache(ttl=10)
        started, go, calls = threading.Event(), threading.Event(), []

        def slow():
            calls.append(1)
            started.set()
            go.wait(5)
            return "v"

        results = []
        threads = [threading.Thread(target=lambda: results.append(cache.get_or_load("k", slow))) for _ in range(4)]
        threads[0].start()
        started.wait(5)
        for thread in threads[1:]:
            thread.start()
        go.set()
        for thread in threads:
            thread.join(5)
        self.assertEqual((results, len(calls)), (["v"] * 4, 1))

    def test_waiter_gives_up(self):
        cache = Cache(ttl=10, lock_timeout=0.01)
        started, go = threading.Event(), threading.Event()

        def slow():
            started.set()
            go.wait(5)

        thread = threading.Thread(target=lambda: cache.get_or_load("k", slow))
        thread.start()
        started.wait(5)
        with self.assertRaises(LoadTimeout) as caught:
            cache.get_or_load("k", slow)
        self.assertEqual(str(caught.exception), "gave up waiting for 'k' after 0.01 s")
        go.set()
        thread.join(5)

    def test_file_store_survives_a_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            Cache(ttl=10, clock=self.clock, store=FileStore(folder)).put("a", {"price": 5})
            again = Cache(ttl=10, clock=self.clock, store=FileStore(folder))
            self.assertEqual(again.get("a"), {"price": 5})


if __name__ == "__main__":
    unittest.main()
