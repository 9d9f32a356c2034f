"""What is read quickly, by its first characters, is what the rules would have read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty import documents
from nasty_mdx import documents as mdx_documents

from headnote.lines import with_plain_line_ends
from headnote.markdown.rules.quick import UNDECIDED
from headnote.markdown.rules.rule import MARKDOWN, MDX, Dialect, Span, SpansRead
from headnote.markdown.scanner import _opening, _quick_reader

FIRST_LINES = [
    "# One",
    "####### seven",
    "#none",
    "#\t",
    "```",
    "```` info",
    "``` a`b",
    "   ```",
    "\t```",
    "    ```",
    "``",
    "**bold**",
    "** not",
    "***",
    "<div>",
    "</TABLE >",
    "<li/>",
    "<li/ >",
    "<lin\u212a>",  # its last letter is a Kelvin sign, whose small letter is k
    "<figcaptions>",
    "<b>",
    "<!-- x",
    "text",
    "text\u00a0",
    "\u00a0text",
    "| a |",
    "|---|",
    "===",
    "----  ",
    "-- -",
    "___",
    "__a",
    "__ a",
    "---",
    "- x",
    "- - -",
    "-  y",
    "- ",
    "  \t",
    "     \tx",
    "  y",
    "   y",
    "+ x",
    "* x",
    "[a](b)",
    "[[Page]] b",
    "[ ] to do",
    "[x] done",
    "[a]: /b",
    "[ ]: /b",
    "[]: /b",
    "[^a]: b",
    "[a\\]b]: /c",
    "[a [b] c]: /d",
    "[a",
    "b]: /c",
    "> b",
    ">",
    ">> b",
    " > b",
    "* *",
    "2. x",
    "2) x",
    "10. x",
    "   \n",
    "\u0661. x",
    "<A-b>",
    "<img src=a>",
    "<a b>c</a>",
    '<a\tb="c" d=e />  ',
    "<https://a.b>",
    "</x y>",
    "<Pre a>",
    "</A>  ",
    "<pre>",
    "<1>",
    "<!-->",
    "-->",
    "<!-",
    "`a` b",
    "~ a",
    "[a](b)",
    "[^a]: b",
    "_a_",
    "*a*",
    "+1",
    "#a",
    "2 a",
    "01. a",
    "1. x",
    "import x",
    "export {y}",
    "{z}",
    ": x",
    "  \t",
    "",
    "",
]
TEXTS = st.lists(st.sampled_from(FIRST_LINES), max_size=12).map("\n".join)


@given(st.one_of(TEXTS, documents(), st.text()))
def test_markdown_is_read_quickly_as_the_rules_read_it(text: str) -> None:
    assert_the_same(text, MARKDOWN)


@given(st.one_of(TEXTS, mdx_documents(), st.text()))
def test_mdx_is_read_quickly_as_the_rules_read_it(text: str) -> None:
    assert_the_same(text, MDX)


@pytest.mark.parametrize("text", ["text", "# One", "```\ncode\n```", "<div>\n\n", "**bold**"])
def test_usual_blocks_need_no_rule(text: str) -> None:
    lines = with_plain_line_ends(text)
    assert _quick_reader(MARKDOWN).read(lines, 0, SpansRead()) != UNDECIDED


def assert_the_same(text: str, dialect: Dialect) -> None:
    """At every line, whatever stands before it."""
    lines = with_plain_line_ends(text)
    quick = _quick_reader(dialect)
    starts = [0, *(at + 1 for at, character in enumerate(lines) if character == "\n")]
    for start in starts[:-1]:
        reading = SpansRead()
        end = quick.read(lines, start, reading)
        if end != UNDECIDED:
            assert (end, reading.spans) == read_by_rules(lines, start, dialect)


def read_by_rules(lines: str, start: int, dialect: Dialect) -> tuple[int, list[Span]]:
    begins, readers = _opening(dialect)
    reading = SpansRead()
    match = begins(lines, start)
    assert match is not None
    assert match.lastindex is not None
    return readers[match.lastindex](lines, match.start(1), match, reading), reading.spans
