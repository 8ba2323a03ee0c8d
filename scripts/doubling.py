#!/usr/bin/env python3
"""Whole runs of a session, and of two, four … of it on one path: how a doubled session costs.

Usage: scripts/doubling.py PROGRAM SESSION [STRATEGY …]

SESSION is a Pi session of version 1, whose messages need no ids: its lines stand one after the other as often as wanted.
Every run reads the session, counts it, replays it through one strategy with all measures, the bill of a cache among
them, and writes the report, on one thread; sizes take turns. Prints the median milliseconds of ROUNDS rounds, and each
as a multiple of the one before.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMES = [1, 2, 4, 8, 16, 32]
ROUNDS = 5
OPTIONS = ["--threads", "1", "--cache", "anthropic-5m", "--price", "claude-sonnet-5-5"]


def copies(session, folder):
    """The session once, twice …"""
    head, *rest = Path(session).read_text(encoding="utf-8").splitlines()
    if json.loads(head).get("type") != "session" or any("parentId" in json.loads(line) for line in rest[:3]):
        sys.exit(f"error: {session} is no Pi session of version 1\nhint: its records have no ids")
    for times in TIMES:
        Path(folder, f"{times}.jsonl").write_text("\n".join([head, *rest * times]) + "\n", encoding="utf-8")


def run(program, strategy, session, out):
    """Seconds of one run."""
    command = [program, "run", "--transcripts", session, "--strategy", strategy, "--name", "run", "--out", out, *OPTIONS]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}\n{done.stderr}")
    return time.perf_counter() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(f"error: expected a program and a session\nhint: {__doc__.splitlines()[2]}")
    program, session, *strategies = sys.argv[1:]
    print(f"{'strategy':24}" + "".join(f"{f'{times}x':>14}" for times in TIMES))
    with tempfile.TemporaryDirectory() as folder:
        copies(session, folder)
        for strategy in strategies or ["none", "pi", "pi-article", "deepagents", "drop-tool-results", "ralph"]:
            seconds = {times: [] for times in TIMES}
            for round in range(ROUNDS):
                for times in TIMES:
                    with tempfile.TemporaryDirectory() as out:
                        seconds[times].append(run(program, strategy, Path(folder, f"{times}.jsonl"), out))
            medians = [1000 * statistics.median(seconds[times]) for times in TIMES]
            ratios = [""] + [f"({b / a:.2f})" for a, b in zip(medians, medians[1:])]
            print(f"{strategy:24}" + "".join(f"{f'{m:.0f} {r}':>14}" for m, r in zip(medians, ratios)), flush=True)


main()
