"""How long does a search take when everything is warm, and where does the time go?

    python bench/search.py [--chunks N] [--queries N] [--no-peers] [--cache DIR] [--json FILE]

Needs `pip install -e ".[search,deep]" ./models/minilm`, and `whoosh faiss-cpu` for the others. The documents lie at
HEADNOTE_SHARED, or beside the working copy in `shared`. Vectors of chunks are made by hashing words, because they cost
the same to compare as real ones; a query is embedded by the real model, whose time counts. The last table is about a
process that has just started and the instant model: its first searches, and its memory.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import headnote
from headnote.api import Index
from headnote.config.stored import choose
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.embedding.transformer import TransformerEmbedder
from headnote.search import engine, hits
from headnote.search.query import MODES
from headnote.store.sqlite.store import SqliteStore
from headnote.store.sqlite.writer import SqliteReader
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import SEED, Document, load

CORPUS = "kubernetes-en"
DIMENSIONS = 384
LIMIT = 10
ROUNDS = 3
GOAL_MS = 25.0
GOAL_CHUNKS = 50_000
GOAL_TIMES = 3.0
DISTRIBUTIONS = ["headnote-md", "apsw", "numpy", "onnxruntime", "Whoosh", "faiss-cpu"]
STEPS = {
    "by_words": "words: keyword index",
    "_coverage": "words: how much of the query matches",
    "embed_query": "meaning: embed the query",
    "by_meaning": "meaning: compare vectors",
    "parts": "meaning: read the parts of the candidates",
    "by_parts": "meaning: compare the parts",
    "weighted_scores": "fuse",
    "_with_boosts": "links of the best",
    "chunks": "read the candidates",
    "described": "words and links of the hits",
}
"""Function of the search → what it does. `chunks` counts where it is called."""


class Embedder:
    """Vectors by hashing, at the price that the real model has for a query."""

    dimensions = DIMENSIONS
    name = f"bench:{DIMENSIONS}"

    def __init__(self) -> None:
        self._hashing = HashingEmbedder(DIMENSIONS)
        self._real = TransformerEmbedder("minilm")

    def embed(self, texts: Sequence[str]) -> Any:
        return self._hashing.embed(texts)

    def embed_query(self, text: str) -> Any:
        self._real.embed_query(text)
        return self._hashing.embed_query(text)


class Times(NamedTuple):
    name: str
    seconds: list[float]

    def row(self) -> list[str]:
        return [self.name, f"{self.median:.1f}", f"{self.late:.1f}", f"{1000 * max(self.seconds):.1f}"]

    def figures(self, chunks: int) -> list[Figure]:
        case = f"{chunks:,} chunks: {self.name}"
        return [Figure(case, "p50", "ms", self.median), Figure(case, "p95", "ms", self.late)]

    @property
    def late(self) -> float:
        return sorted(self.seconds)[int(len(self.seconds) * 0.95)] * 1000

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) * 1000


def main() -> int:
    options = _options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    documents = load([CORPUS])[CORPUS]
    queries = sample_queries(documents, options.queries)
    figures: list[Figure] = []
    for count in options.chunks or [10_000, GOAL_CHUNKS]:
        for table in _measured(count, documents, queries, options, figures):
            show(table)
    write_figures(options.json, figures, setting, packages)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How long a search takes.")
    parser.add_argument("--chunks", action="append", type=int, help="so many (default 10000 and 50000); repeatable")
    parser.add_argument("--queries", type=int, default=200, help="so many (default 200)")
    parser.add_argument("--no-peers", action="store_true", help="without Whoosh and FAISS")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the indexes")
    add_json_option(parser)
    return parser.parse_args()


# -- what is searched, and for what


def sample_queries(documents: Sequence[Document], count: int) -> list[str]:
    """Half of them headings, half of them the first words of a paragraph: what people type, and what they paste."""
    headings = [match for doc in documents for match in re.findall(r"^#{2,4} (.{8,70})$", doc.text, re.MULTILINE)]
    openings = [match for doc in documents for match in re.findall(r"\n\n([A-Z][^\n#|`<]{60,})\n", doc.text)]
    chance = random.Random(SEED)
    shorts = chance.sample(sorted(set(headings)), count // 2)
    longs = [" ".join(text.split()[:12]) for text in chance.sample(sorted(set(openings)), count - count // 2)]
    mixed = [*shorts, *longs]
    chance.shuffle(mixed)
    return mixed


def write_documents(documents: Sequence[Document], count: int, folder: Path) -> int:
    """At least so many chunks as files: the corpus, then the corpus again with some words replaced by others."""
    chunks = 0
    for turn in range(1000):
        chance = random.Random(SEED + turn)
        for document in documents:
            if chunks >= count:
                return chunks
            text = document.text if turn == 0 else _varied(document.text, chance)
            chunks += len(headnote.chunk(text, path=document.path))
            target = folder / f"turn-{turn}" / document.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
    return chunks


def _varied(text: str, chance: random.Random) -> str:
    """Every tenth long word with its letters in another order: no two texts are the same, and the words stay a few."""

    def changed(match: re.Match[str]) -> str:
        word = match[0]
        return word[::-1] if chance.random() < 0.1 else word

    return re.sub(r"(?<![\w/#<-])[a-z]{6,}(?![\w/>-])", changed, text)


def build(documents: Sequence[Document], count: int, cache: Path) -> tuple[Index, SqliteStore]:
    folder = cache / f"search-{count}"
    if not (folder / "done").exists():
        write_documents(documents, count, folder / "documents")
    index, store = _opened(folder)
    index.update()
    (folder / "done").touch()
    return index, store


def _opened(folder: Path) -> tuple[Index, SqliteStore]:
    (folder / "index").mkdir(parents=True, exist_ok=True)
    store = SqliteStore.open(folder / "index")
    root = folder / "documents"
    return Index(root, store, choose({}, root, environment={}), Models(deep=Embedder())), store


# -- measuring


def _measured(
    count: int,
    documents: Sequence[Document],
    queries: Sequence[str],
    options: argparse.Namespace,
    figures: list[Figure],
) -> Iterator[Table]:
    index, store = build(documents, count, options.cache)
    chunks = index.status().chunks
    ways: dict[str, Callable[[str], Any]] = {
        f"headnote {mode}": partial(index.search, limit=LIMIT, mode=mode) for mode in MODES
    }
    if not options.no_peers:
        from peer_speed import Peer

        peer = Peer(store, index.embedder, options.cache / f"search-{count}" / "whoosh")
        ways["Whoosh"] = peer.by_words
        ways["FAISS, exact"] = peer.by_meaning
        ways["Whoosh + FAISS, RRF"] = peer.both
    times = _interleaved(ways, queries)
    times |= _asked_once(options.cache / f"search-{count}", queries)
    figures += [figure for one in times.values() for figure in one.figures(count)]
    yield Table(
        f"A search among {chunks:,} chunks, ms",
        ["", "p50", "p95", "most"],
        [one.row() for one in times.values()],
        list(_verdicts(times, chunks)),
    )
    yield _where(index, queries, chunks)
    yield _fresh(options.cache / f"search-{count}" / "documents", queries, count, figures)


def _interleaved(ways: dict[str, Callable[[str], Any]], queries: Sequence[str]) -> dict[str, Times]:
    """The best of several rounds for each query.

    The order changes in every round: the first to see a query warms its words for the others, and a busy moment must
    not always hit the same one.
    """
    best = {name: [float("inf")] * len(queries) for name in ways}
    chance = random.Random(SEED)
    for _ in range(ROUNDS):
        for number, query in enumerate(queries):
            for name in chance.sample(list(ways), len(ways)):
                best[name][number] = min(best[name][number], _timed(ways[name], query))
    return {name: Times(name, seconds) for name, seconds in best.items()}


def _asked_once(folder: Path, queries: Sequence[str]) -> dict[str, Times]:
    """Hybrid as in a new process: another question has loaded the vectors, but no cache holds these queries."""
    index = _opened(folder)[0]
    index.search("a question about something else", LIMIT)
    name = "headnote hybrid, first time"
    return {name: Times(name, [_timed(lambda text: index.search(text, LIMIT), query) for query in queries])}


def _timed(way: Callable[[str], Any], query: str) -> float:
    began = time.perf_counter()
    way(query)
    return time.perf_counter() - began


def _verdicts(times: dict[str, Times], chunks: int) -> Iterator[str]:
    queries = len(times["headnote hybrid"].seconds)
    yield f"{queries} queries, {LIMIT} passages each, best of {ROUNDS} rounds; vectors by hashing."
    hybrid = times["headnote hybrid"].median
    if chunks >= GOAL_CHUNKS:
        verdict = "reached" if hybrid <= GOAL_MS else "NOT reached"
        yield f"goal: hybrid p50 ≤ {GOAL_MS:.0f} ms at {GOAL_CHUNKS:,} chunks: {verdict} ({hybrid:.1f} ms)"
    if "Whoosh + FAISS, RRF" in times:
        ratio = times["Whoosh + FAISS, RRF"].median / hybrid
        verdict = "reached" if ratio >= GOAL_TIMES else "NOT reached"
        yield f"goal: at least {GOAL_TIMES:.0f} × faster than Whoosh + FAISS: {verdict} ({ratio:.1f} ×)"


def _where(index: Index, queries: Sequence[str], chunks: int) -> Table:
    """Hybrid, with a clock around each step, of the best round for each query as above."""
    with clocks() as spent:
        best = [_best_round(index, query, spent) for query in queries]
    whole = 1000 * statistics.median(total for total, _ in best)
    medians = {name: 1000 * statistics.median(steps[name] for _, steps in best) for name in spent}
    rows = [[STEPS[name], f"{value:.2f}", f"{100 * value / whole:.0f} %"] for name, value in medians.items()]
    rows.append(["all of it", f"{whole:.2f}", ""])
    return Table(f"Where the time of a hybrid search goes, {chunks:,} chunks, ms", ["", "p50", ""], rows, [])


def _fresh(root: Path, queries: Sequence[str], count: int, figures: list[Figure]) -> Table:
    """A process that has just started, with an index by the instant model, which is what most people have."""
    with Index.open(root, embedder="instant") as index:
        index.update()
    for _ in range(2):  # the first one writes the file of vectors, the second one counts
        command = [sys.executable, str(Path(__file__).with_name("fresh_search.py")), str(root)]
        done = subprocess.run(command, input="\n".join(queries), check=True, stdout=subprocess.PIPE, text=True)
    result = json.loads(done.stdout)
    rows = []
    for name, seconds in (
        ("loading", [result["load"]]),
        ("first query after loading", result["once"][:1]),
        ("asked for the first time", result["once"]),
        ("asked again", result["again"]),
    ):
        times = Times(f"instant, fresh process, {name}", seconds)
        figures += times.figures(count)
        rows.append([name, f"{times.median:.1f}", f"{times.late:.1f}"])
    for name, grown in result["memory"].items():
        per_chunk = grown / result["chunks"]
        figures.append(
            Figure(f"{count:,} chunks: instant, fresh process", f"memory a chunk, {name}", "bytes", per_chunk)
        )
        rows.append([f"memory a chunk, {name}, bytes", f"{per_chunk:.0f}", ""])
    title = f"A fresh process and the instant model, {result['chunks']:,} chunks, ms of processor time"
    notes = ["loaded: after the first search; after: after all of them; shared: files that processes share"]
    return Table(title, ["", "p50", "p95"], rows, notes)


def _best_round(index: Index, query: str, spent: dict[str, float]) -> tuple[float, dict[str, float]]:
    rounds = []
    for _ in range(ROUNDS):
        spent.update(dict.fromkeys(spent, 0.0))
        total = _timed(lambda text: index.search(text, LIMIT, "hybrid"), query)
        rounds.append((total, dict(spent)))
    return min(rounds, key=lambda one: one[0])


@contextmanager
def clocks() -> Iterator[dict[str, float]]:
    """Step → seconds so far."""
    inside: list[str] = []
    places: dict[str, Any] = dict.fromkeys(STEPS, engine) | {
        "described": hits,
        "embed_query": Embedder,
        "chunks": SqliteReader,
        "parts": SqliteReader,
    }
    originals = {name: getattr(places[name], name) for name in STEPS}
    spent = dict.fromkeys(originals, 0.0)

    def clocked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            if inside and name == "chunks":
                return function(*arguments, **options)
            inside.append(name)
            began = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                inside.pop()
                spent[name] += time.perf_counter() - began

        return run

    for name, function in originals.items():
        setattr(places[name], name, clocked(name, function))
    try:
        yield spent
    finally:
        for name, function in originals.items():
            setattr(places[name], name, function)


if __name__ == "__main__":
    sys.exit(main())
