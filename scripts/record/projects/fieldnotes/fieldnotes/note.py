"""One note."""

import re
from dataclasses import asdict, dataclass, fields

from .errors import BadNote

SITE = re.compile(r"[A-H][1-9][0-9]?")
NUMBER = re.compile(r"N[0-9]{6}")
MAX_COUNT = 5000
MAX_REMARK = 400


@dataclass(frozen=True)
class Note:
    """What was seen. `number` and `revision` come from the server; a new note has an empty number and revision 0."""

    site: str
    species: str
    count: int
    seen_at: str
    observer: str
    remark: str = ""
    client_ref: str = ""
    number: str = ""
    revision: int = 0

    def checked(self):
        """The note itself, or BadNote with the first fault."""
        if not SITE.fullmatch(self.site):
            raise BadNote(f"site {self.site!r} is not a grid square", "A letter from A to H and a number from 1 to 99, like A7.")
        if not self.species.strip():
            raise BadNote("the species is missing", "Use `fieldnotes species WORD` to find its name.")
        if not isinstance(self.count, int) or not 0 < self.count <= MAX_COUNT:
            raise BadNote(f"count {self.count!r} is not between 1 and {MAX_COUNT}")
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d", self.seen_at):
            raise BadNote(f"time {self.seen_at!r} is not like 2026-05-02T07:30")
        if len(self.remark) > MAX_REMARK:
            raise BadNote(f"the remark has {len(self.remark)} characters, at most {MAX_REMARK} are kept")
        return self

    def as_dict(self):
        return asdict(self)


def from_dict(raw):
    """A note from a dictionary; unknown fields are refused by name."""
    known = {f.name for f in fields(Note)}
    unknown = sorted(set(raw) - known)
    if unknown:
        raise BadNote(f"unknown fields: {', '.join(unknown)}")
    try:
        return Note(**raw)
    except TypeError as error:
        raise BadNote(f"incomplete note: {error}") from error
