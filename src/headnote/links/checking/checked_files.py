"""A file → what checks of links and lint need of it. Nothing here needs another document, so it can run on any core."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from operator import attrgetter
from typing import Any, NamedTuple

from headnote.chunking.records import line_ends
from headnote.errors import SourceError
from headnote.formats.kinds import open_document
from headnote.links.anchors import Anchors, anchors_of, block_ids, is_generated, repeated_ids
from headnote.links.checking.link_report import Position
from headnote.links.resolving import aliases_of, link_row
from headnote.links.sites.site import Naming, naming_of
from headnote.markdown.document import Document
from headnote.markdown.headings import plain_text
from headnote.markdown.links import split_target
from headnote.model import Block, Link
from headnote.sources.files import FileSnapshot
from headnote.sources.tree import Tree
from headnote.store.rows import DocumentHead, LinkRow
from headnote.words.phrases import sentences

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


# -- What lint needs of a document besides its links

PROSE = frozenset({"paragraph", "list", "quote", "table", "footnote"})
_WITH_FOOTNOTES = PROSE | {"heading"}
_SPARSE = 4
"""One of so many shingles is kept: enough to tell how alike two pages are."""
_SHINGLE = 5
"""Words in a row. Pages that share many of these were copied."""
_MAX_SENTENCE = 400
"""Maximum characters of a sentence: anything longer is a table or a list without full stops."""
_MIN_WORDS = 6
"""Different words besides numbers. Sentences with fewer are alike by chance."""

_MIN_BLANKS = 4
"""Between the words of a sentence. Fewer are a name."""

_HIDDEN = re.compile(r"`+[^`]*+`+|<!--.*?(?:-->|\Z)|\{\{.*?\}\}|\{%.*?%\}|<[A-Za-z/][^<>]{0,500}>", re.DOTALL)
_WORD = re.compile(r"\w+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Characters of scripts without blanks between words; two are a word."""
_YEAR_OR_VERSION = re.compile(r"(?:19|20)\d\d|\d+\.\d+\.\d+(?:\.\d+)*")
"""Numbers that differ from page to page with good reason."""
_NUMBER = re.compile(r"(?<![\w.#/-])\d+(?:[.,:]\d+)*(?![\w]*[-/]\w)")
_OF_CODE = re.compile(r"^#{1,6}[ \t]+`[^`\n]+`[ \t]*$", re.MULTILINE)
"""A heading that is the name of something in code: its page refers to that."""
_FOOTNOTE = re.compile(r"\[\^([^\]\s\\^]{1,60})\](:?)")
_OF_A_LINK = re.compile(r"\[[^\]\s^]")
"""Behind the mark of a footnote: then it is the text of a link, `[^1][source]`."""
_SOURCES = ("sources", "source")
_OF_A_DAY = re.compile(
    r"(?:^|[/_-])(?:changelog|changes|releases?|whats-new|news|history|blog|posts)(?=[/_.-])|\d{4}[-_]\d{2}[-_]\d{2}",
    re.IGNORECASE,
)


class Footnote(NamedTuple):
    """A mark of a footnote, or its definition."""

    label: str
    is_definition: bool
    start: int
    end: int


class NumberedSentence(NamedTuple):
    """A sentence with numbers in it."""

    words: int
    """Hash of its words but the numbers: two with the same say the same of something."""
    numbers: tuple[str, ...]
    line: int
    text: str


class PageFacts(NamedTuple):
    """A page, as far as its health is concerned."""

    words: int = 0
    """How many words of prose it has."""
    has_more: bool = False
    """Whether it shows something else: code, a picture, a component."""
    footnotes: tuple[Footnote, ...] = ()
    shingles: frozenset[int] = frozenset()
    statements: tuple[NumberedSentence, ...] = ()
    metadata: Mapping[str, Any] = {}
    sources: tuple[str, ...] = ()
    """What its frontmatter says that it is made from."""
    is_of_its_day: bool = False
    """Whether it says what held on a day: a post, release notes."""


