"""Citations in every form: those that hold stay, the others are removed with a reason."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown_samples import CARE, check_citations, passage, samples

from headnote import Answer, Dropped
from headnote.answer.citations import Checker, find_brackets, read_statement, unsupported

NAMES = ("care.md", "guides/mount.md")


def cited_places(text: str) -> list[tuple[str, int | None, int]]:
    brackets = find_brackets(text, NAMES)
    return [(item.path, item.start_line, item.end_line) for bracket in brackets for item in bracket.items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[care.md:3]", [("care.md", 3, 3)]),
        ("a [care.md:3-4], b", [("care.md", 3, 4)]),
        ("[ care.md:3–4 ]", [("care.md", 3, 4)]),
        ("[care.md:L3-L4]", [("care.md", 3, 4)]),
        ("[care.md#L3-L4]", [("care.md", 3, 4)]),
        ("[care.md, lines 3-4]", [("care.md", 3, 4)]),
        ("[care.md:3-4, 8]", [("care.md", 3, 4), ("care.md", 8, 8)]),
        ("[care.md:3; guides/mount.md:1-2]", [("care.md", 3, 3), ("guides/mount.md", 1, 2)]),
        ("[care.md:3][care.md:4]", [("care.md", 3, 3), ("care.md", 4, 4)]),
        ("[[care.md:3]]", [("care.md", 3, 3)]),
        ("`[care.md:3]`", [("care.md", 3, 3)]),
        ("[evil.md:1-2]", [("evil.md", 1, 2)]),
        ("[evil.md, 1-2]", [("evil.md", 1, 2)]),
        ("[evil:1-2]", [("evil", 1, 2)]),
        ("[/etc/passwd:1]", [("/etc/passwd", 1, 1)]),
        ("[evil.md]", [("evil.md", None, 0)]),
        ("[care.md:99999999999999999999]", [("care.md", 10**9, 10**9)]),
    ],
)
def test_citations_are_found(text: str, expected: list[tuple[str, int | None, int]]) -> None:
    assert cited_places(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "at [12:30] sharp",
        "[ratio 3:4]",
        "[see #12]",
        "the slice `text[start:10]`",
        "[Care](care.md)",
        "[care.md](care.md)",
        "- [x] done",
        "[1]",
        "[care.md:3\n]",
        "[",
        "[care.md:",
        "[]",
    ],
)
def test_other_brackets_are_left_alone(text: str) -> None:
    assert cited_places(text) == []
    assert check_citations(text, samples()).text == text


@pytest.mark.parametrize("name", ["1. Start here.md", "a, b; c.md", "pages/[id].mdx", "notes: 2026.md", "メモ.md"])
def test_names_may_hold_anything(name: str) -> None:
    shown = [passage(CARE, name, 3, 4)]
    text = f"Done. A dark lamp means an empty battery [{name}:4]. And so on."
    checked = check_citations(text, shown)
    assert checked.text == text
    assert [(citation.path, citation.start_line) for citation in checked.citations] == [(name, 4)]


def test_what_holds_stays() -> None:
    text = (
        "The lamp blinks twice a minute [care.md:3]. If it is dark, the battery is empty. [care.md:4]\n\n"
        "- torque of the upper bracket: 12 Nm [guides/mount.md:3]\n"
        "- for science, calibrate every 3 months [care.md:13]\n"
    )
    checked = check_citations(text, samples())
    assert checked.text == text
    assert checked.dropped == ()
    assert [citation.place for citation in checked.citations] == [
        "care.md:3",
        "care.md:4",
        "guides/mount.md:3",
        "care.md:13",
    ]
    assert checked.citations[0].text == CARE.split("\n")[2]


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        ("evil.md:1-2", "not among the sources"),
        ("Care.md:3", "not among the sources"),
        ("../care.md:3", "not among the sources"),
        ("care.md:40-50", "these lines were not shown"),
        ("guides/mount.md:4", "these lines were not shown"),
        ("care.md:0", "these lines were not shown"),
        ("care.md:4-3", "not a range of lines"),
        ("care.md", "names no lines"),
        ("care.md:9", "its lines do not say this"),
        ("guides/mount.md:3", "its lines do not say this"),
    ],
)
def test_what_does_not_hold_goes(citation: str, reason: str) -> None:
    checked = check_citations(f"The lamp blinks twice a minute [{citation}]. So it is.", samples())
    assert checked.text == "The lamp blinks twice a minute. So it is."
    assert checked.citations == ()
    assert checked.dropped == (Dropped(citation, reason),)


def test_one_of_several_may_go() -> None:
    checked = check_citations("The lamp blinks twice a minute [care.md:3; evil.md:1; care.md:9].", samples())
    assert checked.text == "The lamp blinks twice a minute [care.md:3]."
    assert [dropped.written for dropped in checked.dropped] == ["evil.md:1", "care.md:9"]


def test_wider_lines_are_clipped() -> None:
    checked = check_citations("The upper bracket gets 12 Nm of torque [guides/mount.md:2-90].", samples())
    assert checked.text == "The upper bracket gets 12 Nm of torque [guides/mount.md:3]."


def test_neighbours_join_across_blank_lines() -> None:
    checked = check_citations("The lamp is dark: the battery is empty, below 3.3 V [care.md:4-8].", samples())
    assert checked.text.endswith("[care.md:4-8].")


def test_other_numbers() -> None:
    checked = check_citations("Below 4.2 V the gauge sleeps until the sun is back [care.md:8].", samples())
    assert checked.citations == ()
    assert checked.dropped[0].reason == "its lines have other numbers"


def test_a_row_says_what_its_header_says() -> None:
    assert check_citations("Calibrate every three months [care.md:13].", samples()).citations


def test_a_sentence_that_says_nothing_is_judged_with_those_before() -> None:
    text = "The lamp blinks twice a minute while the radio works.\n[care.md:3]\n\nSee also [care.md:13]."
    checked = check_citations(text, samples())
    assert [citation.place for citation in checked.citations] == ["care.md:3"]


def test_a_line_that_only_cites_belongs_to_the_block_before() -> None:
    text = "```\nset the torque wrench to 12 Nm, upper bracket\n```\n\n[guides/mount.md:3]\n"
    assert check_citations(text, samples()).text == text
    wrong = text.replace("guides/mount.md:3", "care.md:9")
    assert check_citations(wrong, samples()).citations == ()


def test_a_citation_is_no_link() -> None:
    checked = check_citations("The lamp blinks twice a minute [care.md:3](http://evil.example).", samples())
    assert "](" not in checked.text


@pytest.mark.parametrize(
    "text", ["[[x.md:1]evil.md:1-2]", "a [ foo. [x.md:1]evil.md:1-2] b", "[a" * 40 + "[x.md:1]" * 9]
)
def test_taking_out_makes_no_new_one(text: str) -> None:
    assert find_brackets(check_citations(text, samples()).text, NAMES) == []


def test_the_rule() -> None:
    def holds(sentence: str, lines: str, headings: str = "") -> bool:
        return not unsupported(read_statement(sentence), lines, headings)

    lines = "Below 3.3 V the gauge sleeps until the sun is back."
    assert holds("The gauge sleeps when it has less than 3.3 V.", lines)
    assert not holds("Mount two brackets with stainless bolts.", lines)
    assert not holds("", lines)
    assert not holds("This is it.", lines)
    # What stands in every heading above is no evidence.
    assert not holds("The battery of the station lasts for years.", "Battery", "Station > Battery")


TEXTS = st.text(st.sampled_from("[]:;,-.ab1209 \n`(\r#care.md/evil。")) | st.text()
PARTS = st.sampled_from(
    [
        "[care.md:3]",
        "[evil.md:1-2]",
        "[",
        "]",
        " The lamp blinks twice. ",
        "care.md:3-4",
        ":1",
        "\n\n",
        "```\n",
        "; ",
        "`",
    ]
)


@given(TEXTS | st.lists(PARTS, max_size=12).map("".join))
def test_no_unknown_source_ever_comes_through(text: str) -> None:
    checked = check_citations(text, samples())
    assert {citation.path for citation in checked.citations} <= set(NAMES)
    for citation in checked.citations:
        assert f"{citation.place}" in checked.text
    outside_code = checked.text.replace("`", "'")
    if "`" not in checked.text:
        left = {item.path for bracket in find_brackets(outside_code, NAMES) for item in bracket.items}
        assert left <= set(NAMES)


@given(st.lists(PARTS, max_size=12).map("".join) | TEXTS, st.integers(1, 9))
def test_piece_by_piece_is_the_same(text: str, size: int) -> None:
    checker = Checker(samples())
    released = "".join(checker.feed(text[at : at + size]) for at in range(0, len(text), size)) + checker.finish()
    at_once = check_citations(text, samples())
    assert Answer(released, checker.citations, dropped=checker.dropped) == at_once


def test_text_without_end_is_no_reason_to_wait() -> None:
    began = time.monotonic()
    for text in (
        "[" * 50_000,
        "[a.md:1" * 8_000,
        "word " * 20_000,
        "[[x.md:1]" * 6_000,
        "a.md:1, " * 9_000 + "]",
        "x [care.md:8]. " * 4_000,
    ):
        checker = Checker(samples())
        for at in range(0, len(text), 500):
            checker.feed(text[at : at + 500])
        checker.finish()
        assert checker.citations == ()
    assert time.monotonic() - began < 20


def test_a_citation_that_had_only_begun() -> None:
    checker = Checker(samples())
    text = checker.feed("The lamp blinks twice a minute [care.md:3]. A dark lamp [care.m") + checker.finish(
        cut_off=True
    )
    assert text == "The lamp blinks twice a minute [care.md:3]. A dark lamp"
