"""What does the page load, how long does it take from a key to a title and a hit, how smoothly do long documents and
the graph move?

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

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


def titles_to_ask(measured: Measured) -> list[str]:
    titles = [document["title"] for document in fetch(f"{measured.address}api/documents")["documents"]]
    return [title for title in random.Random(SEED).sample(titles, measured.queries) if title.isascii()]


def percentiles(ordered: Sequence[float]) -> dict[str, float]:
    return {f"p{part}": ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in (50, 95)}


def measure_keys(measured: Measured) -> Table:
    """The last letter of a query, and the hits for it on the screen."""
    queries = titles_to_ask(measured)
    context = measured.new_context()
    page = context.new_page()
    page.goto(measured.address)
    page.locator("#index-state[data-state=fresh]").wait_for()
    times = sorted(key_to_hit(page, query) for query in queries)
    context.close()
    figures = percentiles(times)
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


# -- from a key to a title, in the field at the top

# The list is drawn anew for what is known from memory; what is said to screen readers is new with the answer.
WATCH_TITLES = """() => {
  const palette = document.querySelector("dialog.palette");
  window.shown = Promise.all([".palette-list", "[role=status]"].map((part) => new Promise((resolve) => {
    let began = 0;
    palette.addEventListener("keydown", (event) => { began = event.timeStamp; }, { once: true, capture: true });
    const look = new MutationObserver(() => {
      if (!began) return;
      look.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - began));
    });
    look.observe(palette.querySelector(part), { childList: true });
  })));
}"""


def measure_titles(measured: Measured) -> Table:
    """The last letter of a title, and the title on the screen; then the passages for it."""
    queries = titles_to_ask(measured)
    context = measured.new_context()
    page = context.new_page()
    page.goto(measured.address)
    page.locator("#index-state[data-state=fresh]").wait_for()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Control+k")
    times = [key_to_title(page, query) for query in queries]
    context.close()
    rows = []
    for name, all_times in zip(("a title", "passages"), zip(*times, strict=True), strict=True):
        ordered = sorted(all_times)
        figures = percentiles(ordered)
        measured.figures += [Figure(f"from a key to {name}", part, "ms", value) for part, value in figures.items()]
        rows.append([name, str(len(ordered)), *(f"{value:.0f}" for value in (*figures.values(), ordered[-1]))])
    return Table("From a key in the field at the top to …, in ms", ["", "queries", "p50", "p95", "longest"], rows, [])


def key_to_title(page: Page, query: str) -> tuple[float, float]:
    page.locator(".palette-input").fill(query[:-1])
    page.wait_for_timeout(500)
    page.evaluate(WATCH_TITLES)
    page.keyboard.press(query[-1] if query[-1] != " " else "Space")
    title, passages = page.evaluate("() => window.shown")
    return title, passages


# -- a long document

MEGABYTES_OF_DOCUMENT = 2.0
WHEELS = 60
# What is shorter than 50 ms is no long task.
WATCH_TASKS = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.tasks.push(duration);
}).observe({ type: "longtask", buffered: true });
"""


def measure_document(measured: Measured) -> Table:
    """The longest task of the page while a document of 2 MB opens, and while it scrolls."""
    rows = []
    with tempfile.TemporaryDirectory() as fresh:
        write_notes(Path(fresh), 1, MEGABYTES_OF_DOCUMENT)
        document = next(file for file in Path(fresh).rglob("*.md"))
        with served(Path(fresh)) as address:
            until_fresh(address)
            context = measured.new_context()
            page = context.new_page()
            page.add_init_script(WATCH_TASKS)
            page.goto(f"{address}#/document?path={quote(document.relative_to(fresh).as_posix())}")
            page.locator(".prose > *").first.wait_for(timeout=60_000)
            page.wait_for_load_state("networkidle")
            for name in ("opening", "scrolling"):
                if name == "scrolling":
                    turn_the_wheel(page)
                longest = max(page.evaluate("() => window.tasks.splice(0)"), default=0.0)
                measured.figures.append(Figure(f"a document of 2 MB, {name}", "longest task", "ms", longest))
                rows.append([name, f"{longest:.0f}" if longest else "below 50"])
            context.close()
    return Table("The longest task of the page with a document of 2 MB, in ms", ["", "longest"], rows, [])


def turn_the_wheel(page: Page) -> None:
    page.mouse.move(700, 500)
    for _ in range(WHEELS):
        page.mouse.wheel(0, 1200)
        page.wait_for_timeout(60)


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
    """How long the graph takes until it can be used, and its paintings while it is dragged."""
    context = measured.new_context()
    rows = []
    for visit in ("first visit", "second visit"):
        page = context.new_page()
        page.add_init_script(COUNT_FRAMES)
        session = context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        began = time.perf_counter()
        page.goto(f"{measured.address}#/graph")
        page.locator("canvas[data-layout]").wait_for(timeout=60_000)
        seconds = time.perf_counter() - began
        measured.figures.append(Figure(f"graph, {visit}, until it can be used", "time", "ms", seconds * 1000))
        page.locator("canvas[data-layout=done]").wait_for(timeout=120_000)
        rows.append([visit, f"{seconds * 1000:,.0f}", *frames(measured, page, session)])
        page.close()
    context.close()
    notes = ["the CPU is that of the page's own thread: what a frame takes where nothing else runs"]
    columns = ["", "ms until it can be used", "frames", "a second", "median gap, ms", "CPU a frame, ms"]
    return Table("The graph, and its frames while it is dragged", columns, rows, notes)


def drag(page: Page) -> None:
    page.mouse.move(500, 450)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(500 + step, 450 + step % 7)
    page.mouse.up()


def frames(measured: Measured, page: Page, session: CDPSession) -> list[str]:
    page.evaluate("() => window.painted.splice(0)")
    before = busy(session)
    drag(page)
    cpu = busy(session) - before
    times = page.evaluate("() => window.painted.splice(0)")
    gaps = [later - earlier for earlier, later in pairwise(times)]
    a_second = 1000 / statistics.mean(gaps)
    measured.figures.append(Figure("graph, dragging", "frames", "1/s", a_second, "higher"))
    measured.figures.append(Figure("graph, dragging", "CPU a frame", "ms", cpu * 1000 / len(times)))
    gap = f"{statistics.median(gaps):.0f}"
    return [str(len(times)), f"{a_second:.1f}", gap, f"{cpu * 1000 / len(times):.1f}"]


def busy(session: CDPSession) -> float:
    """Seconds of CPU that the thread of the page has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


MEASURES: dict[str, Callable[[Measured], Table]] = {
    "load": measure_load,
    "keys": measure_keys,
    "titles": measure_titles,
    "document": measure_document,
    "graph": measure_graph,
}

if __name__ == "__main__":
    sys.exit(main())
