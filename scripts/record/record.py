#!/usr/bin/env python3
"""Record the sessions under datasets/: play a plan's script, really run its tool calls, write what happened.

    python3 scripts/record/record.py --all --out datasets      write every dataset
    python3 scripts/record/record.py --plan NAME --out DIR     write one
    python3 scripts/record/record.py --check                   record again and compare with datasets/
"""

import argparse
import importlib
import json
import sys
import tempfile
import tomllib
from pathlib import Path

import session as sessions
import tools

HERE = Path(__file__).resolve().parent
REPO = HERE.parent.parent
PLANS = ("debug_flaky_cache", "feature_offline_mode", "chinese_invoice")
LICENSE = "MIT OR Apache-2.0"
FILES = ("session.jsonl", "dataset.toml", "items.toml")
CATEGORIES = ("goal", "constraint", "decision", "artifact", "progress", "value", "error")
MIN_REQUESTS, MIN_TURNS, MIN_ITEMS, MAX_BYTES = 60, 6, 20, 700_000

TOOL_SCHEMAS = (
    (
        "read",
        "Read a text file. Long files come in parts: give offset (first line, from 1) and limit (lines).",
        {"path": "string", "offset": "integer", "limit": "integer"},
        ["path"],
    ),
    (
        "bash",
        "Run a shell command in the project folder. Output and errors come as one text; a failure adds the exit code.",
        {"command": "string", "timeout": "integer"},
        ["command"],
    ),
    (
        "edit",
        "Replace one exact text in a file. oldText must occur exactly once, whitespace included.",
        {"path": "string", "oldText": "string", "newText": "string"},
        ["path", "oldText", "newText"],
    ),
    (
        "write",
        "Create a file or replace all of it. Missing folders are made.",
        {"path": "string", "content": "string"},
        ["path", "content"],
    ),
    (
        "grep",
        "Find lines that match a regular expression below a path; glob restricts the file names.",
        {"pattern": "string", "path": "string", "glob": "string"},
        ["pattern"],
    ),
)


def record(plan):
    """Play one plan in a fresh folder; returns (files by name, session)."""
    with tempfile.TemporaryDirectory(prefix="record-") as home:
        bench = tools.Workbench(home, plan.PROJECT, sys.executable)
        tools.start_repository(bench, HERE / "projects" / plan.PROJECT)
        session = sessions.Session(plan.NAME, plan.START, bench)
        plan.play(session)
    files = {
        "session.jsonl": session.lines(),
        "dataset.toml": dataset_toml(plan),
        "items.toml": items_toml(plan, session),
    }
    return files, session


def quote(text):
    """A TOML basic string; JSON's escapes are valid TOML (no control characters occur here)."""
    return json.dumps(text, ensure_ascii=False)


def block(text):
    """A TOML multi-line basic string."""
    return '"""\n' + text.strip().replace("\\", "\\\\").replace('"""', '\\"""') + '\n"""'


def dataset_toml(plan):
    out = ["# Written by scripts/record/record.py from the plan; do not edit by hand.\n"]
    out.append(f"name = {quote(plan.NAME)}\ntitle = {quote(plan.TITLE)}\ndescription = {quote(plan.DESCRIPTION)}\n")
    out.append(f"language = {quote(plan.LANGUAGE)}\nlicense = {quote(LICENSE)}\nlineage = {quote(plan.NAME)}\n")
    out.append(f"\n[head]\nsystem = {block(plan.SYSTEM)}\n")
    for name, description, fields, required in TOOL_SCHEMAS:
        schema = {
            "type": "object",
            "properties": {field: {"type": kind} for field, kind in fields.items()},
            "required": required,
        }
        out.append(f"\n[[head.tools]]\nname = {quote(name)}\ndescription = {quote(description)}\n")
        out.append(f"parameters = {block(json.dumps(schema, indent=2))}\n")
    return "".join(out)


def items_toml(plan, session):
    out = ["# Frozen annotations, written by scripts/record/record.py from the plan; do not edit by hand.\n"]
    for item in plan.ITEMS:
        out.append(f"\n[[item]]\nid = {quote(item['id'])}\ncategory = {quote(item['category'])}\n")
        out.append(f"text = {quote(item['text'])}\nweight = {float(item.get('weight', 1.0))}\n")
        if item.get("critical"):
            out.append("critical = true\n")
        out.append(f"source = {json.dumps([session.tags[tag] for tag in item['source']])}\n")
        if "superseded_by" in item:
            out.append(f"superseded_by = {quote(item['superseded_by'])}\n")
        if "done_at" in item:
            out.append(f"done_at = {quote(session.tags[item['done_at']])}\n")
        slots = ", ".join("[" + ", ".join(map(quote, slot)) + "]" for slot in item["must"])
        out.append(f"must = [{slots}]\n")
        if "must_not" in item:
            out.append(f"must_not = [{', '.join(map(quote, item['must_not']))}]\n")
    return "".join(out)


# -- checks of what was written ---------------------------------------------------------------------------


