"""Places in a document that a fragment can name, and which of them a fragment means.

A heading has the anchor that GitHub makes of it, unless its author gave it another one. Generators have rules of their
own, so the text of a heading is stored with its anchor: the generator is known when a link is resolved.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol
from urllib.parse import unquote

from headnote.links.sites.site import Generator
from headnote.markdown.document import Document
from headnote.markdown.headings import explicit_id, github_slug, plain_text
from headnote.model import Block


class Anchors(NamedTuple):
    """The places of a document that have names."""

    headings: dict[str, int] = {}  # noqa: RUF012  a default of a tuple, never changed
    """Anchor of a heading → number of the chunk that has it, in the order of the headings."""
    ids: dict[str, int] = {}  # noqa: RUF012
    """The same for other places: ids in HTML and attribute lists, ids of blocks, headings inside blocks."""
    texts: tuple[tuple[str, str], ...] = ()
    """Anchor and text of the headings whose anchors were made from their texts."""
    includes: tuple[str, ...] = ()
    """Files that this document includes, as written there."""

    def chunk(self, anchor: str) -> int | None:
        return self.headings.get(anchor, self.ids.get(anchor))


# -- of a document

_ID_IN_TAG = re.compile(
    r"""<(?:[A-Za-z][^<>]{0,2000}?\s(?:id|[a-z]\w{0,40}Id)|a\s[^<>]{0,2000}?\bname)\s*=\s*\{?\s*["']([^"'<>\s]++)["']"""
)
_ATTRIBUTE_LIST = re.compile(
    r"""\{:?(?:[^{}\n]{0,200}?\s)?(?:\#|id\s*=\s*["']?)([\w:.+\-]++)["']?(?:\s[^{}\n]{0,200})?\}"""
)
_ANCHOR_TAG = re.compile(r"""<a\s[^<>]{0,2000}?\b(?:id|name)\s*=\s*["']([^"'<>\s]++)["'][^<>]{0,2000}>""")
_HIDDEN = re.compile(r"`[^`]*+`|<!--.*?-->", re.DOTALL)
_ALTERNATIVE = re.compile(r"</?[A-Z]|\{\{[<%]|\{%|^\s*(?:===|:::)", re.MULTILINE)
"""What may begin or end a box that shows one of its parts at a time."""
_BRACES = re.compile(r"\{[^{}]*+\}")
_FOOTNOTE = re.compile(r"^[ ]{0,3}\[\^([^\]\s]++)\]:", re.MULTILINE)
_BLOCK_ID = re.compile(r"\^(?<![^ \t\n]\^)[A-Za-z0-9\-]++(?=[ \t]*$)", re.MULTILINE)
"""Begins with the mark, which few texts have: that is faster than to begin with the blank before it."""
_PROPERTY_ID = re.compile(r"^[ \t]*+(?:-[ \t]++)?id::[ \t]*+([0-9a-fA-F\-]{36})[ \t]*$", re.MULTILINE)
_CONTAINERS = frozenset({"list", "quote", "mdx_jsx", "html"})
_INNER_HEADING = re.compile(r"[ \t]*+(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*+)*+#{1,6}[ \t]++(.*)")
_INNER_FENCE = re.compile(r"[ \t>]*+(?:[-*+][ \t]++)?(`{3,}|~{3,})")
_LINE = re.compile(r"[^\r\n]++")
_DOCUMENT_IN_QUOTES = (".md'", '.md"', ".mdx'", '.mdx"')
_INCLUDE = re.compile(
    r"""
    ^import\s+\w+\s+from\s+["']([^"'\n]+\.mdx?)["']     # MDX
  | ^[ \t]*(?:-+8<-+|;-+8<-+)[ \t]+["']([^"'\n]+)["']  # snippets of MkDocs
  | <!--[ \t]*@include:[ \t]*([^\s{}<>]+)               # VitePress
    """,
    re.VERBOSE | re.MULTILINE,
)


class SectionExtent(Protocol):
    """A chunk, as far as anchors are concerned."""

    @property
    def number(self) -> int: ...

    @property
    def end(self) -> int: ...


def anchors_of(document: Document, chunks: Sequence[SectionExtent]) -> Anchors:
    """The anchors of a document. A heading whose line is in no chunk belongs to the chunk after it."""
    if not chunks:
        return Anchors()
    text, blocks, headings = document.text, document.blocks, document.headings
    ends = [chunk.end for chunk in chunks]
    last = len(chunks) - 1

    def chunk_at(position: int) -> int:
        return chunks[min(bisect_right(ends, position), last)].number

    inner = list(_inner_headings(text, blocks))
    texts = [(heading.slug, heading.text) for heading in headings if not explicit_id(text, blocks[heading.block])]
    texts += [(heading.slug, source) for heading in headings if (source := _linked(text, blocks[heading.block]))]
    ids = {name: chunk_at(at) for name, at in (*_ids(text, blocks), *_footnotes(text))}
    ids |= {github_slug(shown): chunk_at(at) for shown, at in inner if github_slug(shown) not in ids}
    return Anchors(
        headings={heading.slug: chunk_at(blocks[heading.block].start) for heading in headings},
        ids=ids,
        texts=(*texts, *((github_slug(shown), shown) for shown, _ in inner)),
        includes=tuple(_includes(text)),
    )


def _linked(text: str, heading: Block) -> str:
    """A heading with a link in it as it is written: Hugo makes the address a part of the anchor."""
    is_linked = text.find("](", heading.start, heading.end) >= 0
    return text[heading.start : heading.end].strip("# \t\r\n") if is_linked else ""


def block_ids(text: str) -> list[str]:
    """The ids by which other documents may refer to blocks of this one: `id:: …` of Logseq."""
    return [match[1].lower() for match in _PROPERTY_ID.finditer(text)] if "id::" in text else []


def repeated_ids(document: Document) -> list[tuple[str, tuple[int, int]]]:
    """Ids that an author gave before in the same document, with the ranges of their later places.

    Ids of headings and of `<a>` count. Those of components are arguments, and alternatives, such as the tabs of a box
    or the versions of a page, may repeat an id: only one of them is shown.
    """
    text, blocks = document.text, document.blocks
    first: dict[str, int] = {}
    repeated = []
    for start, end, name in sorted((*_heading_ids(text, blocks), *_anchor_ids(text, blocks))):
        if name not in first:
            first[name] = end
        elif _ALTERNATIVE.search(text, first[name], start) is None:
            repeated.append((name, (start, end)))
    return repeated


def _heading_ids(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int, str]]:
    for block in blocks:
        if block.kind == "heading" and (name := explicit_id(text, block)):
            yield block.start, block.end, name


def _anchor_ids(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int, str]]:
    if "<a " not in text:
        return
    for block in blocks:
        if block.kind in ("html", "paragraph", "heading"):
            hidden = [span.span() for span in _HIDDEN.finditer(text, block.start, block.end)]
            for match in _ANCHOR_TAG.finditer(text, block.start, block.end):
                if not any(start <= match.start() < end for start, end in hidden):
                    yield match.start(), match.end(), match[1]


