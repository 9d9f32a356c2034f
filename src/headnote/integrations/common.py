"""What the modules of all frameworks share: which text of a chunk is passed on, and with what metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.presets import make_settings
from headnote.errors import SettingsError, nearest, shown
from headnote.model import Chunk, Hit

Content = Literal["embed_text", "text"]
"""Which text of a chunk is passed on. A framework embeds that text and shows it to a model, so only `embed_text` gives
both of them the headings above the chunk. The size limit holds for `embed_text`."""

FIELDS = (
    *("id", "key", "index", "breadcrumb", "heading_path", "start", "end", "start_line", "end_line", "tokens"),
    "metadata",
)
"""Fields of a chunk that become metadata by default: ids, headings, position, size, and the frontmatter."""

_NAMES = {
    "id": "chunk_id",
    "key": "chunk_key",
    "index": "chunk_index",
    "part": "chunk_part",
    "hash": "chunk_hash",
    "start": "start_index",
    "end": "end_index",
}
"""Metadata names of fields whose own names are too general beside the metadata of others."""


@runtime_checkable
class Searchable(Protocol):
    """The part of `headnote.Index` that a retriever needs. If it also has `check_read`, that is called before."""

    def search(self, query: str, *args: Any, **options: Any) -> list[Hit]: ...


class DocumentChunker:
    """Chunks documents, and gives the text and metadata of each chunk. Options are checked when it is created."""

    def __init__(self, preset: str, content: str, fields: Sequence[str], settings: Mapping[str, Any]) -> None:
        self.settings = make_settings(preset, **settings)
        self.content = check_content(content)
        self.fields = _check_fields(fields)
        self.names = [_NAMES.get(name, name) for name in self.fields if name != "metadata"]
        """Metadata names of the fields, frontmatter aside."""

    def chunks(self, text: str, path: str) -> list[Chunk]:
        """The chunks of a document. Those without anything to embed are left out, because frameworks refuse to embed
        them: the blank chunk of an empty document, and chunks of nothing but comments."""
        document = read_document(text, path, self.settings)
        return [chunk for chunk in chunk_document(document, self.settings) if chunk.embed_text.strip()]

    def text(self, chunk: Chunk) -> str:
        return chunk.embed_text if self.content == "embed_text" else chunk.text

    def metadata(self, chunk: Chunk, inherited: Mapping[str, Any]) -> dict[str, Any]:
        """The frontmatter, the `inherited` metadata of the document, and the fields of the chunk; later ones win."""
        frontmatter = chunk.metadata if "metadata" in self.fields else {}
        values = (getattr(chunk, name) for name in self.fields if name != "metadata")
        fields = dict(zip(self.names, values, strict=True))
        return {**dict(_flat(frontmatter)), **inherited, **dict(_flat(fields))}


def path_in(metadata: Mapping[str, Any], *names: str) -> str:
    """The path of a document: the first of these names that is set. Ids start with it, and `.mdx` turns MDX on."""
    return next((str(metadata[name]) for name in names if metadata.get(name)), "")


def hit_metadata(hit: Hit) -> dict[str, Any]:
    """The metadata of a hit, its score included. Its own fields win over the frontmatter."""
    return {
        **dict(_flat(hit.metadata)),
        "source": hit.path,
        "title": hit.title,
        "breadcrumb": hit.breadcrumb,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "tokens": hit.tokens,
        "chunk_id": hit.id,
        "chunk_key": hit.key,
        "score": hit.score,
        **dict(_flat({"tags": hit.tags, "aliases": hit.aliases, "links": hit.links})),
    }


def hit_text(hit: Hit, content: str) -> str:
    """The text of a hit, below its headings with `embed_text`."""
    return f"{hit.breadcrumb}\n\n{hit.text}" if hit.breadcrumb and content == "embed_text" else hit.text


def check_content(content: object) -> Content:
    if content in get_args(Content):
        return content  # type: ignore[return-value]
    raise SettingsError(f"content {shown(content)} is not known", remedy=f"use {' or '.join(get_args(Content))}")


def search(index: Searchable, query: str, limit: int, options: Mapping[str, Any]) -> list[Hit]:
    """The hits of an index. One that was never updated raises `UnreadIndex`: in a chain, nobody sees a warning."""
    check_read = getattr(index, "check_read", None)
    if check_read is not None:
        check_read()
    return index.search(query, limit, **options)


def check_index(index: object) -> Searchable:
    if isinstance(index, Searchable):
        return index
    raise SettingsError(f"{shown(index)} is not an index", remedy='pass an open one: headnote.Index.open("docs")')


def _check_fields(fields: Sequence[str]) -> tuple[str, ...]:
    for name in fields:
        if name not in Chunk.FIELDS:
            remedy = nearest(str(name), Chunk.FIELDS)
            raise SettingsError(f"a chunk has no field {shown(name)}", remedy=remedy)
    return tuple(fields)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Values as vector stores accept them: nested mappings flattened (`a.b` is `b` in `a`), empty values left out."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif value is not None and value != () and value != []:
            yield f"{prefix}{name}", _plain(value)


def _plain(value: Any) -> Any:
    """A value that JSON can represent, because frameworks serialise metadata."""
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, (date, time)) else value