def faults(files):
    """Everything wrong with one dataset, as lines."""
    head = tomllib.loads(files["dataset.toml"])
    items = tomllib.loads(files["items.toml"])["item"]
    entries = [json.loads(line) for line in files["session.jsonl"].splitlines()][1:]
    found = [*entry_faults(entries), *item_faults(items, entries, head["head"]["system"])]
    if len(files["session.jsonl"].encode()) > MAX_BYTES:
        found.append(f"session.jsonl is larger than {MAX_BYTES} bytes")
    return found


def entry_faults(entries):
    ids = [entry["id"] for entry in entries]
    if len(set(ids)) != len(ids):
        yield "an entry id occurs twice"
    for before, entry in zip([None, *ids], entries):
        if entry["parentId"] != before:
            yield f"{entry['id']}: parent is not the entry before it"
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    roles = [message["role"] for message in messages]
    for role, least in (("assistant", MIN_REQUESTS), ("user", MIN_TURNS)):
        if roles.count(role) < least:
            yield f"{roles.count(role)} {role} messages, at least {least} wanted"
    open_calls = []
    for message in messages:
        if message["role"] == "toolResult":
            if not open_calls or message["toolCallId"] != open_calls.pop(0):
                yield f"result {message['toolCallId']} does not answer the next open call"
            continue
        if open_calls:
            yield f"calls without a result: {open_calls}"
        if message["role"] == "assistant":
            open_calls = [b["id"] for b in message["content"] if b["type"] == "toolCall"]
    if open_calls:
        yield f"calls without a result: {open_calls}"


def normal(text):
    """Lower case, one space for each run of white space: how items are matched."""
    return " ".join(text.lower().split())


def item_faults(items, entries, system):
    texts = {entry["id"]: normal(sessions.entry_text(entry)) for entry in entries}
    ids = [item["id"] for item in items]
    if len(items) < MIN_ITEMS:
        yield f"{len(items)} items, at least {MIN_ITEMS} wanted"
    if len(set(ids)) != len(ids):
        yield "an item id occurs twice"
    for category in CATEGORIES:
        if not any(item["category"] == category for item in items):
            yield f"no item of category {category}"
    for item in items:
        yield from (f"item {item['id']}: {fault}" for fault in one_item(item, texts, set(ids), normal(system)))


def one_item(item, texts, ids, system):
    if item["category"] not in CATEGORIES:
        yield f"unknown category {item['category']}"
    if item.get("superseded_by", item["id"]) not in ids:
        yield f"superseded_by names no item: {item['superseded_by']}"
    missing = [s for s in [*item["source"], *([item["done_at"]] if "done_at" in item else [])] if s not in texts]
    if missing:
        yield f"unknown entries {missing}"
        return
    source = "\n".join(texts[s] for s in item["source"])
    for slot in item["must"]:
        if not any(normal(choice) in source for choice in slot):
            yield f"no alternative of {slot} occurs in its source"
        for choice in slot:
            if len(item["must"]) == 1 and normal(choice) in system:
                yield f"{choice!r} occurs in the system prompt"
    if all(any(normal(choice) in system for choice in slot) for slot in item["must"]):
        yield "all its slots match the system prompt"
    for choice in item.get("must_not", []):
        if any(normal(choice) in normal(other) for slot in item["must"] for other in slot):
            yield f"must_not {choice!r} is part of a must"


# -- command line -----------------------------------------------------------------------------------------


def sizes(files):
    """(messages, requests, user turns, bytes of the file, items)"""
    entries = [json.loads(line) for line in files["session.jsonl"].splitlines()][1:]
    roles = [entry["message"]["role"] for entry in entries if entry["type"] == "message"]
    items = len(tomllib.loads(files["items.toml"])["item"])
    return len(roles), roles.count("assistant"), roles.count("user"), len(files["session.jsonl"].encode()), items


def main():
    parser = argparse.ArgumentParser(description="Record the sessions under datasets/.")
    parser.add_argument("--all", action="store_true", help="record every plan")
    parser.add_argument("--plan", choices=PLANS, help="record one plan")
    parser.add_argument("--out", type=Path, default=REPO / "datasets", help="folder to write to (or compare with)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a new recording differs")
    args = parser.parse_args()
    if not (args.all or args.plan or args.check):
        parser.error("say --all, --plan NAME or --check")
    bad = False
    for name in [args.plan] if args.plan else PLANS:
        plan = importlib.import_module(f"plans.{name}")
        files, _ = record(plan)
        folder = args.out / plan.NAME
        problems = faults(files)
        if args.check:
            problems += [
                f"{folder / file} differs from a new recording"
                for file in FILES
                if not (folder / file).is_file() or (folder / file).read_text(encoding="utf-8") != files[file]
            ]
        else:
            folder.mkdir(parents=True, exist_ok=True)
            for file in FILES:
                (folder / file).write_text(files[file], encoding="utf-8")
        print("{}: {} messages, {} requests, {} user turns, {} bytes, {} items".format(plan.NAME, *sizes(files)))
        for problem in problems:
            bad = True
            print(f"{plan.NAME}: {problem}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
