"""The commands."""

import argparse
import os
import sys

from . import render, species
from .client import Client
from .errors import FieldnotesError
from .note import Note
from .server import Server
from .transport import Transport


def parser():
    top = argparse.ArgumentParser(prog="fieldnotes", description="Notes of a field survey.")
    top.add_argument("--server", default=os.environ.get("FIELDNOTES_SERVER", "server.json"), help="file of the server")
    commands = top.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="send a new note")
    add.add_argument("--site", required=True)
    add.add_argument("--species", required=True)
    add.add_argument("--count", type=int, default=1)
    add.add_argument("--seen-at", default="2026-05-02T07:30")
    add.add_argument("--observer", default=os.environ.get("FIELDNOTES_OBSERVER", "unknown"))
    add.add_argument("--remark", default="")
    amend = commands.add_parser("amend", help="change a note")
    amend.add_argument("number")
    amend.add_argument("--count", type=int)
    amend.add_argument("--remark")
    show = commands.add_parser("show", help="show one note")
    show.add_argument("number")
    listing = commands.add_parser("list", help="list notes")
    listing.add_argument("--site")
    find = commands.add_parser("species", help="find a species")
    find.add_argument("word")
    return top


def run(args, client):
    if args.command == "add":
        note = Note(args.site, args.species, args.count, args.seen_at, args.observer, args.remark)
        return f"stored as {client.add(note).number}"
    if args.command == "amend":
        changes = {k: getattr(args, k) for k in ("count", "remark") if getattr(args, k) is not None}
        return render.one(client.amend(args.number, **changes))
    if args.command == "show":
        return render.one(client.show(args.number))
    if args.command == "list":
        return render.table(client.list(args.site))
    return "\n".join(f"{latin:<24} {english}" for latin, english in species.find(args.word)) or "nothing found"


def main(argv=None):
    args = parser().parse_args(argv)
    try:
        print(run(args, Client(Transport(Server(args.server)))))
    except FieldnotesError as error:
        print(f"error: {error}", file=sys.stderr)
        if error.hint:
            print(error.hint, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
