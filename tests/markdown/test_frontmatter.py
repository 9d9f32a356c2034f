"""Frontmatter: where it ends, what it says, and that nothing in it stops a file."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.markdown.frontmatter import aliases, match_frontmatter, read_frontmatter, tags, title
from headnote.model import Block, Frontmatter


def read(text: str) -> Frontmatter:
    match = match_frontmatter(text)
    assert match is not None
    end, language = match
    lines = text[:end].replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    return read_frontmatter(text, Block("frontmatter", 0, end, 1, lines, 0, language))


def yaml(body: str) -> Frontmatter:
    return read(f"---\n{body}\n---\n")


@pytest.mark.parametrize(
    ("text", "matter", "language"),
    [
        ("---\na: 1\n---\ntext", "---\na: 1\n---", "yaml"),
        ("---\r\na: 1\r\n---\r\ntext", "---\r\na: 1\r\n---", "yaml"),
        ("---\ra: 1\r---\rtext", "---\ra: 1\r---", "yaml"),
        ("---\n---", "---\n---", "yaml"),
        ("---  \na: 1\n---\t\ntext", "---  \na: 1\n---\t", "yaml"),
        ("\ufeff---\na: 1\n---\n", "\ufeff---\na: 1\n---", "yaml"),
        ("+++\na = 1\n+++\n", "+++\na = 1\n+++", "toml"),
        ("---\na: 1\n--- \n---\n", "---\na: 1\n--- ", "yaml"),
    ],
)
def test_frontmatter_ends_with_its_closing_line(text: str, matter: str, language: str) -> None:
    assert match_frontmatter(text) == (len(matter), language)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "\n---\na: 1\n---\n",
        " ---\na\n---",
        "----\na\n----",
        "---\na: 1\n+++\n",
        "--- x\n---\n",
        "---\na\n---b",
    ],
)
def test_no_frontmatter(text: str) -> None:
    assert match_frontmatter(text) is None


def test_many_lines_that_nearly_close_it_are_read_once() -> None:
    assert match_frontmatter("---\n" + ("---" + " " * 500 + "x\n") * 2_000) is None


def test_yaml_and_toml_are_read() -> None:
    day = datetime.date(2024, 5, 1)
    assert yaml("title: A\ntags: [x, y]\ndate: 2024-05-01").data == {"title": "A", "tags": ["x", "y"], "date": day}
    assert read("+++\r\ntitle = 'A'\r\ndate = 2024-05-01\r\n+++\r\n").data == {"title": "A", "date": day}
    assert yaml("") == Frontmatter("yaml", {})


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("---\na: 1\nb: [\n---\n", "line 4: unreadable YAML"),
        ("---\ntitle: It's: bad\n---\n", "line 2: unreadable YAML"),
        ("---\njust a sentence\n---\n", "line 1: unreadable YAML frontmatter: it has no fields"),
        ("---\n- a\n- b\n---\n", "line 1: unreadable YAML frontmatter: it has no fields"),
        ("+++\na = 1\nb = \nc = 2\n+++\n", "line 3: unreadable TOML"),
    ],
)
def test_what_cannot_be_read_is_a_warning_with_the_line_of_the_file(text: str, warning: str) -> None:
    frontmatter = read(text)
    assert frontmatter.data == {}
    assert frontmatter.warning.startswith(warning)
    assert "\n" not in frontmatter.warning


def test_keys_are_strings_as_they_are_written() -> None:
    data = yaml("yes: 1\n2024-01-01: 2\n1.5: 3\n? [a, b]\n: 4\nx: 5\nx: 6").data
    assert data == {"yes": 1, "2024-01-01": 2, "1.5": 3, "[a, b]": 4, "x": 6}


def test_one_odd_value_does_not_lose_the_others() -> None:
    data = yaml("title: T\ndate: 2024-02-31\nname: !env HOME\nobject: !!python/object:os.system {a: 1}").data
    assert data == {"title": "T", "date": "2024-02-31", "name": "HOME", "object": {"a": 1}}
    assert yaml("title: T\nx: " + "9" * 5_000).data["title"] == "T"
    assert yaml("title: {{ page.title }}").warning == ""


def test_merged_fields_do_not_hide_own_ones() -> None:
    assert yaml("base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  x: 3").data["own"] == {"x": 3, "y": 2}


def test_bombs_are_refused() -> None:
    lists = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    assert "more than" in yaml(lists).warning
    key = lists + "? *a11\n: 1"
    assert "more than" in yaml(key).warning
    merges = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12)
    )
    assert yaml(merges).data["a11"] == {"x": 1}
    assert "recursive" in yaml("a: &a {x: *a}").warning


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? ", "!!map {a: ", "&a ["])
def test_deep_nesting_is_refused(unit: str) -> None:
    assert yaml(unit * 50_000).warning
    assert read(f"+++\na = {unit * 50_000}\n+++\n").warning


@pytest.mark.parametrize(
    "body",
    [
        "a." * 32_000 + "b = 1",
        "[" + "a." * 32_000 + "b]",
        "[[" + "a." * 32_000 + "b]]",
        "x = {" + "'a' . " * 32_000 + "b = 1}",
        "x = " + "[" * 2_000 + "]" * 2_000,
        "x = " + "{a = " * 2_000 + "1" + "}" * 2_000,
    ],
)
def test_deep_toml_is_refused(body: str) -> None:
    assert read(f"+++\n{body}\n+++\n").warning == (
        "line 1: unreadable TOML frontmatter: it nests deeper than 64 levels"
    )


def test_dots_and_brackets_that_nest_nothing_are_read() -> None:
    dots, brackets = "." * 100, "[{" * 100
    body = f"""# {dots}{brackets}
