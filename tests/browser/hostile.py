"""Plants an attack in every text of a run, makes its report again and opens it: nothing runs, nothing is loaded, nothing makes the page
wider than a phone, no CSV field is a formula, and it can be read with the keyboard, on paper and without motion.

Usage: hostile.py RUN BASE CUTPOINT    RUN: a run folder with items, probes and summaries; BASE: one that forgets less; both are changed,
and RUN gets judgements; CUTPOINT: the program
Exit: 0 all is well, 1 it is not, 3 there is no browser.
"""

import csv
import itertools
import json
import pathlib
import re
import subprocess
import sys

from chromium import Browser, Failed, find
from report import expect

ATTACK = ("=cmd|' /C calc'!A0 \"'><script>window.hacked=1</script><img src=x onerror=window.hacked=1></style></pre><!--]]>"
          "\u202e\u2066\u2028\0\ufeff\u3164`|*_[x](javascript:1)\n@you " + "w" * 300 + " 👨\u200d👩\u200d👧 שלום 12 مرحبا")
# Words that the program chooses: no transcript can set them.
FIXED = {"event", "direction", "fate", "category", "history", "checkpoint", "verdict", "condition", "kind", "rubric", "unit", "config"}
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def planted(value, key=""):
    """Equal texts stay equal, so that records still find each other."""
    if isinstance(value, str):
        return value if key in FIXED else "=" + value + ATTACK
    if isinstance(value, list):
        return [planted(one, key) for one in value]
    if isinstance(value, dict):
        name = (lambda name: planted(name)) if key == "fates" else (lambda name: name)
        return {name(one): planted(inner, "fate" if key == "fates" else one) for one, inner in value.items()}
    return value


def judged(run):
    """A judgement of every cell with a summary: of the recorded one, as runs of before say it."""
    cells = [json.loads(line) for line in (run / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
    base = {"judge": "chat:judge", "most": 2, "summary_sha256": None, "regression_sha256": "cc" * 32}
    records = [base | {"judgement": f"{at:016x}", "cell": cell["cell"], "strategy": cell["strategy"], "transcript": cell["transcript"],
                       "lineage": cell["lineage"], "rubric": "strict", "item": item["item"], "grade": None if at % 2 else 1,
                       "void": "its evidence stands nowhere" if at % 2 else None, "evidence": "words of " + item["item"]}
               for cell in cells for at, item in enumerate(cell["items"])]
    (run / "judgements.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def plant(run):
    for path in run.glob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        records = [planted(record) for record in records]
        if path.name == "messages.jsonl":
            records[1]["text"] += "one of ten thousand lines\n" * 10_000
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    measures = manifest["measures"]
    manifest = planted(manifest) | {"measures": [one | {"about": planted(one["about"])} for one in measures]}
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def no_formula(run):
    for path in sorted(run.glob("*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                for field in row:
                    if field[:1] in tuple("=+-@\t\r\n＝＋－＠") and not NUMBER.fullmatch(field):
                        raise Failed(f"{path.name} holds a formula: {field[:60]!r}")
    print("ok: no field of a CSV file is a formula")


def markdown(run):
    text = (run / "report.md").read_text(encoding="utf-8")
    expect("the Markdown holds no tag and no hidden character", not re.search("<script|<img|\u202e|\u2028|\u3164|\0", text))
    lines = [line if line.startswith("|") else "" for line in text.splitlines()]
    tables = [list(rows) for is_table, rows in itertools.groupby(lines, bool) if is_table]
    pipes = [{len(re.findall(r"(?<!\\)\|", row)) for row in rows} for rows in tables]
    expect("every row of its tables has the fields of its header", len(pipes) > 1 and all(len(one) == 1 for one in pipes))


def opened(tab, page, width):
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    tab.open(page.as_uri())
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; }); new Promise((done) => setTimeout(done, 300))")
    wide = tab.run("""(() => { const most = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= most) return '';
      const inner = (one) => one.closest('.scroll, pre, .sr, .skip');
      return [...document.body.querySelectorAll('*')].filter((one) => !inner(one) && one.getBoundingClientRect().right > most + 1)
        .slice(0, 5).map((one) => one.outerHTML.slice(0, 120)).join('\\n'); })()""")
    expect(f"nothing is wider than {width} pixels\n{wide}", not wide)


def keyboard(tab):
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = false; }); scrollTo(0, 0); document.activeElement.blur()")
    links = tab.run("[...document.querySelectorAll('nav a')].map((one) => one.hash)")
    seen = []
    # The link to the content, the theme, and every section.
    for _ in range(2 + len(links)):
        tab.key("Tab")
        seen.append(tab.run("document.activeElement.className + document.activeElement.id + (document.activeElement.hash || '')"))
    expect(f"the first stop of the keyboard skips to the content {seen[:3]}", seen[0].startswith("skip"))
    expect(f"the keyboard reaches the theme and all {len(links)} sections", len(links) > 10 and seen[1:] == ["theme", *links])


def paper(tab):
    tab.ask("Emulation.setEmulatedMedia", media="print")
    shown = tab.run("""['nav', '#theme', '.filter'].map((kind) => [...document.querySelectorAll(kind)].map((one) => getComputedStyle(one).display))""")
    expect(f"on paper there is nothing to press {shown}", all(kind and set(kind) == {"none"} for kind in shown))
    heights = tab.run("[...document.querySelectorAll('#glance dd')].map((one) => one.getBoundingClientRect().height)")
    expect(f"on paper the answers stand {heights}", len(heights) == 6 and all(height > 0 for height in heights))
    tab.ask("Emulation.setEmulatedMedia", media="")


def motion(tab):
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    moves = tab.run("document.getAnimations().length")
    expect("nothing moves", moves == 0)
    tab.ask("Emulation.setEmulatedMedia", features=[])


def attacked(tab):
    # What is planted begins every text; a section that lacks it was not attacked.
    for section in ("glance", "verdict", "against", "judgements", "questions", "messages", "items", "compactions", "classes"):
        text = tab.run(f"(document.getElementById('{section}') || {{ textContent: '' }}).textContent")
        expect(f"#{section} shows the attack as text", "<script>window.hacked=1</script>" in text or "=cmd|' /C" in text)


def main(run, base, cutpoint):
    run, base = pathlib.Path(run).resolve(), pathlib.Path(base).resolve()
    judged(run)
    for folder in (run, base):
        plant(folder)
    subprocess.run([cutpoint, "report", str(run), "--against", str(base)], check=True, stdout=subprocess.DEVNULL)
    no_formula(run)
    markdown(run)
    tab = Browser()
    try:
        for width in (1320, 390):
            opened(tab, run / "index.html", width)
        attacked(tab)
        expect("nothing was run", tab.run("window.hacked") is None)
        expect("no markup was planted", tab.run("document.querySelectorAll('img, body script:not(:last-of-type)').length") == 0)
        expect("messages of ten thousand lines are there, and scroll in a box of their own",
               tab.run("[...document.querySelectorAll('.messages pre')].some((one) => one.scrollHeight > 20 * one.clientHeight)"))
        keyboard(tab)
        paper(tab)
        motion(tab)
        expect("the console is silent, and nothing is loaded\n  " + "\n  ".join(tab.complaints), not tab.complaints)
    finally:
        tab.close()


if __name__ == "__main__":
    if find() is None:
        sys.exit(3)
    try:
        main(*sys.argv[1:])
    except Failed as failed:
        print("FAILED:", failed)
        sys.exit(1)
