"""What is shown of a hit, and which words of it are marked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.search.readable import ReadableLine, readable_lines
from headnote.search.snippets import EXCERPT_LINES, Snippet, best_lines, clipped, excerpt, marked_terms, marks


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in marks(text, marked_terms(query))]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The tide rises; tides fall.", "tide", ["tide", "tides"]),
        ("Tidewater is no tide.", "tide", ["tide"]),
        ("Use `max_tokens` or --max-file-bytes.", "max_tokens", ["max_tokens", "max-file-bytes"]),
        ("The cat and the hat", "the cat", ["cat"]),
        ("東京の潮位を調べる", "潮位", ["潮位"]),
        ("データベースの設定", "データベース", ["データベース"]),
        ("データを読む。データベース", "データ", ["データ", "データ"]),
        ("数据库管理系统和数据仓库", "数据库系统", ["数据库", "系统", "数据"]),
        ("猫が好きです", "猫の手", []),
        ("在Kubernetes集群中部署", "kubernetes", ["Kubernetes"]),
        ("在Kubernetes集群中部署", "集群 kubernetes", ["Kubernetes集群"]),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース", ["ﾃﾞｰﾀﾍﾞｰｽ"]),
        ("Собаки лают", "собака", ["Собаки"]),
        ("Gauges were calibrated", "calibrate a gauge", ["Gauges", "calibrated"]),
        ("set max_tokens or maxTokens", "max-tokens", ["max_tokens", "maxTokens"]),
        ("a the of", "the gauge of a", []),
        ("the", "the", ["the"]),
        ("nothing here", "tide", []),
        ("", "tide", []),
        ("tide", "", []),
    ],
)
def test_words_that_the_query_asks_for(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_marks_are_in_order_and_apart() -> None:
    ranges = list(marks("tide wall tide wall " * 50, marked_terms("wall tide")))
    assert len(ranges) == 200
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))


@given(
    st.text(alphabet="潮位数据庫データー猫の a.,", max_size=40),
    st.text(alphabet="潮位数据庫データー猫の a", max_size=8),
)
def test_marks_never_touch(text: str, query: str) -> None:
    ranges = list(marks(text, marked_terms(query)))
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert all(first[1] < second[0] for first, second in pairwise(ranges))


# -- best lines, for a terminal


TEXT = """\
# Calibration

A sensor measures the time.

