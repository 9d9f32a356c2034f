"""Which lines begin something new, and so end what stands before them."""

from __future__ import annotations

from headnote.markdown.rules import code, heading, html, table, thematic_break
from headnote.markdown.rules.rule import BLANK_LINE, Dialect

LIST_MARKER = r"(?:[-+*]|[0-9]{1,9}+[.)])(?=[ \t\n])"
SETEXT_UNDERLINE = r"(?:=++|-++)[ \t]*+\n"
FOOTNOTE_LABEL = r"\[\^(?:[^\s\[\]\\]|\\[^\s])++\]:"

# Inside a paragraph, only a list that begins with 1 and does not begin empty is taken for one: prose has years and
# lone dashes at the beginning of lines.
_INTERRUPTING_MARKER = r"(?:[-+*]|0{0,8}+1[.)])[ \t]++[^\n]"


def _anywhere(dialect: Dialect) -> list[str]:
    """What begins a new block wherever it stands."""
    starts = [">", heading.OPENING, code.OPENING, thematic_break.OPENING, FOOTNOTE_LABEL]
    return starts if dialect.mdx else [*starts, html.INTERRUPTING]


def after_container(dialect: Dialect) -> str:
    """A line, outside the container before it, that cannot be a lazy continuation of a paragraph in there."""
    return rf"{dialect.indent}(?:{'|'.join([*_anywhere(dialect), LIST_MARKER])})"


def after_paragraph(dialect: Dialect) -> str:
    """A line that cannot go on with the paragraph before it."""
    starts = [*_anywhere(dialect), _INTERRUPTING_MARKER]
    return rf"{BLANK_LINE}|{dialect.indent}(?:{'|'.join(starts)})"


def perhaps_after_paragraph(dialect: Dialect) -> str:
    """A line that the paragraph rule has to look at closer.

    An underline makes a heading of the paragraph, a delimiter row ends it if the line above is its header, and in MDX
    a `<` or `{` ends it if a complete tag or expression stands there.
    """
    starts = [*_anywhere(dialect), _INTERRUPTING_MARKER, SETEXT_UNDERLINE, table.DELIMITER_ROW]
    if dialect.mdx:
        starts.append("[<{]")
    return rf"{BLANK_LINE}|{dialect.indent}(?:{'|'.join(starts)})"


def after_table(dialect: Dialect) -> str:
    """A line that is no further row of the table before it."""
    starts = [*_anywhere(dialect), LIST_MARKER, "[<{]" if dialect.mdx else html.COMPLETE_TAG]
    too_deep = [] if dialect.mdx else [code.INDENT]
    return "|".join([BLANK_LINE, *too_deep, rf"{dialect.indent}(?:{'|'.join(starts)})"])
