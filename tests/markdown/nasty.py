"""Markdown written to be misread: one grammar, for Hypothesis in tests and for plain random in `fuzz.py`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

Choice = TypeVar("Choice")


class Dice(Protocol):
    """Where the decisions of the grammar come from."""

    def pick(self, choices: Sequence[Choice]) -> Choice: ...

    def count(self, low: int, high: int) -> int: ...

    def chance(self, percent: int) -> bool: ...


class RandomDice:
    """Fast and reproducible: for hunting with hundreds of thousands of documents."""

    def __init__(self, seed: object) -> None:
        self._random = random.Random(repr(seed))

    def pick(self, choices: Sequence[Choice]) -> Choice:
        return choices[self._random.randrange(len(choices))]

    def count(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent


class HypothesisDice:
    """Hypothesis takes each decision, so it can shrink what it finds: fewer lines, earlier choices."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def pick(self, choices: Sequence[Choice]) -> Choice:
        return choices[self._draw(st.integers(0, len(choices) - 1))]

    def count(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        return self._draw(st.integers(0, 99)) >= 100 - percent


# fmt: off
# Every tuple begins with its tamest member, because shrinking moves towards the first choice.
WORDS = (
    "a", "b c", "é漢字", "\\", "a  ", "`x`", "`", "*a*", "<b>", "&amp;", "[a]", "[a][b]", "![i](j)", "a\\",
)
ODD_CHARACTERS = ("\u00a0", "\u2028", "\x0b", "\x0c", "\x85", "\x1c", "\u3000", "\x00", "\u200b", "😀")
HEADINGS = (
    "# h", "## h ##", "#", "#\th", "#h", "####### h", "# h \\#", "  # h", "   ### h #  ", "\\# h",
    "#\u00a0h",
)
UNDERLINES = ("===", "---", "=", "-", "--", "  ==", "---  ", "= =", "==-", "   ---\t", "    ---", "\t===")
RULES = (
    "---", "***", "___", "- - -", "* * *", "_ _ _", "--", "- - - x", "-\t-\t-", " **  * ** *", "+++",
    "-  - -\t",
)
FENCES = (
    "```", "~~~", "````", "~~~~", "```py", "~~~ py", "``` a`b", "~~~ a`b", "``", "```  ", "``` \t", "  ```",
    "   ~~~",
)
INDENTS = ("", " ", "  ", "   ", "    ", "\t", " \t", "     ", "      ", "\t\t", "  \t ", "\t ")
BULLETS = (
    "- ", "* ", "+ ", "-", "*", "+", "-\t", "-   ", "-    ", "-     ", "*\t\t", " - ", "   - ", "- - ",
    "- * ",
)
NUMBERS = (
    "1. ", "1) ", "2. ", "0. ", "1.", "10) ", "123456789. ", "1234567890. ", "1.\t", "-1. ", "01. ",
    "1.     ",
)
QUOTES = ("> ", ">", ">\t", ">  ", " > ", "   >", ">> ", "> > ", ">\t\t", ">     ", "    > ")
HTML = (
    "<div>", "</div>", "<DIV", "<div", "<p>x", "<table><tr><td>", "<hr/>", "<summary >", "</p", "<search>",
    "<script>", "</script>", "<pre>", "</pre>", "<style x", "</style>", "<textarea>", "</textarea>x",
    "<scriptx>", "<!--", "-->", "<!-- x -->", "<!-->", "<!--->", "<!---->", "<!--x--> y", "<?", "?>",
    "<?php x ?> y", "<!A", "<!a>", "<!DOCTYPE html>", "<!", "<![CDATA[", "]]>", "<![cdata[",
    "<![CDATA[x]]>", "<b>", "</b>", "<x-y a='b'>", "<b>x", "<b", "</b >", "<a href=x/>", '<b a="b\nc">',
    "<1>", "<b/ >", "</b x>", "<b \t>", "<b a=b`>", "<b a = 'x' b c:d _e>", "<https://a.b>", "<a@b.c>",
    "<b a=''c>", "<B\t/>", "\\<div>",
)
DEFINITIONS = (
    "[a]: b", "[a]:", "[a]: <b c>", "[a]: <>", "[a]: <b", "[a]: b 'c'", '[a]: b "c', '[a]: b "c" d',
    "[a]: b (c)", "c'", 'c"', "'c'", '"c"', "(c", "c)", "[a", "b]: c", "[]: x", "[ ]: x", "[\\]]: x",
    "[a]b: c", "[a] : b", "[[a]: b", "[a]:b", "[a]: b'c'", "[a]: b(c", "[a]: (b", "[a]: b)", "[a]: <b>'c'",
    "[a]:\tb\t'c'\t", "[é]: b", "[a]: b\\", "[a\\]: b", "   [a]: b", "[a]: b\x00", "[a]: b 'c\\'",
    "[a]: b ''", '[a]: b "c\\""', "[a]: b\x0bc", "[a]: \u00a0",
)
FOOTNOTES = (
    "[^1]: a", "[^1]:", "[^a b]: c", "[^]: a", "[^1]:a", "[^ 1]: a", "[^1] : a", " [^a]: - b", "[^a\\]]: b",
    "x[^1]",
)
FOOTNOTES_OPENING = ("[^1]: ", "[^1]:", "[^x]: ", "[^x]:\t", "   [^x]: ", "[^x]:     ")
TABLE_ROWS = (
    "a|b", "|a|b|", "|a", "a|", "|", "||", "a \\| b|c", "`a|b`|c", " | a | b ", "a", "\\|", "|a|b|c|",
    "`a\\|b`|c",
)
DELIMITERS = (
    "-|-", "|-|-|", ":-:|:-", "|---|", "|-", "-|", "|:-:|-:", "- | -", "-", ":-", ":-:", "|-|-|-|", "|=|",
    "-||-", "- -|-",
)
LINE_ENDS = ("\n", "\r\n", "\r")
LEAVES = (WORDS, HEADINGS, UNDERLINES, RULES, FENCES, HTML, DEFINITIONS, FOOTNOTES, TABLE_ROWS, DELIMITERS)
MARKERS = (QUOTES, BULLETS, NUMBERS, INDENTS, FOOTNOTES_OPENING)
# fmt: on


def document(dice: Dice) -> str:
    """A whole document: true nesting, lines thrown together, or few characters at random."""
    shape = dice.pick((nested_lines, thrown_lines, tight_lines, mixed_lines))
    return join_lines(dice, shape(dice))


def mixed_lines(dice: Dice) -> list[str]:
    """Nesting with single lines broken: what editors and careless authors leave behind."""
    lines = nested_lines(dice)
    for _ in range(dice.count(1, 3)):
        position = dice.count(0, len(lines) - 1)
        if dice.chance(50):
            lines.insert(position, thrown_line(dice))
        else:
            lines[position] = lines[position].lstrip(dice.pick((" ", "> ", ">- \t")))
    return lines


def nested_lines(dice: Dice) -> list[str]:
    lines: list[str] = []
    for _ in range(dice.count(1, 4)):
        lines += block_lines(dice, depth=dice.count(0, 3))
        lines += blank_lines(dice)
    return lines


def block_lines(dice: Dice, depth: int) -> list[str]:
    """One block: a leaf, or a container around blocks."""
    if depth == 0:
        return leaf_lines(dice)
    inner: list[str] = []
    for _ in range(dice.count(1, 3)):
        inner += block_lines(dice, dice.count(0, depth - 1))
        inner += blank_lines(dice)
    return contained(dice, inner)


def contained(dice: Dice, inner: list[str]) -> list[str]:
    """Lines inside a quote, a list item or a footnote; now and then one is lazy or indented differently."""
    marker = dice.pick(dice.pick(MARKERS))
    is_quote = ">" in marker
    rest = marker if is_quote else " " * (4 if marker.lstrip().startswith("[^") else len(marker.expandtabs(4)))
    lines = [marker + inner[0]]
    for line in inner[1:]:
        if dice.chance(8):
            lines.append(line)
        elif dice.chance(8):
            lines.append(dice.pick(dice.pick(MARKERS)) + line)
        elif not line.strip() and not is_quote:
            lines.append(line)
        else:
            lines.append(rest + line)
    return lines


def leaf_lines(dice: Dice) -> list[str]:
    shape = dice.pick((paragraph_lines, code_lines, html_lines, definition_lines, table_lines, single_line))
    return shape(dice)


def paragraph_lines(dice: Dice) -> list[str]:
    lines = [dice.pick(INDENTS) * dice.chance(20) + dice.pick(WORDS) for _ in range(dice.count(1, 3))]
    if dice.chance(30):
        lines.append(dice.pick(UNDERLINES))
    return lines


def code_lines(dice: Dice) -> list[str]:
    if dice.chance(30):
        return ["    " + leaf(dice) for _ in range(dice.count(1, 3))]
    fence = dice.pick(FENCES)
    inner = [dice.pick(INDENTS) * dice.chance(30) + leaf(dice) * dice.chance(70) for _ in range(dice.count(0, 3))]
    closing = [fence.strip()] if dice.chance(70) else []
    return [fence, *inner, *closing]


def html_lines(dice: Dice) -> list[str]:
    lines = [dice.pick(HTML) + dice.pick(WORDS) * dice.chance(20) for _ in range(dice.count(1, 3))]
    return [line + dice.pick(HTML) * dice.chance(15) for line in lines]


def definition_lines(dice: Dice) -> list[str]:
    lines = [dice.pick(DEFINITIONS) for _ in range(dice.count(1, 3))]
    if dice.chance(30):
        lines.append(dice.pick(UNDERLINES))
    return lines


def table_lines(dice: Dice) -> list[str]:
    above = [dice.pick(WORDS)] if dice.chance(20) else []
    body = [leaf(dice) if dice.chance(20) else dice.pick(TABLE_ROWS) for _ in range(dice.count(0, 3))]
    return [*above, dice.pick(TABLE_ROWS), dice.pick(DELIMITERS), *body]


def single_line(dice: Dice) -> list[str]:
    return [dice.pick(dice.pick((HEADINGS, RULES, FOOTNOTES)))]


def leaf(dice: Dice) -> str:
    return dice.pick(dice.pick(LEAVES))


def blank_lines(dice: Dice) -> list[str]:
    return [dice.pick(("", " ", "\t", "    ", "      ")) for _ in range(dice.pick((0, 1, 1, 2)))]


def thrown_lines(dice: Dice) -> list[str]:
    return [thrown_line(dice) for _ in range(dice.count(1, 8))]


def thrown_line(dice: Dice) -> str:
    """Any markers before any leaf."""
    if dice.chance(15):
        return dice.pick(INDENTS)
    markers = [dice.pick(dice.pick(MARKERS)) for _ in range(dice.pick((0, 0, 1, 1, 2, 3)))]
    odd = dice.pick(ODD_CHARACTERS) if dice.chance(4) else ""
    return "".join(markers) + odd + leaf(dice) + (odd if dice.chance(50) else "")


def tight_lines(dice: Dice) -> list[str]:
    """A small alphabet at random: what no grammar thinks of."""
    alphabet = dice.pick(
        (
            "a-> \t",
            "a->  1.)\t#",
            "`~ a>-",
            "a=-|: >",
            "<!->/ab ",
            "[]:ab '\"\t<>",
            "-+* \t",
            "[^]: a\t->",
            "<b/> a=\"'",
        )
    )
    return ["".join(dice.pick(alphabet) for _ in range(dice.count(0, 8))) for _ in range(dice.count(1, 6))]


def join_lines(dice: Dice, lines: list[str]) -> str:
    ends = ["\n"] * len(lines) if dice.chance(85) else [dice.pick(LINE_ENDS) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return text.rstrip("\r\n") if dice.chance(10) else text


@st.composite
def documents(draw: st.DrawFn) -> str:
    return document(HypothesisDice(draw))
