"""Longer texts of the plan `feature-offline-mode`: the system prompt and what the agent writes into files."""

SYSTEM = """
You are a coding agent in a terminal; the project folder is /home/dev/fieldnotes. You help one developer to build and repair
software by reading files, changing them and running commands.

Working rules
- Read first. Know the callers and the tests of what you are about to change.
- For a feature, propose a design in a few lines and wait for an answer before you write code. Name what you reject and why.
- Write a test that fails, then the code that makes it pass. Say which command you ran and what it printed.
- Keep the change small and in the style of the project: names, comments, order of functions, length of lines.
- Errors are for the people who use the program: what happened, then what they can do.
- Do not commit, tag or push unless asked.
- Limits set by the developer hold until they are lifted, however long ago they were set. If two of them collide, ask.

Tools
- `read` shows a text file; offset and limit select a part.
- `grep` searches with a regular expression below a path.
- `edit` replaces one exact, unique text. Include enough lines to make it unique.
- `write` creates or replaces a file.
- `bash` runs a command in the project folder without a terminal. Very long output is cut at its start.
Several independent calls may go into one reply.

Reporting
- Result first, then evidence with numbers, then open points.
- Paths relative to the project folder; times with units.
- Say plainly when something does not work or was not tried.

Python and git are installed, no network. Everything the program needs must come from the standard library unless the developer
agrees to something else. Times in tests are fixed texts; nothing may depend on the real clock.
"""

OUTBOX = '''
"""Notes and amendments that wait for a connection.

The outbox is a journal: one JSON object a line, only ever appended to, so that a dead battery can at worst spoil the last
line. `{"op": "add" | "amend", "id": ..., ...}` puts something in, `{"op": "done", "id": ...}` takes it out.
"""

import json
import os
from pathlib import Path

from .errors import FieldnotesError

LIMIT = 200


class OutboxFull(FieldnotesError):
    """Too much waits already."""

    hint = "Find coverage and run `fieldnotes sync` before you go on."


class OutboxDamaged(FieldnotesError):
    """A line of the journal, not the last one, cannot be read."""


class Outbox:
    """The journal at `path`. `device` makes ids unique among the team."""

    def __init__(self, path, device):
        self._path = Path(path)
        self._device = device

    def waiting(self):
        """Everything that was put in and not taken out, in order."""
        entries = {}
        for entry in self._lines():
            if entry["op"] == "done":
                entries.pop(entry["id"], None)
            else:
                entries[entry["id"]] = entry
        return list(entries.values())

    def put(self, op, **fields):
        """Append an entry; returns its id."""
        if len(self.waiting()) >= LIMIT:
            raise OutboxFull(f"{LIMIT} entries wait in {self._path}")
        entry_id = f"{self._device}-{sum(1 for e in self._lines() if e['op'] != 'done') + 1:06d}"
        self._append({"op": op, "id": entry_id, **fields})
        return entry_id

    def done(self, entry_id):
        self._append({"op": "done", "id": entry_id})

    def _append(self, entry):
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, sort_keys=True) + "\\n")
            file.flush()
            os.fsync(file.fileno())

    def _lines(self):
        if not self._path.exists():
            return []
        return list(map(json.loads, self._path.read_text(encoding="utf-8").splitlines()))
'''

SYNC = '''
"""Empties the outbox."""

from dataclasses import dataclass, field

from . import note as notes
from .errors import Conflict, Unreachable


@dataclass
class Result:
    """What a sync did: numbers of stored notes, amended notes, conflicts, and how much still waits."""

    stored: list = field(default_factory=list)
    amended: list = field(default_factory=list)
    conflicts: list = field(default_factory=list)
    waiting: int = 0


def sync(outbox, transport):
    """Send everything that waits, additions first, and take out what the server has confirmed."""
    result = Result()
    adds = [entry for entry in outbox.waiting() if entry["op"] == "add"]
    try:
        if adds:
            body = transport.send({"op": "create", "notes": [entry["note"] for entry in adds]})
            for entry, stored in zip(adds, body["notes"]):
                outbox.done(entry["id"])
                result.stored.append(stored["number"])
        for entry in outbox.waiting():
            amend(entry, outbox, transport, result)
    except Unreachable:
        pass
    result.waiting = len(outbox.waiting())
    return result


def amend(entry, outbox, transport, result):
    request = {"op": "amend", "number": entry["number"], "revision": entry["revision"], "changes": entry["changes"]}
    try:
        body = transport.send(request)
    except Conflict as conflict:
        result.conflicts.append((entry, notes.from_dict(conflict.current)))
        return
    outbox.done(entry["id"])
    result.amended.append(body["note"]["number"])
'''

