#!/usr/bin/env python3
"""Run a test module under many seeds of the jittery clock and say which seeds fail."""

import argparse
import io
import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def one(module, seed):
    os.environ["LARDER_SEED"] = str(seed)
    stream = io.StringIO()
    tests = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(stream=stream).run(tests)
    return result.wasSuccessful(), stream.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--show", type=int, default=1, help="how many failures to show in full")
    args = parser.parse_args()
    failed, shown = [], 0
    for seed in range(args.first, args.first + args.runs):
        good, text = one(args.module, seed)
        names = re.findall(r"^(?:FAIL|ERROR): (\w+)", text, re.M)
        print(f"seed {seed:4d}  {'ok' if good else 'FAIL  ' + ', '.join(names)}")
        if not good:
            failed.append(seed)
            if shown < args.show:
                shown += 1
                print(text)
    print(f"{len(failed)} of {args.runs} seeds failed: {', '.join(map(str, failed)) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
