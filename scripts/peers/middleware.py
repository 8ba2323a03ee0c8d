#!/usr/bin/env python3
"""Times LangChain's SummarizationMiddleware beside our replay of the same rule on the same sessions.

    pip install langchain && python3 scripts/peers/middleware.py FOLDER_OF_SESSIONS target/release/cutpoint [ROUNDS]

The sessions are the 20 longest of the folder that have a file to themselves. LangChain's loop is played without its graph: the
recorded messages are appended one by one, and before each reply `before_model` is called with the whole list, which it may
replace. A fake model answers at once. Ours is a whole `cutpoint run` of 50 strategies on one thread, reading and report included.
Rounds go in turn; figures are medians. If both do not compact equally often, stderr says so: then the ratio is of unlike work.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

sys.path.insert(0, str(Path(__file__).parent.parent / "cells"))
from longest import longest

SESSIONS = 20
# Of the grid of ours, LangChain gets the middle.
TRIGGERS = [16_000, 20_000, 24_000, 28_000, 32_000]
KEEPS = list(range(2_000, 12_000, 1_000))
TRIGGER, KEEP = TRIGGERS[2], KEEPS[5]
# LangChain's own default.
TRIM = 4_000
SUMMARY = "What was asked, what was done, what is left. " * 20

CONFIG = """name = "peers"
strategies = [{{ name = "langchain", stages = {{
  estimator = {{ kind = "langchain", chars_per_token = 4.0, scaling = true }},
  trigger = {{ kind = "langchain", when = {{ tokens = {trigger} }}, profile = false, input_budget = false }},
  cut = {{ kind = "langchain", keep = {{ tokens = {keep} }}, profile = false }},
  summarizer = {{ kind = "deepagents", template = "deepagents", trim_tokens = {trim} }},
}} }}]
transcripts = {paths}
meters = {meters}
models = [{{ name = "200k", window_tokens = 200000 }}]
[grid]
"trigger.when.tokens" = {triggers}
"cut.keep.tokens" = {keeps}
"""


def text(content: object) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part.get("text", "") for part in content)


def message(one: dict) -> object:
    role, said = one["role"], text(one.get("content"))
    if role in ("system", "developer"):
        return SystemMessage(said)
    if role == "user":
        return HumanMessage(said)
    if role == "tool":
        return ToolMessage(said, tool_call_id=one["tool_call_id"])
    calls = []
    for call in one.get("tool_calls") or []:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except json.JSONDecodeError:
            arguments = None
        # LangChain takes an object and nothing else.
        arguments = arguments if isinstance(arguments, dict) else {"arguments": call["function"]["arguments"]}
        calls.append({"name": call["function"]["name"], "args": arguments, "id": call["id"], "type": "tool_call"})
    return AIMessage(said, tool_calls=calls)


def read(program: str, path: Path) -> list:
    command = [program, "import", str(path), "--to", "openai", "--history", "full"]
    body = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return [message(one) for one in json.loads(body)["messages"]]


def replay(messages: list) -> tuple[float, int]:
    """Seconds, and compactions."""
    middleware = SummarizationMiddleware(
        FakeListChatModel(responses=[SUMMARY]), trigger=("tokens", TRIGGER), keep=("tokens", KEEP), trim_tokens_to_summarize=TRIM
    )
    context, compactions = [], 0
    start = time.perf_counter()
    for one in messages:
        if isinstance(one, AIMessage):
            update = middleware.before_model({"messages": context}, None)
            if update is not None:
                # The first says that all others go.
                context = update["messages"][1:]
                compactions += 1
        context.append(one)
    return time.perf_counter() - start, compactions


def ours(program: str, paths: list[Path], meters: list[str]) -> tuple[float, list[dict]]:
    """Seconds of a whole run, and its cells."""
    with tempfile.TemporaryDirectory() as folder:
        config = CONFIG.format(
            trigger=TRIGGER, keep=KEEP, trim=TRIM, triggers=TRIGGERS, keeps=KEEPS, meters=json.dumps(meters),
            paths=json.dumps([str(path) for path in paths]),
        )
        (Path(folder) / "peers.toml").write_text(config, encoding="utf-8")
        start = time.perf_counter()
        command = [program, "run", "--config", "peers.toml", "--fresh"]
        # LangChain has one thread.
        environment = os.environ | {"RAYON_NUM_THREADS": "1"}
        subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
        )
        taken = time.perf_counter() - start
        cells = (Path(folder) / "reports/peers/cells.jsonl").read_text(encoding="utf-8").splitlines()
        return taken, [json.loads(cell) for cell in cells]


def main() -> None:
    folder, program = sys.argv[1], str(Path(sys.argv[2]).resolve())
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    paths = longest(folder, program, SESSIONS)
    sessions = [read(program, path) for path in paths]
    theirs, plain, full = [], [], []
    compactions, cells = 0, []
    for _ in range(rounds):
        played = [replay(messages) for messages in sessions]
        theirs.append(sum(taken for taken, _ in played) / SESSIONS * 1e3)
        compactions = sum(count for _, count in played)
        taken, cells = ours(program, paths, ["structure"])
        plain.append(taken / len(cells) * 1e3)
        taken, cells = ours(program, paths, ["structure", "estimation", "cache", "goal"])
        full.append(taken / len(cells) * 1e3)
    same = [cell for cell in cells if f"cut.keep.tokens={KEEP},trigger.when.tokens={TRIGGER}" in cell["strategy"]]
    counted = int(sum(cell["measures"]["compactions_count"]["value"] for cell in same))
    if counted != compactions:
        print(f"unlike work: LangChain compacted {compactions} times, ours {counted} times", file=sys.stderr)
    print("what,ms_per_cell,cells,compactions_of_the_common_strategy")
    print(f"langchain,{statistics.median(theirs):.3f},{SESSIONS},{compactions}")
    print(f"ours: structure,{statistics.median(plain):.3f},{len(cells)},{counted}")
    print(f"ours: all meters,{statistics.median(full):.3f},{len(cells)},{counted}")
    print(f"ratio,{statistics.median(theirs) / statistics.median(plain):.1f},{statistics.median(theirs) / statistics.median(full):.1f}")


main()