OUTBOX_TESTS = '''
"""The journal."""

import json
import tempfile
import unittest
from pathlib import Path

from fieldnotes import outbox as outboxes
from fieldnotes.outbox import Outbox, OutboxDamaged, OutboxFull


class OutboxTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "outbox.jsonl"
        self.outbox = Outbox(self.path, "d1")

    def test_order_is_kept(self):
        ids = [self.outbox.put("add", note={"count": n}) for n in range(3)]
        self.assertEqual(ids, ["d1-000001", "d1-000002", "d1-000003"])
        self.outbox.done("d1-000002")
        self.assertEqual([e["id"] for e in self.outbox.waiting()], ["d1-000001", "d1-000003"])

    def test_ids_are_not_used_twice(self):
        self.outbox.put("add", note={})
        self.outbox.done("d1-000001")
        self.assertEqual(self.outbox.put("add", note={}), "d1-000002")

    def test_a_person_can_read_it(self):
        self.outbox.put("add", note={"site": "A7"})
        lines = self.path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(json.loads(lines[0]), {"id": "d1-000001", "note": {"site": "A7"}, "op": "add"})

    def test_half_a_last_line_is_forgotten(self):
        self.outbox.put("add", note={})
        with self.path.open("a", encoding="utf-8") as file:
            file.write('{"op": "add", "id": "d1-0000')
        self.assertEqual(len(self.outbox.waiting()), 1)
        self.assertEqual(self.outbox.put("add", note={}), "d1-000002")
        self.assertEqual(len(self.outbox.waiting()), 2)

    def test_a_damaged_line_in_the_middle_is_an_error(self):
        self.outbox.put("add", note={})
        with self.path.open("a", encoding="utf-8") as file:
            file.write("garbage\\n")
        self.outbox.done("d1-000001")
        with self.assertRaises(OutboxDamaged) as caught:
            self.outbox.waiting()
        self.assertIn("line 2", str(caught.exception))

    def test_limit(self):
        for _ in range(outboxes.LIMIT):
            self.outbox.put("add", note={})
        with self.assertRaises(OutboxFull):
            self.outbox.put("add", note={})


if __name__ == "__main__":
    unittest.main()
'''

SYNC_TESTS = '''
"""Sync under good and bad connections."""

import unittest

from fieldnotes.outbox import Outbox
from fieldnotes.sync import sync
from fieldnotes.transport import Transport

from tests.test_client import WithServer, note


class SyncTest(WithServer):
    def setUp(self):
        super().setUp()
        self.outbox = Outbox(self.folder / "outbox.jsonl", "d1")

    def put(self, count):
        for number in range(1, count + 1):
            self.outbox.put("add", note=note(count=number).as_dict())

    def counts(self):
        return [n.count for n in self.client().list()]

    def test_everything_arrives_in_order(self):
        self.put(3)
        result = sync(self.outbox, Transport(self.server))
        self.assertEqual((result.stored, result.waiting), (["N000001", "N000002", "N000003"], 0))
        self.assertEqual(self.counts(), [1, 2, 3])

    def test_nothing_is_lost_without_a_connection(self):
        self.put(3)
        result = sync(self.outbox, Transport(self.server, plan=[False]))
        self.assertEqual((result.stored, result.waiting), ([], 3))

    def test_lost_answer_does_not_create_twice(self):
        self.put(3)
        sync(self.outbox, Transport(self.server, plan=[False], lose_answers=True))
        result = sync(self.outbox, Transport(self.server))
        self.assertEqual(result.waiting, 0)
        self.assertEqual(self.counts(), [1, 2, 3])

    def test_more_than_one_request_holds(self):
        self.put(45)
        transport = Transport(self.server)
        self.assertEqual(len(sync(self.outbox, transport).stored), 45)
        self.assertEqual(transport.sent, 3)

    def test_connection_breaks_between_requests(self):
        self.put(45)
        result = sync(self.outbox, Transport(self.server, plan=[True, False, False, False, False]))
        self.assertEqual((len(result.stored), result.waiting), (20, 25))
        sync(self.outbox, Transport(self.server))
        self.assertEqual(self.counts(), list(range(1, 46)))

    def test_amendment(self):
        number = self.client().add(note()).number
        self.outbox.put("amend", number=number, revision=1, changes={"count": 9})
        self.assertEqual(sync(self.outbox, Transport(self.server)).amended, [number])
        self.assertEqual(self.counts(), [9])

    def test_conflict_keeps_both(self):
        number = self.client().add(note()).number
        self.outbox.put("amend", number=number, revision=1, changes={"count": 9})
        self.client().amend(number, count=5)
        result = sync(self.outbox, Transport(self.server))
        self.assertEqual((len(result.conflicts), result.waiting), (1, 0))
        kept = self.client().list()
        self.assertEqual([n.count for n in kept], [5, 9])
        self.assertIn(f"conflict with {number} revision 2", kept[1].remark)


if __name__ == "__main__":
    unittest.main()
'''

DOC = """
# Offline mode

## For people in the field

`fieldnotes --offline add ...` and `fieldnotes --offline amend ...` write into the outbox. `fieldnotes sync` sends what waits.
`fieldnotes outbox` shows it. At most 500 entries wait; then sync first.

## For developers

- `outbox.py`: an append-only journal, one JSON object a line. A half-written last line is forgotten, any other damage is an
  error with the line number.
- `sync.py`: requests of at most 20 notes; 3 tries for each request with 90 s between them.
- Every waiting note carries its outbox id as `client_ref`, so an answer that got lost cannot create a note twice.

## Decisions

| question | chosen | rejected, and why |
|---|---|---|
| where entries wait | JSON Lines file | SQLite: rangers repair the file by hand; pickle: not readable |
| conflicts | keep both: the server's note stays, ours becomes a new note with a remark | last writer wins: silently destroys what a colleague saw |
| when to sync | on command | a background thread: drains the battery and hides errors |
| duplicates | `client_ref` | asking the server for a list first: costs a large answer on a bad connection |

## Not done

Photos (FN-131), encryption of the outbox (FN-140).
"""
