"""A feature from idea to commit: an outbox for a field client, with design choices, failures on the way and a changed limit."""

from plans.calls import bash, edit, grep, read, write
from plans.feature_offline_mode_items import ITEMS  # noqa: F401
from plans.feature_offline_mode_texts import DOC, OUTBOX, OUTBOX_TESTS, SYNC, SYNC_TESTS, SYSTEM

NAME = "feature-offline-mode"
PROJECT = "fieldnotes"
LANGUAGE = "en"
START = "2026-05-11T12:03:27+00:00"
TITLE = "An offline mode for a field client"
DESCRIPTION = (
    "An agent adds an outbox and a sync command to a small Python client: design under the user's limits, a first version "
    "that loses its innocence under lost answers, a conflict rule, two numbers that change, documentation and commit."
)

TESTS = "python3 -m unittest discover -s tests -t . -v 2>&1"


def play(s):
    """The session, in order."""
    look(s)
    first_version(s)
    hard_cases(s)
    conflicts(s)
    commands(s)
    season(s)
    finish(s)


def look(s):
    s.user(
        """
Our rangers lose notes when there is no coverage: the program says "no connection" and the note is gone. Build an offline mode (FN-127):
notes and amendments wait on the device and are sent later with `fieldnotes sync`.

It is good when tools/season.py, played with an outbox at 40 % coverage, ends with 0 lost notes and 0 duplicates.

My limits:
- server.py is not ours, do not change it, not even a comment
- no threads and no daemon, batteries are small
- the waiting notes must be readable and repairable with a text editor
- what the commands print today must stay exactly the same when there is a connection
- standard library only
Look first, then propose a design. No code yet.
""",
        tag="u1",
    )
    s.agent(
        "Overview and README first.",
        bash("git log --oneline && find . -name '*.py' -not -path './.git/*' | sort | xargs wc -l"),
        read("README.md"),
        think="Design first, no code. Find out what the server offers: client_ref and batches sound useful.",
    )
    s.agent("The client's side:", read("fieldnotes/client.py"), read("fieldnotes/transport.py"), read("fieldnotes/errors.py"))
    s.agent("The server, read only:", read("fieldnotes/server.py"), read("fieldnotes/note.py"))
    s.agent("Commands, output and tests:", read("fieldnotes/cli.py"), read("fieldnotes/render.py"), read("tests/test_client.py"), read("tests/test_cli.py"))
    s.agent("And the season script, with a baseline at 70 % and at 40 % coverage.", read("tools/season.py"), bash("python3 tools/season.py"), bash("python3 tools/season.py --coverage 0.4"), tag="baseline")
    s.agent("Baseline of the tests, and the rest of the files.", bash(TESTS), read("fieldnotes/species.py"), grep("client_ref"), tag="tests0")
    s.agent(
        """
Baseline: 14 tests pass. The season loses 37 notes at 70 % coverage (seed 5), more at 40 %.

Design:
1. **Outbox** `fieldnotes/outbox.py`: a journal in JSON Lines, append-only, fsync after each line. Readable, repairable.
2. **Sync** `fieldnotes/sync.py`: sends additions in order, then amendments; takes an entry out after the server has confirmed it.
3. **Duplicates**: the server returns the first note for a known `client_ref`; the outbox id becomes the `client_ref`.
4. **Commands**: `--offline`, `sync`, `outbox`.

Rejected: SQLite (not repairable by hand), a background thread (your limit), pickle (not readable).
Open for you: what happens on a conflict, and how much may wait at most?
""",
        tag="a1",
    )


