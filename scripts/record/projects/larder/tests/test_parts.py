"""The smaller modules."""

import unittest

from larder import codec, keys, policy
from larder.entry import Entry
from larder.errors import StoreDamaged
from larder.events import Events
from larder.store import MemoryStore
from larder.sweeper import Sweeper
from larder.trace import summary, timeline


class EntryTest(unittest.TestCase):
    def test_expires_exactly_at_the_end_of_its_life(self):
        entry = Entry("k", 1, stored_at=100, ttl=10)
        self.assertFalse(entry.expired(109.999))
        self.assertTrue(entry.expired(110))

    def test_life_left(self):
        entry = Entry("k", 1, stored_at=100, ttl=10)
        self.assertEqual([entry.life_left(t) for t in (100, 105, 110, 200)], [1.0, 0.5, 0.0, 0.0])

    def test_ttl_must_be_positive(self):
        with self.assertRaises(ValueError):
            Entry("k", 1, 0, 0)


class CodecTest(unittest.TestCase):
    def test_round_trip(self):
        entry = Entry("k", [1, 2], 5.0, 6.0, 7)
        self.assertEqual(codec.decode(codec.encode(entry), "x").value, [1, 2])

    def test_damage_is_named(self):
        cases = {b"{": "not JSON", b"[]": "not an object", b"{}": "format None", b'{"format": 2}': "field 'key' is missing"}
        for data, reason in cases.items():
            with self.assertRaises(StoreDamaged) as caught:
                codec.decode(data, "some/path")
            self.assertIn(reason, str(caught.exception))


class KeysTest(unittest.TestCase):
    def test_namespaces(self):
        self.assertEqual(keys.namespaced("a:b", "c:d"), "a%3Ab:c:d")
        self.assertEqual(keys.split("a%3Ab:c:d"), ("a:b", "c:d"))


class PolicyTest(unittest.TestCase):
    def test_nobody_to_evict(self):
        self.assertIsNone(policy.Lru().victim([]))

    def test_unknown_name(self):
        with self.assertRaises(ValueError):
            policy.by_name("fifo")


class SweeperTest(unittest.TestCase):
    def test_sweeps_only_when_it_is_time(self):
        store, events = MemoryStore(), Events()
        sweeper = Sweeper(store, events, every=5)
        store.set(Entry("old", 1, stored_at=0, ttl=1))
        store.set(Entry("new", 1, stored_at=9, ttl=100))
        self.assertEqual(sweeper.maybe(10), 0)
        self.assertEqual(sweeper.maybe(14.9), 0)
        self.assertEqual(sweeper.maybe(15), 1)
        self.assertEqual(len(store), 1)


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.events = Events()
        self.events.emit("miss", "a", 1.0)
        self.events.emit("load", "a", 1.5)
        self.events.emit("hit", "b", 2.0, "age 0.5")

    def test_timeline(self):
        lines = timeline(self.events.last()).splitlines()
        self.assertEqual(lines[2], "      1.5000   +0.5000  load        a")
        self.assertEqual(len(timeline(self.events.last(), "b").splitlines()), 2)

    def test_summary(self):
        self.assertIn("3 events", summary(self.events.last()))

    def test_unknown_event(self):
        with self.assertRaises(ValueError):
            self.events.emit("boom", "a", 1)


if __name__ == "__main__":
    unittest.main()
