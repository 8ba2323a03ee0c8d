"""Uses a report as a reader would: opens it, sorts, filters, opens a compaction, follows a loss to its message, switches
the theme; and asks axe-core what a screen reader would stumble over.

Usage: report.py PAGE [AXE]    PAGE: index.html of a report against a base, with annotated items of which some are newly lost; AXE: axe.min.js of the package axe-core
Exit: 0 all is well, 1 it is not, 3 there is no browser.
"""

import csv
import json
import pathlib
import sys

from chromium import Browser, Failed, find


def expect(what, condition):
    if not condition:
        raise Failed(what)
    print("ok:", what)


def sorts(tab):
    column = """(() => {
      const table = document.querySelector('#strategies table');
      const heads = [...table.tHead.rows[1].cells];
      const index = heads.findIndex((head) => head.textContent.startsWith('Goal-loss'));
      return { index, values: [...table.tBodies[0].rows].map((row) => {
        const data = row.cells[index].querySelector('data'); return data ? Number(data.value) : null; }),
        sort: heads[index].getAttribute('aria-sort') };
    })()"""
    click = "document.querySelectorAll('#strategies thead button.sort')[%d].click()"
    index = tab.run(column)["index"]
    for sign, word in ((1, "ascending"), (-1, "descending")):
        tab.run(click % index)
        found = tab.run(column)
        numbers = [value for value in found["values"] if value is not None]
        expect(f"the strategy table sorts by goal-loss, {word}",
               len(numbers) > 1 and numbers == sorted(numbers, key=lambda value: sign * value) and found["sort"] == word)
        voids = found["values"][len(numbers):]
        expect("void stands last", voids and all(value is None for value in voids))
    expect("the sorting is announced", "Sorted by" in tab.run("document.getElementById('status').textContent"))


