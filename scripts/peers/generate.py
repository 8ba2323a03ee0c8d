#!/usr/bin/env python3
"""Writes a made-up session in Pi's format 3 for timing: python3 generate.py OUT [MESSAGES]. Equal arguments give equal bytes."""

import json
import sys

WORDS = (
    "the parser reads every row and keeps what it cannot name so that writing loses nothing a test holds the order of keys "
    "file path index buffer token window summary branch commit error warning retry cache prefix budget message result"
).split()


def main() -> None:
    out = sys.argv[1]
    messages = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    state = 7

    def draw(below: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % below

    def text(words: int) -> str:
        return " ".join(WORDS[draw(len(WORDS))] for _ in range(words))

    with open(out, "w", encoding="utf-8", newline="\n") as file:
        def line(record: dict) -> None:
            file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n")

        line({"type": "session", "version": 3, "id": "made-up", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/made/up"})
        parent = None
        for at in range(messages):
            kind = at % 4
            if kind == 0:
                message = {"role": "user", "content": text(40)}
            elif kind in (1, 3):
                content = [{"type": "text", "text": text(60)}]
                if kind == 1:
                    arguments = {"path": f"src/{draw(900)}.rs", "text": text(30)}
                    content.append({"type": "toolCall", "id": f"c{at}", "name": "write", "arguments": arguments})
                message = {
                    "role": "assistant", "content": content, "api": "made-up", "provider": "made-up", "model": "made-up",
                    "usage": {"input": at + 1, "output": 9, "cacheRead": 0, "cacheWrite": 0, "totalTokens": at + 10},
                    "stopReason": "toolUse" if kind == 1 else "stop", "timestamp": 1767225600000 + at,
                }
            else:
                message = {
                    "role": "toolResult", "toolCallId": f"c{at - 1}", "toolName": "write",
                    "content": [{"type": "text", "text": text(500)}], "isError": False, "timestamp": 1767225600000 + at,
                }
            line({"type": "message", "id": f"m{at:07}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message})
            parent = f"m{at:07}"


main()
