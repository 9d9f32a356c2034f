"""reStructuredText: docutils says which blocks there are and where each begins; the text stays as it is written.

Nothing is included, evaluated or rendered. A directive or role that only Sphinx knows is text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from headnote.extras import install, load
from headnote.formats.foreign import StructuredDocument, Title
from headnote.lines import LINE
from headnote.markdown.links import bare_urls, split_target
from headnote.markdown.rules.rule import Span
from headnote.model import BlockKind, Link, LinkKind

RST = install("rst")

_KINDS: dict[str, BlockKind] = {
    "paragraph": "paragraph",
    "block_quote": "paragraph",
    "line_block": "paragraph",
    "footnote": "paragraph",
    "citation": "paragraph",
    "bullet_list": "list",
    "enumerated_list": "list",
    "literal_block": "code",
    "doctest_block": "code",
    "math_block": "code",
    "table": "table",
    "transition": "rule",
    "comment": "definition",
    "target": "definition",
    "substitution_definition": "definition",
}
"""Nodes of docutils that are blocks of ours; all others are directives, and lists with terms, fields or options."""
_MAX_DEPTH = 6
_STRANGE_LINE_END = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""docutils ends a line there; nobody else does."""
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*+[ \t]*+")
_EXPLICIT = re.compile(r"\.\.(?:[ \t]|\Z)")
_CODE_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:code|code-block|sourcecode|literalinclude)::[ \t]*+(\S*+)")
_ITEM = re.compile(r"[ \t]*+(?:[-+*]|[0-9]{1,9}+[.)])(?=[ \t]|\Z)")
_LITERAL = re.compile(r"``[^`]++(?:`[^`]++)*+``")
_INTERPRETED = re.compile(
    r"(?::(?P<role>[\w.+-]++(?::[\w.+-]++)*+):)?+"
    r"`(?P<content>[^`<>]*+(?:<(?P<target>[^<>`]++)>)?)`(?P<end>__?)?"
)
_PICTURE = re.compile(r"^[ \t]*+\.\.[ \t]+(?:\|[^|\n]++\|[ \t]+)?(?:image|figure)::[ \t]+(\S++)", re.MULTILINE)
_DOCUMENT_ROLES = frozenset({"doc", "download"})


class _Line(NamedTuple):
    text: str
    start: int
    end: int


class _Begin(NamedTuple):
    """A block, by the line on which it begins, from 0."""

    line: int
    kind: BlockKind
    level: int = 0
    title: str = ""