def first_version(s):
    s.user(
        "Good design, go. SQLite is out, agreed: rangers do repair files by hand. At most 200 entries may wait for now. Conflicts: I ask the biologists, leave them open. "
        "Retries: 5 tries for each request, 30 s apart, but sleeping must be passed in so that tests do not wait.",
        tag="u2",
    )
    s.label("u2", "design accepted")
    s.agent("Tests for the journal first.", write("tests/test_outbox.py", OUTBOX_TESTS), bash("python3 -m unittest tests.test_outbox 2>&1"), tag="outbox-tests")
    s.agent("They fail for lack of the module. The journal:", write("fieldnotes/outbox.py", OUTBOX), bash("python3 -m unittest -v tests.test_outbox 2>&1"), tag="outbox-first")
    s.agent(
        "Four pass; the two about damage fail, because `_lines` parses everything. A half last line must be forgotten, and cut off before the next append, "
        "else the next entry is glued to it.",
        edit(
            "fieldnotes/outbox.py",
            '        return list(map(json.loads, self._path.read_text(encoding="utf-8").splitlines()))',
            '''        entries = []
        whole = self._path.read_text(encoding="utf-8").rpartition("\\n")[0]
        for number, line in enumerate(whole.split("\\n") if whole else [], 1):
            try:
                entries.append(json.loads(line))
            except ValueError as error:
                raise OutboxDamaged(f"{self._path}, line {number}: {error}", "Repair or remove this line.") from error
        return entries''',
        ),
        edit(
            "fieldnotes/outbox.py",
            '        with self._path.open("a", encoding="utf-8") as file:',
            '        self._cut_half_line()\n        with self._path.open("a", encoding="utf-8") as file:',
        ),
        edit(
            "fieldnotes/outbox.py",
            "    def _lines(self):",
            '''    def _cut_half_line(self):
        """A line without its end was being written when the power went."""
        if not self._path.exists():
            return
        data = self._path.read_bytes()
        if data and not data.endswith(b"\\n"):
            with self._path.open("r+b") as file:
                file.truncate(data.rfind(b"\\n") + 1)

    def _lines(self):''',
        ),
        bash("python3 -m unittest -v tests.test_outbox 2>&1"),
        tag="outbox-fixed",
    )
    s.agent("All six pass. Now sync: tests, then a deliberately simple first version.", write("tests/test_sync.py", SYNC_TESTS), write("fieldnotes/sync.py", SYNC), bash("python3 -m unittest -v tests.test_sync 2>&1"), tag="sync-first")
    s.agent(
        """
The simple version shows exactly the hard cases, 4 of 7 fail:

- `test_lost_answer_does_not_create_twice`: counts are [1, 2, 3, 1, 2, 3], duplicates
- `test_more_than_one_request_holds` and `test_connection_breaks_between_requests`: `413 45 notes in one request, at most 20`
- `test_conflict_keeps_both`: open until the biologists answer; I wrote the test for "keep both" as a proposal

Next I take them one by one.
""",
        tag="a2",
    )


