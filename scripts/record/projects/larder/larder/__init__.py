"""larder: a cache with a time to live, single flight and refresh-ahead.

Public names are those in `__all__`. Everything else may change in any release.
"""

from .cache import Cache
from .clock import JitterClock, ManualClock, SystemClock
from .config import Config
from .errors import KeyRefused, LarderError, LoadTimeout, StoreDamaged

__all__ = [
    "Cache",
    "Config",
    "JitterClock",
    "KeyRefused",
    "LarderError",
    "LoadTimeout",
    "ManualClock",
    "StoreDamaged",
    "SystemClock",
]

__version__ = "2.4.1"
