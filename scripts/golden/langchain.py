#!/usr/bin/env python3
"""Writes tests/golden/langchain.json: what LangChain counts of every message of the shared Pi sessions. Numbers only, no text.

    python3 -m venv VENV && VENV/bin/pip install langchain-core==1.8.3
    VENV/bin/python scripts/golden/langchain.py ../shared/transcripts/pi > tests/golden/langchain.json

Made with Python 3.11.7 (its Unicode version, 14.0, decides what `repr` escapes) and langchain-core 1.8.3. The files are read here
with Python's `json`, not by our import. How a recorded message becomes a LangChain message (the same rules as in
`engine::langchain::from_transcript`):

- at most one text is a string, any other content a list of blocks; in a `plain` reply all texts are one string;
- calls are `tool_calls`; a `plain` reply (chat completions) has no reasoning; a reply in `blocks` (Anthropic) of anything but one
  text is a list of `thinking`, `text` and `tool_use` blocks, and has `tool_calls` as well;
- a result is a ToolMessage with the call's id and the tool's name; text of an extension and a shell command are HumanMessages,
  the latter worded as Pi sends it;
- `usage_metadata` is the recorded usage, cached tokens included, and `model_provider` the recorded provider.

messages   line, then tokens at 4 and at 3.3 characters: as `plain`, and as `blocks`
lists      of all messages of a session that did not fail, the first so many: without tools, with those of tests/golden/deepagents/tools.json,
           with usage scaling, and with both; at 4 and at 3.3 characters, each as `plain` and as `blocks`
"""

import json
import pathlib
import platform
import sys
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

TOOLS = json.loads(pathlib.Path("tests/golden/deepagents/tools.json").read_text(encoding="utf-8"))
RATES = (4.0, 3.3)
DIALECTS = ("plain", "blocks")


def content(blocks):
    if isinstance(blocks, str):
        return blocks
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    if len(blocks) == len(texts) < 2:
        return "".join(texts)
    return [block_of(block) for block in blocks]


def block_of(block):
    kind = block["type"]
    if kind == "text":
        return {"type": "text", "text": block["text"]}
    if kind == "thinking":
        signature = block.get("thinkingSignature")
        return {"type": "thinking", "thinking": block["thinking"]} | ({"signature": signature} if signature is not None else {})
    if kind == "toolCall":
        return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": block["arguments"]}
    raise SystemExit(f"a block of the kind {kind}: say in this script what it becomes")


def shell(message):
    output = message["output"]
    text = f"Ran `{message['command']}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif message.get("exitCode") not in (None, 0):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    if message.get("truncated") and message.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


def reply(message, dialect):
    blocks = message["content"]
    calls = [
        {"name": block["name"], "args": block["arguments"], "id": block["id"], "type": "tool_call"}
        for block in blocks
        if block["type"] == "toolCall"
    ]
    plain = "".join(block["text"] for block in blocks if block["type"] == "text")
    usage = message["usage"]
    read, write = usage["cacheRead"], usage["cacheWrite"]
    inputs = usage["input"] + read + write
    return AIMessage(
        content=plain if dialect == "plain" else content(blocks),
        tool_calls=calls,
        usage_metadata={"input_tokens": inputs, "output_tokens": usage["output"], "total_tokens": inputs + usage["output"]},
        response_metadata={"model_provider": message["provider"]},
    )


def converted(record, dialect):
    """The LangChain message of a record; None for what is no message."""
    if record["type"] == "custom_message":
        return HumanMessage(content(record["content"]))
    if record["type"] != "message":
        return None
    message = record["message"]
    match message["role"]:
        case "user":
            return HumanMessage(content(message["content"]))
        case "assistant":
            return reply(message, dialect)
        case "toolResult":
            return ToolMessage(content(message["content"]), tool_call_id=message["toolCallId"], name=message["toolName"])
        case "bashExecution":
            return HumanMessage(shell(message))
        case role:
            raise SystemExit(f"a message of the role {role}: say in this script what it becomes")


def session(path):
    with open(path, encoding="utf-8") as file:
        records = [(line, json.loads(text)) for line, text in enumerate(file, 1)]
    both = [(line, record, [converted(record, dialect) for dialect in DIALECTS]) for line, record in records]
    both = [row for row in both if row[2][0] is not None]
    counts = [[line, *(count_tokens_approximately([one], chars_per_token=rate) for one in each for rate in RATES)] for line, _, each in both]
    sent = [each for _, record, each in both if record.get("message", {}).get("stopReason") not in ("error", "aborted")]
    lists = []
    for length in sorted({1, 2, 3, *range(5, len(sent), 29), len(sent)}):
        tokens = [
            count_tokens_approximately([each[at] for each in sent[:length]], chars_per_token=rate, **more)
            for more in ({}, {"tools": TOOLS}, {"use_usage_metadata_scaling": True}, {"tools": TOOLS, "use_usage_metadata_scaling": True})
            for rate in RATES
            for at in range(len(DIALECTS))
        ]
        lists.append([length, *tokens])
    return {"messages": counts, "lists": lists}


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl"))
    sessions = {file.name: session(file) for file in files}
    rows = lambda rows: "[\n    " + ",\n    ".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n   ]"
    made_with = json.dumps({"langchain-core": version("langchain-core"), "python": platform.python_version()})
    body = ",\n".join(
        f'  {json.dumps(name)}: {{\n   "messages": {rows(one["messages"])},\n   "lists": {rows(one["lists"])}\n  }}'
        for name, one in sessions.items()
    )
    print(f'{{\n "made_with": {made_with},\n "sessions": {{\n{body}\n }}\n}}')


main()
