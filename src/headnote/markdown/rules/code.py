"""Code: fenced by backticks or tildes (closed or not), and indented by four columns."""

from __future__ import annotations

import re

from headnote.markdown.rules.rule import BLANK_LINE, REST_OF_LINE, Dialect, Rule, SpansRead, without_blank_end

OPENING = r"(?:`{3,}+[^`\n]*+|~{3,}+[^\n]*+)\n"
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
