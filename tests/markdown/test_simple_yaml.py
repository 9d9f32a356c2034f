"""Simple YAML is read without a loader, and says exactly what the loader says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from headnote.markdown.frontmatter import simple_fields
from headnote.markdown.plain_data import plain_mapping
from headnote.markdown.yaml_loader import load

_NAMES = ("a", "title", "x-y", "_z", "yes", "null", "A1", "<<", "1", "tags")
_VALUES = (
    *(
        "a",
        "Yes",
        "no",
        "null",
        "NULL",
        "true",
        "False",
        "on",
        "y",
        "N",
        "~",
        "",
        "=",
        "<<",
        "a ",
        "a  b",
        "don't",
        "é",
        "猫",
    ),
    *("12", "0", "007", "1_0", "-1", "+1", "1.5", "1e3", "0x1f", "12:30", ".5", ".inf", "999999999", "9999999999"),
    *("2024-01-02", "2024-02-31", "2024-1-2", "2024-01-02 10:00:00", "0000-01-01"),
    *("2024-01-02T10:00:00Z", "2024-01-02T10:00:00-08:00", "2024-01-02T10:00:00+05:30", "2024-01-02T10:00:00"),
    *("2024-01-02T24:00:00Z", "2024-01-02T10:00:00+24:00", "2024-13-02T10:00:00Z", "2024-01-02T10:00:00z"),
    *(
        "http://x.y/z",
        "/a/:b/",
        "a: b",
        "a:b",
        "a:",
        "a #b",
        "a#b",
        "/a/#b",
        "a ##",
        "a##b # c",
        "#x",
        "- x",
        "-",
        "a - b",
        "? a",
        "a?",
        "(x)",
        "a, b",
    ),
    *(
        '"q"',
        "'s'",
        '"a: b #c"',
        "'it''s'",
        '"it\'s"',
        '"a\\nb"',
        '""',
        "''",
        "'a' b",
        '"a',
        "[a, b]",
        "[]",
        "[ ]",
        "[a,b c]",
    ),
    *(
        "[a, ]",
        "[1, a]",
        "[no, a]",
        "[true, a]",
        "[a-b]",
        "[a - b]",
        "['a', \"b c\", d]",
        "['a,b']",
        "['a''b']",
        '["a\'b"]',
        "['a' b]",
        "['', \"\"]",
        "[null, a]",
        "[a -b]",
        "[a: b]",
        "[a, [b]]",
        "[a",
        "{a: 1}",
        "a]b",
    ),
    *("|", ">", "&x a", "*x", "!t a", "%a", "@a", "`a`", "a|b", "a>b", "..", "---", "...", "a\\", "a\tb"),
    *("a\u2028b", "a\u2014b", "a\u00a0", "\u00a0", "a\x85b", "a\u200bb", "\ufeffa", "a\x00b", "ａ"),
)
_STRAY = ":#'\"[]{},- \n\tab|>&*!%@`\\\u2014é"


def _by_loader(lines: list[str]) -> Any:
    try:
        value = load("\n".join(lines))
    except Exception as error:  # noqa: BLE001  whatever it is, the fast way must not hide it
        return error
    return plain_mapping(value) if isinstance(value, dict) else value


def _is_same(one: Any, other: Any) -> bool:
    """Also in types and in the order of fields: `1 == True` would pass otherwise."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


def _lines(generator: random.Random) -> list[str]:
    lines: list[str] = []
    simple = generator.random() ** 0.5
    for _ in range(generator.randrange(1, 5)):
        values = (
            _VALUES if generator.random() > simple else ("a", "12", "2024-01-02", "b c", '"q: r"', "[a, b]", "true")
        )
        name = generator.choice(_NAMES)
        blanks = generator.choice(("", " ", " ", "  "))
        behind = generator.choice(("", "", " "))
        form = generator.random()
        if form < 0.5:
            lines.append(f"{name}:{blanks}{generator.choice(values)}{behind}")
        elif form < 0.7:
            indent = generator.choice(("", "  ", " "))
            items = [f"{indent}- {generator.choice(values)}" for _ in range(generator.randrange(3))]
            lines += [f"{name}:", *items, *generator.choice(([], [], [""], ["  x"], [" - y"], ["\t"]))]
        elif form < 0.75:
            dash = generator.choice(("", "  ", " ")) + generator.choice(("- ", "- ", "-  "))
            below = generator.choice((" " * len(dash), " " * len(dash), "  "))
            for _ in range(generator.randrange(1, 3)):
                pair = [f"{generator.choice(_NAMES)}: {generator.choice(values)}" for _ in range(2)]
                items = [f"{dash}{pair[0]}", *generator.choice(([f"{below}{pair[1]}"], [f"{dash}b"], [], [""]))]
                lines += [*([] if lines and lines[-1].startswith(dash) else [f"{name}:"]), *items]
        elif form < 0.8:
            inner = [f"  {generator.choice(_NAMES)}:{blanks}{generator.choice(values)}" for _ in range(2)]
            lines += [f"{name}:{behind}", *inner, *generator.choice(([], [], [""], ["   b: c"], ["  b:"], ["  - y"]))]
        elif form < 0.9:
            style = generator.choice((">", "|", ">-", "|-", ">", "|", ">+", "|2"))
            inner = [f"  {generator.choice(values)}" for _ in range(generator.randrange(4))]
            lines += [
                f"{name}: {style}{behind}",
                *inner,
                *generator.choice(([], [], [""], [""], ["   b"], ["  "], [" b"])),
            ]
        else:
            lines.append(f"{generator.choice(('', '', '', ' '))}#{blanks}{generator.choice(values)}")
    if generator.random() < 0.2:
        text = "\n".join(lines)
        at = generator.randrange(len(text) + 1)
        lines = (text[:at] + generator.choice(_STRAY) + text[at:]).split("\n")
    return lines


@pytest.mark.parametrize("seed", range(8))
def test_what_is_read_without_the_loader_is_what_the_loader_reads(seed: int) -> None:
    generator = random.Random(seed)
    read = 0
    for _ in range(1_500):
        lines = _lines(generator)
        fields = simple_fields(lines)
        if fields is not None:
            read += 1
            by_loader = _by_loader(lines)
            assert _is_same(fields, by_loader), (lines, fields, by_loader)
    assert read > 150


def test_the_fields_of_a_note_need_no_loader() -> None:
    lines = [
        "title: Plan: b",
        "title: The plan",
        "created: 2024-05-06",
        "tags: [a, b/c]",
        "aliases:",
        "  - One",
        "done: false",
        "# Not yet:",
        "sidebar:",
        "  label: Plans",
        "  order: 3",
        "stages:",
        "- stage: beta",
        "  since: 2",
        "- stage: stable",
        "description: >",
        "  What we do next,",
        "  and why.",
        "",
        "note: |-",
        "  One: two.",
    ]
    assert simple_fields(lines) is None  # `Plan: b` is for the loader to refuse
    fields = simple_fields(lines[1:]) or {}
    assert list(fields) == ["title", "created", "tags", "aliases", "done", "sidebar", "stages", "description", "note"]
    assert fields["sidebar"] == {"label": "Plans", "order": 3}
    assert fields["stages"] == [{"stage": "beta", "since": 2}, {"stage": "stable"}]
    assert (fields["description"], fields["note"]) == ("What we do next, and why.\n", "One: two.")


def test_long_frontmatter_is_for_the_loader_which_has_limits() -> None:
    assert simple_fields(["a: b"] * 201) is None
