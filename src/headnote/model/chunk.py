"""A piece of a document that stands on its own."""

from __future__ import annotations

import datetime
import hashlib
import math
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from headnote.errors import SettingsError
from headnote.model.syntax import Link


def text_hash(text: str) -> str:
    """Identifies a text where vectors are stored, in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def breadcrumb_of(heading_path: Sequence[str]) -> str:
    """`A > B > C`, without empty headings."""
    return " > ".join(filter(None, heading_path))


BREADCRUMB, OVERLAP = 0, 1
"""Signs for what stands in front of the own text of a chunk and is known from its other fields."""
Pieces = tuple[str | int, ...]
"""What stands in front, in order: these signs, and strings that stand for themselves."""


def joined_pieces(pieces: Pieces, breadcrumb: str, overlap: str) -> str:
    """The text of pieces."""
    known = (breadcrumb, overlap)
    return "".join([piece if isinstance(piece, str) else known[piece] for piece in pieces])


def leading_breadcrumb(heading_path: Sequence[str]) -> str:
    """The breadcrumb as it stands in front of a text; empty without headings."""
    text = breadcrumb_of(heading_path)
    return f"{text}\n\n" if text else ""


def file_name(path: str) -> str:
    """The name of a document's file, without folders and ending."""
    return posixpath.splitext(posixpath.basename(path))[0]


class ChunkOrigin(Protocol):
    """The document a chunk was cut from. It computes what the chunk does not store."""

    path: str
    doc_id: str
    modified: float | None

    def id_of(self, chunk: Chunk) -> str: ...
    def key_of(self, chunk: Chunk) -> str: ...
    def text_of(self, chunk: Chunk) -> str: ...
    def embed_text_of(self, chunk: Chunk) -> str: ...
    def tokens_of(self, chunk: Chunk) -> int: ...
    def lines_of(self, chunk: Chunk) -> tuple[int, int]: ...
    def links_of(self, chunk: Chunk) -> tuple[Link, ...]: ...
    def tags_of(self, chunk: Chunk) -> tuple[str, ...]: ...
    def breadcrumb_of(self, chunk: Chunk) -> str: ...
    def metadata(self) -> dict[str, Any]: ...


