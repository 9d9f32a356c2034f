"""Questions: what is understood, what is refused, and in which line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headnote.errors import HeadnoteError
from headnote.extra.evaluate.questions import (
    Gold,
    GoldPlace,
    load_questions,
    locate,
    read_questions,
    section_path,
    write_sections,
)

TEXT = "# Top\n\nIntro  here,\nbroken.\n\n## Part\n\nOne.\n\n### Deep\n\nTwo.\n\n## Part\n\nThree.\n"
HERE = GoldPlace("q.jsonl", 7)


def written(folder: Path, *lines: str, name: str = "q.jsonl") -> Path:
    file = folder / name
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def line(**changes: Any) -> str:
    return json.dumps({"question": "Why?", "gold": {"path": "a.md"}, **changes})


def test_every_way_to_name_a_passage(tmp_path: Path) -> None:
    places: list[dict[str, Any]] = [
        {},
        {"heading": "Part"},
        {"lines": [3, 4]},
        {"lines": 3},
        {"excerpt": "One."},
        {"start": 0, "end": 5},
    ]
    gold = [{"path": "./a.md", **place} for place in places]
    [question] = read_questions(written(tmp_path, "", line(gold=gold, leave_out=["b.md"])))
    assert question.text == "Why?"
    assert question.leave_out == {"b.md"}
    assert question.place.line == 2
    assert question.gold == (
        Gold("a.md"),
        Gold("a.md", heading="Part"),
        Gold("a.md", lines=(3, 4)),
        Gold("a.md", lines=(3, 3)),
        Gold("a.md", excerpt="One."),
        Gold("a.md", characters=(0, 5)),
    )


WRONG = {
    "{": "not JSON",
    "[1]": "not a JSON object",
    "[" * 100_000: "not JSON",
    line(question=" "): "no question",
    line(question=3): "no question",
    line(answer="x"): "unknown key 'answer'",
    json.dumps({"question": "Why?"}): "no gold",
    line(gold=[]): "no gold",
    line(gold="a.md"): "gold is not an object",
    line(gold={"heading": "x"}): "gold without a path",
    line(gold={"path": "a.md", "line": 3}): "unknown key 'line' in gold",
    line(gold={"path": "a.md", "lines": [3, 1]}): "lines in gold are not a range",
    line(gold={"path": "a.md", "lines": [0, 1]}): "lines in gold are not a range",
    line(gold={"path": "a.md", "lines": True}): "lines in gold are not a range",
    line(gold={"path": "a.md", "start": 4}): "start and end in gold are not a range",
    line(gold={"path": "a.md", "start": 4, "end": 4}): "start and end in gold are not a range",
    line(gold={"path": "a.md", "heading": " "}): "heading in gold is not text",
    line(gold={"path": "a.md", "heading": "x", "lines": 3}): "heading and lines in one gold",
    line(leave_out="a.md"): "leave_out is not a list",
}


@pytest.mark.parametrize(("wrong", "message"), WRONG.items(), ids=lambda value: str(value)[:30])
def test_a_malformed_question_is_an_error_with_its_line(tmp_path: Path, wrong: str, message: str) -> None:
    with pytest.raises(HeadnoteError) as caught:
        read_questions(written(tmp_path, line(), wrong))
    assert message in caught.value.message
    assert caught.value.line == 2
    assert "\n" not in str(caught.value)


def test_a_file_without_questions(tmp_path: Path) -> None:
    with pytest.raises(HeadnoteError, match="no questions"):
        load_questions(written(tmp_path, ""))
    with pytest.raises(HeadnoteError, match="no such file"):
        load_questions(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (Gold("a.md"), TEXT.strip()),
        (Gold("a.md", heading="top"), TEXT.strip()),
        (Gold("a.md", heading="part"), "## Part\n\nOne.\n\n### Deep\n\nTwo."),
        (Gold("a.md", heading="part-1"), "## Part\n\nThree."),
        (Gold("a.md", heading="Top > Part > Deep"), "### Deep\n\nTwo."),
        (Gold("a.md", heading="DEEP"), "### Deep\n\nTwo."),
        (Gold("a.md", lines=(3, 4)), "Intro  here,\nbroken."),
        (Gold("a.md", lines=(1, 1)), "# Top"),
        (Gold("a.md", excerpt="Intro here, broken."), "Intro  here,\nbroken."),
        (Gold("a.md", characters=(5, 14)), "Intro"),
    ],
)
def test_gold_is_located_in_the_document(gold: Gold, expected: str) -> None:
    span = locate(gold, TEXT, HERE)
    if gold.characters:
        assert TEXT[span.start : span.end] == expected + "  "[: span.length - len(expected)]
    else:
        assert TEXT[span.start : span.end] == expected


def test_all_line_endings_count() -> None:
    text = "a\rb\r\nc\nd"
    assert [locate(Gold("x.md", lines=(n, n)), text, HERE)[1:] for n in (1, 2, 3, 4)] == [
        (0, 1),
        (2, 3),
        (5, 6),
        (7, 8),
    ]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (Gold("a.md", heading="Nowhere"), "has no heading 'Nowhere'"),
        (Gold("a.md", heading="Top > Part"), "has 2 headings 'Top > Part'"),
        (Gold("a.md", lines=(1, 99)), "has 16 lines"),
        (Gold("a.md", excerpt="not there"), "the excerpt is not in a.md"),
        (Gold("a.md", characters=(0, 9999)), "characters, and gold ends at 9999"),
        (Gold("a.md", characters=(5, 6)), "is blank"),
    ],
)
def test_missing_gold(gold: Gold, message: str) -> None:
    with pytest.raises(HeadnoteError) as caught:
        locate(gold, TEXT, HERE)
    assert message in str(caught.value)
    assert str(caught.value).startswith("q.jsonl:7: ")


# ── question sets by others ──


def test_a_table_with_characters(tmp_path: Path) -> None:
    references = json.dumps([{"content": "x", "start_index": 3, "end_index": 9}]).replace('"', '""')
    file = written(tmp_path, "question,references,corpus_id", f'"One, two?","{references}",talk', name="q.csv")
    [question] = load_questions(file)
    assert question.text == "One, two?"
    assert question.gold == (Gold("talk.md", characters=(3, 9)),)


def test_addresses_of_sections(tmp_path: Path) -> None:
    address = "https://docs.example/en/docs/first-steps/start#your-key"
    assert section_path(address) == "docs/first-steps/start/your-key.md"
    section = {"chunk_link": address, "chunk_heading": "Your key", "text": "Your key\n\nAsk for one."}
    write_sections(written(tmp_path, json.dumps([section]), name="docs.json"), tmp_path / "out")
    document = tmp_path / "out" / section_path(address)
    assert document.read_text(encoding="utf-8") == "# start\n\n## Your key\n\nAsk for one.\n"
    records = [{"question": "How?", "correct_chunks": [address, address]}]
    [question] = load_questions(written(tmp_path, json.dumps(records), name="q.json"))
    assert question.gold == (Gold(section_path(address)),)


def test_links_leave_their_own_page_out(tmp_path: Path) -> None:
    link = {"query": "the key", "src": "site/a.md", "target": "site/sub/b.md", "fragment": "key", "trivial": False}
    [question] = load_questions(written(tmp_path, json.dumps(link), json.dumps({**link, "trivial": True})))
    assert question.gold == (Gold("sub/b.md", heading="key"),)
    assert question.leave_out == {"a.md"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "question,references,corpus_id\nWhy?,no json,talk"),
        ("q.csv", "question\nWhy?"),
        ("q.json", "[{}]"),
        ("q.json", "{"),
        ("q.json", '"text"'),
        ("q.jsonl", '{"query": "x", "src": 1, "target": "a/b.md"}'),
    ],
)
def test_malformed_sets(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(HeadnoteError) as caught:
        load_questions(written(tmp_path, content, name=name))
    assert name in str(caught.value)
