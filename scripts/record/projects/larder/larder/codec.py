"""Entries as bytes, for the file store."""

import json

from .entry import Entry
from .errors import StoreDamaged

FORMAT = 2


def encode(entry):
    """JSON with a format number. Values must be JSON values."""
    return json.dumps(
        {
            "format": FORMAT,
            "key": entry.key,
            "value": entry.value,
            "stored_at": entry.stored_at,
            "ttl": entry.ttl,
            "hits": entry.hits,
        },
        sort_keys=True,
    ).encode()


def decode(data, path):
    """The entry, or StoreDamaged with the reason."""
    try:
        raw = json.loads(data)
    except ValueError as error:
        raise StoreDamaged(path, f"not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise StoreDamaged(path, "not an object")
    if raw.get("format") != FORMAT:
        raise StoreDamaged(path, f"format {raw.get('format')!r}, this version reads {FORMAT}")
    try:
        return Entry(raw["key"], raw["value"], raw["stored_at"], raw["ttl"], raw["hits"])
    except KeyError as error:
        raise StoreDamaged(path, f"field {error.args[0]!r} is missing") from error
