"""Frames of the graph while it settles and while it is dragged, in a real browser.

    python bench/graph.py FOLDER

FOLDER is served as `headnote serve` serves it, so it gets an index. A frame is one painting of the canvas; the browser
has a window of 1400 × 900 pixels, and paints without a graphics card.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Every painting begins with a cleared canvas.
WATCH = """
window.frames = [];
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  window.frames.push(performance.now());
  return clear.apply(this, area);
};
"""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the folder."""
    command = [sys.executable, "-m", "headnote", "serve", str(folder), "--json", "--port", "0", "--embedder", "hashing"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()


def measure(page: Any, address: str) -> dict[str, list[float]]:
    """Times of the frames, in milliseconds: while it settles, and while it is dragged."""
    page.add_init_script(WATCH)
    page.goto(f"{address}#/status")
    page.wait_for_function("() => document.querySelector('.state-text')?.textContent === 'Up to date'", timeout=600_000)
    page.goto(f"{address}#/graph")
    page.wait_for_selector("canvas[data-layout=done]", timeout=120_000)
    settling = page.evaluate("() => window.frames.splice(0)")
    page.mouse.move(500, 450)
    page.mouse.down()
    for step in range(120):
        page.mouse.move(500 + step, 450 + step % 7)
        page.wait_for_timeout(8)
    page.mouse.up()
    dragging = page.evaluate("() => window.frames.splice(0)")
    return {"settling": settling, "dragging": dragging}


def report(name: str, times: list[float]) -> str:
    gaps = sorted(later - earlier for earlier, later in pairwise(times))
    seconds = (times[-1] - times[0]) / 1000
    return (
        f"{name:10} {len(times):4} frames in {seconds:4.1f} s: {len(gaps) / seconds:4.1f} a second, "
        f"median {statistics.median(gaps):3.0f} ms, 95 % within {gaps[int(len(gaps) * 0.95)]:3.0f} ms"
    )


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)))
    with served(arguments.folder) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        for name, times in measure(page, address).items():
            print(report(name, times))
        print(page.locator("canvas").get_attribute("aria-label"))
        browser.close()


if __name__ == "__main__":
    main()
