"""Build a session file (Pi format, version 3) step by step while the tools really run."""

import datetime
import hashlib
import json

PROVIDER, MODEL, API = "recorder", "scripted", "none"


class Session:
    """A linear session. A plan calls `user`, `agent`, `shell`, `note`, `label`, `thinking`."""

    def __init__(self, name, start, bench):
        self.name = name
        self.bench = bench
        self.now = datetime.datetime.fromisoformat(start)
        self.entries = []
        self.tags = {}
        self.calls = 0
        header = {
            "type": "session",
            "version": 3,
            "id": self._hex("session", 32),
            "timestamp": self._iso(),
            "cwd": f"/home/dev/{bench.root.name}",
        }
        self.header = header
        self._add("model_change", provider=PROVIDER, modelId=MODEL)
        self._add("thinking_level_change", thinkingLevel="medium")

    # -- steps of a plan --------------------------------------------------------------------------------

    def user(self, text, tag=None):
        """The person says something. Reading the last answer and typing take time."""
        self._pass(25 + len(text) / 6, spread=90)
        self._message({"role": "user", "content": [{"type": "text", "text": text.strip()}]}, tag)

    def agent(self, text, *calls, think=None, tag=None, stop=None):
        """One reply: text, then calls `(tool, arguments)` which are executed in order.

        `tag` names the assistant entry; the result of call n gets the tag `TAG.n` (from 1).
        """
        text = text.strip()
        blocks = [{"type": "thinking", "thinking": think.strip()}] if think else []
        if text:
            blocks.append({"type": "text", "text": text})
        ids = []
        for tool, arguments in calls:
            self.calls += 1
            ids.append("call_" + self._hex(f"call{self.calls}", 12))
            blocks.append({"type": "toolCall", "id": ids[-1], "name": tool, "arguments": arguments})
        written = sum(len(json.dumps(b, ensure_ascii=False)) for b in blocks)
        began = self.now
        self._pass(1.5 + written / 180, spread=4)
        message = {
            "role": "assistant",
            "content": blocks,
            "api": API,
            "provider": PROVIDER,
            "model": MODEL,
            "stopReason": stop or ("toolUse" if calls else "stop"),
        }
        self._message(message, tag, began)
        for number, ((tool, arguments), call_id) in enumerate(zip(calls, ids), 1):
            output, error = self.bench.run(tool, arguments)
            self._pass(0.2 + len(output) / 4000 + (1.5 if tool == "bash" else 0), spread=2)
            result = {
                "role": "toolResult",
                "toolCallId": call_id,
                "toolName": tool,
                "content": [{"type": "text", "text": output}],
                "isError": error,
            }
            self._message(result, f"{tag}.{number}" if tag else None)

    def shell(self, command, tag=None):
        """The person runs a command in the agent's prompt."""
        self._pass(20, spread=60)
        output, error = self.bench.run("bash", {"command": command})
        message = {
            "role": "bashExecution",
            "command": command,
            "output": output,
            "exitCode": 1 if error else 0,
            "cancelled": False,
            "truncated": False,
        }
        self._message(message, tag)

    def note(self, custom_type, text, tag=None):
        """Text put into the context by an extension."""
        self._pass(1, spread=2)
        self._add("custom_message", tag, customType=custom_type, content=text.strip(), display=True)

    def label(self, tag, label):
        """A bookmark on an earlier entry."""
        self._pass(5, spread=10)
        self._add("label", targetId=self.tags[tag], label=label)

    def thinking(self, level):
        """The person changes the thinking level."""
        self._pass(5, spread=10)
        self._add("thinking_level_change", thinkingLevel=level)

    # -- output -----------------------------------------------------------------------------------------

    def lines(self):
        """The file, one compact JSON object a line."""
        dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # noqa: E731
        return "".join(dump(value) + "\n" for value in [self.header, *self.entries])

    # -- inside -----------------------------------------------------------------------------------------

    def _message(self, message, tag, at=None):
        message["timestamp"] = int((at or self.now).timestamp() * 1000)
        self._add("message", tag, message=message)

    def _add(self, kind, tag=None, **fields):
        entry_id = self._hex(f"entry{len(self.entries)}", 8)
        parent = self.entries[-1]["id"] if self.entries else None
        self.entries.append({"type": kind, "id": entry_id, "parentId": parent, "timestamp": self._iso(), **fields})
        if tag:
            if tag in self.tags:
                raise ValueError(f"tag {tag!r} used twice")
            self.tags[tag] = entry_id

    def _hex(self, what, digits):
        return hashlib.sha256(f"{self.name}/{what}".encode()).hexdigest()[:digits]

    def _pass(self, seconds, spread):
        """Let time go by: a base from the size of the step plus a share of `spread` fixed by its place."""
        share = int(self._hex(f"time{len(self.entries)}/{self.calls}", 4), 16) / 0xFFFF
        self.now += datetime.timedelta(milliseconds=round((seconds + spread * share) * 1000))

    def _iso(self):
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"


def entry_text(entry):
    """Everything readable in an entry: what a pattern of an item may be found in."""
    if entry["type"] == "custom_message":
        return entry["content"]
    message = entry.get("message", {})
    if message.get("role") == "bashExecution":
        return message["command"] + "\n" + message["output"]
    parts = []
    for block in message.get("content", []):
        if block["type"] == "toolCall":
            parts.extend(str(value) for value in block["arguments"].values())
        else:
            parts.append(block.get("text") or block.get("thinking") or "")
    return "\n".join(parts)
