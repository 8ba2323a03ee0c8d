#!/usr/bin/env python3
"""Makes a large run of the cells of a small one, writes its report and opens it: how large is the page, how long does it take?

Usage: scripts/large_report.py [RUN FOLDER] [CUTPOINT] [OUT]
By default reports/default (which `cargo run --release` makes), target/release/cutpoint, and a temporary folder.
200 transcripts, each a copy of one of the run's under another name and lineage, with five of its strategies: 1,000 cells.
"""

import hashlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from chromium import Browser, find  # noqa: E402

TRANSCRIPTS, STRATEGIES, OPENED = 200, 5, 5


def records(run, name):
    with open(run / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def grouped(all_records, key):
    groups = {}
    for record in all_records:
        groups.setdefault(record[key], []).append(record)
    return groups


def copies(run):
    """Every line of the large run, by file."""
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    cells = grouped(records(run, "cells.jsonl"), "transcript")
    events = grouped(records(run, "events.jsonl"), "cell")
    behind = {name: grouped(records(run, name), "transcript") for name in ("messages.jsonl", "annotations.jsonl", "classes.jsonl")}
    originals, lines, named = manifest["transcripts"], {}, []

    def add(file, record, **change):
        lines.setdefault(file, []).append(json.dumps(record | change, ensure_ascii=False))

    for at in range(TRANSCRIPTS):
        original = originals[at % len(originals)]
        name = lineage = f"{original['name']}-{at + 1:03}"
        named.append(original | {"name": name, "lineage": lineage})
        for file, of in behind.items():
            for record in of.get(original["name"], []):
                add(file, record, transcript=name, **({"lineage": lineage} if "lineage" in record else {}))
        for cell in cells[original["name"]][:STRATEGIES]:
            new = hashlib.sha256(f"{cell['cell']} {at}".encode()).hexdigest()[:16]
            add("cells.jsonl", cell, cell=new, inputs=new, transcript=name, lineage=lineage)
            for event in events.get(cell["cell"], []):
                add("events.jsonl", event, cell=new)
    manifest |= {"experiment": "large", "transcripts": named, "cells": TRANSCRIPTS * STRATEGIES}
    return manifest, lines


def opened(page):
    """Seconds until the page was loaded, the median of several times in a browser that is already there."""
    tab = Browser()
    try:
        seconds = [tab.open(page.as_uri()) for _ in range(OPENED)]
        if tab.complaints:
            sys.exit("error: the page complains: " + "; ".join(tab.complaints))
        return statistics.median(seconds)
    finally:
        tab.close()


def main(run=ROOT / "reports" / "default", cutpoint=ROOT / "target" / "release" / "cutpoint", out=None):
    if find() is None:
        sys.exit("error: no Chromium\nhint: apt-get install chromium")
    folder = pathlib.Path(out or tempfile.mkdtemp(prefix="cutpoint-large-"))
    folder.mkdir(parents=True, exist_ok=True)
    manifest, lines = copies(pathlib.Path(run))
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    for file, all_lines in lines.items():
        (folder / file).write_text("\n".join(all_lines) + "\n", encoding="utf-8")
    subprocess.run([str(cutpoint), "report", str(folder)], check=True, stdout=subprocess.DEVNULL)
    small = opened(pathlib.Path(run).resolve() / "index.html")
    pages = sorted(folder.glob("*.html"), key=lambda page: -page.stat().st_size)
    for page in [folder / "index.html", *[page for page in pages if page.name != "index.html"][:2]]:
        seconds = opened(page)
        print(f"{page.name}: {page.stat().st_size / 1e6:.2f} MB, loaded in {seconds:.2f} s, {seconds / small:.2f} times the small run's page")
    print(f"{len(pages)} pages; the page of the small run: {small:.2f} s")
    if out is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