def hard_cases(s):
    s.agent(
        "Duplicates first: the outbox id goes along as `client_ref`.",
        edit(
            "fieldnotes/sync.py",
            '            body = transport.send({"op": "create", "notes": [entry["note"] for entry in adds]})',
            '            body = transport.send({"op": "create", "notes": [dict(entry["note"], client_ref=entry["id"]) for entry in adds]})',
        ),
        bash("python3 -m unittest -v tests.test_sync 2>&1"),
        tag="client-ref",
    )
    s.agent("No duplicates any more. Batches of 20, taken from the server's rule:",
        read("fieldnotes/sync.py"),
        edit(
            "fieldnotes/sync.py",
            '''        if adds:
            body = transport.send({"op": "create", "notes": [dict(entry["note"], client_ref=entry["id"]) for entry in adds]})
            for entry, stored in zip(adds, body["notes"]):
                outbox.done(entry["id"])
                result.stored.append(stored["number"])''',
            '''        for first in range(0, len(adds), BATCH):
            send_notes(adds[first : first + BATCH], outbox, transport, result)''',
        ),
        edit(
            "fieldnotes/sync.py",
            "def amend(entry, outbox, transport, result):",
            '''def send_notes(adds, outbox, transport, result):
    """One request. The outbox id is the `client_ref`, so a lost answer cannot create a note twice."""
    body = transport.send({"op": "create", "notes": [dict(entry["note"], client_ref=entry["id"]) for entry in adds]})
    for entry, stored in zip(adds, body["notes"]):
        outbox.done(entry["id"])
        result.stored.append(stored["number"])


def amend(entry, outbox, transport, result):''',
        ),
        edit("fieldnotes/sync.py", "@dataclass\nclass Result:", "# The server refuses more notes in one request with 413.\nBATCH = 20\n\n\n@dataclass\nclass Result:"),
        bash("python3 -m unittest -v tests.test_sync 2>&1"),
        tag="batches",
    )
    s.agent(
        "Six of seven. Now the retries you asked for: 5 tries, 30 s apart, sleep passed in.",
        edit("fieldnotes/sync.py", "BATCH = 20\n", "BATCH = 20\nTRIES = 5\nPAUSE_SECONDS = 30\n"),
        edit("fieldnotes/sync.py", "def sync(outbox, transport):", "def sync(outbox, transport, sleep=lambda seconds: None):"),
        edit("fieldnotes/sync.py", "    result = Result()\n", "    result = Result()\n    transport = Patient(transport, sleep)\n"),
        edit(
            "fieldnotes/sync.py",
            "def send_notes(adds",
            '''class Patient:
    """A transport that tries again when there was no answer."""

    def __init__(self, transport, sleep):
        self._transport = transport
        self._sleep = sleep

    def send(self, request):
        for attempt in range(1, TRIES + 1):
            try:
                return self._transport.send(request)
            except Unreachable:
                if attempt == TRIES:
                    raise
                self._sleep(PAUSE_SECONDS)


def send_notes(adds''',
        ),
        bash("python3 -m unittest -v tests.test_sync 2>&1"),
        tag="retries",
    )
    s.agent(
        "Now two of my own tests are wrong: they plan one or four failures and then let a request through, so a retry succeeds. They should use the constant.",
        edit("tests/test_sync.py", "result = sync(self.outbox, Transport(self.server, plan=[False]))", "result = sync(self.outbox, Transport(self.server, plan=[False] * TRIES))"),
        edit("tests/test_sync.py", "plan=[True, False, False, False, False]", "plan=[True] + [False] * TRIES"),
        edit("tests/test_sync.py", "plan=[False], lose_answers=True", "plan=[False] * TRIES, lose_answers=True"),
        edit("tests/test_sync.py", "from fieldnotes.sync import sync\n", "from fieldnotes.sync import PAUSE_SECONDS, TRIES, sync\n"),
        edit(
            "tests/test_sync.py",
            "    def test_amendment(self):",
            '''    def test_pauses_between_tries(self):
        self.put(1)
        pauses = []
        transport = Transport(self.server, plan=[False] * TRIES)
        sync(self.outbox, transport, pauses.append)
        self.assertEqual((transport.sent, pauses), (TRIES, [PAUSE_SECONDS] * (TRIES - 1)))

    def test_amendment(self):''',
        ),
        bash(TESTS),
        tag="retry-tests",
    )
    s.agent("27 of 28 pass; only the open conflict is left. `server.py` is untouched:", bash("git status --short && git diff --stat"), read("fieldnotes/sync.py"), tag="status1")
    s.agent("Outbox and sync work, with batches of 20, `client_ref` against duplicates, and 5 tries 30 s apart. 27 of 28 tests pass. Waiting for the conflict rule.", tag="a3")


