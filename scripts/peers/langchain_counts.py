#!/usr/bin/env python3
"""Times LangChain on a session that generate.py wrote: python3 langchain_counts.py FILE. Needs `pip install langchain-core`.

Prints milliseconds, the median of the calls, as CSV: what, ms, value.
"""

import json
import statistics
import sys
import time

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately


def load(path: str) -> list:
    messages = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["type"] != "message":
                continue
            message = record["message"]
            content = message["content"]
            if message["role"] == "user":
                messages.append(HumanMessage(content))
            elif message["role"] == "toolResult":
                messages.append(ToolMessage(content[0]["text"], tool_call_id=message["toolCallId"]))
            else:
                said = "".join(block["text"] for block in content if block["type"] == "text")
                calls = [
                    {"name": block["name"], "args": block["arguments"], "id": block["id"], "type": "tool_call"}
                    for block in content
                    if block["type"] == "toolCall"
                ]
                messages.append(AIMessage(said, tool_calls=calls))
    return messages


def timed(what: str, call, times: int) -> None:
    taken, value = [], None
    for _ in range(times):
        start = time.perf_counter()
        value = call()
        taken.append((time.perf_counter() - start) * 1e3)
    value = value if isinstance(value, int) else len(value)
    print(f"{what},{statistics.median(taken):.3f},{value}")


def main() -> None:
    path = sys.argv[1]
    print("what,ms,value")
    timed("load", lambda: load(path), 5)
    messages = load(path)
    timed("count_tokens_approximately", lambda: count_tokens_approximately(messages), 15)
    timed(
        "trim_messages",
        lambda: trim_messages(
            messages, max_tokens=20_000, token_counter=count_tokens_approximately, strategy="last", start_on="human"
        ),
        9,
    )


main()
