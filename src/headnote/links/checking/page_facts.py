"""A document → what lint needs of it besides its links. It needs no other document, so it can run on any core."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from headnote.markdown.document import Document
from headnote.markdown.headings import plain_text
from headnote.model import Block
from headnote.words.phrases import sentences

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
