"""The seven kinds of HTML block.

1 to 5 (raw text, comment, instruction, declaration, CDATA) end on the line that holds their terminator, 6 (a known
block-level tag) and 7 (any complete tag alone on its line) before a blank line. Only 7 cannot interrupt a paragraph.
"""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import (
    LINES_TO_BLANK,
    REST_OF_LINE,
    Dialect,
    Rule,
    SpansRead,
    any_of,
    without_blank_end,
)

RAW_TEXT_TAGS = ("pre", "script", "style", "textarea")
BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul"
).split()

_ATTRIBUTE = r"""
    [ \t]++ [A-Za-z_:] [A-Za-z0-9_.:-]*+
    (?: [ \t]*+ = [ \t]*+ (?: [^\s"'=<>`]++ | '[^'\n]*+' | "[^"\n]*+" ) )?+
"""
_ATTRIBUTE = re.sub(r"\s+(?![^\[]*\])", "", _ATTRIBUTE)  # written spread out, used compact

TERMINATED = rf"<(?:{any_of(RAW_TEXT_TAGS)}(?=[ \t\n>])|!--|\?|!\[CDATA\[|![A-Za-z])"
BLOCK_TAG = rf"</?+{any_of(BLOCK_TAGS)}(?=[ \t\n>]|/>)"
COMPLETE_TAG = (
    rf"<(?!{any_of(RAW_TEXT_TAGS)}(?![A-Za-z0-9-]))"
    rf"(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?+|/[A-Za-z][A-Za-z0-9-]*+[ \t]*+)>[ \t]*+\n"
)
INTERRUPTING = rf"(?:{TERMINATED}|{BLOCK_TAG})"

_CLOSINGS = (
    ("<!--", re.compile("-->")),
    ("<?", re.compile(r"\?>")),
    ("<![CDATA[", re.compile(r"\]\]>")),
    ("<!", re.compile(">")),
    ("<", re.compile(rf"</{any_of(RAW_TEXT_TAGS)}>")),
)


def html_to_blank(_: Dialect) -> Rule:
    opening = rf"(?:{BLOCK_TAG}{REST_OF_LINE}|{COMPLETE_TAG})"
    return Rule("html_to_blank", opening + LINES_TO_BLANK, _read_to_blank)


def html_to_terminator(_: Dialect) -> Rule:
    return Rule("html_to_terminator", TERMINATED, _read_to_terminator)


def closing(text: str, tag: int) -> re.Pattern[str]:
    """What ends the HTML block of kind 1 to 5 whose `<` stands at `tag`."""
    return next(pattern for opening, pattern in _CLOSINGS if text.startswith(opening, tag))


def _read_to_blank(_: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("html", start, end - 1, 0, ""))
    return end


def _read_to_terminator(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    tag = text.index("<", start)
    # From the second character on: in `<!-->` and `<?>` the opening is part of the closing.
    closed = closing(text, tag).search(text, tag + 1)
    if closed is None:
        reading.spans.append(("html", start, without_blank_end(text, start, len(text)), 0, ""))
        return len(text)
    end = text.index("\n", closed.end())
    reading.spans.append(("html", start, end, 0, ""))
    return end + 1