a.b.c = "{dots}{brackets} \\" "
d = '{dots}{brackets}'
e = [1.5, 2.5, {", ".join(["3.5"] * 100)}]
f = \"\"\"{dots}
"" {brackets}\"\"\"\"
g = \'\'\'{dots}
'' {brackets}\'\'\'
h = 1.5
"""
    frontmatter = read(f"+++\n{body}+++\n")
    assert (frontmatter.warning, frontmatter.data["h"]) == ("", 1.5)
    assert frontmatter.data["f"] == f'{dots}\n"" {brackets}"'


def test_endless_frontmatter_is_refused() -> None:
    assert "more than 250,000 characters" in yaml("a: 1\n" * 60_000).warning
    assert "more than 250,000 characters" in yaml("a: " + "b" * 260_000).warning
    assert "more than 250,000 characters" in read("+++\n" + "# a\n" * 70_000 + "+++\n").warning


def test_a_number_without_end_stays_as_it_is_written() -> None:
    number = "9:" * 100_000 + "9"
    assert yaml(f"a: {number}").data == {"a": number}


SCRAPS = st.sampled_from(
    ["a: ", "- ", "[", "]", "{", "}", "? ", ": ", "&a ", "*a ", "<<: ", "!!int ", "!!set ", "!x ", "|\n", "'", '"', "#"]
)
BODIES = st.lists(SCRAPS | st.text(max_size=5) | st.just("\n") | st.just("  "), max_size=30).map("".join)


@given(BODIES, st.sampled_from(["---", "+++"]))
def test_reading_never_raises(body: str, fence: str) -> None:
    text = f"{fence}\n{body}\n{fence}\n"
    frontmatter = read(text)
    assert all(isinstance(key, str) for key in frontmatter.data)
    assert not (frontmatter.data and frontmatter.warning)
    tags(frontmatter.data), aliases(frontmatter.data), title(frontmatter.data)


@given(st.text(alphabet="-+ \t\r\n\ufeffa"))
def test_frontmatter_is_a_prefix_between_two_fences(text: str) -> None:
    match = match_frontmatter(text)
    if match is not None:
        end, language = match
        lines = text[:end].removeprefix("\ufeff").replace("\r", "\n").split("\n")
        fence = {"yaml": "---", "toml": "+++"}[language]
        assert lines[0].rstrip(" \t") == lines[-1].rstrip(" \t") == fence
        assert text[end : end + 1] in ("", "\r", "\n")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "#b", 3, None, "a"], ["a", "b", "3"]),
        ("a, #b,c", ["a", "b", "c"]),
        ("a b\nc", ["a", "b", "c"]),
        (["two words", ["nested"], {"k": 1}], ["two words"]),
        (2024, ["2024"]),
        ({"a": 1}, []),
        (None, []),
    ],
)
def test_tags_however_they_are_written(value: object, expected: list[str]) -> None:
    assert tags({"tags": value}) == expected
    assert tags({"Tag": value}) == expected


def test_aliases_and_title() -> None:
    assert aliases({"aliases": ["New York", "NYC"]}) == ["New York", "NYC"]
    assert aliases({"alias": "New York, NYC"}) == ["New York", "NYC"]
    assert title({"title": " A\n long  title "}) == "A long title"
    assert title({"title": 42}) == "42"
    assert title({"title": ["a", "b"]}) == "a"
    assert title({}) == ""
