"""The five tools a recorded agent may call, really executed on a temporary repository.

Every function returns (text, is_error). Outputs are cleaned of everything that depends on the machine or
the moment: temporary paths, the interpreter's path, durations, positions inside the standard library.
"""

import os
import re
import subprocess
from pathlib import Path

READ_LINES = 2000
OUTPUT_BYTES = 50_000
GREP_HITS = 100

FIXED_DATE = "2026-03-02T09:00:00+00:00"


class Workbench:
    """A temporary home folder with one repository in it, and the environment commands run in."""

    def __init__(self, home, project, python):
        self.home = Path(home).resolve()
        self.root = self.home / project
        self.root.mkdir(parents=True)
        self.python = python
        shim = self.home / ".bin" / "python3"
        shim.parent.mkdir()
        shim.write_text(f"#!/bin/sh\nexec '{python}' \"$@\"\n")
        shim.chmod(0o755)
        self.env = {
            "PATH": f"{shim.parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNODEBUGRANGES": "1",
            "PYTHONUTF8": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "GIT_AUTHOR_DATE": FIXED_DATE,
            "GIT_COMMITTER_DATE": FIXED_DATE,
        }

    def clean(self, text):
        """Take the machine and the moment out of an output."""
        text = text.replace(str(self.home), "/home/dev").replace(self.python, "/usr/bin/python3")
        text = re.sub(r"(Ran \d+ tests?) in [\d.]+s", r"\1", text)
        text = re.sub(r'File "[^"]*/python3\.\d+/([^"]+)", line \d+', r'File "/usr/lib/python3/\1", line 1', text)
        return re.sub(r"\x1b\[[0-9;]*m", "", text)

    def run(self, tool, args):
        """Execute one call by its name."""
        if tool not in TOOLS:
            raise ValueError(f"unknown tool {tool!r}; known: {', '.join(sorted(TOOLS))}")
        text, error = TOOLS[tool](self, **args)
        return self.clean(text), error

    def path(self, relative):
        """A path inside the repository; anything outside is a fault of the plan."""
        full = (self.root / relative).resolve()
        if not full.is_relative_to(self.root):
            raise ValueError(f"{relative}: outside the repository")
        return full


def bash(bench, command, timeout=120):
    """Run a shell command in the repository; stdout and stderr are one stream, the last bytes are kept."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=bench.root,
        env=bench.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        umask=0o022,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace").rstrip("\n")
    if len(text.encode()) > OUTPUT_BYTES:
        text = "[start of the output left out]\n" + text.encode()[-OUTPUT_BYTES:].decode("utf-8", "ignore")
    if done.returncode:
        return f"{text}\n\n[exit code {done.returncode}]".lstrip("\n"), True
    return text or "(no output)", False


def read(bench, path, offset=1, limit=READ_LINES):
    """Lines of a file from `offset` (1 = first), with a note when more follow."""
    full = bench.path(path)
    if not full.is_file():
        return f"{path}: no such file", True
    lines = full.read_text(encoding="utf-8", errors="replace").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if offset > len(lines):
        return f"{path} has {len(lines)} lines; nothing at line {offset}", True
    part = lines[offset - 1 : offset - 1 + limit]
    text = "\n".join(part)
    left = len(lines) - (offset - 1 + len(part))
    if left > 0:
        text += f"\n\n[{left} more lines; go on with offset={offset + len(part)}]"
    return text, False


def write(bench, path, content):
    """Create or replace a file."""
    full = bench.path(path)
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(content, encoding="utf-8")
    return f"Wrote {len(content.encode())} bytes to {path}", False


def edit(bench, path, oldText, newText):  # noqa: N803 (the names are the tool's schema)
    """Replace one exact, unique text in a file."""
    full = bench.path(path)
    if not full.is_file():
        return f"{path}: no such file", True
    before = full.read_text(encoding="utf-8")
    found = before.count(oldText)
    if found != 1:
        why = "does not occur" if found == 0 else f"occurs {found} times"
        return f"{path}: the old text {why}; it must match exactly once", True
    full.write_text(before.replace(oldText, newText), encoding="utf-8")
    line = before[: before.index(oldText)].count("\n") + 1
    return f"Edited {path} at line {line}: {oldText.count(chr(10)) + 1} line(s) out, {newText.count(chr(10)) + 1} in", False


def grep(bench, pattern, path=".", glob="*"):
    """Lines that match a regular expression, sorted by path, as `path:line: text`."""
    start = bench.path(path)
    files = [start] if start.is_file() else sorted(f for f in start.rglob(glob) if f.is_file())
    hits = []
    for file in files:
        relative = file.relative_to(bench.root)
        if ".git" in relative.parts:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(pattern, line):
                hits.append(f"{relative}:{number}: {line.strip()}")
    if not hits:
        return "no match", False
    if len(hits) > GREP_HITS:
        hits = hits[:GREP_HITS] + [f"[{len(hits) - GREP_HITS} more matches]"]
    return "\n".join(hits), False


TOOLS = {"bash": bash, "read": read, "write": write, "edit": edit, "grep": grep}


def start_repository(bench, source):
    """Copy the plan's project into the bench and make the first commit."""
    for file in sorted(p for p in Path(source).rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        target = bench.root / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        target.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
    text, error = bash(bench, "git init -q -b main . && git add -A && git commit -q -m 'Import the project'")
    if error:
        raise RuntimeError(f"git could not start the repository: {text}")
