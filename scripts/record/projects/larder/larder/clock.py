"""Sources of time.

A clock has `now()` in seconds (monotonic, arbitrary zero) and `sleep(seconds)`. Code of this package never calls the
`time` module directly, so a test decides how time goes by.
"""

import os
import random
import time


class SystemClock:
    """Real monotonic time."""

    def now(self):
        return time.monotonic()

    def sleep(self, seconds):
        time.sleep(seconds)


class ManualClock:
    """Time that moves only when told to."""

    def __init__(self, start=1000.0):
        self._now = float(start)

    def now(self):
        return self._now

    def sleep(self, seconds):
        self.advance(seconds)

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time does not go back")
        self._now += seconds


class JitterClock(ManualClock):
    """Manual time on a busy machine.

    Every `now()` and every `sleep()` costs up to `worst` seconds more than it should, drawn from a seeded generator. The
    default of 40 ms is the 99th percentile of scheduling delay measured on the CI runners in March.
    """

    def __init__(self, seed=None, worst=0.040, start=1000.0):
        super().__init__(start)
        if seed is None:
            seed = int(os.environ.get("LARDER_SEED", "1"))
        self.seed = seed
        self._random = random.Random(seed)
        self._worst = worst

    def _delay(self):
        # Most delays are tiny, a few are long: the cube of a uniform draw.
        return self._worst * self._random.random() ** 3

    def now(self):
        self._now += self._delay()
        return self._now

    def sleep(self, seconds):
        super().sleep(seconds + self._delay())
