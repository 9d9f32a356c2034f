"""The pictures of the README and the docs, taken from the real page in a real browser.

To take them again after the page has changed, with `pip install -e ".[search,server,browser]"` and a Chromium:

    python website/pictures.py

To look at every state of the page on a folder of your own, in light, in dark, on a phone, at 200 % and printed:

    python website/pictures.py --of FOLDER --out PICTURES [--query WORDS] [--document PATH]
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
from urllib.parse import quote

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


def _in_palette(words: str) -> Callable[[Any], object]:
    def type_words(page: Any) -> None:
        page.keyboard.press("Control+k")
        page.keyboard.type(words)

    return type_words


QUESTION = "How+much+memory+for+fifty+gauges%3F"

TAKEN = {
    "search": Picture("examples/handbook", "#/search?q=battery+of+a+gauge", ".hit", (1200, 720)),
    "document": Picture("examples/formats", "#/document?path=formulas.md", ".diagram-picture img"),
    "playground": Picture("examples/handbook", f"#/playground?q={QUESTION}", ".verdict", (1400, 880)),
    "compare": Picture(
        "examples/handbook",
        "#/playground?q=How+do+I+replace+a+gauge%3F&preset=default&b.preset=langchain",
        ".pane-tear",
        (1400, 880),
    ),
    "palette": Picture(
        "examples/handbook", "#/search", "dialog[open] [role=option] >> nth=6", (1200, 720), _in_palette("gauge")
    ),
    "graph": Picture("docs", "#/graph", "canvas[data-layout=done]"),
    "ask": Picture("examples/handbook", "#/ask?q=What+happens+below+3.3+V%3F", ".source-cards .hit-link"),
}


class State(NamedTuple):
    """An address of the page of any folder, and what must be seen.

    {q} stands for a query, {page} for a document, {path} for a line of it.
    """

    address: str
    seen: str
    before: Callable[[Any], object] = lambda _: None
    looks: Sequence[str] = ("light", "dark", "phone", "zoom")


def _click(selector: str) -> Callable[[Any], object]:
    return lambda page: page.locator(selector).first.click()


def _scroll_to(selector: str) -> Callable[[Any], object]:
    # What comes into sight is drawn, and moves the rest along.
    arrive = "(element) => { element.scrollIntoView(); return element.getBoundingClientRect().top < innerHeight / 2; }"

    def scroll(page: Any) -> None:
        element = page.locator(selector).first
        while not element.evaluate(arrive):
            page.wait_for_timeout(100)

    return scroll


def _press(key: str) -> Callable[[Any], object]:
    def press(page: Any) -> None:
        page.locator(".band").first.wait_for(state="attached")
        page.keyboard.press(key)

    return press


STATES = {
    "start": State("#/search", ".empty h2"),
    "search": State("#/search?q={q}", ".hit"),
    "search-filters": State("#/search?q={q}", ".hit", _click(".filters summary")),
    "search-facet": State("#/search?q={q}", ".hit", _click(".facets .opens")),
    "search-why": State("#/search?q={q}", ".why", _click(".hit-why summary")),
    "search-nothing": State("#/search?q=zyzzyva&mode=keyword", ".empty h2"),
    "palette": State("#/search", "dialog[open] [role=option] >> nth=2", _in_palette("re")),
    "keys": State("#/search", "#keys-dialog[open]", _click("#keys-open"), ("light", "dark")),
    "documents": State("#/document", "[role=treeitem]"),
    "document": State("#/document?path={path}", ".prose > *", looks=("light", "dark", "phone", "zoom", "print")),
    "document-band": State("#/document?path={path}", ".band.active", _press("]"), ("light", "dark")),
    "document-foot": State(
        "#/document?path={page}", ".document-rest summary", _scroll_to(".document-rest"), ("light",)
    ),
    "document-sheet": State("#/document?path={page}", "dialog[open]", _click(".sheet-open"), ("phone", "zoom")),
    "document-unknown": State("#/document?path=no/such-page.md", ".missing-document"),
    "view-unknown": State("#/nonsense", "h1 >> visible=true"),
    "ask-start": State("#/ask", ".starter"),
    "ask": State("#/ask?q={q}", ".source-cards .hit-link"),
    "ask-nothing": State("#/ask?q=zyzzyva", ".turn .notice"),
    "playground": State("#/playground", ".pane-tear"),
    "playground-document": State("#/playground?path={path}", ".cell"),
    "graph": State("#/graph", "canvas[data-layout=done]"),
    "graph-found": State("#/graph?q={q}", "canvas[data-layout=done]", looks=("light",)),
    "status": State("#/status", ".figures"),
}
# How a state is looked at: the options of a window. What is printed has the width of A4.
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1400, "height": 900}},
    "dark": {"viewport": {"width": 1400, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "zoom": {"viewport": {"width": 700, "height": 450}, "device_scale_factor": 2},
    "print": {"viewport": {"width": 794, "height": 1123}},
}


def take_states(names: Sequence[str], looks: Sequence[str], folder: Path, out: Path, query: str, document: str) -> None:
    """Pictures of the states on a folder, which is indexed as `headnote open` would do it."""
    filled = {"q": quote(query), "path": quote(document, safe="/&="), "page": quote(document.partition("&")[0])}
    with _browser() as browser, served(folder) as address:
        for look in looks:
            context = browser.new_context(**{"color_scheme": "light", "reduced_motion": "reduce", **LOOKS[look]})
            for name in names:
                if look in STATES[name].looks:
                    page = context.new_page()
                    _open(page, address + STATES[name].address.format_map(filled), STATES[name])
                    if look == "print":
                        page.emulate_media(media="print")
                    page.screenshot(path=out / f"{name}-{look}.png")
                    page.close()
            context.close()


def take(names: Sequence[str], folder: Path) -> None:
    """Take pictures into a folder, as PNG."""
    with _browser() as browser:
        for served_folder in dict.fromkeys(TAKEN[name].folder for name in names):
            with _serving(REPOSITORY / served_folder) as address:
                for name in names:
                    if TAKEN[name].folder == served_folder:
                        _take(browser, address, TAKEN[name], folder / f"{name}.png")


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if not (path := find_browser()):
        raise SystemExit(NO_BROWSER)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def _take(browser: Any, address: str, picture: Picture, file: Path) -> None:
    width, height = picture.size
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", color_scheme="light")
    _open(page, address + picture.address, picture)
    page.screenshot(path=file)
    page.close()


def _open(page: Any, address: str, shown: Picture | State) -> None:
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    # Not before the folder is read: no picture shows a page at work.
    page.locator("#index-state[data-state=fresh]").wait_for(state="attached")
    shown.before(page)
    page.locator(shown.seen).first.wait_for()
    # Not until nobody asks anything: the page asks for its status again and again.
    page.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")


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
    states = parser.add_argument_group("to look at", "All states of the page on one folder, in each look.")
    states.add_argument(
        "--of", type=Path, metavar="FOLDER", help=f"whose page; the names are then: {', '.join(STATES)}"
    )
    states.add_argument("--looks", nargs="+", choices=list(LOOKS), default=list(LOOKS))
    states.add_argument("--query", default="How do I replace a gauge?")
    states.add_argument("--document", default="calibration.md", help="path, and &line=N after it")
    arguments = parser.parse_args()
    known = STATES if arguments.of else TAKEN
    if unknown := set(arguments.names) - known.keys():
        parser.error(f"no such picture: {', '.join(sorted(unknown))}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = arguments.names or list(known)
    if arguments.of:
        take_states(names, arguments.looks, arguments.of, arguments.out, arguments.query, arguments.document)
    else:
        take(names, arguments.out)


if __name__ == "__main__":
    main()
