"""Is the right page first, whatever kind of question is asked? Each kind counts the same, each site within its kind.

    python bench/kinds.py [--mode MODE] [--without SITE] [--every N] [--plain] [--rows DIR] [--cache DIR]
                          [--setting NAME=VALUE] [--save FILE] [--against FILE] [--failures FILE]

What people asked and what a rival is measured by are judged by page, links by section or page, prose by excerpt.
`--save` keeps the reciprocal rank of every question; `--against` compares with such a file, question by question.
`--without` leaves out a site, for choosing anything on the others. `--rows` is a folder with another table of the
instant model, as `src/headnote/embedding/data` has it. `--setting target_tokens=256` cuts the documents in another way;
how many chunks that makes is told below the table. `--plain` adds BM25 over whole pages, and over passages of 2,000
characters.
Needs `pip install -e ".[search,bench]"`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import bm25s
import Stemmer

import headnote.embedding.instant
from headnote.extra.evaluate.measuring import LocatedQuestion, locate_gold
from headnote.extra.evaluate.metrics import TextSpan, difference, first_rank
from headnote.search.query import MODES
from our_search import Model, OurIndex
from question_sets import ASKED, GRADED, LINKED, QuestionSet, anthropic, asked, chroma, graded, linkgold
from report import Table, machine, show, show_setting, versions

PLACES = 10
"""Pages or passages that count."""
FIRST = 5
DEEP = 40
"""Hits to ask for: so many that they are of ten pages, or ten of them outside a page that is left out."""
PASSAGE = 2_000
"""Characters of a plain passage."""


class Sample(NamedTuple):
    """Questions of one kind about one site."""

    kind: str
    questions: QuestionSet
    by_page: bool
    only_sections: bool = False

    @property
    def site(self) -> str:
        return self.questions.name.rpartition(" ")[2]


MAX_PLAIN = 200
"""Passages of plain BM25 that are looked at."""


Ask = Callable[[str], Sequence[TextSpan]]
Ranks = dict[str, dict[str, list[float]]]
"""Way → kind and site → the reciprocal rank of each question."""


def main() -> None:
    options = _options()
    show_setting(machine(), versions(["headnote-md", "numpy", "bm25s"]))
    if options.rows:
        headnote.embedding.instant.DATA = options.rows
    samples = [one for one in _samples(options.cache) if one.site not in options.without and one.questions.questions]
    ranks, failures, chunks = _asked(samples, options)
    show(_means(ranks, chunks))
    if options.against:
        show(_differences(ranks, json.loads(options.against.read_text(encoding="utf-8"))))
    if options.save:
        options.save.write_text(json.dumps(ranks), encoding="utf-8")
    if options.failures:
        options.failures.write_text("\n".join(failures) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether the right page is first, by the kind of question.")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this one; repeatable")
    parser.add_argument("--without", action="append", default=[], metavar="SITE", help="leave it out; repeatable")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth link only")
    parser.add_argument("--plain", action="store_true", help="plain BM25 beside ours")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="of chunks; repeatable")
    parser.add_argument("--rows", type=Path, metavar="DIR", help="another table of the instant model")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the indexes")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    parser.add_argument("--failures", type=Path, metavar="FILE", help="questions whose answer is not first, with why")
    return parser.parse_args()


def _samples(cache: Path) -> Iterator[Sample]:
    for site in ASKED:
        yield Sample("asked", asked(site, cache, with_body=False), by_page=True)
        yield Sample("asked at length", asked(site, cache, with_body=True), by_page=True)
    for library in GRADED:
        yield Sample("graded", graded(library, cache), by_page=True)
    for site in LINKED:
        links = linkgold(site, cache, quick=False)
        yield Sample("links to sections", links, by_page=False, only_sections=True)
        yield Sample("links to pages", links, by_page=True)
    yield Sample("near the text", anthropic(cache, quick=False), by_page=True)
    yield Sample("near the text", chroma(cache, quick=False), by_page=False)


# -- asking


def _asked(samples: Sequence[Sample], options: argparse.Namespace) -> tuple[Ranks, list[str], dict[Path, int]]:
    """The ranks, the questions that failed, and folder → its chunks."""
    model = Model.load("instant", options.cache)
    settings = dict(setting.split("=", 1) for setting in options.setting)
    ranks: Ranks = defaultdict(dict)
    failures: list[str] = []
    chunks: dict[Path, int] = {}
    for sample in samples:
        root, ignores_links = sample.questions.root, sample.questions.asks_for_links
        index = OurIndex(root, options.cache, model, settings=settings, ignores_links=ignores_links)
        chunks[root] = index.chunks
        texts = index.texts()
        located = _chosen(sample, locate_gold(sample.questions.questions, texts.__getitem__), options.every)
        for name, ask in _ways(index, texts, options).items():
            found = [_places(sample, one, ask(one.question.text)) for one in located]
            ours = [_reciprocal(one, spans) for one, spans in zip(located, found, strict=True)]
            ranks[name][f"{sample.kind}: {sample.site}"] = ours
            lines = zip(ours, located, found, strict=True)
            failures += [_failure(name, sample, *line) for line in lines if line[0] < 1]
    return ranks, failures, chunks


def _chosen(sample: Sample, located: Sequence[LocatedQuestion], every: int) -> list[LocatedQuestion]:
    if not sample.questions.asks_for_links:
        return list(located)
    return [one for one in located if sample.only_sections == bool(one.question.gold[0].heading)][::every]


def _ways(index: OurIndex, texts: Mapping[str, str], options: argparse.Namespace) -> dict[str, Ask]:
    def ours(mode: str) -> Ask:
        return lambda question: [passage.span for passage in index.asking(mode)(question, DEEP)]

    ways = {mode: ours(mode) for mode in options.mode or MODES}
    if options.plain:
        passages = [
            TextSpan(path, at, min(at + PASSAGE, len(text)))
            for path, text in texts.items()
            for at in range(0, max(len(text), 1), PASSAGE)
        ]
        pages = [TextSpan(path, 0, len(text)) for path, text in texts.items()]
        ways["BM25, 2,000 characters"] = PlainIndex(texts, passages).search
        ways["BM25, pages"] = PlainIndex(texts, pages).search
    return ways


def _places(sample: Sample, one: LocatedQuestion, spans: Sequence[TextSpan]) -> list[TextSpan]:
    """The first ten outside the pages that do not count, one for each page if pages are asked for."""
    found = [span for span in spans if span.path not in one.question.leave_out]
    if sample.by_page:
        pages: dict[str, TextSpan] = {}
        for span in found:
            pages.setdefault(span.path, span)
        found = list(pages.values())
    return found[:PLACES]


def _reciprocal(one: LocatedQuestion, found: Sequence[TextSpan]) -> float:
    rank = first_rank(found, one.gold)
    return 1 / rank if rank else 0.0


def _failure(way: str, sample: Sample, rank: float, one: LocatedQuestion, found: Sequence[TextSpan]) -> str:
    return json.dumps(
        {
            "way": way,
            "kind": sample.kind,
            "site": sample.site,
            "rank": round(1 / rank) if rank else None,
            "question": one.question.text,
            "gold": [gold.path for gold in one.question.gold],
            "found": [span.path for span in found],
        }
    )


class PlainIndex:
    """BM25 with stems and without stop words over texts as they are."""

    def __init__(self, texts: Mapping[str, str], spans: Sequence[TextSpan]) -> None:
        self._spans = spans
        self._stemmer = Stemmer.Stemmer("english")
        self._words = bm25s.BM25()
        self._words.index(self._terms([texts[span.path][span.start : span.end] for span in spans]), show_progress=False)

    def _terms(self, texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def search(self, question: str) -> list[TextSpan]:
        depth = min(MAX_PLAIN, len(self._spans))
        found, scores = self._words.retrieve(self._terms([question]), k=depth, show_progress=False)
        return [self._spans[at] for at, score in zip(found[0], scores[0], strict=True) if score > 0]


# -- tables


def _by_kind(of_way: Mapping[str, list[float]]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in of_way:
        kinds[name.partition(":")[0]].append(name)
    return kinds


def _mean(of_way: Mapping[str, list[float]], score: Callable[[float], float] = float) -> float:
    """Each kind counts the same, each site within its kind."""
    return fmean(fmean(fmean(map(score, of_way[name])) for name in names) for names in _by_kind(of_way).values())


def _is_first(rank: float) -> float:
    return float(rank >= 1 / FIRST)


def _means(ranks: Ranks, chunks: Mapping[Path, int]) -> Table:
    first = next(iter(ranks.values()))
    groups = {name: [name] for name in first}
    groups |= {f"{kind}, all sites": names for kind, names in _by_kind(first).items()}
    rows = [
        [
            f"{group} ({sum(len(first[name]) for name in names)})",
            *(_shown({name: of_way[name] for name in names}) for of_way in ranks.values()),
        ]
        for group, names in groups.items()
    ]
    rows.append(["mean of the kinds", *(_shown(of_way) for of_way in ranks.values())])
    notes = [
        f"MRR among {PLACES} and the share with an answer among the first {FIRST}.",
        f"{sum(chunks.values()):,} chunks in {len(chunks)} folders.",
    ]
    return Table("The right page first", ["", *ranks], rows, notes)


def _shown(of_way: Mapping[str, list[float]]) -> str:
    return f"{_mean(of_way):.3f} {_mean(of_way, _is_first):.2f}"


def _differences(ranks: Ranks, others: Ranks) -> Table:
    ways = [way for way in ranks if way in others]
    first = ranks[ways[0]]
    rows = []
    for kind, names in _by_kind(first).items():
        row = [kind]
        for way in ways:
            ours = [rank for name in names for rank in ranks[way][name]]
            gap = difference(ours, [rank for name in names for rank in others[way][name]])
            verdict = "better" if gap.is_above_zero else "WORSE" if gap.is_below_zero else "chance"
            row.append(f"{gap.mean:+.3f} [{gap.low:+.3f} {gap.high:+.3f}] {verdict}")
        rows.append(row)
    rows.append(["mean of the kinds", *(f"{_mean(ranks[way]) - _mean(others[way]):+.4f}" for way in ways)])
    return Table("Against the other run, question by question", ["", *ways], rows, [])


if __name__ == "__main__":
    main()
