"""What the commands call."""

from dataclasses import replace

from . import note as notes


class Client:
    """Talks to the server through a transport."""

    def __init__(self, transport):
        self._transport = transport

    def add(self, note):
        """Send one new note; returns it with its number."""
        body = self._transport.send({"op": "create", "notes": [note.checked().as_dict()]})
        return notes.from_dict(body["notes"][0])

    def amend(self, number, **changes):
        """Change fields of a note. Reads the current revision first."""
        current = self.show(number)
        replace(current, **changes).checked()
        body = self._transport.send({"op": "amend", "number": number, "revision": current.revision, "changes": changes})
        return notes.from_dict(body["note"])

    def show(self, number):
        return notes.from_dict(self._transport.send({"op": "fetch", "number": number})["note"])

    def list(self, site=None):
        return [notes.from_dict(raw) for raw in self._transport.send({"op": "list", "site": site})["notes"]]
