#!/usr/bin/env python3
"""Prints the paths of the longest sessions of a folder that have a file to themselves: longest.py FOLDER PROGRAM COUNT."""

import json
import subprocess
import sys
from pathlib import Path


def longest(folder: str, program: str, count: int) -> list[Path]:
    paths: dict[str, list[Path]] = {}
    for path in Path(folder).rglob("*"):
        if path.is_file():
            paths.setdefault(path.name.split(".")[0], []).append(path.resolve())
    done = subprocess.run([program, "inspect", "--json", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    sessions = json.loads(done.stdout)["sessions"]
    several = {one["name"].split("#")[0].split("/")[0] for one in sessions if "#" in one["name"] or "/" in one["name"]}
    sessions.sort(key=lambda one: (-one["requests"], one["name"]))
    alone = [one["name"] for one in sessions if one["name"] not in several and len(paths.get(one["name"], [])) == 1]
    assert len(alone) >= count, f"only {len(alone)} sessions"
    return [paths[name][0] for name in alone[:count]]


if __name__ == "__main__":
    for found in longest(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        print(found)
