"""A file → what checking links needs of it. Nothing here needs another document, so it can run on any core."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from operator import attrgetter
from typing import NamedTuple

from headnote.chunking.records import line_ends
from headnote.errors import SourceError
from headnote.formats.kinds import open_document
from headnote.links.anchors import Anchors, anchors_of, block_ids, is_generated, repeated_ids
from headnote.links.checking.link_report import Position
from headnote.links.checking.page_facts import PageFacts, facts_of
from headnote.links.resolving import aliases_of, link_row
from headnote.links.sites.site import Naming, naming_of
from headnote.markdown.document import Document
from headnote.markdown.links import split_target
from headnote.model import Link
from headnote.sources.files import FileSnapshot
from headnote.sources.tree import Tree
from headnote.store.rows import DocumentHead, LinkRow

# -- Links and pictures in HTML, `<a href>` and `<img src>`: readers follow them as any other link, so the gate does.


_ATTRIBUTE = r"""[^<>]{0,2000}?(?<![\w:.@-])%s\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')[^<>]{0,2000}>"""
# Only attributes of HTML itself: `:src` and `data-src` are for programs, and so are tags with a capital. What hides
# tags is matched first and to its end, so none is looked for inside; without an end it hides the rest.
_HIDDEN_OR_TAG = re.compile(
    rf"""
    `[^`]*+`
  | <!--.*?(?:-->|\Z)
  | \{{/\*.*?(?:\*/\}}|\Z)
  | ^[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)*+(?P<fence>`{{3,}}|~{{3,}}).*?(?:^[ \t>]*+(?P=fence)|\Z)
  | (?P<tag><img\s{_ATTRIBUTE % "src"}|<a\s{_ATTRIBUTE % "href"})
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_CONTRIBUTORS = re.compile(r"<!-- ALL-CONTRIBUTORS-LIST:START.*?(?:ALL-CONTRIBUTORS-LIST:END|\Z)", re.DOTALL)
"""A table that a bot writes, with a link to an anchor that no page has for each thing that somebody did."""
_SHOWN = frozenset({"paragraph", "heading", "html", "table", "list", "quote"})


def links_in_tags(document: Document) -> Iterator[Link]:
    """In the order of the document; none in code or comments."""
    text = document.text
    if "<img" not in text and "<a " not in text:
        return
    text = _CONTRIBUTORS.sub(lambda table: " " * len(table[0]), text)
    for block in document.blocks:
        if block.kind in _SHOWN and text.find("<", block.start, block.end) >= 0:
            matches = _HIDDEN_OR_TAG.finditer(text, block.start, block.end)
            yield from (_link(match) for match in matches if match["tag"])


def _link(match: re.Match[str]) -> Link:
    tag, *values = match.groups()[1:]
    written = next((value for value in values if value is not None), "")
    target, fragment = split_target(unescape(written).strip())
    return Link("image" if tag.startswith("<img") else "link", target, fragment, "", match.start(), match.end())


# -- A file → what checking links needs of it


class PlacedLink(NamedTuple):
    """A link that is not resolved yet."""

    row: LinkRow
    at: Position


class Comment(NamedTuple):
    """A comment that takes out what is found on its line, or on the next one if it stands alone."""

    at: Position
    line: int
    """The line it is about."""
    reason: str


class LinkedDocument(NamedTuple):
    """A document, as far as links are concerned."""

    path: str
    links: tuple[PlacedLink, ...]
    """Those that lead to something below the root."""
    external: int
    """How many others there are."""
    anchors: Anchors
    naming: Naming
    blocks: tuple[str, ...]
    """Ids of blocks, by which other documents may refer to them."""
    repeated: tuple[tuple[str, Position], ...]
    """Ids that were given before in the same document."""
    comments: tuple[Comment, ...]
    is_generated: bool = False
    """Whether a program or another project has written it, or it is there for tests: then nobody mends it here."""
    facts: PageFacts = PageFacts()
    """What lint needs besides; empty for a check of links."""
    footnotes_at: tuple[Position, ...] = ()
    """Where its footnotes are."""


class UnreadFile(NamedTuple):
    """A file that could not be read."""

    path: str
    error: SourceError


class _Whole(NamedTuple):
    """The whole of a document, in place of its chunks: checking cuts none."""

    number: int
    end: int


@dataclass(frozen=True, slots=True)
class LinkReader:
    """Reads files. It is sent to other processes, so it is small."""

    tree: Tree
    mdx: Mapping[str, bool | None]
    """Name of a root → whether its Markdown is MDX."""
    with_facts: bool = False
    """Whether to read what lint needs."""

    def __call__(self, paths: Sequence[str]) -> list[LinkedDocument | UnreadFile]:
        return list(map(self._read, paths))

    def _read(self, path: str) -> LinkedDocument | UnreadFile:
        try:
            return linked_document(self.tree.read(path), self.mdx[self.tree.root_of(path)], self.with_facts)
        except SourceError as error:
            return UnreadFile(path, error)


def linked_document(snapshot: FileSnapshot, mdx: bool | None = None, with_facts: bool = False) -> LinkedDocument:
    document = open_document(snapshot.text, snapshot.path, mdx)
    text = document.text
    links = sorted((*document.links, *links_in_tags(document)), key=attrgetter("start"))
    placed = list(_placed(links, text, document.path))
    inside = tuple(link for link in placed if not link.row.external)
    repeated = repeated_ids(document)
    facts = facts_of(document) if with_facts else PageFacts()
    return LinkedDocument(
        path=document.path,
        links=inside,
        external=len(placed) - len(inside),
        anchors=anchors_of(document, [_Whole(0, len(text))] if text else []),
        naming=naming_of(DocumentHead(document.path, document.title, document.frontmatter.data, aliases_of(document))),
        blocks=tuple(block_ids(text)),
        repeated=tuple((name, _positions(text, [range_])[0]) for name, range_ in repeated),
        comments=tuple(_comments(document)),
        is_generated=is_generated(document) or is_of_others(document.path),
        facts=facts,
        footnotes_at=tuple(_positions(text, [(one.start, one.end) for one in facts.footnotes])),
    )


_OF_OTHERS = frozenset(
    "vendor vendored _vendor third_party test-data testdata test_data fixtures __fixtures__ __tests__".split()
)
"""Folders of packages that were copied, and of data for tests."""
_PAGES_OF_TESTS = frozenset({"readme", "contributing"})


def is_of_others(path: str) -> bool:
    """Whether a page was copied from another project, or is there for tests only."""
    *folders, name = path.lower().split("/")
    is_about_tests = folders[-1:] == ["tests"] and name.partition(".")[0] in _PAGES_OF_TESTS
    return not _OF_OTHERS.isdisjoint(folders) or ("tests" in folders and not is_about_tests)


def _placed(links: Sequence[Link], text: str, path: str) -> Iterator[PlacedLink]:
    for link, at in zip(links, _positions(text, [(link.start, link.end) for link in links]), strict=True):
        yield PlacedLink(link_row(link, path, 0, at.line), at)


def _positions(text: str, ranges: Iterable[tuple[int, int]]) -> list[Position]:
    """The positions of ranges that are sorted by start. Lines are counted from one to the next, so this is linear."""
    positions = []
    at = _Cursor()
    for start, end in ranges:
        at = at.moved(text, start)
        last = at.moved(text, end)
        positions.append(Position(at.line, start - at.line_start + 1, last.line, end - last.line_start + 1))
    return positions


class _Cursor(NamedTuple):
    """A place in a text, with its line."""

    offset: int = 0
    line: int = 1
    line_start: int = 0

    def moved(self, text: str, offset: int) -> _Cursor:
        """The cursor, moved further on."""
        newest = max(text.rfind("\n", self.offset, offset), text.rfind("\r", self.offset, offset))
        start = newest + 1 if newest >= 0 else self.line_start
        return _Cursor(offset, self.line + line_ends(text, self.offset, offset), start)


# -- comments

_MARK = "headnote-ignore-link"
_COMMENT = re.compile(
    rf"(?:<!--|\{{/\*)[ \t]*+{_MARK}(?![\w-])[ \t]*+:?[ \t]*+((?:(?!-->|\*/)[^\r\n])*+)(?:-->|\*/\}})"
)
_BESIDE = re.compile(r"[^\r\n]*+")


def _comments(document: Document) -> Iterator[Comment]:
    text = document.text
    if _MARK not in text:
        return
    code = [(block.start, block.end) for block in document.blocks if block.kind == "code"]
    matches = [
        match
        for match in _COMMENT.finditer(text)
        if text[match.start() - 1 : match.start()] != "`"
        and not any(start <= match.start() < end for start, end in code)
    ]
    for match, at in zip(matches, _positions(text, [match.span() for match in matches]), strict=True):
        before = text[match.start() - at.column + 1 : match.start()]
        after = _BESIDE.match(text, match.end())
        stands_alone = not before.strip(" \t>") and not (after and after[0].strip())
        yield Comment(at, at.line + stands_alone, match[1].strip())