The gauge is fine.
Calibrate the gauge with a tape.
A gauge hangs there.
Use the tape again, the gauge waits.
"""


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        (TEXT, "calibrate a gauge", ["Calibrate the gauge with a tape."]),
        (TEXT, "measures with a tape", ["A sensor measures the time.", "Calibrate the gauge with a tape."]),
        (TEXT, "elephants", ["A sensor measures the time.", "The gauge is fine."]),
        ("# Only a heading\n", "heading", []),
    ],
)
def test_the_best_lines_cover_most_of_the_query(text: str, query: str, expected: list[str]) -> None:
    best = best_lines(readable_lines(text), marked_terms(query))
    assert [line.text for line in best] == expected
    assert [text.splitlines()[line.number] for line in best] == expected


@pytest.mark.parametrize(
    "line",
    [
        *(
            "Plugin ID:",
            "- Tide gauge:",
            "潮位：",
            "alias:: tide",
            "- tide::",
            "[tide:: high]",
            "{{tide}}",
            "{{[[tide]]}}",
        ),
        *(
            "{% tide %}",
            "<% tide %>",
            "%% tide %%",
            "<!-- tide -->",
            "=====",
            "-----",
            "|---|---|",
            "import tide from 'tide'",
        ),
        *("~~~\n```tide\ntide:\n{{ tide }}\n~~~", "- - -", "$$"),
    ],
)
def test_no_best_line_says_nothing(line: str) -> None:
    text = f"# Tide\n\n{line}\n\nWater rises twice a day.\n\n{line}\n"
    assert [shown.text for shown in best_lines(readable_lines(text), marked_terms("tide"))] == [
        "Water rises twice a day."
    ]


def test_a_field_is_better_than_nothing() -> None:
    lines = readable_lines("alias:: Tide\nplugin::\n")
    assert [line.text for line in best_lines(lines, marked_terms("tide"))] == ["alias:: Tide"]
    assert best_lines(readable_lines("Plugin ID:\n"), marked_terms("plugin")) == []


@pytest.mark.parametrize(
    "text",
    [
        "The gauge, e.g. the one\nbelow the pier, is\nread at noon. Then it rests.",
        "The gauge, e.g. the one below the pier, is read at noon. " + "Then it rests. " * 20,
        "> The gauge, e.g. the one below the pier,\n> is read at noon. Then it rests.",
    ],
)
def test_a_sentence_is_shown_whole(text: str) -> None:
    terms = marked_terms("pier")
    (line,) = (clipped(line, terms) for line in best_lines(readable_lines(text), terms))
    assert line.text == "The gauge, e.g. the one below the pier, is read at noon."
    assert line.line == 0
    (first, *_) = excerpt(readable_lines(text), terms).lines
    assert first.text.startswith(line.text)


def test_an_excerpt_of_a_long_paragraph_has_whole_sentences() -> None:
    (line,) = excerpt_of("Nothing is here. " * 40 + "The tide is high. " + "Then it falls. " * 40, "tide").lines
    assert line.text.startswith("… The tide is high. Then")
    assert line.text.endswith("Then it falls. …")


def test_a_wide_line_is_clipped_around_its_first_mark() -> None:
    wide = ReadableLine(7, "word " * 300 + "heliograph " + "more " * 300)
    line = clipped(wide, marked_terms("heliograph"))
    assert line.line == 7
    assert line.text.startswith("… word ")
    assert line.text.endswith(" more …")
    assert [line.text[start:end] for start, end in line.marks] == ["heliograph"]


# -- excerpts, for a page


def excerpt_of(text: str, query: str) -> Snippet:
    return excerpt(readable_lines(text), marked_terms(query))


def test_an_excerpt_begins_where_most_marks_follow() -> None:
    filler = "\nFiller.\n" * 9
    text = f"# Tides\n{filler}\nThe tide\nis high.\n\n- The tide is low.\n{filler}"
    shown = excerpt_of(text, "tide")
    assert [line.text for line in shown.lines][:2] == ["The tide is high.", "- The tide is low."]
    assert len(shown.lines) == EXCERPT_LINES
    assert shown.cut_before
    assert not excerpt_of("# Tides\n\nThe tide is high.", "tide").cut_before, "the breadcrumb has the heading"


def test_an_excerpt_is_without_signs_but_code_stays() -> None:
    text = "Set **the `tide`** as [the table](tides.md) and [[wall]] say.\n\n```sh\ntide  --set **x**\n```\n"
    prose, code = excerpt_of(text, "tide table").lines
    assert prose.text == "Set the tide as the table and wall say."
    assert [prose.text[start:end] for start, end in prose.marks] == ["tide", "table"]
    assert (code.text, code.code) == ("tide  --set **x**", True)


def test_a_long_paragraph_is_cut_around_its_first_mark() -> None:
    (line,) = excerpt_of("word " * 300 + "tide " + "more " * 300, "tide").lines
    assert line.text.startswith("… word ")
    assert line.text.endswith(" more …")
    assert [line.text[start:end] for start, end in line.marks] == ["tide"]


@pytest.mark.parametrize("text", ["", "\n", "# Tide\n", "```\n```\n", "---\n", "[" * 50_000, "](" * 50_000])
def test_odd_texts_have_an_excerpt(text: str) -> None:
    assert len(excerpt_of(text, "tide").lines) <= EXCERPT_LINES


def test_a_paragraph_that_is_cut_begins_at_the_line_that_is_shown() -> None:
    lines = [f"line {number} of the paragraph" for number in range(60)]
    lines[40] += " has the tide"
    (shown,) = excerpt_of("\n".join(lines), "tide").lines
    assert shown.text.strip("… ") in " ".join(lines[shown.line :])
    assert lines[shown.line].split()[1] in shown.text
    assert 30 < shown.line <= 40