def conflicts(s):
    s.user(
        """
The biologists answered: keep both. The server's note stays as it is, our change becomes a new note whose remark says with which note and revision it
was in conflict. Last writer wins is out of the question, it destroys what a colleague saw. The remark must not grow over 400 characters, cut the
person's text then, never the conflict line.
""",
        tag="u3",
    )
    s.agent("Which fields does the current note give us, and what does `checked` demand?", read("fieldnotes/note.py"), grep("MAX_REMARK|remark"))
    s.agent(
        "The new note = the server's current one with our changes, without number, with a reference of its own. `client_ref` again makes it safe against lost answers.",
        edit(
            "fieldnotes/sync.py",
            "        result.conflicts.append((entry, notes.from_dict(conflict.current)))\n        return\n",
            "        keep_both(entry, notes.from_dict(conflict.current), outbox, transport, result)\n        return\n",
        ),
        edit(
            "fieldnotes/sync.py",
            "def amend(entry, outbox, transport, result):",
            '''def keep_both(entry, current, outbox, transport, result):
    """The server's note stays; our change becomes a note of its own that says so. Never the last writer wins."""
    ours = replace(current, **entry["changes"], number="", revision=0, client_ref=entry["id"])
    line = f"[conflict with {current.number} revision {current.revision}]"
    ours = replace(ours, remark=f"{ours.remark[: notes.MAX_REMARK - len(line) - 1]} {line}".strip())
    body = transport.send({"op": "create", "notes": [ours.as_dict()]})
    outbox.done(entry["id"])
    result.conflicts.append((entry["number"], body["notes"][0]["number"]))


def amend(entry, outbox, transport, result):''',
        ),
        edit("fieldnotes/sync.py", "from dataclasses import dataclass, field", "from dataclasses import dataclass, field, replace"),
        edit(
            "tests/test_sync.py",
            'if __name__ == "__main__":',
            '''class LongRemarkTest(SyncTest):
    def test_conflict_line_survives_a_long_remark(self):
        number = self.client().add(note(remark="x" * 400)).number
        self.outbox.put("amend", number=number, revision=1, changes={"count": 9})
        self.client().amend(number, count=5)
        sync(self.outbox, Transport(self.server))
        remark = self.client().list()[1].remark
        self.assertEqual(len(remark), 400)
        self.assertTrue(remark.endswith(" [conflict with N000001 revision 2]"))

    def test_lost_answer_during_a_conflict(self):
        number = self.client().add(note()).number
        self.outbox.put("amend", number=number, revision=1, changes={"count": 9})
        self.client().amend(number, count=5)
        sync(self.outbox, Transport(self.server, plan=[True] + [False] * TRIES, lose_answers=True))
        sync(self.outbox, Transport(self.server))
        self.assertEqual(self.counts(), [5, 9])


if __name__ == "__main__":''',
        ),
        bash(TESTS),
        tag="keep-both",
    )
    s.agent(
        "`LongRemarkTest` inherits from `SyncTest` and so runs its tests twice; it should share only the set-up. Cleaning that up.",
        edit("tests/test_sync.py", "class LongRemarkTest(SyncTest):", "class ConflictTest(WithOutbox):"),
        edit("tests/test_sync.py", "class SyncTest(WithServer):\n    def setUp(self):", "class WithOutbox(WithServer):\n    def setUp(self):"),
        edit("tests/test_sync.py", "    def test_everything_arrives_in_order(self):", "class SyncTest(WithOutbox):\n    def test_everything_arrives_in_order(self):"),
        edit("tests/test_sync.py", "        return [n.count for n in self.client().list()]\n", "        return [n.count for n in self.client().list()]\n\n"),
        bash(TESTS),
        read("tests/test_sync.py"),
        tag="conflict-tests",
    )
    s.agent(
        """
Conflicts keep both: the server's note is untouched, ours becomes a new note with `[conflict with N000001 revision 2]` at the end of its remark; a long
remark is cut, the line never. 30 tests pass.

One hole is left that I found while writing: an amendment whose answer got lost raises the revision on the server, so the next try looks like a
conflict **with ourselves**. I can compare: if the current note already has our values and its revision is exactly one higher, it is ours. Shall I?
""",
        tag="a4",
    )
    s.user("Yes please, that would confuse everybody. Test first.", tag="u4")
    s.agent(
        "The test, failing:",
        edit(
            "tests/test_sync.py",
            "    def test_lost_answer_during_a_conflict(self):",
            '''    def test_lost_answer_of_an_amendment_is_no_conflict(self):
        number = self.client().add(note()).number
        self.outbox.put("amend", number=number, revision=1, changes={"count": 9})
        sync(self.outbox, Transport(self.server, plan=[False] * TRIES, lose_answers=True))
        result = sync(self.outbox, Transport(self.server))
        self.assertEqual((result.conflicts, self.counts()), ([], [9]))

    def test_lost_answer_during_a_conflict(self):''',
        ),
        bash("python3 -m unittest tests.test_sync 2>&1"),
        tag="self-conflict-test",
    )
    s.agent(
        "And the comparison.",
        edit(
            "fieldnotes/sync.py",
            "        keep_both(entry, notes.from_dict(conflict.current), outbox, transport, result)\n        return\n",
            '''        current = notes.from_dict(conflict.current)
        if not already_ours(entry, current):
            keep_both(entry, current, outbox, transport, result)
            return
        body = {"note": conflict.current}
''',
        ),
        edit(
            "fieldnotes/sync.py",
            "def keep_both(entry",
            '''def already_ours(entry, current):
    """True when our amendment arrived and only its answer was lost."""
    same = all(getattr(current, name) == value for name, value in entry["changes"].items())
    return same and current.revision == entry["revision"] + 1


def keep_both(entry''',
        ),
        bash(TESTS),
        tag="already-ours",
    )
    s.agent("31 tests pass. The hole is closed by `already_ours` in `fieldnotes/sync.py`.", tag="a5")


