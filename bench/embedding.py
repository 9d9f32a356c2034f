"""Speed of the embedder that comes with headnote: on one core and on all, from a cold start, and for a query.

    python bench/embedding.py [--texts N] [--rounds N] [--json FILE]

The model comes with `pip install ./models/minilm`, the rest with `pip install -e ".[search,deep]"`. The corpora lie at
HEADNOTE_SHARED, or beside the working copy in `shared`.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import headnote
from headnote.embedding.transformer import TransformerEmbedder
from headnote.embedding.wordpieces import uncased
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import MEGABYTE, SEED, load

CORPUS = "kubernetes-en"
WORDS = 230
QUERY = "how do I restart a deployment"
DISTRIBUTIONS = ["headnote-md-minilm", "numpy", "onnxruntime"]

COLD = """
import sys, time
begin = time.perf_counter()
import numpy
numbers = time.perf_counter()
from headnote.embedding import get_embedder
embedder = get_embedder("minilm")
opened = time.perf_counter()
embedder.embed_query("query")
print(numbers - begin, opened - numbers, time.perf_counter() - opened)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed of the embedder that comes with headnote.")
    parser.add_argument("--texts", type=int, default=100, help="so many of each kind (default 100)")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    figures: list[Figure] = []
    show(throughput(options.texts, options.rounds, figures))
    show(start(options.rounds * 3, figures))
    show(query(figures))
    write_figures(options.json, figures, setting, packages)
    return 0


def throughput(count: int, rounds: int, figures: list[Figure]) -> Table:
    kinds = {f"{WORDS} words": pieces(count), "chunks": chunks(count), "headings": headings(count)}
    embedders = {"one core": TransformerEmbedder("minilm", threads=1), "all cores": TransformerEmbedder("minilm")}
    rows = []
    for kind, texts in kinds.items():
        size = sum(len(text.encode()) for text in texts) / MEGABYTE
        pieces_each = sum(len(uncased().ids(text)) for text in texts) / len(texts)
        for name, embedder in embedders.items():
            seconds = min(timed(embedder, texts) for _ in range(rounds))
            speed = [f"{len(texts) / seconds:.1f}", f"{size / seconds:.3f}"]
            rows.append([f"{kind}, {name}", *speed, f"{pieces_each:.0f}"])
            figures.append(Figure(f"{kind}, {name}", "speed", "texts/s", len(texts) / seconds, "higher"))
    notes = [
        f"{count} of each kind from {CORPUS}, seed {SEED}. Best of {rounds} rounds.",
        "Time goes by word pieces: the model reads 254 at once, and a longer text is read in several windows.",
        f"{WORDS} words: cut without regard to structure. chunks: as `headnote.chunk` makes them, with their headings.",
    ]
    return Table("Texts made into vectors", ["", "texts/s", "MB/s", "word pieces each"], rows, notes)


def timed(embedder: TransformerEmbedder, texts: Sequence[str]) -> float:
    embedder.embed(texts[:1])
    begin = time.perf_counter()
    embedder.embed(texts)
    return time.perf_counter() - begin


def start(rounds: int, figures: list[Figure]) -> Table:
    """Each time in a process of its own."""
    runs = []
    for _ in range(rounds):
        result = subprocess.run([sys.executable, "-c", COLD], check=True, capture_output=True, text=True)
        runs.append([float(part) * 1000 for part in result.stdout.split()])
    names = ["import numpy", "find the embedder", "load it and embed a query"]
    times = {name: [run[part] for run in runs] for part, name in enumerate(names)}
    times["all of it"] = [sum(run) for run in runs]
    rows = [[name, *milliseconds(of_step)] for name, of_step in times.items()]
    figures += [Figure(f"cold start: {name}", "time", "ms", min(of_step)) for name, of_step in times.items()]
    return Table("From a cold start, ms", ["", "best", "median"], rows, [f"{rounds} processes."])


def query(figures: list[Figure]) -> Table:
    embedder = TransformerEmbedder("minilm")
    embedder.embed_query(QUERY)
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        embedder.embed_query(QUERY)
        times.append((time.perf_counter() - begin) * 1000)
    figures.append(Figure("a query", "time", "ms", statistics.median(times)))
    return Table("A query, ms", ["", "best", "median"], [[repr(QUERY), *milliseconds(times, 2)]], [])


def milliseconds(times: list[float], digits: int = 0) -> list[str]:
    return [f"{value:.{digits}f}" for value in (min(times), statistics.median(times))]


def pieces(count: int) -> list[str]:
    texts = []
    for text in documents():
        words = text.split(" ")
        texts += [" ".join(words[at : at + WORDS]) for at in range(0, len(words) - WORDS, WORDS)][:3]
    return texts[:count]


def chunks(count: int) -> list[str]:
    return [chunk.embed_text for chunk in some_chunks(count)]


def headings(count: int) -> list[str]:
    return [chunk.breadcrumb or chunk.path for chunk in some_chunks(count)]


def some_chunks(count: int) -> list[Any]:
    sample: list[Any] = []
    for text in documents():
        sample += headnote.chunk(text, path="page.md")[:3]
        if len(sample) >= count:
            break
    return sample[:count]


def documents() -> list[str]:
    texts = [document.text for document in load([CORPUS])[CORPUS]]
    return random.Random(SEED).sample(texts, 400)


if __name__ == "__main__":
    sys.exit(main())