def _includes(text: str) -> Iterator[str]:
    is_importing = "import " in text and any(ending in text for ending in _DOCUMENT_IN_QUOTES)
    if is_importing or "8<-" in text or "@include" in text:
        for match in _INCLUDE.finditer(text):
            yield match[1] or match[2] or match[3]


def _ids(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, int]]:
    """Ids that authors wrote, none of them in code."""
    matches = [
        *(_ID_IN_TAG.finditer(text) if "id=" in text or "Id=" in text or "name=" in text or "id =" in text else ()),
        *(_attribute_lists(text) if "{" in text else ()),
        *(_PROPERTY_ID.finditer(text) if "id::" in text else ()),
    ]
    places = [(match[1], match.start()) for match in matches]
    if "^" in text:
        places += _blocks_with_ids(text)
    if not places:
        return
    code = [block for block in blocks if block.kind == "code"]
    starts = [block.start for block in code]
    for name, start in places:
        before = bisect_right(starts, start) - 1
        if before < 0 or start >= code[before].end:
            yield name, start


def _blocks_with_ids(text: str) -> Iterator[tuple[str, int]]:
    """The blank before an id counts as its beginning."""
    for match in _BLOCK_ID.finditer(text):
        at = match.start()
        yield match[0], at - 1 if at and text[at - 1] in " \t" else at


def _attribute_lists(text: str) -> Iterator[re.Match[str]]:
    """Most braces are code and shortcodes, which a look at what is between them tells at once."""
    for braces in _BRACES.finditer(text):
        if ("#" in braces[0] or "id" in braces[0]) and (match := _ATTRIBUTE_LIST.match(text, braces.start())):
            yield match


def _footnotes(text: str) -> Iterator[tuple[str, int]]:
    """The anchors of footnotes in Python-Markdown and on GitHub."""
    if "[^" in text:
        for match in _FOOTNOTE.finditer(text):
            yield f"fn:{match[1]}", match.start()
            yield f"fn-{match[1]}", match.start()


