#!/usr/bin/env python3
"""Writes a Pi session (version 3) of about BYTES bytes: turns of a question, replies with calls, and results.

Usage: scripts/long_session.py BYTES OUT [--copies SESSION]

The same arguments give the same bytes. Texts are made of words, lines, quotes and some characters beyond ASCII, so that
escapes and lengths cost what they cost in recorded sessions; it says nothing else about them.

With --copies it writes whole copies of a Claude Code session instead, as many as make BYTES: each record, message and call
has an id of its own and a later year, and the first record of a copy follows the last one of the copy before.
"""
import hashlib
import json
import random
import re
import sys

WORDS = "let value return error struct path result fn match token while list state index für 界面 test → ok 😀 buffer".split()


def text(dice, size):
    """A text of about `size` characters, in lines."""
    parts = []
    while size > 0:
        line = "    " * dice.randrange(4) + " ".join(dice.choices(WORDS, k=dice.randrange(3, 14)))
        if dice.random() < 0.3:
            line += ' "quoted\\path"'
        parts.append(line)
        size -= len(line) + 1
    return "\n".join(parts)


def message(dice, role, number):
    """A message of `role`; `number` makes ids of calls."""
    call = f"toolu_{number:024d}"
    if role == "user":
        return {"role": role, "content": [{"type": "text", "text": text(dice, 200)}]}
    if role == "toolResult":
        content = [{"type": "text", "text": text(dice, dice.choice([300, 2000, 6000]))}]
        return {"role": role, "toolCallId": call, "toolName": "read", "content": content, "isError": False}
    arguments = {"path": f"src/part_{number % 97}.rs", "content": text(dice, 400)}
    usage = {"input": 3, "output": 191, "cacheRead": 12000, "cacheWrite": 640, "totalTokens": 12834}
    usage["cost"] = {"input": 0.000009, "output": 0.002865, "cacheRead": 0.0036, "cacheWrite": 0.0024, "total": 0.008874}
    blocks = [
        {"type": "text", "text": text(dice, 150)},
        {"type": "toolCall", "id": call, "name": "read", "arguments": arguments},
    ]
    return {
        "role": role, "content": blocks, "api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5",
        "usage": usage, "stopReason": "toolUse",
    }


IDS = re.compile(rb"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg|toolu|req)_[0-9A-Za-z]{16,})\b")
TIME = re.compile(rb'"timestamp":"(20\d\d)-')
ROOT = b'"parentUuid":null'


def own(name, number):
    """The id that stands for `name` in a copy: of the same shape and length."""
    digits = hashlib.sha512(b"%d %s" % (number, name)).hexdigest().encode()
    if b"-" in name:
        return b"-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]])
    kind, rest = name.split(b"_", 1)
    return kind + b"_" + digits[: len(rest)]


def copies(source, size, path):
    """Copies of the session `source`; the session ids stay."""
    with open(source, "rb") as file:
        lines = file.read().splitlines()
    records = [json.loads(line) for line in lines]
    stay = {record["sessionId"].encode() for record in records if "sessionId" in record}
    last = [record["uuid"].encode() for record in records if "uuid" in record][-1]
    written, number = 0, 0
    with open(path, "wb") as out:
        while written < size:
            rename = lambda found: found[0] if found[0] in stay else own(found[0], number)
            later = lambda found: b'"timestamp":"%d-' % (int(found[1]) + number)
            before = b'"parentUuid":"%s"' % own(last, number - 1)
            for line in lines:
                line = TIME.sub(later, IDS.sub(rename, line))
                if number > 0 and b'"logicalParentUuid"' not in line:
                    line = line.replace(ROOT, before, 1)
                written += out.write(line + b"\n")
            number += 1
    print(f"{number} copies, {written} bytes", file=sys.stderr)


def main():
    arguments = sys.argv[1:]
    source = arguments.pop() if arguments[2:3] == ["--copies"] and len(arguments) == 4 else None
    if source:
        arguments.pop()
    if len(arguments) != 2 or not arguments[0].isdigit():
        sys.exit(f"error: expected a number of bytes and a file\nhint: {__doc__.splitlines()[2]}")
    size, path = int(arguments[0]), arguments[1]
    if source:
        copies(source, size, path)
    else:
        turns_of(size, path)


def turns_of(size, path):
    """The Pi session."""
    dice = random.Random(7)
    # Making texts is slow: a thousand turns are made and taken again and again, with their own ids and times.
    roles = ("assistant", "toolResult")
    turns = [[message(dice, "user", n)] + [message(dice, role, n) for _ in range(6) for role in roles] for n in range(1000)]
    spelled = [[json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in turn] for turn in turns]
    header = {"type": "session", "version": 3, "id": "long", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/home/dev"}
    written, number, parent = 0, 0, "null"
    with open(path, "w", encoding="utf-8") as out:
        written += out.write(json.dumps(header) + "\n")
        while written < size:
            for body in spelled[number // 13 % len(spelled)]:
                entry = f"{number:08x}"
                time = f"2026-01-{1 + number // 86400 % 28:02}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
                line = (
                    f'{{"type":"message","id":"{entry}","parentId":{parent},"timestamp":"{time}",'
                    f'"message":{body[:-1]},"timestamp":{1767225600000 + number * 1000}}}}}\n'
                )
                written += len(line.encode())
                out.write(line)
                parent, number = f'"{entry}"', number + 1
    print(f"{number} entries, {written} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
