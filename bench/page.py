"""What does the page load, how long does it take from a key to a hit, and how smoothly does the graph move?

    python bench/page.py [--notes N] [--folder FOLDER] [--embedder NAME] [--queries N] [--only NAME] [--json FILE]

Needs `pip install -e ".[search,server]" playwright` and a Chromium, which HEADNOTE_CHROMIUM may name. The folder holds
generated notes; `--folder` keeps them and their index for the next run. Server and browser share the machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import BrowserContext, CDPSession, Page

from notes import COUNT, write_notes
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from serving import fetch, served, until_fresh
from visiting import Traffic, opened_browser

SEED = 5
DISTRIBUTIONS = ["headnote-md", "starlette", "uvicorn", "playwright"]


def main() -> int:
    options = read_options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    with tempfile.TemporaryDirectory() as fresh:
        root = options.folder or Path(fresh) / "notes"
        if not root.exists():
            write_notes(root, options.notes, megabytes=15.0 * options.notes / COUNT)
        with served(root, "--embedder", options.embedder) as address, opened_browser() as new_context:
            status = until_fresh(address)
            measured = Measured(address, new_context, options.queries)
            tables = [measure(measured) for name, measure in MEASURES.items() if options.only in (None, name)]
    print(f"{status['documents']:,} documents, {status['chunks']:,} passages, found by {status['answering']}\n")
    for table in tables:
        show(table)
    write_figures(options.json, measured.figures, setting, packages)
    return 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=COUNT)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--embedder", default="instant")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--only", choices=list(MEASURES))
    add_json_option(parser)
    return parser.parse_args()


@dataclass
class Measured:
    """What is measured, and with what."""

    address: str
    new_context: Callable[[], BrowserContext]
    queries: int
    figures: list[Figure] = field(default_factory=list)


# -- what is loaded


def measure_load(measured: Measured) -> Table:
    """The first view of a browser that has never seen the page, and of one that has."""
    context = measured.new_context()
    rows = []
    for visit in ("first visit", "second visit"):
        page = context.new_page()
        traffic = Traffic(context.new_cdp_session(page))
        began = time.perf_counter()
        page.goto(measured.address)
        page.locator("#index-state[data-state=fresh]").wait_for()
        seconds = time.perf_counter() - began
        first = traffic.total()
        page.wait_for_load_state("networkidle")
        later = traffic.total()
        page.close()
        measured.figures.append(Figure(f"{visit}, until it can be used", "time", "ms", seconds * 1000))
        for part, (requests, api, size) in (("until it can be used", first), ("with what is loaded ahead", later)):
            measured.figures.append(Figure(f"{visit}, {part}", "requests", "", requests))
            measured.figures.append(Figure(f"{visit}, {part}", "loaded", "bytes", size))
            milliseconds = f"{seconds * 1000:,.0f}" if part.startswith("until") else ""
            rows.append([f"{visit}, {part}", str(requests), str(api), f"{size:,}", milliseconds])
    context.close()
    return Table("What the page loads", ["", "requests", "of them API", "bytes", "ms"], rows, [])


# -- from a key to a hit


# Hits are there once the list of them is no longer busy, and seen in the frame after that.
WATCH = """() => {
  const results = document.querySelector(".results");
  window.hitShown = new Promise((resolve) => {
    let began = 0;
    document.addEventListener("keydown", (event) => { began = event.timeStamp; }, { once: true, capture: true });
    const look = new MutationObserver(() => {
      if (!began || results.hasAttribute("aria-busy")) return;
      look.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - began));
    });
    look.observe(results, { attributes: true, attributeFilter: ["aria-busy"] });
  });
}"""


def measure_keys(measured: Measured) -> Table:
    """The last letter of a query, and the hits for it on the screen."""
    titles = [document["title"] for document in fetch(f"{measured.address}api/documents")["documents"]]
    queries = [title for title in random.Random(SEED).sample(titles, measured.queries) if title.isascii()]
    context = measured.new_context()
    page = context.new_page()
    page.goto(measured.address)
    page.locator("#index-state[data-state=fresh]").wait_for()
    times = sorted(key_to_hit(page, query) for query in queries)
    context.close()
    figures = {f"p{part}": times[min(len(times) - 1, len(times) * part // 100)] for part in (50, 95)}
    measured.figures += [Figure("from a key to a hit", part, "ms", value) for part, value in figures.items()]
    row = [str(len(times)), f"{figures['p50']:.0f}", f"{figures['p95']:.0f}", f"{times[-1]:.0f}"]
    note = "the pause that ends a word included"
    return Table("From a key to a hit, in ms", ["queries", "p50", "p95", "longest"], [row], [note])


def key_to_hit(page: Page, query: str) -> float:
    box = page.get_by_role("searchbox", name="Search")
    box.fill(query[:-1])
    page.wait_for_timeout(300)
    page.locator(".results:not([aria-busy])").wait_for()
    page.evaluate(WATCH)
    page.keyboard.press(query[-1] if query[-1] != " " else "Space")
    milliseconds: float = page.evaluate("() => window.hitShown")
    return milliseconds


# -- frames of the graph


# Every painting begins with a cleared canvas.
COUNT_FRAMES = """
window.painted = [];
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  window.painted.push(performance.now());
  return clear.apply(this, area);
};
"""


def measure_graph(measured: Measured) -> Table:
    """Paintings of the graph while it settles, and while it is dragged."""
    context = measured.new_context()
    page = context.new_page()
    page.add_init_script(COUNT_FRAMES)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(f"{measured.address}#/graph")
    page.locator("canvas[data-layout=running]").wait_for(timeout=60_000)
    rows = [frames(measured, page, session, "settling", settle), frames(measured, page, session, "dragging", drag)]
    context.close()
    notes = ["the CPU is that of the page's own thread: what a frame takes where nothing else runs"]
    return Table("Frames of the graph", ["", "frames", "a second", "median gap, ms", "CPU a frame, ms"], rows, notes)


def settle(page: Page) -> None:
    page.locator("canvas[data-layout=done]").wait_for(timeout=120_000)


def drag(page: Page) -> None:
    page.mouse.move(500, 450)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(500 + step, 450 + step % 7)
    page.mouse.up()


def frames(measured: Measured, page: Page, session: CDPSession, name: str, act: Callable[[Page], None]) -> list[str]:
    page.evaluate("() => window.painted.splice(0)")
    before = busy(session)
    act(page)
    cpu = busy(session) - before
    times = page.evaluate("() => window.painted.splice(0)")
    gaps = [later - earlier for earlier, later in pairwise(times)]
    a_second = 1000 / statistics.mean(gaps)
    measured.figures.append(Figure(f"graph, {name}", "frames", "1/s", a_second, "higher"))
    measured.figures.append(Figure(f"graph, {name}", "CPU a frame", "ms", cpu * 1000 / len(times)))
    return [
        name,
        str(len(times)),
        f"{a_second:.1f}",
        f"{statistics.median(gaps):.0f}",
        f"{cpu * 1000 / len(times):.1f}",
    ]


def busy(session: CDPSession) -> float:
    """Seconds of CPU that the thread of the page has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


MEASURES: dict[str, Callable[[Measured], Table]] = {
    "load": measure_load,
    "keys": measure_keys,
    "graph": measure_graph,
}

if __name__ == "__main__":
    sys.exit(main())
