"""Headings: their text, their anchors, the stack they form, and the sections they open."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Final, NamedTuple

from headnote.arguments import check_types
from headnote.lines import with_plain_line_ends
from headnote.markdown.inline import SpanKind, normal_label, spans
from headnote.markdown.plain import plain_text
from headnote.markdown.rules.rule import Span
from headnote.model import Block, BlockKind, Heading, Section, breadcrumb_of

# -- Heading text → anchor, as GitHub makes it.


_ASCII_DROPPED = re.compile(r"[^0-9a-z_\-]+")
_KEPT_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
# Circled and squared letters are symbols by category and letters by use.
_LETTER_SYMBOLS = re.compile(r"[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")


def github_slug(text: str) -> str:
    """The anchor of a heading with this text, before it is made unique in its document."""
    lowered = text.lower()
    if lowered.isascii():
        slug = lowered.replace(" ", "-")
        # Most headings are words, and nothing has to be dropped.
        return slug if slug.replace("-", "").isalnum() else _ASCII_DROPPED.sub("", slug)
    return "".join(filter(_is_kept, lowered)).replace(" ", "-")


def _is_kept(character: str) -> bool:
    return (
        unicodedata.category(character) in _KEPT_CATEGORIES
        or character in "- "
        or _LETTER_SYMBOLS.match(character) is not None
    )


class Slugs:
    """The anchors given away so far in one document: the second `setup` is `setup-1`."""

    def __init__(self) -> None:
        self._repetitions: dict[str, int] = {}

    def unique(self, slug: str) -> str:
        """Return this slug, numbered if it is taken, and reserve the result."""
        repetitions = self._repetitions
        result = slug
        while result in repetitions:
            repetitions[slug] += 1
            result = f"{slug}-{repetitions[slug]}"
        repetitions[result] = 0
        return result


# -- Headings


__all__ = [
    "HeadingStack",
    "explicit_id",
    "github_slug",
    "heading_place",
    "heading_text",
    "headings",
    "plain_text",
    "sections",
    "span_headings",
]

# Most headings are an ATX line without markup, and nearly all others have only simple code spans and an id at the end.
_MARKUP: Final = re.compile(r"[\\`*_~<>\[\]&#{}\r\n]")
_WORD = r"(?:[^\s\\`*_~<>\[\]&#{}]++|`[^`\s]++(?: [^`\s]++)*+`(?!`))++"
_ID_AT_END = r"(?:\{(?:#[^\s{}]++|/\*[ ]?+[^\s{}*]++[ ]?+\*/)\}[ \t]*+)?+"
_PLAIN_ATX: Final = re.compile(rf" {{0,3}}#{{1,6}}[ \t]+({_WORD}(?: {_WORD})*+)[ \t]*+{_ID_AT_END}")
_ATX_OPENING = re.compile(r"[ \t]*#{1,6}")
_UNDERLINE = re.compile(r"(?:\r\n?|\n)[^\r\n]*+\Z")
_ATTRIBUTE: Final = re.compile(r"""[#.][^\s{}]++|[A-Za-z][\w:-]*+=(?:"[^"{}]*+"|'[^'{}]*+'|[^\s"'{}]++)""")
_EXPLICIT_ID = re.compile(
    r"\{\s*+(?:#[^\s{}]++[^{}]*+|/\*\s*+#?+([^\s{}*]++)\s*+\*/\s*+)\}"
    rf"|\{{:?+\s*+(?:{_ATTRIBUTE.pattern})(?:\s++(?:{_ATTRIBUTE.pattern}))*+\s*+\}}"
    r"|\{:[ \t]++[^{}]*+\}"  # whatever it says: `{: android}` is an attribute without a value
)
"""`{#id}`, also with classes after it, or MDX's `{/*id*/}`; any list of attributes, `{: .class #id key=value}`."""


def heading_text(text: str, start: int, end: int, definitions: Mapping[str, str] | None = None) -> str:
    """What a reader sees of a heading: no hashes, no underline, no explicit id, no markup."""
    after = start
    while after < end and text[after] == "#":
        after += 1
    if after > start:
        # A regex would take most of the time, and nearly all headings are words with a space between them.
        words = _without_plain_id(text[after:end]).strip(" \t")
        if words.replace(" ", "").isalnum() and "  " not in words:
            return words
        if _MARKUP.search(words) is None:
            return " ".join(words.split())
    plain = _PLAIN_ATX.fullmatch(text, start, end)
    if plain is not None:
        return plain[1].replace("`", "")
    content = _content(text[start:end])
    return plain_text(_without_id(content), definitions)


def heading_texts(text: str, blocks: list[Span], indices: list[int]) -> list[str]:
    """The same for the blocks with these indices, among which labels of links are looked up."""
    texts: list[str] = []
    known: dict[str, str] | None = None
    for index in indices:
        block = blocks[index]
        start, end = block[1], block[2]
        if known is None and text.find("[", start, end) >= 0:
            known = labels(blocks)
        texts.append(heading_text(text, start, end, known))
    return texts


def _without_plain_id(content: str) -> str:
    """The content of a heading without the id at its end, if that is one of words: `{#an-id}`, `{/*an-id*/}`."""
    if not content.endswith("}"):
        return content
    brace = content.rfind("{")
    inner = content[brace + 1 : -1]
    if inner.startswith("#"):
        name = inner[1:]
    elif inner.startswith("/*") and inner.endswith("*/"):
        name = inner[2:-2]
    else:
        return content
    return content[:brace] if brace >= 0 and name.replace("-", "").isalnum() else content


def explicit_id(text: str, block: Block) -> str:
    """The id an author gave a heading, `{#id}` or `{/*id*/}`; empty if there is none."""
    return _explicit_id(text, block.start, block.end)


def _explicit_id(text: str, start: int, end: int) -> str:
    if text.find("{", start, end) < 0:
        return ""
    identifier = _find_id(_content(text[start:end]))
    if identifier is None:
        return ""
    attributes: list[str] = _ATTRIBUTE.findall(identifier[0])
    return identifier[1] or next((one[1:] for one in attributes if one[0] == "#"), "")


def heading_place(text: str, block: Block) -> tuple[int, int]:
    """Where the words of a heading stand: without hashes, underline and explicit id."""
    source = text[block.start : block.end]
    content = _content(source)
    opening = _ATX_OPENING.match(source)
    start = block.start + source.index(content, opening.end() if opening and "\n" not in source else 0)
    return start, start + len(_without_id(content).rstrip())


def _content(source: str) -> str:
    """The inline source of a heading, without what makes it a heading. Only a setext heading has several lines."""
    if "\n" in source or "\r" in source:
        return _UNDERLINE.sub("", source).strip()
    opening = _ATX_OPENING.match(source)
    return _unclosed(source[opening.end() if opening else 0 :].strip(" \t"))


def _unclosed(content: str) -> str:
    """Without closing hashes, which stand apart from the text: `# C #` has some, `# C#` does not."""
    unclosed = content.rstrip("#")
    return unclosed.rstrip(" \t") if not unclosed or unclosed[-1] in " \t" else content


def _without_id(content: str) -> str:
    """Without what is said about the heading at its end, and closing hashes before that."""
    identifier = _find_id(content)
    return _unclosed(content[: identifier.start()].rstrip(" \t")) if identifier else content


def _find_id(content: str) -> re.Match[str] | None:
    if not content.endswith("}"):
        return None
    return _EXPLICIT_ID.fullmatch(content, content.rfind("{"))


class HeadingStack:
    """The headings one is under. A heading of level L ends all of level L and deeper; jumps stay as they are.

    >>> stack = HeadingStack()
    >>> stack.push(1, "Guide")
    ('Guide',)
    >>> stack.push(3, "Details"), stack.push(2, "Use")
    (('Guide', 'Details'), ('Guide', 'Use'))
    >>> stack.title, stack.breadcrumb
    ('Use', 'Guide > Use')
    """

    __slots__ = ("_levels", "path")

    def __init__(self) -> None:
        self._levels: list[int] = []
        self.path: tuple[str, ...] = ()
        """The headings, outermost first."""

    def push(self, level: int, text: str) -> tuple[str, ...]:
        """The path after this heading, itself last."""
        if type(level) is not int or type(text) is not str:
            check_types(level=(level, Integral), text=(text, str))
        levels = self._levels
        while levels and levels[-1] >= level:
            levels.pop()
        self.path = (*self.path[: len(levels)], text)
        levels.append(level)
        return self.path

    @property
    def title(self) -> str:
        """The heading that was pushed last; empty before the first."""
        return self.path[-1] if self.path else ""

    @property
    def breadcrumb(self) -> str:
        """The path as text: `A > B > C`."""
        return breadcrumb_of(self.path)

    def copy(self) -> HeadingStack:
        """A stack with the same headings, which later ones do not change."""
        stack = HeadingStack()
        stack._levels, stack.path = self._levels.copy(), self.path
        return stack


def headings(text: str, blocks: Sequence[Block]) -> list[Heading]:
    """Every top-level heading, with its path and with an anchor that is unique in the document."""
    return span_headings(text, [(block.kind, block.start, block.end, block.level, block.info) for block in blocks])


def span_headings(text: str, spans: Sequence[Span]) -> list[Heading]:
    """The same for blocks without line numbers: only those of the headings are counted."""
    stack = HeadingStack()
    slugs = Slugs()
    result: list[Heading] = []
    known: dict[str, str] | None = None
    lines = with_plain_line_ends(text) if "\r" in text else text
    line, at = 1, 0
    for index, (kind, start, end, level, _) in enumerate(spans):
        if kind != "heading":
            continue
        if known is None and text.find("[", start, end) >= 0:
            known = labels(spans)
        shown = heading_text(text, start, end, known)
        slug = slugs.unique(_explicit_id(text, start, end) or github_slug(shown))
        line += lines.count("\n", at, start)
        at = start
        path = stack.push(level, shown)
        result.append(tuple.__new__(Heading, (level, shown, slug, path, index, line)))
    return result


def labels(blocks: Sequence[Block] | Sequence[Span]) -> dict[str, str]:
    """Labels that links and footnotes may refer to; their targets do not show in a heading."""
    targets: dict[str, str] = {}
    for kind, *_, info in blocks:
        if kind == "definition":
            targets[normal_label(info)] = ""
        elif kind == "footnote":
            targets["^" + normal_label(info.removeprefix("^"))] = ""
    return targets


def sections(text: str, blocks: Sequence[Block], depth: int = 6) -> list[Section]:
    """The document cut at headings of level 1 to `depth`. Frontmatter belongs to no section.

    What stands before the first such heading is the preamble, without a heading and with an empty path.
    """
    openings = [heading for heading in headings(text, blocks) if heading.level <= depth]
    ends = [heading.block for heading in openings[1:]] + [len(blocks)]
    result = [
        _section(heading, heading.path, blocks, heading.block, end)
        for heading, end in zip(openings, ends, strict=False)
    ]
    first = next((index for index, block in enumerate(blocks) if block.kind != "frontmatter"), len(blocks))
    preamble_end = openings[0].block if openings else len(blocks)
    if first < preamble_end:
        result.insert(0, _section(None, (), blocks, first, preamble_end))
    return result


def _section(heading: Heading | None, path: tuple[str, ...], blocks: Sequence[Block], first: int, end: int) -> Section:
    opening, closing = blocks[first], blocks[end - 1]
    return Section(heading, path, first, end, opening.start, closing.end, opening.start_line, closing.end_line)


# -- What a document is called: the `title` of its frontmatter, else the heading of level 1 that leads it, else the name
# of its file.
#
# A heading leads a document if no prose stands above it. Frontmatter, imports, components, HTML, comments, definitions
# and rules are no prose, nor are paragraphs of nothing but pictures, links and tags: badges, a choice of languages, the
# tags of a note.


_WITHOUT_PROSE: frozenset[BlockKind] = frozenset(
    ("frontmatter", "html", "definition", "rule", "directive", "mdx_esm", "mdx_jsx", "mdx_expression")
)
_PROSE_SPANS: frozenset[SpanKind] = frozenset(("code", "footnote"))
_WORDY = re.compile(r"(?<!\S)#\S++|(\w)")
"""A tag, or the first character of a word."""


def leading_title(text: str, blocks: Sequence[Span], headings: Sequence[Heading]) -> str:
    """The text of the heading that leads a document; empty if none does."""
    if not headings or headings[0].level != 1:
        return ""
    first = headings[0]
    return "" if any(_has_prose(text, *block[:3]) for block in blocks[: first.block]) else first.text


def _has_prose(text: str, kind: BlockKind, start: int, end: int) -> bool:
    if kind != "paragraph":
        return kind not in _WITHOUT_PROSE
    rest, at = "", start
    for span in sorted((span.start, span.end) for span in spans(text, start, end) if span.kind not in _PROSE_SPANS):
        rest += text[at : span[0]]
        at = max(at, span[1])
    return any(word[1] for word in _WORDY.finditer(rest + text[at:end]))


# -- Headings with the extent of everything below each: the map of a document.


class OutlineEntry(NamedTuple):
    """A heading and its subtree: everything up to the next heading of the same or a higher level."""

    heading: Heading
    """The heading itself."""
    start: int
    """Offset of the first character of the heading."""
    end: int
    """Offset just past the last character of the subtree; blank lines at its end are not part of it."""
    start_line: int
    """Line of the heading, 1-based."""
    end_line: int
    """Last line of the subtree, inclusive."""


def outline(text: str, headings: Sequence[Heading], spans: Sequence[Span]) -> list[OutlineEntry]:
    """Every heading in order. Unlike sections, entries nest: a chapter contains its subchapters."""
    if not headings:
        return []
    lines = with_plain_line_ends(text) if "\r" in text else text
    first_lines = {heading.block: heading.start_line for heading in headings}
    last = headings[-1]
    last_line = last.start_line + lines.count("\n", spans[last.block][1], spans[-1][2])
    entries: list[OutlineEntry] = []
    for heading, span_after in zip(headings, _subtree_ends(headings, len(spans)), strict=True):
        start, end = spans[heading.block][1], spans[span_after - 1][2]
        end_line = last_line
        if span_after < len(spans):
            # The line of the next heading is known, and hardly more than a blank line lies in between.
            end_line = first_lines[span_after] - lines.count("\n", end, spans[span_after][1])
        entries.append(tuple.__new__(OutlineEntry, (heading, start, end, heading.start_line, end_line)))
    return entries


def find_heading(entries: Sequence[OutlineEntry], name: str) -> OutlineEntry | None:
    """The first heading with this text or anchor; case and hashes in front do not matter."""
    plain = name.strip().lstrip("#").strip().casefold()
    named = (entry for entry in entries if plain in (entry.heading.text.casefold(), entry.heading.slug.casefold()))
    return next(named, None)


def _subtree_ends(headings: Sequence[Heading], block_count: int) -> list[int]:
    """For each heading the index of the first block that no longer belongs to it."""
    ends = [block_count] * len(headings)
    still_open: list[int] = []
    for position, heading in enumerate(headings):
        while still_open and headings[still_open[-1]].level >= heading.level:
            ends[still_open.pop()] = heading.block
        still_open.append(position)
    return ends