class Chunk:
    """A piece of a document that stands on its own and knows where it comes from.

    Cheap fields are stored; the document computes the others (text, lines, tokens, links, hash, …) on first access.
    """

    __slots__ = (
        "block_end",
        "block_start",
        "end",
        "heading_path",
        "index",
        "origin",
        "overlap",
        "part",
        "prefix",
        "section",
        "start",
        "suffix",
    )

    FIELDS = (
        *("id", "key", "doc_id", "path", "index", "part", "text", "embed_text"),
        *("start", "end", "start_line", "end_line", "block_start", "block_end", "prefix", "suffix", "overlap"),
        *("heading_path", "breadcrumb", "title", "tokens", "is_split"),
        *("links", "tags", "metadata", "hash", "modified"),
    )
    """The fields of `to_dict`, in this order."""

    def __init__(
        self,
        origin: ChunkOrigin,
        index: int,
        section: int,
        part: int | None,
        start: int,
        end: int,
        prefix: str,
        suffix: str,
        overlap: str,
        heading_path: tuple[str, ...],
        block_start: int,
        block_end: int,
    ) -> None:
        self.origin = origin
        self.index = index
        """Position in the document, from 0."""
        self.section = section
        """Number of the section it was cut from; parts of one section share it."""
        self.part = part
        """Part number within a split section; None if it is not split."""
        self.start = start
        """Offset of its own first character in the source."""
        self.end = end
        """Offset just past its own last character."""
        self.prefix = prefix
        """Added in front so that the chunk stands alone: a reopened fence, a repeated table header."""
        self.suffix = suffix
        """Added at the end so that the chunk stands alone: a closing fence."""
        self.overlap = overlap
        """Text repeated from the previous chunk; never part of start to end."""
        self.heading_path = heading_path
        """Heading stack at its first content; in a merged chunk, what its sections have in common. Text above the first
        heading belongs to that heading and takes its path."""
        self.block_start = block_start
        """Index, in `parse(text)`, of the first block it has text of."""
        self.block_end = block_end
        """Index of the last one, inclusive."""

    @property
    def id(self) -> str:
        """In the format of the preset; unique in its document."""
        return self.origin.id_of(self)

    @property
    def key(self) -> str:
        """Path, content hash and occurrence. Stays the same when other chunks move."""
        return self.origin.key_of(self)

    @property
    def doc_id(self) -> str:
        """Names the document in ids: its path."""
        return self.origin.doc_id

    @property
    def path(self) -> str:
        """Of the document, as it was given; relative to the root in an index."""
        return self.origin.path

    @property
    def text(self) -> str:
        """The text for readers; it stands on its own."""
        return self.origin.text_of(self)

    @property
    def embed_text(self) -> str:
        """The text that is embedded and indexed: breadcrumb, overlap, text."""
        return self.origin.embed_text_of(self)

    @property
    def tokens(self) -> int:
        """Size of `embed_text` in the counter in use."""
        return self.origin.tokens_of(self)

    @property
    def start_line(self) -> int:
        """First line of its own text in the file, 1-based."""
        return self.origin.lines_of(self)[0]

    @property
    def end_line(self) -> int:
        """Last line of its own text, inclusive."""
        return self.origin.lines_of(self)[1]

    @property
    def breadcrumb(self) -> str:
        """`A > B > C`: the heading path, below the title of the document where no heading says it."""
        return self.origin.breadcrumb_of(self)

    @property
    def title(self) -> str:
        """The innermost heading; empty before the first one."""
        return self.heading_path[-1] if self.heading_path else ""

    @property
    def is_split(self) -> bool:
        """Whether it is one part of a larger section or block."""
        return self.part is not None

    @property
    def links(self) -> tuple[Link, ...]:
        """Links in its own text, with their positions in the source."""
        return self.origin.links_of(self)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the document's frontmatter, then `#tags` in its own text."""
        return self.origin.tags_of(self)

    @property
    def metadata(self) -> dict[str, Any]:
        """Fields of the document's frontmatter."""
        return self.origin.metadata()

    @property
    def hash(self) -> str:
        """Hash of `embed_text`. Chunks with equal hashes share a vector."""
        return text_hash(self.embed_text)

    @property
    def modified(self) -> float | None:
        """When the file last changed, in seconds since 1970, if known."""
        return self.origin.modified

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, as plain data: `json.dumps` accepts it, and `from_dict` restores the chunk.

        Links are mappings. Dates and times in the metadata become text (ISO 8601), and numbers that JSON does not have
        (infinite, not a number) become None; `metadata` itself keeps them.
        """
        fields = {name: getattr(self, name) for name in self.FIELDS}
        links = [link._asdict() for link in self.links]
        return fields | {
            "heading_path": list(self.heading_path),
            "links": links,
            "tags": list(self.tags),
            "metadata": _plain(self.metadata),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Chunk:
        """The chunk that `to_dict` wrote. It equals the original and needs no document."""
        missing = [name for name in cls.FIELDS if name not in data]
        if missing:
            raise SettingsError(f"not a chunk: {missing[0]} is missing", remedy="give what to_dict returns")
        index, part = data["index"], data["part"]
        return cls(
            origin=_Record(data),
            index=index,
            # The first part of a section has a number of its own, and the others follow it.
            section=index if part is None else index - part,
            part=part,
            heading_path=tuple(data["heading_path"]),
            **{name: data[name] for name in _COPIED_FIELDS},
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chunk) and (self is other or self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash((self.path, self.start, self.end, self.index))

    def __repr__(self) -> str:
        return f"<Chunk {self.id!r} lines {self.start_line}-{self.end_line} {self.breadcrumb!r}>"


_COPIED_FIELDS = ("start", "end", "prefix", "suffix", "overlap", "block_start", "block_end")


class _Record:
    """Takes the place of a document: the fields were computed before."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.path: str = data["path"]
        self.doc_id: str = data["doc_id"]
        self.modified: float | None = data["modified"]
        self._data = data
        self._links = tuple(Link(**link) for link in data["links"])

    def id_of(self, _: Chunk) -> str:
        return str(self._data["id"])

    def key_of(self, _: Chunk) -> str:
        return str(self._data["key"])

    def text_of(self, _: Chunk) -> str:
        return str(self._data["text"])

    def embed_text_of(self, _: Chunk) -> str:
        return str(self._data["embed_text"])

    def tokens_of(self, _: Chunk) -> int:
        return int(self._data["tokens"])

    def lines_of(self, _: Chunk) -> tuple[int, int]:
        return self._data["start_line"], self._data["end_line"]

    def links_of(self, _: Chunk) -> tuple[Link, ...]:
        return self._links

    def tags_of(self, _: Chunk) -> tuple[str, ...]:
        return tuple(self._data["tags"])

    def breadcrumb_of(self, _: Chunk) -> str:
        return str(self._data["breadcrumb"])

    def metadata(self) -> dict[str, Any]:
        return dict(self._data["metadata"])


def _plain(value: Any) -> Any:
    """A value of the metadata as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)
