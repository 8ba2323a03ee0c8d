"""Plants an attack in every text of a run, makes its report again and opens it: nothing runs, nothing is loaded, nothing makes the page
wider than a phone, no CSV field is a formula, and it can be read with the keyboard, on paper and without motion.

Usage: hostile.py RUN CUTPOINT    RUN: a run folder with items, probes and judgements, which is changed; CUTPOINT: the program
Exit: 0 all is well, 1 it is not, 3 there is no browser.
"""

import csv
import json
import pathlib
import re
import subprocess
import sys

from chromium import Browser, Failed, find
from report import expect

ATTACK = ("=cmd|' /C calc'!A0 \"'><script>window.hacked=1</script><img src=x onerror=window.hacked=1></style></pre><!--]]>"
          "\u202e\u2066\u2028\0\ufeff`|*_[x](javascript:1)\n@you " + "w" * 300 + " 👨\u200d👩\u200d👧 שלום 12 مرحبا")
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
    expect("the Markdown holds no tag and no hidden character", not re.search("<script|<img|\u202e|\u2028|\0", text))
    pipes = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")]
    expect("every row of its tables has the fields of its header", len(set(pipes)) == 1)


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
    seen = []
    for _ in range(12):
        tab.key("Tab")
        seen.append(tab.run("document.activeElement.className + ' ' + document.activeElement.tagName + ' ' + document.activeElement.id"))
    expect(f"the first stop of the keyboard skips to the content {seen[:3]}", seen[0].startswith("skip A"))
    expect("the keyboard reaches the theme and the sections", any("theme" in one for one in seen) and len(set(seen)) > 1)


def paper(tab):
    tab.ask("Emulation.setEmulatedMedia", media="print")
    hidden = tab.run("""[...document.querySelectorAll('nav, #theme, .filter')].every((one) => getComputedStyle(one).display === 'none')""")
    folded = tab.run("[...document.querySelectorAll('#glance dd')].every((one) => one.getBoundingClientRect().height > 0)")
    expect("on paper the answers stand and the buttons do not", hidden and folded)
    tab.ask("Emulation.setEmulatedMedia", media="")


def motion(tab):
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    moves = tab.run("document.getAnimations().length")
    expect("nothing moves", moves == 0)
    tab.ask("Emulation.setEmulatedMedia", features=[])


def main(run, cutpoint):
    run = pathlib.Path(run).resolve()
    plant(run)
    subprocess.run([cutpoint, "report", str(run)], check=True, stdout=subprocess.DEVNULL)
    no_formula(run)
    markdown(run)
    tab = Browser()
    try:
        for width in (1320, 390):
            opened(tab, run / "index.html", width)
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
