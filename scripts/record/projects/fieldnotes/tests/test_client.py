"""Client and server together."""

import tempfile
import unittest
from pathlib import Path

from fieldnotes.client import Client
from fieldnotes.errors import BadNote, Conflict, Refused, Unreachable
from fieldnotes.note import Note
from fieldnotes.server import Server
from fieldnotes.transport import Transport


def note(**changes):
    fields = dict(site="A7", species="Lacerta agilis", count=3, seen_at="2026-05-02T07:30", observer="ines")
    return Note(**{**fields, **changes})


class WithServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.server = Server(self.folder / "server.json")

    def client(self, **options):
        return Client(Transport(self.server, **options))


class ClientTest(WithServer):
    def test_add_gives_a_number(self):
        self.assertEqual([self.client().add(note()).number for _ in range(2)], ["N000001", "N000002"])

    def test_bad_notes_are_not_sent(self):
        for bad in (dict(site="Z1"), dict(species=" "), dict(count=0), dict(seen_at="today"), dict(remark="x" * 401)):
            with self.assertRaises(BadNote):
                self.client().add(note(**bad))
        self.assertEqual(self.client().list(), [])

    def test_amend_raises_the_revision(self):
        number = self.client().add(note()).number
        changed = self.client().amend(number, count=4)
        self.assertEqual((changed.count, changed.revision), (4, 2))

    def test_amend_of_an_old_revision_is_a_conflict(self):
        number = self.client().add(note()).number
        self.client().amend(number, count=4)
        with self.assertRaises(Conflict) as caught:
            Transport(self.server).send({"op": "amend", "number": number, "revision": 1, "changes": {"count": 9}})
        self.assertEqual(caught.exception.current["count"], 4)

    def test_list_by_site(self):
        for site in ("A7", "B2", "A7"):
            self.client().add(note(site=site))
        self.assertEqual([n.number for n in self.client().list("A7")], ["N000001", "N000003"])

    def test_no_connection(self):
        with self.assertRaises(Unreachable):
            self.client(plan=[False]).add(note())
        self.assertEqual(self.client().list(), [])

    def test_unknown_note(self):
        with self.assertRaises(Refused) as caught:
            self.client().show("N000009")
        self.assertEqual(str(caught.exception), "404 no note N000009")

    def test_state_survives_a_restart(self):
        self.client().add(note())
        self.assertEqual(len(Client(Transport(Server(self.folder / "server.json"))).list()), 1)


class ServerTest(WithServer):
    def test_same_reference_creates_one_note(self):
        one = note(client_ref="r1").as_dict()
        for _ in range(2):
            status, body = self.server.handle({"op": "create", "notes": [one]})
            self.assertEqual((status, body["notes"][0]["number"]), (201, "N000001"))

    def test_too_many_notes(self):
        status, body = self.server.handle({"op": "create", "notes": [note().as_dict()] * 21})
        self.assertEqual((status, body["error"]), (413, "21 notes in one request, at most 20"))

    def test_unknown_operation(self):
        self.assertEqual(self.server.handle({"op": "drop"})[0], 400)


if __name__ == "__main__":
    unittest.main()
