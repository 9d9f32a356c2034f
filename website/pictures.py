"""The pictures of the README and the docs, taken from the real page in a real browser.

To take them again after the page has changed, with `pip install -e ".[search,server,browser]"` and a Chromium:

    python website/pictures.py
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

# The benchmarks serve folders and visit them, too.
sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from serving import NO_BROWSER, find_browser, served

REPOSITORY = Path(__file__).resolve().parents[1]
PICTURES = REPOSITORY / "docs" / "pictures"
PATIENCE = 120_000
"""Milliseconds until what should appear must be there."""


class Picture(NamedTuple):
    """What to show: a folder of the repository, an address of its page, and what must be seen there."""

    folder: str
    address: str
    seen: str
    size: tuple[int, int] = (1280, 800)
    before: Callable[[Any], object] = lambda _: None
    """What a person would do first."""


def _open_palette(page: Any) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("calib")


QUESTION = "How+much+memory+for+fifty+gauges%3F"

TAKEN = {
    "search": Picture("examples/handbook", "#/search?q=battery+of+a+gauge", ".hit", (1200, 720)),
    "document": Picture("examples/formats", "#/document?path=formulas.md", ".math.drawn"),
    "playground": Picture("examples/handbook", f"#/playground?q={QUESTION}", ".verdict", (1400, 880)),
    "compare": Picture(
        "examples/handbook",
        "#/playground?q=How+do+I+replace+a+gauge%3F&preset=default&b.preset=langchain",
        ".pane-tear",
        (1400, 880),
    ),
    "palette": Picture("examples/handbook", "#/search", "dialog[open] [role=option]", (1200, 720), _open_palette),
    "graph": Picture("docs", "#/graph", "canvas[data-layout=done]"),
    "ask": Picture("examples/handbook", "#/ask?q=What+happens+below+3.3+V%3F", ".citations a"),
}


def take(names: Sequence[str], folder: Path) -> None:
    """Take pictures into a folder, as PNG."""
    from playwright.sync_api import sync_playwright

    if not (path := find_browser()):
        raise SystemExit(NO_BROWSER)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for served_folder in dict.fromkeys(TAKEN[name].folder for name in names):
            with _serving(REPOSITORY / served_folder) as address:
                for name in names:
                    if TAKEN[name].folder == served_folder:
                        _take(browser, address, TAKEN[name], folder / f"{name}.png")
        browser.close()


def _take(browser: Any, address: str, picture: Picture, file: Path) -> None:
    width, height = picture.size
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", color_scheme="light")
    page.set_default_timeout(PATIENCE)
    page.goto(address + picture.address)
    # Not before the folder is read: no picture shows a page at work.
    page.locator("#index-state").get_by_text("Up to date").wait_for()
    picture.before(page)
    page.locator(picture.seen).first.wait_for()
    # Not until nobody asks anything: the page asks for its status again and again.
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    page.screenshot(path=file)
    page.close()


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """The address of a server for a copy of the folder, with the settings that everybody has at first."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADNOTE_")}
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".headnote"))
        with served(copy, environment=clean) as address:
            yield address


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of the docs from the real page.")
    parser.add_argument("names", nargs="*", help=f"which; all by default: {', '.join(TAKEN)}")
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder of the pictures")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - TAKEN.keys():
        parser.error(f"no such picture: {', '.join(sorted(unknown))}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    take(arguments.names or list(TAKEN), arguments.out)


if __name__ == "__main__":
    main()