def facts_of(document: Document) -> PageFacts:
    text = document.text
    prose = [block for block in document.blocks if block.kind in PROSE]
    shown = [_HIDDEN.sub(" ", text[block.start : block.end]) for block in prose]
    words = [word.lower() for one in shown for word in _WORD.findall(one)]
    data = document.frontmatter.data
    return PageFacts(
        words=sum(1 + len(_WIDE.findall(word)) // 2 for word in words),
        has_more=_shows_more(document) or _has_text_in_fields(data),
        footnotes=tuple(_footnotes(text, document.blocks)),
        shingles=_shingles(words),
        statements=tuple(_statements(text, document.blocks)),
        metadata=data,
        sources=tuple(_sources(data)),
        is_of_its_day=_is_of_its_day(document),
    )


def _is_of_its_day(document: Document) -> bool:
    return "date" in document.frontmatter.data or _OF_A_DAY.search(document.path) is not None


def _shows_more(document: Document) -> bool:
    kinds = {"code", "html", "directive", "mdx_jsx", "mdx_expression", "mdx_esm", "table"}
    is_shown = any(block.kind in kinds for block in document.blocks)
    return (
        is_shown
        or any(link.kind in ("image", "embed") for link in document.links)
        or any(mark in document.text for mark in ("{{", "{%", ":::", "--8<--"))
        or _OF_CODE.search(document.text) is not None
    )


def _has_text_in_fields(data: Mapping[str, Any]) -> bool:
    """Whether the frontmatter says what the page shows: a description, an entry of a glossary, data."""
    texts = (value for name, value in data.items() if name.lower() != "title")
    return any(
        isinstance(one, dict) or (isinstance(one, str) and one.count(" ") + len(_WIDE.findall(one)) // 2 >= _MIN_BLANKS)
        for one in texts
    )


def _shingles(words: list[str]) -> frozenset[int]:
    rows = zip(*(words[offset:] for offset in range(_SHINGLE)), strict=False)
    hashes = (zlib.crc32(" ".join(row).encode("utf-8", "surrogatepass")) for row in rows)
    return frozenset(one for one in hashes if one % _SPARSE == 0)


def _footnotes(text: str, blocks: list[Block]) -> Iterator[Footnote]:
    """Definitions, and marks where footnotes are: what looks like a class of characters is none."""
    if "[^" not in text:
        return
    found = [one for block in blocks if block.kind in _WITH_FOOTNOTES for one in _footnotes_in(text, block)]
    yield from found
    marked = {one.label for one in found if not one.is_definition}
    # Boxes of some generators look like code: a definition that is marked there is in use.
    everywhere = {match[1].lower() for match in _FOOTNOTE.finditer(text) if not match[2]}
    for one in found:
        if one.is_definition and one.label in everywhere - marked:
            yield one._replace(is_definition=False)


def _footnotes_in(text: str, block: Block) -> Iterator[Footnote]:
    hidden = [match.span() for match in _HIDDEN.finditer(text, block.start, block.end)]
    for match in _FOOTNOTE.finditer(text, block.start, block.end):
        is_hidden = any(start <= match.start() < end for start, end in hidden)
        if is_hidden or text[max(match.start() - 1, 0) : match.start()] in ("\\", "["):
            continue
        if text[match.end() : match.end() + 1] == "(" or _OF_A_LINK.match(text, match.end()):
            continue
        before = text[_line_start(text, match.start()) : match.start()]
        is_definition = bool(match[2]) and not before.strip("> ")
        if is_definition or _is_label(match[1]):
            yield Footnote(match[1].lower(), is_definition, match.start(), match.end())


def _is_label(label: str) -> bool:
    """Whether it names a footnote rather than characters, as `[^0-9]` and `[^,]` in a pattern."""
    return re.fullmatch(r"\w[\w.:-]*", label) is not None and re.fullmatch(r"\w-\w.*", label) is None


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _statements(text: str, blocks: list[Block]) -> Iterator[NumberedSentence]:
    for block in blocks:
        if block.kind != "paragraph":
            continue
        # A stop before the mark of a footnote ends its sentence.
        body = _FOOTNOTE.sub(lambda mark: " " * len(mark[0]), text[block.start : block.end])
        line, counted = block.start_line, 0
        for start, end in sentences(body):
            if end - start > _MAX_SENTENCE or not _NUMBER.search(body, start, end):
                continue
            shown = plain_text(_HIDDEN.sub(" ", body[start:end]))
            numbers = tuple(one for one in _NUMBER.findall(shown) if not _YEAR_OR_VERSION.fullmatch(one))
            kept = {word.lower() for word in _WORD.findall(_NUMBER.sub(" ", shown))}
            line, counted = line + body.count("\n", counted, start), start
            if numbers and len(kept) >= _MIN_WORDS:
                whole = zlib.crc32(" ".join(sorted(kept)).encode("utf-8", "surrogatepass"))
                yield NumberedSentence(whole, numbers, line, shown)


def _sources(data: Mapping[str, Any]) -> Iterator[str]:
    for name in _SOURCES:
        value = data.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one.strip() and "://" not in one:
                yield one.strip().removeprefix("[[").removesuffix("]]")


# -- A file → what checks need of it


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
    is_shown_as_text = document.path.lower().endswith(".txt")  # which shows no ids
    repeated = [] if is_shown_as_text else repeated_ids(document)
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
