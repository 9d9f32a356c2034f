"""Asking and judging: where hits stand, which of them count, what is made of the scores."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import headnote
from headnote.embedding.hashing import HashingEmbedder
from headnote.errors import MissingSource, SettingsError
from headnote.evaluate.plot import svg
from headnote.evaluate.plot_file import check_plot, write_plot
from headnote.evaluate.questions import Gold, Place, Question
from headnote.evaluate.remember import RememberingEmbedder
from headnote.evaluate.report import Comparison, record, table, verdicts
from headnote.evaluate.run import Found, Measured, first_of_each_document, hits_that_count, judge, measure, prepare
from headnote.evaluate.spans import Span
from headnote.model import Hit, text_hash

SOURCE = "# Top\n\nFirst sentence. Second sentence. Third.\n\n```sh\none\ntwo\nthree\n```\n"


def hit_of(text: str, start_line: int, end_line: int, path: str = "a.md") -> Hit:
    start = max(SOURCE.find(text), 0)
    hit = Hit(path, start_line, end_line, "Top", "Top", text, 0.5, f"{path}#0", f"{path}#x", 3)
    return hit._replace(start=start, end=start + len(text))


def question(text: str = "q", leave_out: frozenset[str] = frozenset()) -> Question:
    return Question(text, (Gold("a.md", excerpt="Second"),), Place("q.jsonl", 1), leave_out)


def test_more_is_asked_for_until_enough_count() -> None:
    asked: list[int] = []

    def search(_: str, limit: int) -> Sequence[Hit]:
        asked.append(limit)
        hits = [*[hit_of("x", 1, 1, "left-out.md")] * 5, *[hit_of("x", 1, 1)] * 20]
        return hits[:limit]

    kept = hits_that_count(question(leave_out=frozenset(["left-out.md"])), search, 3)
    assert [hit.path for hit in kept] == ["a.md"] * 3
    assert asked == [3, 6, 12]


def test_a_search_that_finds_little_is_not_asked_forever() -> None:
    assert hits_that_count(question(leave_out=frozenset(["a.md"])), lambda *_: [hit_of("x", 1, 1)], 3) == []


def test_measuring_by_hand() -> None:
    asked = prepare([question("right"), question("wrong"), question("silent")], lambda _: SOURCE)
    right, wrong = hit_of("Second sentence.", 3, 3), hit_of("Third.", 3, 3)
    answers = {"right": [right, wrong], "wrong": [wrong], "silent": []}
    measured = measure("way", asked, lambda text, _: answers[text], 5)
    assert measured.of("hit") == [1.0, 0.0, 0.0]
    assert measured.of("recall") == [1.0, 0.0, 0.0]
    assert measured.of("precision") == [len("Second") / len("Second sentence.Third."), 0.0, 0.0]
    assert measured.of("silent") == [0.0, 0.0, 1.0]
    assert measured.of("tokens_to_first") == [headnote.count_tokens("Second sentence."), 2, 0]


def test_a_document_that_is_not_there_names_the_question() -> None:
    def nothing(path: str) -> str:
        raise MissingSource("not in the index", path=path)

    with pytest.raises(headnote.HeadnoteError, match=r"q.jsonl:1: no document 'a.md' in the index"):
        prepare([question()], nothing)


def test_one_passage_of_each_document() -> None:
    found = [Found(Span(path, start, start + 5), 1) for path, start in [("a", 0), ("a", 5), ("b", 0), ("a", 9)]]
    assert list(first_of_each_document(found)) == [found[0], found[2]]


def comparison() -> Comparison:
    good = tuple(judge([Found(Span("a", 0, 9), 4)], [Span("a", 0, 9)], 5) for _ in range(12))
    bad = tuple(judge([Found(Span("b", 0, 9), 4)], [Span("a", 0, 9)], 5) for _ in range(12))
    return Comparison(5, [Measured("good & <new>", good), Measured("bad", bad)])


def test_the_table_and_what_it_means() -> None:
    rows = table(comparison())
    assert rows[0][1] == "hit@5"
    assert rows[1][:3] == ["good & <new>", "1.000 ±.000", "1.000 ±.000"]
    assert rows[2][1] == "0.000 ±.000"
    assert verdicts(comparison())[0] == "MRR: best is good & <new>; worse: bad (−1.000)"
    assert verdicts(Comparison(5, comparison().measured[:1])) == []


def test_the_record_has_intervals_and_differences() -> None:
    data = record(comparison())
    assert data["questions"] == 12
    assert data["ways"][0]["metrics"]["mrr"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert data["differences"][0]["metrics"]["mrr"]["mean"] == -1.0


def test_the_picture_is_xml_with_a_dot_for_each_way_and_metric(tmp_path: Path) -> None:
    drawn = svg(comparison())
    tree = ElementTree.fromstring(drawn)
    assert len(tree.findall("{*}g/{*}circle")) == 8
    assert "good & <new>" in [node.text for node in tree.findall("{*}g/{*}text")]
    write_plot(comparison(), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8") == drawn


def test_a_picture_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"neither \.svg nor \.png"):
        check_plot(tmp_path / "plot.pdf")
    with pytest.raises(SettingsError, match="no folder"):
        check_plot(tmp_path / "nowhere" / "plot.svg")


def test_no_vector_is_made_twice() -> None:
    class Counting(HashingEmbedder):
        made = 0

        def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            self.made += len(texts)
            return super().embed(texts)

    inner = Counting(16)
    remembering = RememberingEmbedder(inner, {text_hash("known"): inner.embed(["known"])[0]})
    inner.made = 0
    first = remembering.embed(["known", "new", "new"])
    again = remembering.embed(["new", "known"])
    assert inner.made == 1
    assert np.array_equal(first[0], again[1])
    assert np.array_equal(first[1], first[2])
    assert remembering.embed([]).shape == (0, 16)
    assert (remembering.name, remembering.dimensions) == (inner.name, 16)
