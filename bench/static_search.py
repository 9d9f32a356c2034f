"""What does the search of a static site load, how long does it take, and does it rank as `headnote search` does?

    python bench/static_search.py [--corpus NAME] [--questions N] [--first N] [--cache DIR] [--json FILE]

Needs `pip install -e ".[search]" playwright` and a Chromium, which HEADNOTE_CHROMIUM may name. A corpus is exported,
and the box is asked in the browser, from a host on this machine that compresses nothing, under the content policy of
docs/static-search.md. Questions are headings of the corpus and, where there are some, texts of links. `--cache` keeps
the indexes for the next run. Exits with 1 if a first answer loads more than promised.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import BrowserContext, Page

from headnote import Index, chunk_file
from headnote.extra.evaluate.questions import load_questions
from headnote.extra.export.writing import Exported, Pages
from headnote.store.sqlite.store import SqliteStore
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import SEED, files_below, shared_folder
from visiting import Traffic, opened_browser

CORPORA = ("kubernetes-en", "astro-en", "react.dev")
DISTRIBUTIONS = ["headnote-md", "playwright"]
MOST_BYTES = 300_000
"""Of a first answer, with the script, the styles and the headers of all responses."""
HITS = 10
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title>
<link rel="stylesheet" href="headnote/search.css"><script type="module" src="headnote/search.js"></script></head>
<body><headnote-search></headnote-search></body></html>"""

# From the last letter to the hits, the pause in which nobody types included.
ASK = """(question) => new Promise((resolve) => {
  const box = document.querySelector("headnote-search");
  const input = box.querySelector("input");
  const began = performance.now();
  const listen = (event) => resolve([performance.now() - began, event.detail.map((hit) => hit.url)]);
  box.addEventListener("headnote-hits", listen, { once: true });
  input.value = question;
  input.dispatchEvent(new Event("input"));
})"""


class Answer(NamedTuple):
    """What the browser says to a question."""

    milliseconds: float
    documents: list[str]
    """Addresses of the pages of its hits, each once."""


class Asked(NamedTuple):
    """One kind of questions to one corpus."""

    corpus: str
    kind: str
    questions: list[str]
    local: list[list[str]]
    """The same for `headnote search`."""


def main() -> int:
    options = read_options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as fresh, opened_browser() as new_context:
        for corpus in options.corpus or CORPORA:
            figures += measure(corpus, options.cache or Path(fresh), new_context, options)
    write_figures(options.json, figures, setting, packages)
    return int(any(one.metric == "loaded, most" and one.value > MOST_BYTES for one in figures))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", action="append", metavar="NAME", help="repeatable")
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--first", type=int, default=30, help="questions that a fresh browser is asked, of each kind")
    parser.add_argument("--cache", type=Path, metavar="DIR")
    add_json_option(parser)
    return parser.parse_args()


def measure(
    corpus: str, work: Path, new_context: Callable[[], BrowserContext], options: argparse.Namespace
) -> list[Figure]:
    site = work / f"site-{corpus}"
    root = copied(corpus, work)
    with Index.open(root, embedder="instant") as index:
        index.update()
        exported = index.export(site)
        (site / "index.html").write_text(PAGE, encoding="utf-8")
        addresses = addresses_of(root, site)
        chosen = questions_of(corpus, options.questions)
        asked = [Asked(corpus, kind, some, ask_here(index, addresses, some)) for kind, some in chosen]
    with hosted(site) as address:
        measured = [(one, *ask_there(one, address, new_context, options.first)) for one in asked]
    show(table_of(corpus, exported, measured))
    return [figure for one in measured for figure in figures_of(*one)]


def copied(corpus: str, work: Path) -> Path:
    """The corpus where an index may be written."""
    root = work / corpus
    if not root.exists():
        shutil.copytree(shared_folder() / "corpora" / corpus, root, ignore=shutil.ignore_patterns(".headnote"))
    return root


# -- questions


def questions_of(corpus: str, count: int) -> Iterator[tuple[str, list[str]]]:
    """(kind, questions), the same ones every time."""
    root = shared_folder() / "corpora" / corpus
    names = {chunk.heading_path[-1] for file in files_below(root) for chunk in chunk_file(file) if chunk.heading_path}
    yield "headings", some_of({re.sub(r"[`*]", "", name) for name in names}, count)
    links = shared_folder() / "retrieval" / "linkgold" / f"{corpus}.jsonl"
    if links.exists():
        yield "link texts", some_of({question.text for question in load_questions(links)}, count)


