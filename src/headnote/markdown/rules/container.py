"""Containers: block quotes, lists and footnotes.

How its lines begin mostly shows where a container ends, and one regex swallows them. Only a line that is neither
prefixed nor the beginning of something new is in doubt: it belongs to the container if a paragraph is open in there,
however deep. Then, and for rare shapes that the regexes leave out, the container is read again line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from headnote.markdown.rules import leaf, paragraph
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.rules.nesting import FOOTNOTE_WIDTH, nested_end
from headnote.markdown.rules.rule import BLANK_LINE, REST_OF_LINE, Dialect, Rule, SpansRead, without_blank_end

_WIDEST_MARKER = 16

Match = Callable[[str, int], re.Match[str] | None]
IsOver = Callable[[str, int, SpansRead], bool]


def block_quote(dialect: Dialect) -> Rule:
    is_over = _is_over(dialect)

    def read(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
        end = match.end()
        if not is_over(text, end, reading):
            end = nested_end(text, start, dialect)
        reading.spans.append(("quote", start, without_blank_end(text, start, end), 0, ""))
        return end

    return Rule("block_quote", rf">{REST_OF_LINE}(?:{dialect.indent}>{REST_OF_LINE})*+", read)


def footnote(dialect: Dialect) -> Rule:
    is_over = _is_over(dialect)

    def read(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
        end = _item_end(text, start, FOOTNOTE_WIDTH)
        if not _after_blank_line(text, end) and not is_over(text, end, reading):
            end = nested_end(text, start, dialect)
        label = text[text.index("^", start) + 1 : match.end() - 2]
        reading.spans.append(("footnote", start, without_blank_end(text, start, end), 0, label))
        return end

    return Rule("footnote", paragraph.FOOTNOTE_LABEL, read)


def list_(dialect: Dialect) -> Rule:
    is_over = _is_over(dialect)
    siblings = _sibling_markers(dialect)

    def read(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
        end = _list_end(text, start, siblings[text[match.end() - 1]])
        if not (end > start and (_after_blank_line(text, end) or is_over(text, end, reading))):
            end = nested_end(text, start, dialect)
        reading.spans.append(("list", start, without_blank_end(text, start, end), 0, ""))
        return end

    return Rule("list", paragraph.LIST_MARKER, read)


def _list_end(text: str, start: int, sibling: Match) -> int:
    """Where the items of a simple list end; -1 if one of them is not simple."""
    plain = _plain_list().match(text, start)
    end = plain.end() if plain else start
    while item := sibling(text, end):
        width = item.end() - end
        if item.lastgroup != "plain" or width > _WIDEST_MARKER or "\t" in item[0]:
            return -1
        end = _item_end(text, end, width)
    return -1 if _TABBED.match(text, end) else end


def _sibling_markers(dialect: Dialect) -> dict[str, Match]:
    """For the last character of a list's marker, what begins another item of the same list.

    The group `plain` is there when the marker is followed by a few spaces and content, as nearly all are.
    """
    markers = {"-": "-", "+": r"\+", "*": r"\*", ".": r"[0-9]{1,9}+\.", ")": r"[0-9]{1,9}+\)"}
    no_break = rf"(?!{dialect.indent}{leaf.BREAK_OPENING})"
    after = r"(?:(?P<plain>[ ]{1,4}(?=[^\s]))|[ \t\n])"
    return {last: re.compile(rf"{no_break}{dialect.indent}{marker}{after}").match for last, marker in markers.items()}


@cache
def _plain_list() -> re.Pattern[str]:
    """Items whose markers are all indented and spaced like the first one: most lists, swallowed whole."""

    def items(marker: str, same_marker: str, width: int) -> str:
        body = rf"(?:(?P=indent)[ ]{{{width}}}(?P=gap){REST_OF_LINE}|{BLANK_LINE})*+"
        first = rf"{marker}(?P<gap>[ ]{{1,4}}+)(?=[^\s]){REST_OF_LINE}{body}"
        return rf"{first}(?:{no_break}(?P=indent){same_marker}(?P=gap)(?=[^\s]){REST_OF_LINE}{body})*+"

    no_break = rf"(?![ ]*+{leaf.BREAK_OPENING})"
    bullets = items("(?P<bullet>[-+*])", "(?P=bullet)", 1)
    numbers = items("[0-9](?P<delimiter>[.)])", "[0-9](?P=delimiter)", 2)
    numbers = numbers.replace("gap", "number_gap")  # a group's name may stand only once in a regex
    return re.compile(rf"(?P<indent>[ ]{{0,3}}+)(?:{bullets}|{numbers})")


@cache
def _item(width: int) -> re.Pattern[str]:
    """The first line and every following line that is blank or indented by at least `width` columns."""
    tabbed = r"|[ ]{0,3}+\t" if width <= 4 else ""
    return re.compile(rf"{REST_OF_LINE}(?:(?:[ ]{{{width}}}{tabbed}){REST_OF_LINE}|{BLANK_LINE})*+")


_TABBED = re.compile(r"[ ]*+\t")


def _item_end(text: str, start: int, width: int) -> int:
    item = _item(width).match(text, start)
    assert item is not None
    return item.end()


def _after_blank_line(text: str, position: int) -> bool:
    line = text.rfind("\n", 0, position - 1) + 1
    return text[line:position].isspace()


def _is_over(dialect: Dialect) -> IsOver:
    """Whether a line begins something new, so that what is open in the container before it does not matter."""
    begins_block = re.compile(rf"\Z|{BLANK_LINE}|{paragraph.after_container(dialect)}").match
    if dialect.mdx:
        return lambda text, at, reading: begins_block(text, at) is not None or flow_at(text, at, reading).alone
    return lambda text, at, _: begins_block(text, at) is not None
