"""Drafts → chunks: ids, positions, text, and the fields that are computed on demand."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, Protocol, TypeVar

from headnote.chunking.context import MANY_BLANKS, ChunkingContext, seen
from headnote.chunking.draft import Draft, number_parts
from headnote.chunking.masking import MASK, condensed_chunk, may_hold_data_uris, strip_data_uris
from headnote.markdown.document import Document
from headnote.model import CODE_LIKE, Block, Chunk, Link, Tag, breadcrumb_of
from headnote.model.chunk import BREADCRUMB, OVERLAP, Pieces, joined_pieces, leading_breadcrumb

# -- The text of a chunk: what a reader sees, and what is embedded.


OVERLAP_SEPARATORS = {"window": "", "header": "\n\n"}
"""Strategy → separator between overlap and own text, for strategies that show readers the overlap."""


class ChunkLike(Protocol):
    """What a draft and a chunk have in common."""

    start: int
    end: int
    prefix: str
    suffix: str
    overlap: str
    heading_path: tuple[str, ...]
    block_start: int
    block_end: int


def shown_text(context: ChunkingContext, chunk: ChunkLike) -> str:
    """What a reader sees."""
    if not context.parents_in_text and not chunk.overlap:
        return chunk.prefix + context.text[chunk.start : chunk.end] + chunk.suffix
    crumb = context.breadcrumb(chunk.heading_path)[0]
    return _with_lead(context, chunk, crumb, chunk.overlap, context.text[chunk.start : chunk.end])


def _with_lead(context: ChunkingContext, chunk: ChunkLike, crumb: str, overlap: str, text: str) -> str:
    own = chunk.prefix + text + chunk.suffix
    return joined_pieces(_lead(context, crumb, overlap), crumb, overlap) + own


def embedded_text(context: ChunkingContext, chunk: ChunkLike) -> str:
    """What is embedded and indexed: the breadcrumb and any overlap included, comments and pictures left out. A chunk
    of nothing but comments has nothing to embed."""
    return _embedded_below(context, chunk, context.breadcrumb(chunk.heading_path)[0])


def _embedded_below(context: ChunkingContext, chunk: ChunkLike, crumb: str) -> str:
    own = condensed_chunk(context.masked[chunk.start : chunk.end])
    if not own and chunk.start < chunk.end:
        return ""
    overlap = _embedded_overlap(context, chunk)
    front = joined_pieces(_front(context, crumb, overlap), crumb, overlap)
    text = front + _with_lead(context, chunk, crumb, overlap, own)
    return strip_data_uris(text) if context.leaves_out else text


def _embedded_overlap(context: ChunkingContext, chunk: ChunkLike) -> str:
    """The overlap without its comments. It ends where the chunk before does."""
    if not chunk.overlap or not context.leaves_out:
        return chunk.overlap
    start = context.text.rfind(chunk.overlap, 0, chunk.start)
    return condensed_chunk(context.masked[start : start + len(chunk.overlap)])


def _front(context: ChunkingContext, crumb: str, overlap: str) -> Pieces:
    """What only the embedded text begins with."""
    crumbs: Pieces = (BREADCRUMB,) if crumb and not context.parents_in_text else ()
    return (*crumbs, OVERLAP, "\n\n") if overlap and context.settings.strategy not in OVERLAP_SEPARATORS else crumbs


def _lead(context: ChunkingContext, crumb: str, overlap: str) -> Pieces:
    """What the text for readers begins with."""
    crumbs: Pieces = (BREADCRUMB,) if crumb and context.parents_in_text else ()
    separator = OVERLAP_SEPARATORS.get(context.settings.strategy) if overlap else None
    if separator is None:
        return crumbs
    return (OVERLAP, separator, *crumbs) if separator else (OVERLAP, *crumbs)


class Rendered(NamedTuple):
    """What stands in front of the own text of a chunk, in pieces, and the text that is embedded."""

    front: Pieces
    """What only the embedded text begins with."""
    lead: Pieces
    """What the text for readers begins with."""
    embed_text: str


def rendered(chunk: Chunk) -> Rendered:
    """A chunk that was cut here, in pieces, as an index keeps it: the title of the document is a name of its own there,
    and in no text but those for readers. A breadcrumb that lost its outermost headings stands for itself, as does an
    overlap that lost its comments."""
    origin = chunk.origin
    assert isinstance(origin, DocumentChunks), f"{chunk.id}: restored, not cut from a document"
    context, overlap = origin.context, _embedded_overlap(origin.context, chunk)
    breadcrumb = context.breadcrumb if context.parents_in_text else context.headings_only
    crumb = breadcrumb(chunk.heading_path)[0]
    front, lead = _front(context, crumb, overlap), _lead(context, crumb, overlap)
    as_written: dict[str | int, str] = {}
    if crumb and crumb != leading_breadcrumb(chunk.heading_path):
        as_written[BREADCRUMB] = crumb
    if overlap != chunk.overlap:
        as_written[OVERLAP] = overlap
    if as_written:
        front, lead = (tuple([as_written.get(one, one) for one in pieces]) for pieces in (front, lead))
    return Rendered(front, lead, _embedded_below(context, chunk, crumb))


def comments_left_out(chunks: Sequence[Chunk]) -> tuple[tuple[int, int], ...]:
    """Where the comments stand that are not embedded with these chunks, which are those of one document."""
    if not chunks:
        return ()
    origin = chunks[0].origin
    assert isinstance(origin, DocumentChunks), f"{chunks[0].id}: restored, not cut from a document"
    return () if origin.context.settings.comments else tuple(origin.context.document.comments)


# -- How large a chunk is, and whether it keeps the cap.
#
# Sums of weights answer most questions for free, but they are exact only up to the blank lines at the end of a chunk.
# So the weight decides far from the cap, and near it the text itself is counted.


def fits(context: ChunkingContext, draft: Draft) -> bool:
    """Whether a draft keeps the cap."""
    if context.adds_up and draft.adds_up:
        if draft.weight <= context.safe_weight:
            return True  # as most are: their breadcrumb need not be known
        estimate = draft.weight + context.breadcrumb(draft.heading_path)[1]
        if estimate <= context.max_weight - context.margin:
            return True
        if estimate > context.max_weight + context.margin and not _has_long_gap_behind(context, draft):
            return False
    return size(context, draft) <= context.settings.max_tokens


def _has_long_gap_behind(context: ChunkingContext, draft: Draft) -> bool:
    """Whether such a long gap follows that the blanks, rather than the text, may be what is too heavy."""
    following = draft.block_end + 1
    return following < len(context.blocks) and context.blocks[following][1] - draft.end > MANY_BLANKS


def size(context: ChunkingContext, chunk: ChunkLike) -> int:
    """Tokens of what is embedded, counted."""
    return sizes(context, (chunk,))[0]


def sizes(context: ChunkingContext, chunks: Sequence[ChunkLike]) -> list[int]:
    """The same for many."""
    if context.counter.adds == "anywhere" and context.counter.per_character is None:
        if context.settings.strategy == "window":  # measured as it was cut: by the text, whatever the blocks in it
            return [context.counter.count(embedded_text(context, chunk)) for chunk in chunks]
        return [_size_by_blocks(context, chunk) for chunk in chunks]
    known: list[int] = []
    texts: list[str] = []
    for chunk in chunks:
        weight, rest = _weighed(context, chunk)
        known.append(weight)
        texts.append(rest)
    return list(map(context.counter.size, map(add, known, context.counter.weigh(texts))))


def _weighed(context: ChunkingContext, chunk: ChunkLike) -> tuple[int, str]:
    """What is known of the weight of a chunk, and the text that is still to be weighed: its last block, where the blank
    lines behind it are left out, or all of it where weights do not add up."""
    first, last = chunk.block_start, chunk.block_end
    has_more = chunk.prefix or chunk.suffix or chunk.overlap or _leaves_out(context, chunk)
    if has_more or not context.begins_on_seams or context.starts[first] != chunk.start:
        return 0, embedded_text(context, chunk)
    start = context.starts[last]
    weight = context.breadcrumb(chunk.heading_path)[1] + context.totals[last] - context.totals[first]
    return weight, context.text[start : chunk.end]


def _leaves_out(context: ChunkingContext, chunk: ChunkLike) -> bool:
    """Whether a chunk has comments or pictures."""
    if not context.leaves_out:
        return False
    text = context.masked[chunk.start : chunk.end]
    return MASK in text or may_hold_data_uris(text)


def _size_by_blocks(context: ChunkingContext, chunk: ChunkLike) -> int:
    """An estimate depends on which blocks are code, so they are weighed one by one, carried ones included."""
    first = max(bisect_right(context.starts, chunk.start, hi=len(context.blocks)) - 1, 0)
    last = bisect_left(context.starts, chunk.end, first + 1) - 1
    own = _texts_of_blocks(context, chunk.start, chunk.end, first, last)
    own[0] = (chunk.prefix + own[0][0], own[0][1])
    own[-1] = (own[-1][0] + chunk.suffix, own[-1][1])
    texts = [(context.breadcrumb(chunk.heading_path)[0], False), *_carried_texts(context, chunk, first), *own]
    weights = context.counter.weigh([seen(text) for text, _ in texts], [is_code for _, is_code in texts])
    return context.counter.size(sum(weights))


def _carried_texts(context: ChunkingContext, chunk: ChunkLike, first: int) -> list[tuple[str, bool]]:
    """The overlap of a chunk that begins in block `first`, by blocks where it consists of whole ones."""
    if not chunk.overlap:
        return []
    if (separator := OVERLAP_SEPARATORS.get(context.settings.strategy)) is not None:
        return [(_embedded_overlap(context, chunk) + separator, False)]
    last = first - 1
    end = context.blocks[last][2]
    first = bisect_left(context.starts, end - len(chunk.overlap))
    return [*_texts_of_blocks(context, context.starts[first], end, first, last), ("\n\n", False)]


def _texts_of_blocks(context: ChunkingContext, start: int, end: int, first: int, last: int) -> list[tuple[str, bool]]:
    """A range of the text by blocks, each with the blank lines behind it, and whether it is code."""
    cuts = [start, *context.starts[first + 1 : last + 1], end]
    code = [block[0] in CODE_LIKE for block in context.blocks[first : last + 1]]
    return [(context.masked[at:stop], is_code) for (at, stop), is_code in zip(pairwise(cuts), code, strict=True)]


# -- Drafts → chunks


_Placed = TypeVar("_Placed", Link, Tag)

_ID_FORMS = {
    "window": "{path}#{index}",
    "block": "{path}#{index}",
    "section": "{path}:{index}",
    "header": "{doc_id}_chunk_{section}",
    "none": "{doc_id}_chunk_{section}",
}
_SEPARATORS = ("#", ":", "_chunk_")
"""The part after the path, in ids and in keys."""


def paths_in_id(name: str) -> list[str]:
    """The paths of the documents that an id or a key may belong to."""
    return [name.rpartition(separator)[0] for separator in _SEPARATORS if separator in name]


def records(context: ChunkingContext, drafts: list[Draft], modified: float | None = None) -> list[Chunk]:
    """The finished chunks of a document, which share what they have in common."""
    if not drafts and context.settings.strategy == "window" and context.settings.boundaries != "paragraph":
        end = len(context.text)
        drafts = [Draft(start=end, end=end, block_start=0, block_end=0, heading_path=(), section=0)]
    number_parts(drafts)
    context.forget_lines()
    origin = DocumentChunks(context, modified, drafts)
    return [
        # By position: names cost more than all else here.
        Chunk(
            origin,
            index,
            draft.section,
            draft.part,
            draft.start,
            draft.end,
            draft.prefix,
            draft.suffix,
            draft.overlap,
            draft.heading_path,
            context.number_of(draft.block_start),
            context.number_of(draft.block_end),
        )
        for index, draft in enumerate(drafts)
    ]


class DocumentChunks:
    """What the chunks of one document share, and how their costlier fields are computed.

    It knows drafts, not chunks. These know it, and in a circle nothing would be freed before the garbage collector
    finds it: every document with its blocks.
    """

    def __init__(self, context: ChunkingContext, modified: float | None, drafts: list[Draft]) -> None:
        self.context = context
        self.path = context.path
        self.doc_id = context.path
        self.modified = modified
        self._drafts = drafts
        self._keys: list[str] | None = None
        self._tokens: list[int] | None = None
        self._lines: list[tuple[int, int]] | None = None
        self._document_tags: tuple[str, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled objects have no dictionary to pickle.
        return DocumentChunks, (self.context, self.modified, self._drafts), self._tokens

    def __setstate__(self, tokens: list[int] | None) -> None:
        self._tokens = tokens

    def id_of(self, chunk: Chunk) -> str:
        form = _ID_FORMS[self.context.settings.strategy]
        name = form.format(path=self.path, doc_id=self.doc_id, index=chunk.index, section=chunk.section)
        return f"{name}_sub_{chunk.part}" if chunk.part is not None and form.endswith("{section}") else name

    def key_of(self, chunk: Chunk) -> str:
        if self._keys is None:
            self._keys = self._make_keys()
        return self._keys[chunk.index]

    def _make_keys(self) -> list[str]:
        """A hash of each own text. Equal texts are numbered in order."""
        seen: Counter[str] = Counter()
        keys = []
        for draft in self._drafts:
            text = self.context.text[draft.start : draft.end].encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(text, digest_size=8).hexdigest()
            keys.append(f"{self.path}#{digest}-{seen[digest]}")
            seen[digest] += 1
        return keys

    def text_of(self, chunk: Chunk) -> str:
        return shown_text(self.context, chunk)

    def embed_text_of(self, chunk: Chunk) -> str:
        return embedded_text(self.context, chunk)

    def tokens_of(self, chunk: Chunk) -> int:
        if self._tokens is None:
            # All chunks at once: a batch costs little more than one text.
            self._tokens = sizes(self.context, self._drafts)
        return self._tokens[chunk.index]

    def lines_of(self, chunk: Chunk) -> tuple[int, int]:
        if self._lines is None:
            self._lines = self._count_lines()
        return self._lines[chunk.index]

    def _count_lines(self) -> list[tuple[int, int]]:
        """First and last line of every chunk, counted from one to the next."""
        text = self.context.text
        lines: list[tuple[int, int]] = []
        line, at = 1, 0
        for draft in self._drafts:
            line += line_ends(text, at, draft.start)
            first = line
            at = _last_character(text, draft.start, draft.end)
            line += line_ends(text, draft.start, at)
            lines.append((first, line))
        return lines

    def links_of(self, chunk: Chunk) -> tuple[Link, ...]:
        return _within(self.context.document.links, chunk)

    def tags_of(self, chunk: Chunk) -> tuple[str, ...]:
        if self._document_tags is None:
            self._document_tags = tuple(dict.fromkeys(self.context.document.tags))
        own = _within(self.context.document.inline_tags, chunk)
        return tuple(dict.fromkeys([*self._document_tags, *(tag.name for tag in own)])) if own else self._document_tags

    def breadcrumb_of(self, chunk: Chunk) -> str:
        return breadcrumb_of(self.context.titled(chunk.heading_path))

    def metadata(self) -> dict[str, Any]:
        return self.context.document.frontmatter.data


def _last_character(text: str, start: int, end: int) -> int:
    """Where the last character begins; a line end of two characters is one."""
    last = max(end - 1, start)
    return last - 1 if last > start and text.startswith("\r\n", last - 1) else last


def line_ends(text: str, start: int, end: int) -> int:
    """How many lines end in this range of a text. A line end of two characters belongs to where the second is."""
    ends = text.count("\n", start, end)
    returns = text.count("\r", start, end)
    return ends + returns - text.count("\r\n", start, end + 1) if returns else ends


def _within(placed: list[_Placed], chunk: Chunk) -> tuple[_Placed, ...]:
    """The links or tags that begin in the own text of a chunk. They come sorted by start."""
    if not placed:
        return ()
    first = bisect_left(placed, chunk.start, key=lambda each: each.start)
    last = bisect_left(placed, chunk.end, key=lambda each: each.start)
    return tuple(placed[first:last])


# -- Chunks → the blocks that were split between them.


def cut_blocks(chunks: Sequence[Chunk], document: Document) -> set[int]:
    """Numbers of the blocks that more than one chunk has parts of."""
    shared = [later for before, later in pairwise(chunks) if before.block_end == later.block_start]
    return {chunk.block_start for chunk in shared if _begins_inside(chunk, document.blocks[chunk.block_start])}


def _begins_inside(chunk: Chunk, block: Block) -> bool:
    return block.start < chunk.start < block.end
