"""`python3 -m larder.cli`: replay a list of requests and print what the cache did."""

import argparse
import json
import sys

from . import trace
from .cache import Cache
from .clock import JitterClock


def replay(lines, cache, load_seconds):
    """Each line: `seconds key`. Waits, then asks for the key."""
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        if len(parts) != 2:
            raise SystemExit(f"line {number}: expected `seconds key`, found {line.strip()!r}")
        cache.clock.sleep(float(parts[0]))
        cache.get_or_load(parts[1], lambda: cache.clock.sleep(load_seconds))


def main(argv=None):
    parser = argparse.ArgumentParser(prog="larder", description="Replay requests through a cache.")
    parser.add_argument("file", help="requests, one `seconds key` a line; - reads standard input")
    parser.add_argument("--ttl", type=float, default=0.5)
    parser.add_argument("--load", type=float, default=0.3, help="seconds one load takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-entries", type=int, default=1000)
    parser.add_argument("--policy", default="lru")
    parser.add_argument("--refresh-ahead", type=float, default=0.0)
    parser.add_argument("--key", help="show only this key")
    parser.add_argument("--format", choices=("timeline", "summary", "stats"), default="timeline")
    args = parser.parse_args(argv)
    cache = Cache(
        ttl=args.ttl,
        max_entries=args.max_entries,
        policy=args.policy,
        refresh_ahead=args.refresh_ahead,
        clock=JitterClock(args.seed),
    )
    source = sys.stdin if args.file == "-" else open(args.file, encoding="utf-8")
    with source:
        replay(source, cache, args.load)
    events = cache.events.last()
    if args.format == "timeline":
        print(trace.timeline(events, args.key))
    elif args.format == "summary":
        print(trace.summary(events))
    else:
        print(json.dumps(cache.stats.as_dict(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
