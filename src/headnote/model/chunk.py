"""A piece of a document that stands on its own."""

from __future__ import annotations

import datetime
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from headnote.errors import SettingsError
from headnote.model.syntax import Link


def text_hash(text: str) -> str:
    """What a text is known by where its vector is kept, in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def breadcrumb_of(heading_path: Sequence[str]) -> str:
    """`A > B > C`, without empty headings."""
    return " > ".join(filter(None, heading_path))


class ChunkOrigin(Protocol):
    """The document a chunk was cut from: it knows what a chunk leaves to be worked out when asked for."""

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
    def metadata(self) -> dict[str, Any]: ...


class Chunk:
    """A piece of a document that stands on its own and knows where it comes from.

    What is cheap is stored; what costs something (text, lines, tokens, links, hash, …) is worked out when first asked
    for, by the document the chunk belongs to.
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
    """What `to_dict` gives, in this order."""

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
        """What was added in front so that it stands alone: a fence reopened, a table header repeated."""
        self.suffix = suffix
        """What was added behind so that it stands alone: a fence closed."""
        self.overlap = overlap
        """Text carried over from the chunk before; never part of start to end."""
        self.heading_path = heading_path
        """Heading stack at its first content; of a merged chunk, what its sections have in common. What stands above
        the first heading goes with that heading and takes its path."""
        self.block_start = block_start
        """Index of the first block it has text of, among `parse(text)`."""
        self.block_end = block_end
        """Index of the last one, inclusive."""

    @property
    def id(self) -> str:
        """In the form of the preset; unique in its document."""
        return self.origin.id_of(self)

    @property
    def key(self) -> str:
        """Path, content hash and occurrence: does not move when other chunks do."""
        return self.origin.key_of(self)

    @property
    def doc_id(self) -> str:
        return self.origin.doc_id

    @property
    def path(self) -> str:
        return self.origin.path

    @property
    def text(self) -> str:
        """What a reader is shown; stands on its own."""
        return self.origin.text_of(self)

    @property
    def embed_text(self) -> str:
        """What is embedded and indexed: breadcrumb, carried overlap, text."""
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
        """`A > B > C`."""
        return breadcrumb_of(self.heading_path)

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
        """Links in its own text, with their places in the source."""
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
        """Of `embed_text`: equal hashes need one vector."""
        return text_hash(self.embed_text)

    @property
    def modified(self) -> float | None:
        """When the file was changed last, in seconds since 1970, if known."""
        return self.origin.modified

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, as plain data: `json.dumps` takes it, and `from_dict` makes the chunk of it again.

        Links are mappings. Dates and times of the metadata are text (ISO 8601), and numbers that JSON does not have
        (infinite, not a number) are None; `metadata` itself keeps them as they are.
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
        """The chunk that `to_dict` wrote. It equals the one that was written, and needs no document any more."""
        missing = [name for name in cls.FIELDS if name not in data]
        if missing:
            raise SettingsError(f"this is no chunk: {missing[0]} is missing", remedy="give what to_dict returns")
        index, part = data["index"], data["part"]
        return cls(
            origin=_Record(data),
            index=index,
            # The first part of a section has a number of its own, and the others follow it.
            section=index if part is None else index - part,
            part=part,
            heading_path=tuple(data["heading_path"]),
            **{name: data[name] for name in _STORED_AS_THEY_ARE},
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chunk) and (self is other or self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash((self.path, self.start, self.end, self.index))

    def __repr__(self) -> str:
        return f"<Chunk {self.id!r} lines {self.start_line}-{self.end_line} {self.breadcrumb!r}>"


_STORED_AS_THEY_ARE = ("start", "end", "prefix", "suffix", "overlap", "block_start", "block_end")


class _Record:
    """In place of a document: what was worked out before, and written down."""

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