class RstDocument(StructuredDocument):
    """A document whose blocks docutils has found."""

    @cached_property
    def spans(self) -> list[Span]:
        after_all = _Begin(len(self._lines), "rule")
        return [self._span(begin, after.line) for begin, after in pairwise((*self._begins, after_all))]

    @cached_property
    def titles(self) -> dict[int, Title]:
        return {self._lines[begin.line].start: Title(begin.title) for begin in self._begins if begin.level}

    @cached_property
    def links(self) -> list[Link]:
        found = [link for kind, start, end, *_ in self.spans if kind != "code" for link in self._links_in(start, end)]
        return sorted(found, key=lambda link: link.start)

    @cached_property
    def _lines(self) -> list[_Line]:
        first = 1 if self.text.startswith("\ufeff") else 0
        return [_Line(match[1], match.start(), match.end(1)) for match in LINE.finditer(self.text, first)]

    @cached_property
    def _begins(self) -> list[_Begin]:
        """The blocks in their order. Between them, and before the first, stands nothing but blank lines."""
        lines = self._lines
        found = {begin.line: begin for begin in reversed(list(self._nodes()))}
        for before, line in pairwise(range(len(lines))):
            # What begins so is a block of its own, also one that docutils only complains about.
            if _EXPLICIT.match(lines[line].text) and not _is_prose(lines[before].text):
                found.setdefault(line, _Begin(line, "directive"))
        first = next((number for number, line in enumerate(lines) if line.text.strip()), None)
        if first is not None:
            found.setdefault(first, _Begin(first, "directive"))
        return [found[line] for line in sorted(found)]

    def _nodes(self) -> Iterator[_Begin]:
        """What docutils found, each on the line where it begins."""
        last = -1
        for begin in _blocks_of(_parsed("\n".join(line.text for line in self._lines)), 0):
            line = self._overline(begin.line) if begin.level else self._first_line(begin, last)
            if last < line < len(self._lines):
                yield begin._replace(line=line)
                last = line

    def _overline(self, line: int) -> int:
        """The line on which a title begins, by its own: there may be an adornment above it."""
        above = _ADORNMENT.fullmatch(self._lines[line - 1].text) if line > 0 else None
        below = _ADORNMENT.fullmatch(self._lines[line + 1].text) if line + 1 < len(self._lines) else None
        return line - 1 if above and below and above[1] == below[1] and len(above[0].strip()) > 1 else line

    def _first_line(self, begin: _Begin, last: int) -> int:
        """Of a directive, docutils may say where its content begins, or where it ends; its first line tells itself."""
        lines, line = self._lines, begin.line
        if not lines[line].text.startswith((" ", "\t")):
            return line if lines[line].text.strip() else last
        above = line - 1
        while above > last and not (lines[above].text.strip() and not lines[above].text.startswith((" ", "\t"))):
            above -= 1
        return last if above > last and _EXPLICIT.match(lines[above].text) else line

    def _span(self, begin: _Begin, end: int) -> Span:
        lines = self._lines
        while not lines[end - 1].text.strip():
            end -= 1
        first = lines[begin.line]
        kind, info = begin.kind, ""
        if code := _CODE_DIRECTIVE.match(first.text):
            kind, info = "code", code[1]
        elif kind == "list" and not _ITEM.match(first.text):
            kind = "directive"
        return kind, first.start, lines[end - 1].end, min(begin.level, _MAX_DEPTH), info

    def _links_in(self, start: int, end: int) -> Iterator[Link]:
        text = self.text
        literals = [match.span() for match in _LITERAL.finditer(text, start, end)]
        for match in _INTERPRETED.finditer(text, start, end):
            target = _target(match)
            if target and not any(first <= match.start() < last for first, last in literals):
                shown = match["content"].partition("<")[0].strip() or target
                yield _link("link", target, shown, *match.span())
        for match in _PICTURE.finditer(text, start, end):
            yield _link("image", match[1], match[1], *match.span(1))
        for url in bare_urls(text, start, end):
            if text[max(url.start - 1, 0)] not in "<`" and text[url.end : url.end + 1] not in (">", "`"):
                yield _link("autolink", url.target, url.target, url.start, url.end)


def _is_prose(line: str) -> bool:
    """Whether a line may be one of a paragraph, which goes on with the next."""
    return bool(line.strip()) and not line.startswith((" ", "\t")) and not _EXPLICIT.match(line)


def _target(match: re.Match[str]) -> str:
    """Where interpreted text leads: `:doc:` to a document, `text <address>`_ to an address; other roles, to names."""
    role, target = (match["role"] or "").rpartition(":")[2], match["target"]
    if role in _DOCUMENT_ROLES:
        return target or match["content"]
    is_named = target is not None and target.endswith("_")
    return target if target and match["end"] and not role and not is_named else ""


def _link(kind: LinkKind, target: str, text: str, start: int, end: int) -> Link:
    path, fragment = split_target("".join(target.split()))
    return Link(kind, path, fragment, " ".join(text.split()), start, end)


def _blocks_of(node: Any, depth: int) -> Iterator[_Begin]:
    for child in node.children:
        name = type(child).__name__
        if name == "section":
            yield _Begin(child.line - 2, "heading", depth + 1, _shown(child.children[0].astext()))
            yield from _blocks_of(child, depth + 1)
        elif name not in ("title", "system_message") and child.line is not None:
            yield _Begin(child.line - 1, _KINDS.get(name, "directive"))


def _shown(title: str) -> str:
    """A title as it is read. Of a role that docutils does not know, the markup is still there."""
    plain = _INTERPRETED.sub(lambda match: match["content"].partition("<")[0].strip() or match["content"], title)
    return " ".join(plain.split())


def _parsed(text: str) -> Any:
    """docutils' tree of a text. It reads no other file, and says nothing of what it does not like."""
    parsers = load("docutils.parsers.rst", "reStructuredText", RST)
    frontend = load("docutils.frontend", "reStructuredText", RST)
    utils = load("docutils.utils", "reStructuredText", RST)
    settings = frontend.get_default_settings(parsers.Parser)
    settings.__dict__.update(
        _disable_config=True,
        file_insertion_enabled=False,
        raw_enabled=False,
        report_level=5,
        halt_level=6,
        warning_stream=False,
        syntax_highlight="none",
    )
    document = utils.new_document("", settings)
    parsers.Parser().parse(_STRANGE_LINE_END.sub(" ", text), document)
    return document
