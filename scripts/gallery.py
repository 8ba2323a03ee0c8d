#!/usr/bin/env python3
"""Takes the pictures of the README: parts of a report, in headless Chromium.

Usage: scripts/gallery.py [RUN FOLDER]    by default reports/default, which `cargo run --release` makes
Writes reports/gallery/*.png. Needs chromium (Debian package of that name), and nothing else.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from chromium import Browser, Failed, find  # noqa: E402

WIDTH, PHONE = 1320, 420

# Name, theme, width, what is done first, and the elements from whose first to whose last the picture goes.
PICTURES = [
    ("glance", "light", WIDTH, "", ["header", "#glance"]),
    ("pareto", "light", WIDTH, "", ["#pareto h2", "#pareto .beside"]),
    ("context", "dark", WIDTH, "", ["#context h2", "#context .panels"]),
    ("cache", "light", WIDTH, "", ["#cache h2", "#cache .panels figure:nth-child(4)"]),
    ("classes", "light", WIDTH, "", ["#classes h2", "#classes figure"]),
    ("compaction", "light", WIDTH, """
        const one = [...document.querySelectorAll('.compaction')].find((one) => one.querySelector('mark')
            && !/[\u4e00-\u9fff]/.test(one.textContent) && one.querySelector('.fate.lost')) || document.querySelector('.compaction');
        one.closest('details:not(.compaction)').open = true; one.open = true; one.id = 'shown';
    """, ["#shown"]),
    ("phone", "dark", PHONE, "", ["header", "#glance"]),
]


def frame(tab, parts):
    """The box around some elements, with a margin."""
    return tab.run(f"""(() => {{
      const boxes = {parts!r}.map((one) => document.querySelector(one).getBoundingClientRect());
      const top = Math.min(...boxes.map((box) => box.top)) + scrollY, left = Math.min(...boxes.map((box) => box.left));
      const bottom = Math.max(...boxes.map((box) => box.bottom)) + scrollY, right = Math.max(...boxes.map((box) => box.right));
      return [Math.max(0, left - 16), Math.max(0, top - 16), right - left + 32, Math.min(bottom - top + 32, 1500)];
    }})()""")


def main(folder):
    page = pathlib.Path(folder).resolve() / "index.html"
    if not page.is_file():
        sys.exit(f"error: {page} is not there\nhint: cargo run --release makes it")
    if find() is None:
        sys.exit("error: no Chromium\nhint: apt-get install chromium")
    gallery = ROOT / "reports" / "gallery"
    gallery.mkdir(exist_ok=True)
    for name, theme, width, first, parts in PICTURES:
        tab = Browser(width=width)
        try:
            tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            tab.open(page.as_uri())
            tab.run(f"document.documentElement.dataset.theme = '{theme}'; {{ {first} }}")
            tab.picture(gallery / f"{name}.png", frame(tab, parts))
            print(gallery.relative_to(ROOT) / f"{name}.png")
        except Failed as failed:
            sys.exit(f"error: {name}: {failed}")
        finally:
            tab.close()


if __name__ == "__main__":
    main(*(sys.argv[1:] or [ROOT / "reports" / "default"]))