def commands(s):
    s.user("Now the commands: a global `--offline`, `fieldnotes sync`, `fieldnotes outbox`. Outbox file in FIELDNOTES_OUTBOX, default outbox.jsonl; device name in FIELDNOTES_DEVICE, default d0.", tag="u5")
    s.agent("Reading the commands again before I change them.", read("fieldnotes/cli.py"), read("tests/test_cli.py"))
    s.agent(
        "",
        edit(
            "fieldnotes/cli.py",
            '    commands = top.add_subparsers(dest="command", required=True)\n',
            '''    top.add_argument("--offline", action="store_true", help="keep new notes and amendments in the outbox")
    top.add_argument("--outbox", default=os.environ.get("FIELDNOTES_OUTBOX", "outbox.jsonl"), help="file of the outbox")
    top.add_argument("--device", default=os.environ.get("FIELDNOTES_DEVICE", "d0"), help="name of this device, unique in the team")
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("sync", help="send what waits in the outbox")
    commands.add_parser("outbox", help="show what waits in the outbox")
''',
        ),
        edit(
            "fieldnotes/cli.py",
            '    amend.add_argument("--count", type=int)',
            '    amend.add_argument("--revision", type=int, default=1, help="revision you saw, needed with --offline")\n    amend.add_argument("--count", type=int)',
        ),
        edit("fieldnotes/cli.py", "def run(args, client):\n", '''def run_offline(args, outbox):
    """Commands that work without a server."""
    if args.command == "add":
        note = Note(args.site, args.species, args.count, args.seen_at, args.observer, args.remark).checked()
        return f"waiting as {outbox.put('add', note=note.as_dict())}"
    if args.command == "amend":
        entry_id = outbox.put("amend", number=args.number, revision=args.revision, changes=changes_of(args))
        return f"waiting as {entry_id}"
    raise FieldnotesError(f"`{args.command}` needs a connection", "Leave out --offline.")


def run_sync(outbox, transport):
    result = sync(outbox, transport, time.sleep)
    lines = [f"{len(result.stored)} stored, {len(result.amended)} amended, {result.waiting} still waiting"]
    lines += [f"conflict: {theirs} was changed by somebody else, yours is {ours}" for theirs, ours in result.conflicts]
    return "\\n".join(lines)


def changes_of(args):
    return {k: getattr(args, k) for k in ("count", "remark") if getattr(args, k) is not None}


def run(args, client):
'''),
        edit("fieldnotes/cli.py", '        changes = {k: getattr(args, k) for k in ("count", "remark") if getattr(args, k) is not None}\n        return render.one(client.amend(args.number, **changes))', "        return render.one(client.amend(args.number, **changes_of(args)))"),
        edit("fieldnotes/cli.py", "        print(run(args, Client(Transport(Server(args.server)))))", "        print(dispatch(args))"),
        edit("fieldnotes/cli.py", "def main(argv=None):", '''def dispatch(args):
    outbox = Outbox(args.outbox, args.device)
    if args.command == "outbox":
        return "\\n".join(render.waiting(entry) for entry in outbox.waiting()) or "nothing waits"
    if args.command == "sync":
        return run_sync(outbox, Transport(Server(args.server)))
    if args.offline and args.command != "species":
        return run_offline(args, outbox)
    return run(args, Client(Transport(Server(args.server))))


def main(argv=None):'''),
        edit("fieldnotes/cli.py", "import os\nimport sys\n", "import os\nimport sys\nimport time\n"),
        edit("fieldnotes/cli.py", "from .server import Server\n", "from .outbox import Outbox\nfrom .server import Server\nfrom .sync import sync\n"),
        edit("fieldnotes/render.py", "def one(note):", '''def waiting(entry):
    """One line for an entry of the outbox."""
    if entry["op"] == "add":
        note = entry["note"]
        return f"{entry['id']}  add    {note['site']:<4} {note['species']:<24} x{note['count']}"
    changes = ", ".join(f"{name} {value}" for name, value in entry["changes"].items())
    return f"{entry['id']}  amend  {entry['number']} revision {entry['revision']}: {changes}"


def one(note):'''),
        bash(TESTS),
        tag="cli",
    )
    s.agent(
        "The old outputs are unchanged by the old tests. A walk through by hand in a scratch folder:",
        bash(
            "mkdir -p scratch && cd scratch && export PYTHONPATH=.. && f='python3 -m fieldnotes.cli' && $f add --site A7 --species 'Bufo bufo' && "
            "$f --offline add --site B3 --species 'Hyla arborea' --count 2 && $f --offline amend N000001 --count 6 && $f outbox && cat outbox.jsonl && "
            "$f sync && $f list && $f outbox && cat outbox.jsonl; $f --offline list; $f --offline add --site Z9 --species x"
        ),
        tag="walk",
    )
    s.agent(
        "As wanted. Tests for the commands:",
        edit(
            "tests/test_cli.py",
            "    def test_species(self):",
            '''    def test_offline_then_sync(self):
        box = ("--outbox", str(self.folder / "outbox.jsonl"), "--device", "d7")
        code, out, _ = self.run_cli(*box, "--offline", "add", "--site", "A7", "--species", "Bufo bufo")
        self.assertEqual((code, out), (0, "waiting as d7-000001\\n"))
        self.assertEqual(self.run_cli(*box, "outbox")[1], "d7-000001  add    A7   Bufo bufo                x1\\n")
        self.assertEqual(self.run_cli(*box, "sync")[1], "1 stored, 0 amended, 0 still waiting\\n")
        self.assertEqual(self.run_cli(*box, "outbox")[1], "nothing waits\\n")

    def test_list_needs_a_connection(self):
        code, _, err = self.run_cli("--offline", "list")
        self.assertEqual((code, err), (1, "error: `list` needs a connection\\nLeave out --offline.\\n"))

    def test_species(self):''',
        ),
        bash(TESTS),
        bash("rm -r scratch && git status --short"),
        tag="cli-tests",
    )
    s.agent("33 tests pass. `--offline`, `sync` and `outbox` are in `fieldnotes/cli.py`; the text of the old commands is the same.", tag="a6")


