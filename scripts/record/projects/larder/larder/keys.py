"""Keys: what is allowed, and namespaces."""

from .errors import KeyRefused

MAX_LENGTH = 200


def check(key):
    """Return the key, or raise KeyRefused with the reason."""
    if not isinstance(key, str):
        raise KeyRefused(f"a key is a string, not {type(key).__name__}")
    if not key:
        raise KeyRefused("a key must not be empty")
    if len(key) > MAX_LENGTH:
        raise KeyRefused(f"a key has at most {MAX_LENGTH} characters, this one has {len(key)}")
    for position, char in enumerate(key):
        if ord(char) < 32:
            raise KeyRefused(f"control character {ord(char)} at position {position}")
    return key


def namespaced(namespace, key):
    """`namespace:key`, with a colon in the namespace escaped."""
    return namespace.replace("%", "%25").replace(":", "%3A") + ":" + key


def split(full):
    """The inverse of `namespaced`."""
    namespace, _, key = full.partition(":")
    return namespace.replace("%3A", ":").replace("%25", "%"), key
