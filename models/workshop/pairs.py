"""The training pairs: a phrase that people use for a passage, and the passage.

    python pairs.py PAIRS.json.xz          counts the pairs of each kind

Every epoch draws its own rows. The passage is a whole chunk, a part of one, or only its name. If the query was taken
from the passage, it is removed there, so that a model cannot learn to compare letters.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from headnote.index.text_vectors import parts_of
from headnote.store.quantized import names_of

TIMES = {"link": 2, "desc": 2, "head": 1, "ict": 0.35}
"""How often a pair of each kind appears in an epoch. Text that people wrote to name another page is worth most."""
HEADING_OUT = 0.7
"""How often a heading that is the query is removed from the passage."""
WHOLE = 0.35
"""How often the passage is the whole chunk; otherwise it is an embedded part."""
NAMED = 0.3
"""How often a link or description is paired with the name of its target instead of the text."""
QUESTION = 0.2
"""How often a heading becomes a question."""

_QUESTIONS = ("how do I {}?", "how to {}", "how can I {}?", "what is {}?", "what does {} do?", "where do I find {}?")
_VERBS = (
    "add build change check choose configure connect convert create debug define delete deploy disable edit enable "
)
_VERBS += (
    "find fix generate get handle import install make manage migrate monitor move open remove rename run send set "
)
_VERBS += "specify start stop test troubleshoot update upgrade use verify view work write"
_IMPERATIVE = frozenset(_VERBS.split())


class Passage(NamedTuple):
    site: str
    path: str
    title: str
    headings: tuple[str, ...]
    text: str


class Pair(NamedTuple):
    kind: str
    query: str
    chunk: int


class Row(NamedTuple):
    """What a model sees: two texts that belong together."""

    query: str
    passage: str
    chunk: int


class Pairs:
    """All pairs, by site."""

    def __init__(self, file: Path, most: int | None = None) -> None:
        """`most`: maximum number of pairs, for a trial run."""
        with lzma.open(file) as stream:
            stored = json.load(stream)
        self.passages = [Passage(c["r"], c["p"], c["t"] or "", tuple(c["h"]), c["x"]) for c in stored["chunks"]]
        self.pairs = [Pair(*pair) for pair in stored["pairs"][:most]]

    def expected_rows(self) -> float:
        """Average number of rows per epoch."""
        return sum(TIMES[pair.kind] for pair in self.pairs)

    def epoch(self, generator: random.Random) -> dict[str, list[Row]]:
        """Site → its rows for one epoch, in random order."""
        rows: dict[str, list[Row]] = defaultdict(list)
        for pair in self.pairs:
            times = TIMES[pair.kind]
            for _ in range(int(times) + (generator.random() < times % 1)):
                passage = self.passages[pair.chunk]
                rows[passage.site].append(_row(pair, passage, generator))
        for of_site in rows.values():
            generator.shuffle(of_site)
        return rows


def batches(rows: dict[str, list[Row]], size: int, generator: random.Random) -> Iterator[list[Row]]:
    """Half of every batch comes from one site, because negatives from the same site are the hardest."""
    everything = [row for of_site in rows.values() for row in of_site]
    generator.shuffle(everything)
    sites = [of_site[at : at + size // 2] for of_site in rows.values() for at in range(0, len(of_site), size // 2)]
    generator.shuffle(sites)
    others = iter(everything)
    for half in sites[: len(everything) // size]:
        rest = [row for _, row in zip(range(size - len(half)), others, strict=False)]
        yield half + rest


def _row(pair: Pair, passage: Passage, generator: random.Random) -> Row:
    names = names_of(passage.title, passage.headings)
    if pair.kind in ("link", "desc") and generator.random() < NAMED:
        return Row(pair.query, generator.choice(names), pair.chunk)
    headings, text, query = passage.headings, passage.text, pair.query
    if pair.kind == "ict":
        text = text.replace(query, " ", 1)
    if pair.kind == "head":
        if headings and generator.random() < HEADING_OUT:
            text = _without_heading(text, headings[-1])
            headings = headings[:-1]
        if generator.random() < QUESTION:
            query = _as_question(query, generator)
    whole = f"{' > '.join(filter(None, headings))}\n\n{text}".lstrip()
    chosen = whole if generator.random() < WHOLE else generator.choice(parts_of(whole))
    return Row(query, chosen, pair.chunk)


def _without_heading(text: str, heading: str) -> str:
    """The text without the line of the heading."""
    line = re.compile(rf"^#{{1,6}}[ \t]+{re.escape(heading)}[^\n]*\n?", re.MULTILINE)
    return line.sub("", text, count=1)


def _as_question(heading: str, generator: random.Random) -> str:
    """`Configure a probe` becomes a how question, `Readiness probes` a what question."""
    first, _, rest = heading.partition(" ")
    is_imperative = first.lower() in _IMPERATIVE and bool(rest)
    form = generator.choice(_QUESTIONS[:3] if is_imperative else _QUESTIONS[3:])
    return form.format(first.lower() + (f" {rest}" if rest else "") if first.istitle() else heading)


def main(arguments: Sequence[str]) -> None:
    pairs = Pairs(Path(arguments[0]))
    sites = {passage.site for passage in pairs.passages}
    print(f"{len(pairs.passages):,} passages of {len(sites)} sites")
    for kind, count in Counter(pair.kind for pair in pairs.pairs).most_common():
        print(f"{kind:>5}  {count:>8,} pairs, each {TIMES[kind]} times an epoch")


if __name__ == "__main__":
    main(sys.argv[1:])