def filters(tab):
    shown = "[...document.querySelectorAll('#critical tbody tr')].filter((row) => row.offsetParent !== null).length"
    before = tab.run(shown)
    tab.run("""(() => { const input = document.querySelector('#critical input[type=search]');
      input.value = 'constraint'; input.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    after = tab.run(shown)
    expect(f"the filter leaves some rows and hides others ({after} of {before})", 0 < after < before)
    tab.run("""(() => { const input = document.querySelector('#critical input[type=search]');
      input.value = ''; input.dispatchEvent(new Event('input', { bubbles: true })); })()""")
    expect("an empty filter shows all again", tab.run(shown) == before)


def opens_a_compaction(tab):
    seen = "document.querySelector('.compaction summary').checkVisibility()"
    expect("a compaction is folded away at first", not tab.run(seen))
    tab.run("document.querySelector('.compaction').parentElement.querySelector('summary').click()")
    expect("its cell opens", tab.run(seen))
    tab.run("document.querySelector('.compaction > summary').focus()")
    tab.key("Enter", text="\r")
    expect("it opens from the keyboard", tab.run("document.querySelector('.compaction').open"))
    expect("its summary can be read",
           tab.run("[...document.querySelectorAll('.compaction[open] pre')].some((pre) => pre.checkVisibility())"))


def follows_a_loss(tab, section="#critical", what="a critical loss"):
    target = tab.run(f"""(() => {{ const link = document.querySelector('{section} a.said'); link.click();
      return link.getAttribute('href').slice(1); }})()""")
    tab.run("new Promise((done) => setTimeout(done, 700))")
    expect(f"{what} leads to the message that said it",
           tab.run(f"document.getElementById({json.dumps(target)}).checkVisibility()"))
    expect("the message has the focus", tab.run("document.activeElement.id") == target)
    box = tab.run(f"(() => {{ const box = document.getElementById({json.dumps(target)}).getBoundingClientRect();"
                  " return [box.top, innerHeight]; })()")
    expect("the message is in view", -5 <= box[0] < box[1])


def follows_what_is_new(tab):
    expect("two runs are compared", tab.run("document.querySelector('#against') !== null"))
    follows_a_loss(tab, "#against", "what was newly lost")


def follows_the_system(tab):
    label = "document.getElementById('theme').textContent"
    for scheme, said in (("dark", "Light theme"), ("light", "Dark theme")):
        tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        # The page is told with the next picture that is drawn.
        told = tab.run(f"""new Promise((done) => {{ let left = 100; const look = () => {label} === '{said}' || left-- === 0
          ? done({label}) : requestAnimationFrame(() => setTimeout(look, 20)); look(); }})""")
        expect(f"the button says what it does when the system turns {scheme}", told == said)
    tab.ask("Emulation.setEmulatedMedia", features=[])


def answers(tab, folder):
    """The six questions of a reader, answered from the first section alone, are those of the CSV files."""
    with open(folder / "verdicts.csv", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    said = tab.run("[...document.querySelectorAll('#glance dl > div')].map((one) => one.textContent)")
    expect("the first section has six answers", len(said) == 6)
    expect("who loses least per dollar", row["per_usd_strategy"] + ": goal-loss" in said[1] and f"{float(row['kept_per_usd']):.3f}" in said[1])
    expect("whether the difference is significant",
           ("No." in said[2]) == (row["significant_strategies"] == "0") and f"of at least {row['needed_lineages']} lineages" in said[2])
    expect("where the estimator fails", f"On {row['worst_class']}: {row['worst_class_estimator']}" in said[3]
           and "Over whole requests" in said[3])
    expect("what a compaction costs", f"${float(row['mean_one_time_usd']):.4f}" in said[4] and f"{float(row['mean_invalidated_tokens']):,.0f}" in said[4])
    expect("which rule was lost, and where it was said", ", said at line " in said[5] and ", lost by " in said[5])
    links = tab.run("""[...document.querySelectorAll('#glance dd')].map((one) =>
      [...one.querySelectorAll('a[href^="#"]')].map((link) => document.getElementById(link.hash.slice(1)) !== null))""")
    expect(f"every answer leads to its evidence {links}", len(links) == 6 and all(answer and all(answer) for answer in links))


def prints(tab):
    # A4 landscape within its margins: 273 mm at 96 dots an inch.
    tab.ask("Emulation.setDeviceMetricsOverride", width=1030, height=720, deviceScaleFactor=1, mobile=False)
    tab.ask("Emulation.setEmulatedMedia", media="print")
    expect("on paper no table is wider than the page",
           tab.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    tab.ask("Emulation.setEmulatedMedia", media="")
    tab.ask("Emulation.clearDeviceMetricsOverride")


def switches_the_theme(tab):
    paper = "getComputedStyle(document.body).backgroundColor"
    before = tab.run(paper)
    tab.run("document.getElementById('theme').click()")
    expect("the theme switches", tab.run(paper) != before)
    tab.run("document.getElementById('theme').click()")
    expect("the theme switches back", tab.run(paper) == before)


def accessible(tab, axe):
    tab.run(axe + "\n;0")
    # One of every kind is open: what is folded away is not looked at, and all of it would take minutes.
    tab.run("""document.querySelectorAll('details').forEach((one) => { one.open = false; });
      for (const kind of ['figure details', '#items details', '#compactions > details', '.compaction', '.compaction details',
        '#messages details', '#cells details', '#measures details', '#run details']) {
        const one = document.querySelector(kind); if (one) one.open = true;
      }
      [...document.querySelectorAll('.messages li')].slice(8).forEach((one) => one.remove()); scrollTo(0, 0)""")
    for theme in ("light", "dark"):
        tab.run(f"document.documentElement.dataset.theme = '{theme}'")
        faults = tab.run("""axe.run(document, { resultTypes: ['violations'], preload: false }).then((found) => found.violations.map((one) =>
          one.id + ': ' + one.help + ' × ' + one.nodes.length + ' such as ' + one.nodes[0].html.slice(0, 160)))""")
        expect(f"axe finds no violation in the {theme} theme\n  " + "\n  ".join(faults), not faults)


def main(page, axe=None):
    tab = Browser()
    try:
        seconds = tab.open(pathlib.Path(page).resolve().as_uri())
        print(f"opened in {seconds:.2f} s")
        expect("the page has its verdict", "Which strategy forgets least?" in tab.run("document.getElementById('verdict').textContent"))
        answers(tab, pathlib.Path(page).resolve().parent)
        for step in (sorts, filters, opens_a_compaction, follows_a_loss, follows_what_is_new, follows_the_system, switches_the_theme, prints):
            step(tab)
        expect("nothing scrolls sideways but tables",
               tab.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
        # Before axe, whose own words are not the page's.
        expect("the console is silent, and nothing is loaded\n  " + "\n  ".join(tab.complaints), not tab.complaints)
        if axe:
            accessible(tab, pathlib.Path(axe).read_text(encoding="utf-8"))
        else:
            print("SKIPPED: no axe-core")
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
