#!/usr/bin/env python3
"""Play a season of field days: several observers, patchy coverage, amendments. Prints what happened, request by request."""

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from fieldnotes.client import Client  # noqa: E402
from fieldnotes.errors import FieldnotesError  # noqa: E402
from fieldnotes.note import Note  # noqa: E402
from fieldnotes.server import Server  # noqa: E402
from fieldnotes.species import SPECIES  # noqa: E402
from fieldnotes.transport import Transport  # noqa: E402

REMARKS = ("on the wall", "calling at dusk", "under the dead oak", "two juveniles", "", "", "crossing the path", "by the pond")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--coverage", type=float, default=0.7, help="share of requests that get through")
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    stored, lost, numbers = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "server.json")
        for day in range(1, args.days + 1):
            for observer in ("ines", "tomasz", "wei"):
                transport = Transport(server, iter(lambda: rng.random() < args.coverage, None))
                client = Client(transport)
                for turn in range(rng.randrange(2, 6)):
                    site = f"{rng.choice('ABCDEFGH')}{rng.randrange(1, 20)}"
                    latin, _ = rng.choice(SPECIES)
                    when = f"2026-05-{day:02d}T{6 + turn:02d}:{rng.randrange(60):02d}"
                    note = Note(site, latin, rng.randrange(1, 9), when, observer, rng.choice(REMARKS))
                    line = f"{when}  {observer:<7} {site:<4} {latin:<24} x{note.count}"
                    try:
                        number = client.add(note).number
                        numbers.append(number)
                        stored += 1
                        print(f"{line}  stored as {number}")
                    except FieldnotesError as error:
                        lost += 1
                        print(f"{line}  LOST: {error}")
                if numbers and rng.random() < 0.4:
                    number = rng.choice(numbers)
                    try:
                        changed = client.amend(number, count=rng.randrange(1, 12))
                        print(f"    amend {number} by {observer}: count {changed.count}, revision {changed.revision}")
                    except FieldnotesError as error:
                        print(f"    amend {number} by {observer}: FAILED: {error}")
    print(f"{stored} stored, {lost} lost")


if __name__ == "__main__":
    main()
