"""Measuring: which hits count, their scores, and the report on them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.errors import MissingSource, SettingsError
from headnote.extra.evaluate.measuring import (
    CachingEmbedder,
    Measurement,
    Retrieved,
    eligible_hits,
    first_of_each_document,
    locate_gold,
    measure,
    score,
)
from headnote.extra.evaluate.metrics import TextSpan
from headnote.extra.evaluate.questions import Gold, GoldPlace, Question
from headnote.extra.evaluate.report import Comparison, check_plot, record, svg, table, verdicts, write_plot
from headnote.model import Hit, text_hash

SOURCE = "# Top\n\nFirst sentence. Second sentence. Third.\n\n```sh\none\ntwo\nthree\n```\n"


def hit_of(text: str, start_line: int, end_line: int, path: str = "a.md") -> Hit:
    start = max(SOURCE.find(text), 0)
    hit = Hit(path, start_line, end_line, "Top", "Top", text, 0.5, f"{path}#0", f"{path}#x", 3)
    return replace(hit, start=start, end=start + len(text))


def question(text: str = "q", leave_out: frozenset[str] = frozenset()) -> Question:
    return Question(text, (Gold("a.md", excerpt="Second"),), GoldPlace("q.jsonl", 1), leave_out)


def test_the_search_goes_deeper_until_enough_hits_count() -> None:
    limits: list[int] = []

    def search(_: str, limit: int) -> Sequence[Hit]:
        limits.append(limit)
        hits = [*[hit_of("x", 1, 1, "left-out.md")] * 5, *[hit_of("x", 1, 1)] * 20]
        return hits[:limit]

    eligible = eligible_hits(question(leave_out=frozenset(["left-out.md"])), search, 3)
    assert [hit.path for hit in eligible] == ["a.md"] * 3
    assert limits == [3, 6, 12]


def test_a_search_with_few_hits_ends() -> None:
    assert eligible_hits(question(leave_out=frozenset(["a.md"])), lambda *_: [hit_of("x", 1, 1)], 3) == []


def test_measuring_by_hand() -> None:
    questions = locate_gold([question("right"), question("wrong"), question("silent")], lambda _: SOURCE)
    right, wrong = hit_of("Second sentence.", 3, 3), hit_of("Third.", 3, 3)
    answers = {"right": [right, wrong], "wrong": [wrong], "silent": []}
    measurement = measure("way", questions, lambda text, _: answers[text], 5)
    assert measurement.of("hit") == [1.0, 0.0, 0.0]
    assert measurement.of("recall") == [1.0, 0.0, 0.0]
    assert measurement.of("precision") == [len("Second") / len("Second sentence.Third."), 0.0, 0.0]
    assert measurement.of("silent") == [0.0, 0.0, 1.0]
    assert measurement.of("tokens_to_first") == [headnote.count_tokens("Second sentence."), 2, 0]


def test_a_missing_document_names_the_question() -> None:
    def nothing(path: str) -> str:
        raise MissingSource("not in the index", path=path)

    with pytest.raises(headnote.HeadnoteError, match=r"q.jsonl:1: no document 'a.md' in the index"):
        locate_gold([question()], nothing)


def test_one_passage_of_each_document() -> None:
    retrieved = [
        Retrieved(TextSpan(path, start, start + 5), 1) for path, start in [("a", 0), ("a", 5), ("b", 0), ("a", 9)]
    ]
    assert list(first_of_each_document(retrieved)) == [retrieved[0], retrieved[2]]


def comparison() -> Comparison:
    good = tuple(score([Retrieved(TextSpan("a", 0, 9), 4)], [TextSpan("a", 0, 9)], 5) for _ in range(12))
    bad = tuple(score([Retrieved(TextSpan("b", 0, 9), 4)], [TextSpan("a", 0, 9)], 5) for _ in range(12))
    return Comparison(5, [Measurement("good & <new>", good), Measurement("bad", bad)])


def test_the_table_and_the_verdicts() -> None:
    rows = table(comparison())
    assert rows[0][1] == "hit@5"
    assert rows[1][:3] == ["good & <new>", "1.000 ±.000", "1.000 ±.000"]
    assert rows[2][1] == "0.000 ±.000"
    assert verdicts(comparison())[0] == "MRR: best is good & <new>; worse: bad (−1.000)"
    assert verdicts(Comparison(5, comparison().measurements[:1])) == []


def test_the_record_has_intervals_and_differences() -> None:
    data = record(comparison())
    assert data["questions"] == 12
    assert data["ways"][0]["metrics"]["mrr"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert data["differences"][0]["metrics"]["mrr"]["mean"] == -1.0


def test_the_svg_has_a_dot_per_way_and_metric(tmp_path: Path) -> None:
    drawn = svg(comparison())
    tree = ElementTree.fromstring(drawn)
    assert len(tree.findall("{*}g/{*}circle")) == 8
    assert "good & <new>" in [node.text for node in tree.findall("{*}g/{*}text")]
    write_plot(comparison(), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8") == drawn


def test_an_impossible_plot_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"neither \.svg nor \.png"):
        check_plot(tmp_path / "plot.pdf")
    with pytest.raises(SettingsError, match="no folder"):
        check_plot(tmp_path / "nowhere" / "plot.svg")


def test_no_text_is_embedded_twice() -> None:
    class Counting(HashingEmbedder):
        count = 0

        def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            self.count += len(texts)
            return super().embed(texts)

    inner = Counting(16)
    caching = CachingEmbedder(inner, {text_hash("known"): inner.embed(["known"])[0]})
    inner.count = 0
    first = caching.embed(["known", "new", "new"])
    again = caching.embed(["new", "known"])
    assert inner.count == 1
    assert np.array_equal(first[0], again[1])
    assert np.array_equal(first[1], first[2])
    assert caching.embed([]).shape == (0, 16)
    assert (caching.name, caching.dimensions) == (inner.name, 16)