def some_of(texts: set[str], count: int) -> list[str]:
    return random.Random(SEED).sample(sorted(texts), min(count, len(texts)))


def addresses_of(root: Path, site: Path) -> dict[str, str]:
    """Path of a document → address of its page."""
    store = SqliteStore.open(root, read_only=True)
    with store.reading() as reader:
        pages = Pages(reader, site, base_url="")
        addresses = {path: pages.address(path) for path in reader.document_paths()}
    store.close()
    return addresses


def ask_here(index: Index, addresses: Mapping[str, str], questions: Sequence[str]) -> list[list[str]]:
    found = [[addresses[hit.path] for hit in index.search(question, limit=HITS)] for question in questions]
    return [list(dict.fromkeys(pages)) for pages in found]


# -- the browser


class Strict(SimpleHTTPRequestHandler):
    """Plain files, uncompressed, under the policy."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def hosted(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class First(NamedTuple):
    """The first answer of a browser that has loaded nothing before."""

    bytes: int
    requests: int
    milliseconds: float


def ask_there(
    asked: Asked, address: str, new_context: Callable[[], BrowserContext], first: int
) -> tuple[list[First], list[Answer]]:
    """The first answers of fresh browsers, and the answers of one browser to all questions, one after the other."""
    firsts = [ask_first(question, address, new_context) for question in asked.questions[:first]]
    context = new_context()
    page = context.new_page()
    page.goto(address)
    answers = [ask(page, question) for question in asked.questions]
    context.close()
    return firsts, answers


def ask_first(question: str, address: str, new_context: Callable[[], BrowserContext]) -> First:
    context = new_context()
    page = context.new_page()
    traffic = Traffic(context.new_cdp_session(page))
    page.goto(address)
    answer = ask(page, question)
    page.wait_for_load_state("networkidle")
    requests, _, size = traffic.total()
    context.close()
    return First(size, requests, answer.milliseconds)


def ask(page: Page, question: str) -> Answer:
    milliseconds, urls = page.evaluate(ASK, question)
    return Answer(milliseconds, list(dict.fromkeys(url.partition("#")[0] for url in urls)))


# -- what comes out


def found_share(asked: Asked, answers: Sequence[Answer]) -> float:
    """How many of the documents of `headnote search` the browser shows."""
    pairs = [(here, there.documents) for here, there in zip(asked.local, answers, strict=True) if here]
    return statistics.mean(len({*here} & {*there}) / len(here) for here, there in pairs)


def same_first_share(asked: Asked, answers: Sequence[Answer]) -> float:
    pairs = zip(asked.local, answers, strict=True)
    return statistics.mean(here[:1] == there.documents[:1] for here, there in pairs)


def figures_of(asked: Asked, firsts: list[First], answers: list[Answer]) -> list[Figure]:
    case = f"{asked.corpus}, {asked.kind}"
    sizes, next_times = [one.bytes for one in firsts], [answer.milliseconds for answer in answers[1:]]
    return [
        Figure(case, "loaded, median", "bytes", statistics.median(sizes)),
        Figure(case, "loaded, most", "bytes", max(sizes)),
        Figure(case, "requests, median", "", statistics.median(one.requests for one in firsts)),
        Figure(case, "first answer", "ms", statistics.median(one.milliseconds for one in firsts)),
        Figure(case, "next answer", "ms", statistics.median(next_times)),
        Figure(case, "found", "%", 100 * found_share(asked, answers), "higher"),
        Figure(case, "same first", "%", 100 * same_first_share(asked, answers), "higher"),
    ]


def table_of(corpus: str, exported: Exported, measured: Sequence[tuple[Asked, list[First], list[Answer]]]) -> Table:
    rows = []
    for one in measured:
        values = {figure.metric: figure.value for figure in figures_of(*one)}
        rows.append([one[0].kind, str(len(one[0].questions)), *(f"{value:,.0f}" for value in values.values())])
    columns = ["", "asked", "bytes, median", "most", "requests", "first, ms", "next, ms", "found, %", "same first, %"]
    notes = [
        f"{exported.pages:,} pages, {exported.chunks:,} chunks; {exported.files:,} files, {exported.bytes:,} bytes",
        f"found: documents among the {HITS} hits of `headnote search` that are among those of the browser",
        "times have the pause of 0.12 s in which nobody types; host and browser share the machine",
    ]
    return Table(corpus, columns, rows, notes)


if __name__ == "__main__":
    sys.exit(main())