def season(s):
    s.note(
        "field-report",
        """
Report of the training week, 14 rangers: longest time without coverage 3 days; most notes between two syncs 341 (observer wei, amphibian night);
a try on the edge of coverage takes 20 to 60 s; radio stays on for 30 s after each try; battery 11 % per hour while trying.
""",
        tag="note1",
    )
    s.user(
        """
Two corrections after that report. The limit of 200 is too small, make it 500. And 5 tries 30 s apart empties batteries: 3 tries, 90 s apart.
Then the season: give tools/season.py an option --outbox that uses it, 40 % coverage, and prove 0 lost and 0 duplicates with several seeds.
""",
        tag="u6",
    )
    s.agent(
        "The two numbers first.",
        edit("fieldnotes/outbox.py", "LIMIT = 200", "# The longest stretch seen in the training week was 341 notes.\nLIMIT = 500"),
        edit("fieldnotes/sync.py", "TRIES = 5\nPAUSE_SECONDS = 30\n", "# Each try keeps the radio on for half a minute: few tries, far apart.\nTRIES = 3\nPAUSE_SECONDS = 90\n"),
        bash(TESTS),
        grep("\\b200\\b|\\b30\\b|TRIES|LIMIT"),
        tag="numbers",
    )
    s.agent("Now the season.", read("tools/season.py"),
        edit("tools/season.py", '    parser.add_argument("--seed", type=int, default=5)\n', '    parser.add_argument("--seed", type=int, default=5)\n    parser.add_argument("--outbox", action="store_true", help="notes wait in an outbox, sync after each walk")\n'),
        edit("tools/season.py", "    stored, lost, numbers = 0, 0, []\n", "    stored, lost, numbers, written = 0, 0, [], 0\n"),
        edit("tools/season.py", "                client = Client(transport)\n", "                client = Client(transport)\n                outbox = Outbox(Path(folder) / f\"{observer}.jsonl\", observer)\n"),
        edit("tools/season.py", "                    try:\n                        number = client.add(note).number\n", '''                    if args.outbox:
                        written += 1
                        print(f"{line}  waiting as {outbox.put('add', note=note.as_dict())}")
                        continue
                    try:
                        number = client.add(note).number
'''),
        edit("tools/season.py", "                if numbers and rng.random() < 0.4:\n", '''                if args.outbox:
                    show(observer, sync(outbox, transport), transport, numbers)
                if numbers and rng.random() < 0.4:
'''),
        edit("tools/season.py", '    print(f"{stored} stored, {lost} lost")\n', '''        if args.outbox:
            rest = 0
            for observer in ("ines", "tomasz", "wei"):
                result = sync(Outbox(Path(folder) / f"{observer}.jsonl", observer), Transport(server))
                rest += result.waiting
                print(f"    last sync of {observer}: {len(result.stored)} stored, {result.waiting} waiting")
            notes = Client(Transport(server)).list()
            refs = {note.client_ref for note in notes}
            print(f"{written} written, {len(notes)} on the server, {written - len(refs)} lost, {len(notes) - len(refs)} duplicates, {rest} waiting")
            return
    print(f"{stored} stored, {lost} lost")
'''),
        edit("tools/season.py", "def main():\n", '''def show(observer, result, transport, numbers):
    numbers.extend(result.stored)
    print(f"    sync of {observer}: {len(result.stored)} stored, {result.waiting} waiting, {transport.sent} requests")


def main():
'''),
        edit("tools/season.py", "from fieldnotes.note import Note  # noqa: E402\n", "from fieldnotes.note import Note  # noqa: E402\nfrom fieldnotes.outbox import Outbox  # noqa: E402\n"),
        edit("tools/season.py", "from fieldnotes.species import SPECIES  # noqa: E402\n", "from fieldnotes.species import SPECIES  # noqa: E402\nfrom fieldnotes.sync import sync  # noqa: E402\n"),
        bash("python3 tools/season.py --outbox --coverage 0.4"),
        tag="season-outbox",
    )
    s.agent("0 lost, 0 duplicates with seed 5. More seeds, worse coverage, a longer season:",
        bash("for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do for c in 0.1 0.25 0.4; do printf 'seed %2d coverage %s: ' $seed $c; python3 tools/season.py --outbox --coverage $c --seed $seed | tail -n 1; done; done"),
        bash("python3 tools/season.py --outbox --coverage 0.25 --days 25 --seed 77"),
        tag="seeds",
    )
    s.agent("And the same season with answers lost instead of requests, which is the harder case. Only as an experiment, by a changed copy:",
        bash("sed 's/is None))/&/; s/args.coverage, None))/args.coverage, None), lose_answers=True)/' tools/season.py > tools/season_answers.py && grep -n lose_answers tools/season_answers.py && python3 tools/season_answers.py --outbox --coverage 0.4 --days 20 --seed 3; rm tools/season_answers.py"),
        tag="answers",
    )
    s.agent("0 lost and 0 duplicates everywhere: 12 seeds × 3 coverages, 25 days at 25 %, and 20 days with lost answers at 40 %. Without the outbox, for comparison:",
        bash("python3 tools/season.py --coverage 0.4 --days 20 --seed 3"), tag="compare")
    s.agent("The goal of FN-127 is reached: at 40 % coverage 0 lost notes and 0 duplicates. The limit is 500 entries, 3 tries 90 s apart. Open: documentation, version, commit.", tag="a7")


