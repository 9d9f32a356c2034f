"""Blocks without blocks inside: ATX headings, thematic breaks, code and HTML. And what a paragraph turns out to be: the
head of a table, or link reference definitions."""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import (
    BLANK_LINE,
    LINES_TO_BLANK,
    REST_OF_LINE,
    Dialect,
    Rule,
    SpansRead,
    any_of,
    without_blank_end,
)

HEADING_OPENING = r"#{1,6}+(?=[ \t\n])"


def atx_heading(_: Dialect) -> Rule:
    return Rule("atx_heading", r"(#{1,6}+)(?=[ \t\n])[^\n]*+\n", _read_heading)


def _read_heading(_: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("heading", start, end - 1, len(match[match.lastindex + 1]), ""))  # type: ignore[operator]
    return end


# -- Thematic breaks: three or more `*`, `-` or `_` on a line, spaces between them allowed.

BREAK_OPENING = r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)\n"


def thematic_break(_: Dialect) -> Rule:
    return Rule("thematic_break", BREAK_OPENING, _read_break)


def _read_break(_: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("rule", start, end - 1, 0, ""))
    return end


# -- Code: fenced by backticks or tildes (closed or not), and indented by four columns.

FENCE_OPENING = r"(?:`{3,}+[^`\n]*+|~{3,}+[^\n]*+)\n"
INDENT = r"(?:[ ]{4}|[ ]{0,3}+\t)"


def fenced_code(dialect: Dialect) -> Rule:
    ticks = _fence("ticks", "`", r"[^`\n]", dialect)
    tildes = _fence("tildes", "~", r"[^\n]", dialect)
    return Rule("fenced_code", f"(?:{ticks}|{tildes})", _read_fenced)


def _fence(name: str, character: str, info: str, dialect: Dialect) -> str:
    """Closed by at least as many of the same character alone on a line, or by the end of the text."""
    closing = rf"{dialect.indent}(?P={name}){character}*+[ \t]*+\n"
    opening = rf"(?P<{name}>{character}{{3,}}+)(?P<{name}_info>{info}*+)\n"
    return rf"{opening}(?:(?!{closing}){REST_OF_LINE})*+(?:{closing})?+"


def indented_code(_: Dialect) -> Rule:
    """The only construct whose pattern includes its indentation."""
    return Rule("indented_code", rf"(?:{INDENT}{REST_OF_LINE}|{BLANK_LINE})++", _read_indented)


def _read_fenced(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    # Without a closing fence it takes in all that follows, blank lines at the end of the file included.
    last = without_blank_end(text, start, end) if text[end - 2] in " \t\n" else end - 1
    # The groups of this rule follow its own: ticks and their info string, tildes and theirs.
    rule = match.lastindex or 0
    info = match[rule + 2] if match[rule + 1] else match[rule + 4]
    reading.spans.append(("code", start, last, 0, info.strip(" \t")))
    return end


def _read_indented(text: str, start: int, match: re.Match[str], reading: SpansRead) -> int:
    end = match.end()
    reading.spans.append(("code", start, without_blank_end(text, start, end), 0, ""))
    return end


# -- GFM tables: a header row, a delimiter row with as many cells, and rows up to a blank line or another construct.

_CELL = r"[ \t]*+:?+-++:?+[ \t]*+"
DELIMITER_ROW = rf"(?=[|:-])(?=[^\n]*?[|:])\|?+{_CELL}(?:\|{_CELL})*+\|?+[ \t]*+\n"
"""With at least one pipe or colon: dashes alone underline a heading."""

_SEPARATOR = re.compile(r"\\[\s\S]|\|")


def is_table_head(header: str, delimiters: str) -> bool:
    """Whether the two lines make the head of a table: as many cells in one as in the other."""
    return _cell_count(header) == _cell_count(delimiters)


def _cell_count(row: str) -> int:
    row = row.strip(" \t\n")
    if row == "|":
        return 0
    pipes = row.count("|")
    if "\\" in row:
        pipes = sum(match[0] == "|" for match in _SEPARATOR.finditer(row))
    pipes -= row.startswith("|")
    pipes -= row.endswith("|") and not _ends_escaped(row)
    return pipes + 1


def _ends_escaped(row: str) -> bool:
    before = row[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


# -- Link reference definitions: `[label]: destination "title"`, at the head of a paragraph.

DEFINITION_LABEL = r"\[(?P<label>(?:[^\\\[\]]|\\[\s\S])++)\]:"
_ANGLED = r"<(?:[^<>\n\\]|\\[^\n])*+>"
_BARE = r"(?!<)[^\x01-\x20\x7f]++"
_TITLE = r""" "(?:[^"\\]|\\[\s\S])*+" | '(?:[^'\\]|\\[\s\S])*+' | \((?:[^()\\]|\\[\s\S])*+\) """.replace(" ", "")
_GAP = r"(?:[ \t]*+\n)?+[ \t]*+"

DEFINITION = re.compile(
    rf"[ \t]*+{DEFINITION_LABEL}{_GAP}(?P<target>{_ANGLED}|{_BARE})"
    rf"(?:(?=[ \t\n]){_GAP}(?:{_TITLE})[ \t]*+(?:\n|\Z)|[ \t]*+(?:\n|\Z))"
)
_PARENTHESES = re.compile(r"\\.|[()]")
_MAX_LABEL_CHARS = 999


def read_definitions(text: str, start: int, end: int, reading: SpansRead) -> int:
    """Take the definitions off the head of the paragraph `text[start:end]`; where the rest of it begins."""
    while start < end:
        match = DEFINITION.match(text, start, end)
        if match is None or not _is_valid(match):
            break
        reading.spans.append(("definition", start, match.end() - 1, 0, match["label"]))
        start = match.end()
    return start


def only_definitions(text: str, start: int, end: int) -> bool:
    """Whether nothing of the paragraph is left once its definitions are taken off."""
    return read_definitions(text, start, end, SpansRead()) == end


def _is_valid(match: re.Match[str]) -> bool:
    label = match["label"]
    if len(label) > _MAX_LABEL_CHARS or not label.strip(" \t\n"):
        return False
    target = match["target"]
    return target.startswith("<") or ("(" not in target and ")" not in target) or _is_balanced(target)


def _is_balanced(target: str) -> bool:
    depth = 0
    for match in _PARENTHESES.finditer(target):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0


# -- The seven kinds of HTML block. 1 to 5 (raw text, comment, instruction, declaration, CDATA) end on the line that
# holds their terminator, 6 (a known block-level tag) and 7 (any complete tag alone on its line) before a blank line.
# Only 7 cannot interrupt a paragraph.

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