def _inner_headings(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, int]]:
    """Headings inside lists, quotes and components: they open no section here, but are anchors on every site."""
    for block in blocks:
        if block.kind not in _CONTAINERS or text.find("# ", block.start, block.end) < 0:
            continue
        fence = ""
        for line in _LINE.finditer(text, block.start, block.end):
            marker = _INNER_FENCE.match(line[0])
            if marker and (not fence or marker[1].startswith(fence)):
                fence = "" if fence else marker[1]
            elif not fence and (heading := _INNER_HEADING.fullmatch(line[0])):
                yield plain_text(heading[1].rstrip("# \t")), line.start()


# -- of a fragment

_TEXT_DIRECTIVE = re.compile(r":~:.*", re.DOTALL)
_TOP = frozenset({"", "top"})
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_NOT_IN_TOC = re.compile(r"[^\w\s-]")
_DASHES = re.compile(r"[-\s]+")
_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")


def _vitepress_slug(text: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    slug = _SPECIAL.sub("-", plain).strip("-").lower()
    return f"_{slug}" if slug[:1].isdigit() else slug


def _toc_slug(text: str) -> str:
    """The slug in the table of contents of Python-Markdown."""
    return _DASHES.sub("-", _NOT_IN_TOC.sub("", text).strip().lower())


def _dashed_slug(text: str) -> str:
    """One of the ways in which Hugo makes anchors: a dash for all that is no letter and no digit."""
    return _NOT_ALPHANUMERIC.sub("-", text).strip("-").lower()


_SLUGS: Mapping[Generator, tuple[Callable[[str], str], ...]] = {
    "vitepress": (_vitepress_slug,),
    "mkdocs": (_toc_slug,),
    "hugo": (_dashed_slug,),
    "jekyll": (_toc_slug,),
    "plain": (_toc_slug, _vitepress_slug, _dashed_slug),
}
"""Besides the anchors of GitHub, which are those of the others."""


def means_the_top(fragment: str) -> bool:
    """Whether a fragment names no place of a document, but the document."""
    return _TEXT_DIRECTIVE.sub("", fragment).lower() in _TOP


def find_anchor(anchors: Anchors, fragment: str, generator: Generator) -> str | None:
    """The place that a fragment names: by its anchor, by its text, or as `A#B`, by those it stands under."""
    plain = unquote(_TEXT_DIRECTIVE.sub("", fragment))
    if "#" in plain:
        return _nested(list(anchors.headings), [github_slug(part.strip()) for part in plain.split("#") if part.strip()])
    spellings = (fragment, plain, plain.lower(), github_slug(plain.strip()))
    for names in (anchors.headings, anchors.ids):
        anchor = next((spelling for spelling in spellings if spelling in names), None)
        anchor = anchor or next((name for name in names if name.lower() == plain.lower()), None)
        if anchor is not None:
            return anchor
    anchor = _by_other_slug(anchors.texts, plain.lower(), _SLUGS.get(generator, ()))
    if anchor is None and generator == "docusaurus" and plain.endswith("-"):
        # A component after the text of a heading leaves the blank before it in the anchor.
        anchor = next((name for name in anchors.headings if name == plain.rstrip("-")), None)
    return anchor


def _by_other_slug(texts: Iterable[tuple[str, str]], name: str, slugs: Sequence[Callable[[str], str]]) -> str | None:
    """The heading of which a generator makes this anchor."""
    made = (one for slug in slugs for one in _made_by(slug, texts))
    return next((anchor for anchor, spellings in made if name in spellings), None)


def _made_by(slug: Callable[[str], str], texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each heading with the anchors that may be made of it; the second with the same text has a number."""
    numbers: dict[str, int] = {}
    for anchor, text in texts:
        made = slug(text)
        number = numbers[made] = numbers.get(made, -1) + 1
        yield anchor, ((f"{made}-{number}", f"{made}_{number}") if number else (made, made))


def names_of_heading(anchors: Anchors, anchor: str, generator: Generator) -> list[str]:
    """All that a fragment may say to mean a heading: what the generator makes of it, its anchor here, its text. The
    same place of the list has the same kind of name for any two headings, unless their authors gave them ids."""
    text = next((text for known, text in anchors.texts if known == anchor), None)
    if text is None:
        return [anchor]
    made = [dict(_made_by(slug, anchors.texts))[anchor] for slug in _SLUGS.get(generator, ())]
    own = [spelling for spellings in made for spelling in spellings]
    return [anchor, text, *own] if generator == "plain" else [*own, anchor, text]


def _nested(anchors: list[str], slugs: list[str]) -> str | None:
    """The last of a chain of headings, each after the one before; a slug may have a number at its end."""
    at, nearest = 0, None
    for slug in slugs:
        numbered = re.compile(rf"{re.escape(slug)}(?:-[0-9]+)?")
        nearest = next((anchor for anchor in anchors[at:] if numbered.fullmatch(anchor)), None)
        if nearest is None:
            return None
        at = anchors.index(nearest) + 1
    return nearest
