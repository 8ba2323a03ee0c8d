"""The server's side, kept in one JSON file. Stands for the real server in tests and on the training laptop."""

import json
from pathlib import Path

MAX_BATCH = 20


class Server:
    """`handle(request)` returns (status, body). A request is {"op": ..., ...}."""

    def __init__(self, path):
        self._path = Path(path)
        if self._path.exists():
            state = json.loads(self._path.read_text(encoding="utf-8"))
        else:
            state = {"next": 1, "notes": {}, "refs": {}}
        self._state = state

    def handle(self, request):
        op = request.get("op")
        handler = {"create": self._create, "amend": self._amend, "fetch": self._fetch, "list": self._list}.get(op)
        if handler is None:
            return 400, {"error": f"unknown op {op!r}"}
        status, body = handler(request)
        if op in ("create", "amend"):
            self._save()
        return status, body

    def _create(self, request):
        notes = request.get("notes", [])
        if len(notes) > MAX_BATCH:
            return 413, {"error": f"{len(notes)} notes in one request, at most {MAX_BATCH}"}
        created = []
        for note in notes:
            ref = note.get("client_ref", "")
            number = self._state["refs"].get(ref) if ref else None
            if number is None:
                number = f"N{self._state['next']:06d}"
                self._state["next"] += 1
                self._state["notes"][number] = dict(note, number=number, revision=1)
                if ref:
                    self._state["refs"][ref] = number
            created.append(self._state["notes"][number])
        return 201, {"notes": created}

    def _amend(self, request):
        current = self._state["notes"].get(request["number"])
        if current is None:
            return 404, {"error": f"no note {request['number']}"}
        if current["revision"] != request["revision"]:
            return 409, {"error": "conflict", "current": current}
        current.update(request["changes"])
        current["revision"] += 1
        return 200, {"note": current}

    def _fetch(self, request):
        note = self._state["notes"].get(request["number"])
        return (200, {"note": note}) if note else (404, {"error": f"no note {request['number']}"})

    def _list(self, request):
        site = request.get("site")
        notes = [n for _, n in sorted(self._state["notes"].items()) if site in (None, n["site"])]
        return 200, {"notes": notes}

    def _save(self):
        self._path.write_text(json.dumps(self._state, indent=1, sort_keys=True) + "\n", encoding="utf-8")
