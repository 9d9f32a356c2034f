"""Drafts → chunks: ids, positions, text, and the fields that are computed on demand."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from typing import Any, TypeVar

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft, number_parts
from headnote.chunking.rendering import embedded_text, shown_text
from headnote.chunking.sizes import sizes
from headnote.model import Chunk, Link, Tag

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