def finish(s):
    s.shell("git status --short", tag="shell1")
    s.user("Impressive. Write docs/offline.md for rangers and developers, with the decisions and what was rejected. Version 1.9.0. Photos (FN-131) and encryption (FN-140) are not part of this, say so. Then review your own work file by file before I commit.", tag="u7")
    s.agent("",
        write("docs/offline.md", DOC),
        edit("fieldnotes/__init__.py", '__version__ = "1.8.0"', '__version__ = "1.9.0"'),
        edit("README.md", "| `species.py` | the species list and the search in it |", "| `outbox.py` | what waits for a connection |\n| `sync.py` | sends it |\n| `species.py` | the species list and the search in it |"),
        edit("README.md", "    fieldnotes amend N000012 --count 4\n", "    fieldnotes amend N000012 --count 4\n    fieldnotes --offline add --site B2 --species \"Bufo bufo\"\n    fieldnotes sync\n"),
        bash("git diff README.md fieldnotes/__init__.py"),
        tag="docs",
    )
    for index, (path, words) in enumerate(REVIEW, 1):
        s.agent(words, read(path), tag=f"review{index}")
    s.agent("One finding of the review: `put` reads the journal twice for each entry, `waiting` and the count. With 500 entries that is slow on a phone. How slow, in lines read?",
        bash("python3 - <<'EOF'\nimport tempfile, pathlib\nfrom fieldnotes.outbox import Outbox\nread = 0\nold = Outbox._lines\n\ndef counted(self):\n    global read\n    lines = old(self)\n    read += len(lines)\n    return lines\n\nOutbox._lines = counted\nwith tempfile.TemporaryDirectory() as folder:\n    box = Outbox(pathlib.Path(folder) / 'o.jsonl', 'd1')\n    for n in range(500):\n        box.put('add', note={'count': n})\nprint(read, 'lines read for 500 entries')\nEOF"),
        tag="slow",
    )
    s.agent("Quadratic: half of it can go by reading once. A small, safe change:",
        edit("fieldnotes/outbox.py", "        entries = {}\n        for entry in self._lines():\n            if entry", "        return self._waiting(self._lines())\n\n    @staticmethod\n    def _waiting(lines):\n        entries = {}\n        for entry in lines:\n            if entry"),
        edit("fieldnotes/outbox.py", "        if len(self.waiting()) >= LIMIT:", "        lines = self._lines()\n        if len(self._waiting(lines)) >= LIMIT:"),
        edit("fieldnotes/outbox.py", "sum(1 for e in self._lines() if e['op'] != 'done')", "sum(1 for e in lines if e['op'] != 'done')"),
        bash(TESTS),
        bash("python3 tools/season.py --outbox --coverage 0.4 --days 15 --seed 21"),
        tag="once",
    )
    s.agent("Final difference, and the proof that the server is as it was:", bash("git add -N . && git diff"), bash("git diff --stat HEAD -- fieldnotes/server.py && git status --short"), tag="final")
    s.user("Commit it, one commit, FN-127 in front. Do not push, the depot sync is Ines's job on Friday.", tag="u8")
    s.agent("", bash("git add -A && git commit -q -m 'FN-127: offline mode with an outbox and sync; 1.9.0' && git log --oneline && git show --stat --format=%s HEAD"), tag="commit")
    s.agent(
        """
Committed: "FN-127: offline mode with an outbox and sync; 1.9.0". Not pushed; Ines does the depot sync on Friday.

- 33 tests pass; season at 40 % coverage: 0 lost, 0 duplicates
- limit 500 entries, 3 tries for each request, 90 s apart
- conflicts keep both notes
- open: photos (FN-131), encryption (FN-140), the journal is never shortened
""",
        tag="a8",
    )


