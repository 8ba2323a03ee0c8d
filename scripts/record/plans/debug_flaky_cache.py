"""A long hunt for a flaky test: wrong hypotheses, reverts, rules of the user, a changed number."""

from plans.calls import bash, edit, grep, read, write
from plans.debug_flaky_cache_items import ITEMS  # noqa: F401
from plans.debug_flaky_cache_texts import ADR, REGRESSION_TEST, SYSTEM

NAME = "debug-flaky-cache"
PROJECT = "larder"
LANGUAGE = "en"
START = "2026-03-04T08:41:12+00:00"
TITLE = "Debugging a flaky cache test"
DESCRIPTION = (
    "An agent looks for the reason why two tests of a small Python cache fail under a third of the seeds. Four wrong "
    "hypotheses are tried and reverted, the user forbids the easy ways out, one number is changed later on."
)


def play(s):
    """The session, in order."""
    explore(s)
    wrong_turns(s)
    tempting(s)
    cause(s)
    timeout(s)
    release(s)
    wrap_up(s)


def explore(s):
    s.user(
        """
The test `test_fresh_value_is_served_without_a_second_load` fails on CI in roughly one build of three since we moved to the
shared runners. Ticket is LARD-318. I want the cause, not a bandage.

Done means: `tools/repeat.py` with 200 seeds is green for both tests.test_ttl and tests.test_refresh, and the whole suite still
passes.

Rules:
- do not touch the public API: nothing in `__all__` changes its name or signature
- do not add dependencies, not even for tests
- do not loosen the tests: no larger margins, no retries, no skip
- leave JitterClock alone, worst = 0.040 is measured, not invented
- it must keep running on Python 3.9
Start by looking around and tell me what you find before you change anything.
""",
        tag="u1",
    )
    s.agent(
        "I'll start with the layout and the promises in the README.",
        bash("git log --oneline && find . -name '*.py' -not -path './.git/*' | sort | xargs wc -l"),
        read("README.md"),
        read("CHANGELOG.md"),
        think="The user wants the cause first. Look at the structure, then at the failing test, then reproduce it.",
    )
    s.agent(
        "Now the failing test and the clock it uses.",
        read("tests/test_ttl.py"),
        read("tests/test_refresh.py"),
        read("larder/clock.py"),
    )
    s.agent(
        "The test leaves 0.5 s of life, sleeps 0.15 s, and the source takes 0.3 s. Let me see the code in between.",
        read("larder/cache.py"),
        read("larder/entry.py"),
        read("larder/loader.py"),
    )
    s.agent(
        "And the parts a `get` passes on its way: sweeper, store, refresh, lock, configuration.",
        read("larder/sweeper.py"),
        read("larder/store.py"),
        read("larder/refresh.py"),
        read("larder/lock.py"),
        read("larder/config.py"),
    )
    s.agent(
        "Before any idea: reproduce it. 60 seeds each.",
        bash("python3 tools/repeat.py tests.test_ttl --runs 60 --show 3"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 60 --show 2"),
        tag="repro",
    )
    s.agent(
        "Reproduced. The suite as a whole, for the baseline:",
        bash("python3 -m unittest discover -s tests -t . -v"),
        read("tools/repeat.py"),
    )
    s.agent(
        """
What I know so far:

- **It is reproducible.** tests.test_ttl fails for 22 of 60 seeds, always in `test_fresh_value_is_served_without_a_second_load`.
  tests.test_refresh fails for 19 of 60, always in `test_slow_reload_leaves_a_whole_life`. Same seed, same result.
- With the default seed (1) the suite is green, 34 tests, which is why nobody sees it at home.
- In the failing runs the value is thrown away as expired: the timeline shows `expire ... [age 0.5...]` at the second request.

I changed nothing. My first suspicion is the sweeper: it runs at the start of every request and deletes by `expired(now)`. Shall
I test that by switching it off in an experiment?
""",
        tag="a1",
    )


def wrong_turns(s):
    s.user(
        "Yes, but as an experiment only. If it is not the sweeper, take it back completely. And give me numbers each time.",
        tag="u2",
    )
    s.agent(
        "Experiment 1: no sweeping in `get_or_load`.",
        edit(
            "larder/cache.py",
            "        ttl = self.config.ttl if ttl is None else ttl\n        now = self.clock.now()\n        self._sweeper.maybe(now)",
            "        ttl = self.config.ttl if ttl is None else ttl\n        now = self.clock.now()",
        ),
        bash("python3 tools/repeat.py tests.test_ttl --runs 60"),
        tag="exp1",
    )
    s.agent(
        "No change at all: the same 22 seeds. The sweeper waits `sweep_every` = 5 s before its first sweep, so in a test of half a "
        "second it never runs. Taking the experiment back.",
        bash("git checkout larder/cache.py && git status --short && git diff --stat"),
        grep("expired\\("),
        tag="exp1-back",
    )
    s.agent(
        "There are three callers of `expired`. Next idea: the boundary. `expired` uses `>=`, the README says a value is served *for* ttl "
        "seconds. Experiment 2: `>` instead.",
        edit("larder/entry.py", "        return now >= self.expires_at", "        return now > self.expires_at"),
        bash("python3 tools/repeat.py tests.test_ttl --runs 60 --show 0"),
        bash("python3 -m unittest tests.test_parts 2>&1"),
        think="Times are continuous, so >= against > should not matter. But it is cheap to check and rules the boundary out.",
        tag="exp2",
    )
    s.agent(
        "Again the same 22 seeds, and `test_expires_exactly_at_the_end_of_its_life` now fails, which it should: the boundary is "
        "specified. Reverted.",
        bash("git checkout larder/entry.py && git status --short"),
        read("tests/test_parts.py"),
        tag="exp2-back",
    )
    s.agent(
        "Let me look at failing runs more closely instead of guessing. All events of seeds 5, 10 and 15, next to passing seeds 1 and 2.",
        write(
            "/tmp-free/trace_one.py".replace("/tmp-free/", "scratch/"),
            '''
"""Scratch: the test's steps for some seeds, every clock reading shown."""

import sys

sys.path.insert(0, ".")
from larder import Cache, JitterClock
from larder.trace import timeline


class Talking(JitterClock):
    def now(self):
        value = super().now()
        self.log.append(("now", value, caller()))
        return value

    def sleep(self, seconds):
        super().sleep(seconds)
        self.log.append((f"sleep {seconds:g}", self._now, caller()))


def caller():
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_code.co_name}"


for seed in map(int, sys.argv[1:]):
    clock = Talking(seed)
    clock.log = []
    cache = Cache(ttl=0.5, clock=clock)
    calls = []

    def source():
        calls.append(1)
        clock.sleep(0.3)
        return f"price-{len(calls)}"

    cache.get_or_load("sku:4711", source)
    clock.sleep(0.15)
    got = cache.get_or_load("sku:4711", source)
    print(f"--- seed {seed}: {got}, {len(calls)} load(s)")
    before = 1000.0
    for what, at, where in clock.log:
        print(f"  {at:10.4f}  {at - before:+8.4f}  {what:<11} {where}")
        before = at
    print(timeline(cache.events.last()))
''',
        ),
        bash("python3 scratch/trace_one.py 5 10 15 1 2"),
        tag="scratch",
    )
    s.agent(
        "The clock readings are the interesting part. To see whether the same happens in a longer run, requests like those of the price "
        "service:",
        read("tools/gen_requests.py"),
        read("larder/cli.py"),
        bash("mkdir -p scratch && python3 tools/gen_requests.py > scratch/requests.txt && sed -n 1,60p scratch/requests.txt"),
    )
    s.agent(
        "300 requests over 40 keys, seed 11. First the totals with ttl 3, then the time line.",
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 --format summary && python3 -m larder.cli scratch/requests.txt --ttl 3 --format stats"),
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 | sed -n 1,420p"),
        tag="before-replay",
    )
    s.agent(
        "Only the hottest key, to see the distance between `load` and `store`:",
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 --key sku:4700"),
        read("larder/trace.py"),
        read("larder/events.py"),
        think="load and store have the same time in every line: +0.0000. But the load takes 0.3 s. So the stamp is not the time of storing.",
    )
    s.agent(
        """
Two hypotheses are out, with numbers:

1. **Sweeper**: switched off, still 22 of 60. It first sweeps after 5 s.
2. **Boundary** (`>=` against `>`): still 22 of 60, and it breaks a specified test.

Both are reverted, the tree is clean except for scratch/. One thing in the time lines looks odd to me: `load` and `store` always
have the same time (+0.0000), although a load takes 0.3 s. I want to follow that. A pragmatic way out would be a small grace in
`Entry.expired`; should I measure what it would give?
""",
        tag="a2",
    )


def tempting(s):
    s.shell("git status --short && git diff --stat", tag="shell1")
    s.user(
        "Measure the grace if you like, I am curious, 20 ms. But I will not ship it unless you convince me. Two of our people "
        "want exactly that, so give me the number to answer them.",
        tag="u3",
    )
    s.agent(
        "Experiment 3: 20 ms of grace.",
        edit("larder/entry.py", "        return now >= self.expires_at", "        return now >= self.expires_at + 0.020"),
        bash("python3 tools/repeat.py tests.test_ttl --runs 60 --show 1"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 60 --show 0"),
        bash("python3 -m unittest discover -s tests -t . 2>&1"),
        tag="exp3",
    )
    s.agent(
        """
With 20 ms of grace tests.test_ttl fails for 5 of 60 seeds (5, 34, 35, 36, 59) instead of 22. tests.test_refresh stays at 19 of 60,
because refresh-ahead looks at `life_left`, not at `expired`. And the specified boundary test fails.

I advise against it: it serves values after their life (promise 1 in the README), it does not help refresh-ahead, and the five
remaining seeds show that the loss is larger than 20 ms. Reverting.
""",
        bash("git checkout larder/entry.py && git status --short"),
        tag="exp3-back",
    )
    s.user(
        "Agreed: grace is rejected, for good. Promise 1 stands. If somebody proposes it again, the answer is 5 of 60 and a broken "
        "promise. Now follow the +0.0000.",
        tag="u4",
    )
    s.agent(
        "Back to the loader, line by line, and everything that reads the clock.",
        read("larder/loader.py"),
        grep("clock\\.now\\(\\)|self\\._clock|stored_at"),
        read("larder/filestore.py"),
        read("larder/codec.py"),
        think=(
            "Loader.load reads now once, before the lock and before function(). Entry(key, value, now, ttl). So the life begins before "
            "the load. Two effects: waiting for the lock and loading both eat life. First try the smaller change: read under the lock."
        ),
        tag="loader-read",
    )
    s.agent(
        "`Loader.load` reads the clock **before** it takes the key's lock and before it calls the source, and stamps the entry with that "
        "time. Waiting and loading both eat life. Experiment 4, half of it: read the clock under the lock.",
        edit(
            "larder/loader.py",
            "        now = self._clock.now()\n        with self._locks.hold(key, self._lock_timeout):\n",
            "        with self._locks.hold(key, self._lock_timeout):\n            now = self._clock.now()\n",
        ),
        bash("python3 tools/repeat.py tests.test_ttl --runs 60 --show 0"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 60 --show 0"),
        tag="exp4",
    )
    s.agent(
        "22 and 19 again, as the lock is free in these tests. So the wait is not what hurts here; the load is. I keep this half in the tree, "
        "it is needed for waiters, and add the other half.",
        bash("git diff"),
        tag="exp4-note",
    )


def cause(s):
    s.agent(
        "The entry gets its own reading after the source has returned.",
        edit(
            "larder/loader.py",
            '            entry = Entry(key, value, now, ttl)\n            self._store.set(entry)\n'
            '            self._events.emit("store", key, now, f"ttl {ttl:g}")\n',
            "            # A life begins when the value is available, not when the load began (ADR 007).\n"
            "            stored_at = self._clock.now()\n            entry = Entry(key, value, stored_at, ttl)\n"
            '            self._store.set(entry)\n            self._events.emit("store", key, stored_at, f"ttl {ttl:g}")\n',
        ),
        bash("python3 tools/repeat.py tests.test_ttl --runs 60"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 60"),
        tag="fix",
    )
    s.agent(
        "0 of 60 in both. Now the 200 seeds that you asked for, and the suite.",
        bash("python3 tools/repeat.py tests.test_ttl --runs 200"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 200"),
        bash("python3 -m unittest discover -s tests -t . 2>&1"),
        tag="green",
    )
    s.agent(
        "All green. What the change does to the replay of the price service:",
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 --format stats"),
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 --refresh-ahead 0.3 --format stats"),
        bash("python3 -m larder.cli scratch/requests.txt --ttl 0.5 --format stats"),
        bash("git stash -q && python3 -m larder.cli scratch/requests.txt --ttl 0.5 --format stats; git stash pop -q && git diff --stat"),
        tag="after-replay",
    )
    s.agent(
        """
**Cause found and fixed**, in `larder/loader.py`, function `Loader.load`:

- before: one clock reading, before lock and load; the entry was stamped with it, so a 300 ms load took 300 ms from a 500 ms life
- after: one reading under the lock (is the stored value fresh?) and one after the load (the stamp)

Evidence: tests.test_ttl 72 of 200 → 0 of 200 seeds, tests.test_refresh 64 of 200 → 0 of 200, suite 34 of 34. In the replay with ttl 0.5 the
loads go from 282 to 276; with ttl 3 there is nearly no difference (208 either way).

Alternatives that I would not take:
- stamp in `MemoryStore.set`: the store has no clock, and `FileStore` would need the same; against it
- shorten the load: not ours

Side effect worth knowing: a value can now be `ttl` plus the load's duration old, counted from the start of its load.
Nothing is committed.
""",
        tag="a3",
    )
    s.user(
        """
That is it. Decision: stamp after the load, in the loader, not in the store, because the store has no clock. The side effect is fine
for the price service; the nightly export sets ttl = 900 itself.

Write it down as docs/adr-007-stamp-after-load.md, with the rejected ways, so that the grace discussion is over. And add regression tests
with ManualClock in tests/test_stamp.py that would have failed before: also one for a waiter whose value expired while it waited.
""",
        tag="u5",
    )
    s.label("u5", "decision: stamp after load")
    s.agent(
        "First what the tests can build on.",
        read("tests/test_cache.py"),
        read("larder/lock.py"),
        read("larder/loader.py"),
    )
    s.agent(
        "Five regression tests.",
        write("tests/test_stamp.py", REGRESSION_TEST),
        bash("python3 -m unittest -v tests.test_stamp 2>&1"),
        tag="stamp-tests",
    )
    s.agent(
        "They pass. Do they fail without the fix? Only then are they worth anything.",
        bash("git stash push -q larder/loader.py && python3 -m unittest tests.test_stamp 2>&1; git stash pop -q; git status --short"),
        tag="stamp-proof",
    )
    s.agent(
        "Without the fix they fail, with it they pass. Which ones exactly, in one list, and then the ADR.",
        bash("git stash push -q larder/loader.py && python3 -m unittest tests.test_stamp 2>&1 | grep -E '^(FAIL|ERROR|Ran|FAILED)'; git stash pop -q"),
        write("docs/adr-007-stamp-after-load.md", ADR),
        tag="adr",
    )
    s.agent(
        "Once more everything, since a stash went back and forth.",
        bash("git diff && python3 -m unittest discover -s tests -t . -v 2>&1"),
        tag="after-stash",
    )
    s.agent(
        """
- `tests/test_stamp.py`: five tests with `ManualClock`; the suite has 39 tests now, all pass.
- Without the fix the new tests fail (list above), so they guard it.
- `docs/adr-007-stamp-after-load.md`: context, decision, four rejected ways, consequences.

Open: version and changelog; scratch/ is still there and must not be committed.
""",
        tag="a4",
    )


def timeout(s):
    s.user(
        """
Good. While you are in the settings: the default lock_timeout of 10 s is too short for the new upstream, set it to 30 s. Waiters gave up
412 times last night with LoadTimeout. README must say the default.
""",
        tag="u6",
    )
    s.thinking("low")
    s.agent(
        "Where it is used and documented:",
        grep("lock_timeout"),
        read("larder/config.py"),
        read("larder/errors.py"),
    )
    s.agent(
        "",
        edit("larder/config.py", "    lock_timeout: float = 10.0", "    lock_timeout: float = 30.0"),
        edit(
            "README.md",
            "A waiter gives up after\n   `lock_timeout` seconds with `LoadTimeout`.",
            "A waiter gives up after\n   `lock_timeout` seconds (default 30) with `LoadTimeout`.",
        ),
        bash("python3 -m unittest discover -s tests -t . 2>&1 && git diff README.md larder/config.py"),
        tag="thirty",
    )
    s.agent(
        "`lock_timeout` is 30 s now, in `larder/config.py` and the README; 39 tests pass. No test fixed the old default, I can add one if you want.",
        tag="a5",
    )
    s.note(
        "upstream-report",
        """
Latency of the price upstream, last 24 h, from the metrics store (all replicas):
p50 0.31 s   p90 1.9 s   p99 12.4 s   p99.9 38.2 s   max 41.0 s
LoadTimeout by replica: price-1 131, price-2 140, price-3 141 (sum 412)
Loads that took longer than 30 s: 57
""",
        tag="note1",
    )
    s.user(
        """
Sorry, correction after that report: 30 s is still too short, p99.9 is 38.2 s and the maximum 41 s. Make it 45 s. And yes, add a test that
fixes the default, with the reason in its docstring. 60 s was proposed too, but the load balancer cuts at 50 s, so above that is pointless.
""",
        tag="u7",
    )
    s.agent(
        "30 → 45, and a test that holds it.",
        edit("larder/config.py", "    lock_timeout: float = 30.0", "    lock_timeout: float = 45.0"),
        edit("README.md", "`lock_timeout` seconds (default 30) with", "`lock_timeout` seconds (default 45) with"),
        edit(
            "tests/test_cache.py",
            "    def test_config_and_keywords_together(self):",
            '    def test_default_lock_timeout(self):\n'
            '        """Above the upstream\'s slowest answer (41 s), below the load balancer\'s limit (50 s)."""\n'
            "        self.assertEqual(Config().lock_timeout, 45.0)\n\n"
            "    def test_config_and_keywords_together(self):",
        ),
        bash("python3 -m unittest discover -s tests -t . 2>&1; git diff larder/config.py README.md tests/test_cache.py"),
        tag="fortyfive",
    )
    s.agent(
        "Does anything else say 30 or 10?",
        grep("\\b(10|30)(\\.0)? ?s\\b|default (10|30)"),
        grep("lock_timeout", path="tests"),
        read("README.md"),
    )
    s.agent(
        "`lock_timeout` is 45 s in `larder/config.py`, the README and `test_default_lock_timeout` (40 tests, all pass). No trace of 30 is left.",
        tag="a6",
    )


def release(s):
    s.user(
        """
Now the release notes. The version is 2.4.2, not 2.5.0: no new feature, the public API is the same. Do not tag it, Mirja does the release on
Thursday. In the changelog mention LARD-318 and the new default. And check Python 3.9: no `match`, no `X | Y` types, nothing newer.
""",
        tag="u8",
    )
    s.agent(
        "Version and changelog, and a look at every file for newer syntax.",
        edit("larder/__init__.py", '__version__ = "2.4.1"', '__version__ = "2.4.2"'),
        edit(
            "CHANGELOG.md",
            "# Changelog\n",
            "# Changelog\n\n## 2.4.2\n- LARD-318: the life of a value begins when it is available, not when its load began. A slow source took its own duration\n"
            "  from the life of every value. See `docs/adr-007-stamp-after-load.md`.\n"
            "- A waiter no longer gets a value that expired while it waited.\n"
            "- `lock_timeout` is 45 s by default (was 10 s).\n",
        ),
        bash(
            "python3 - <<'EOF'\nimport ast, pathlib\nfor path in sorted(pathlib.Path('.').rglob('*.py')):\n"
            "    if '.git' in path.parts:\n        continue\n"
            "    ast.parse(path.read_text(), feature_version=(3, 9))\n    print('3.9 ok', path)\nEOF"
        ),
        grep("\\bmatch \\w+:|: \\w+ \\| |removeprefix|zip\\(.*strict"),
        grep("\\|", path="larder", glob="*.py"),
        tag="version",
    )
    s.agent(
        "`larder/stats.py` merges two dictionaries with `|`, which is exactly Python 3.9, so it is fine. Let me read the rest that I have not seen, to "
        "be sure about the public names.",
        read("larder/stats.py"),
        read("larder/__init__.py"),
        read("larder/policy.py"),
        read("larder/keys.py"),
        bash(
            "python3 - <<'EOF'\nimport inspect, larder\nfor name in larder.__all__:\n    thing = getattr(larder, name)\n"
            "    print(name, inspect.signature(thing) if not issubclass(thing, Exception) else 'exception')\n"
            "    for method, f in sorted(vars(thing).items()):\n"
            "        if inspect.isfunction(f) and not method.startswith('_'):\n            print('   ', method, inspect.signature(f))\nEOF"
        ),
        tag="api-check",
    )
    s.agent(
        "Compare that with the imported state, to prove that the API is untouched:",
        bash("git diff --stat HEAD && git diff HEAD -- larder/"),
        bash("git show HEAD:larder/cache.py | grep -n 'def ' && grep -n 'def ' larder/cache.py"),
    )
    s.agent(
        "The public names and signatures are the same as before (only `Config.lock_timeout`'s default differs, as you asked). Version 2.4.2 and the "
        "changelog are in, no tag, no commit. All files parse as Python 3.9.",
        tag="a7",
    )
    s.user(
        "One more thing before I commit: our export runs with FileStore. Does the fix hold there, also over a restart, where the monotonic clock starts "
        "at another zero? I remember something about that.",
        tag="u9",
    )
    s.agent(
        "`FileStore` keeps `stored_at` in clock seconds. Let me look and then try it.",
        read("larder/filestore.py"),
        read("larder/codec.py"),
        grep("monotonic|time\\.time"),
    )
    s.agent(
        "An experiment in scratch/: store with one clock, read with a clock that starts at zero, as after a reboot.",
        write(
            "scratch/restart.py",
            '''
"""Scratch: what happens to stored entries when the clock starts at another zero."""

import sys
import tempfile

sys.path.insert(0, ".")
from larder import Cache, ManualClock
from larder.filestore import FileStore
from larder.trace import timeline

for name, first, second in (("same zero", 5000, 5004), ("reboot", 5000, 3), ("other host", 5000, 90000)):
    with tempfile.TemporaryDirectory() as folder:
        before = Cache(ttl=10, clock=ManualClock(first), store=FileStore(folder))
        before.put("sku:4711", "price-1")
        after = Cache(ttl=10, clock=ManualClock(second), store=FileStore(folder))
        got = after.get("sku:4711")
        after.clock.advance(100)
        later = after.get("sku:4711")
        print(f"--- {name}: written at {first}, read at {second}: {got!r}; 100 s later: {later!r}")
        print(timeline(after.events.last()))
''',
        ),
        bash("python3 scratch/restart.py"),
        tag="restart",
    )
    s.agent(
        """
You remember right, and it is a **second, independent bug** that was there before:

- same zero: fine
- after a reboot the monotonic clock starts near 0; an entry written at 5000 has a negative age (-4997.0000) and is served far beyond its ttl,
  about 5007 s in the example
- on a host with a larger clock it expires at once, which is harmless

The fix for LARD-318 neither helps nor hurts. Ways to repair it:
1. store wall-clock time beside it and convert when reading; for: exact; against: format 3 and a migration
2. treat a negative age as expired; for: one line in `Entry.expired`, no format change; against: only catches the dangerous direction
3. a boot id in the folder; against: platform-dependent

I would take 2 now and leave 1 for a later minor release. Say so before I touch it: it changes behaviour.
""",
        tag="a8",
    )


def wrap_up(s):
    s.user(
        """
Option 2, but as its own ticket: LARD-325, not in 2.4.2. Do not implement it now. Write an entry into docs/known-issues.md with the way to
reproduce, so that Mirja finds it on Thursday. Format 3 is planned for 2.6 with the wall clock.
""",
        tag="u10",
    )
    s.agent(
        "",
        write(
            "docs/known-issues.md",
            """
# Known issues

## LARD-325: entries of a FileStore outlive a reboot

The monotonic clock starts at another zero after a reboot. An entry whose `stored_at` lies in the future of the new clock has a
negative age and is served until the clock catches up.

Reproduce: store an entry with `ManualClock(5000)`, open the same folder with `ManualClock(3)`, ask for the key 100 s later: it is
still served although its ttl is 10 s.

Plan: a negative age counts as expired (2.4.3). Wall-clock times with store format 3 in 2.6. Not part of 2.4.2.
""",
        ),
        bash("git status --short && cat .gitignore"),
        tag="known",
    )
    s.agent(
        "Written. Last full round before your commit: the suite, both modules with 200 fresh seeds from 1001 on, and the replay with refresh-ahead.",
        bash("python3 -m unittest discover -s tests -t . -v 2>&1"),
        bash("python3 tools/repeat.py tests.test_ttl --runs 200 --first 1001"),
        bash("python3 tools/repeat.py tests.test_refresh --runs 200 --first 1001"),
        bash("python3 -m larder.cli scratch/requests.txt --ttl 3 --refresh-ahead 0.3 | sed -n 1,330p"),
        tag="last-round",
    )
    for index, (module, reason) in enumerate(REVIEW, 1):
        s.agent(reason, read(module), tag=f"review{index}")
    s.agent(
        "The review is through. Removing the scratch folder and showing the final difference.",
        bash("rm -r scratch && git add -N . && git diff && git status --short"),
        tag="final-diff",
    )
    s.user("Perfect. Commit it on main as one commit, message with the ticket in front. No tag.", tag="u11")
    s.agent(
        "",
        bash("git add -A && git commit -q -m 'LARD-318: stamp entries after their load; lock_timeout 45 s; 2.4.2' && git log --oneline && git show --stat --format=%s HEAD"),
        tag="commit",
    )
    s.agent(
        """
Committed on main: "LARD-318: stamp entries after their load; lock_timeout 45 s; 2.4.2". No tag; the release is Mirja's on Thursday.

State:
- cause: `Loader.load` stamped entries before the load; fixed
- tests: 40 pass; 0 of 200 seeds fail in both modules, also with seeds 1001 to 1200
- `lock_timeout` 45 s by default
- open: LARD-325 (FileStore after a reboot), described in `docs/known-issues.md`, planned for 2.4.3
""",
        tag="a9",
    )


REVIEW = (
    ("larder/loader.py", "Self-review, file by file, as it will be committed. The loader first."),
    ("larder/config.py", "The comment of the second reading is right. Next the settings."),
    ("tests/test_stamp.py", "Settings fine. The new tests, once more with fresh eyes: does each name say what it checks?"),
    ("docs/adr-007-stamp-after-load.md", "They do. The ADR: numbers against the measured ones (22 of 60, 19 of 60, 5 of 60)."),
    ("CHANGELOG.md", "Numbers agree. Changelog: ticket, default, no word about a feature."),
    ("larder/cache.py", "Good. `Cache.get_or_load` uses its own `now` for `touch`; is that still right after a slow refresh?"),
    ("larder/refresh.py", "`touch` happens before the reload, so it is. `RefreshAhead` remembers `stored_at`, which now is the time after the load."),
    ("larder/sweeper.py", "Different stamps for different loads, so a reload is seen as new. The sweeper compares with `expired` only."),
    ("larder/entry.py", "Nothing to do there. `Entry` itself is unchanged, as the decision demands: no grace."),
    ("tests/test_refresh.py", "Unchanged. The two original test modules must be byte for byte as they were; looking at them once more."),
    ("tests/test_ttl.py", "And the other one, margins 0.15 and 0.55 as before."),
    ("tests/test_cache.py", "Both untouched. The only test file with a change is this one, for the default."),
    ("larder/store.py", "The store has no clock and got none."),
    ("docs/known-issues.md", "Last, the entry for LARD-325: can a person reproduce it from the text alone?"),
    ("README.md", "Yes. And the README with the default of 45."),
)
