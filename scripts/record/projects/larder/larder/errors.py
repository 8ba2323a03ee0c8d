"""Errors that callers may want to catch."""


class LarderError(Exception):
    """Base of all errors of this package."""


class LoadTimeout(LarderError):
    """Another thread is loading the key and did not finish in time."""

    def __init__(self, key, waited):
        super().__init__(f"gave up waiting for {key!r} after {waited:g} s")
        self.key = key
        self.waited = waited


class KeyRefused(LarderError):
    """The key is empty, too long, or holds a control character."""


class StoreDamaged(LarderError):
    """A stored entry cannot be read back."""

    def __init__(self, path, reason):
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