REVIEW = (
    ("fieldnotes/outbox.py", "Review, file by file. The journal: is every write followed by fsync?"),
    ("fieldnotes/sync.py", "Yes, in `_append`. Sync: each entry is taken out only after the server's answer."),
    ("fieldnotes/cli.py", "Right, also for conflicts. Commands: faults reach the person through FieldnotesError with a hint."),
    ("fieldnotes/render.py", "Good. The new line format in render:"),
    ("fieldnotes/client.py", "Fine. The client has no change; it must not know about the outbox."),
    ("fieldnotes/transport.py", "Unchanged. Neither has the transport."),
    ("fieldnotes/server.py", "Unchanged. The server, to be sure about what `client_ref` does for amendments: nothing, hence `already_ours`."),
    ("tests/test_outbox.py", "Confirmed. Tests of the journal: damage in the middle, half line, limit."),
    ("tests/test_sync.py", "Complete. Tests of sync: every way of losing something has one."),
    ("tests/test_cli.py", "Yes: lost request, lost answer, break between requests, conflict, own amendment. Tests of the commands:"),
    ("tests/test_client.py", "Those are fine. The old client tests must be as they were:"),
    ("fieldnotes/note.py", "As before. `Note.client_ref` existed already, so no field was added."),
    ("fieldnotes/errors.py", "Nothing to add. The errors: `OutboxFull` and `OutboxDamaged` live with the outbox, as `errors.py` holds the shared ones."),
    ("tools/season.py", "Acceptable. The season script grew; still readable?"),
    ("docs/offline.md", "Yes. The document against the code: 500, 20, 3 tries, 90 s."),
    ("README.md", "They agree. README:"),
    ("fieldnotes/species.py", "Names the two new modules and the two new commands. The species list works offline, as it needs no server:"),
    ("fieldnotes/__init__.py", "Right, `dispatch` lets `species` through. The version:"),
    ("fieldnotes/outbox.py", "1.9.0. Back to the journal once more, because of `put`."),
)
