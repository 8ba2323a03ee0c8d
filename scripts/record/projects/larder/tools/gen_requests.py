#!/usr/bin/env python3
"""Make a list of requests like those of the price service: a few hot keys, many cold ones, bursts."""

import argparse
import random


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    print(f"# {args.count} requests, {args.keys} keys, seed {args.seed}")
    for _ in range(args.count):
        gap = 0.0 if rng.random() < 0.3 else round(rng.random() * 0.2, 3)
        number = int(args.keys * rng.random() ** 2.5)
        print(f"{gap:.3f} sku:{4700 + number}")


if __name__ == "__main__":
    main()
