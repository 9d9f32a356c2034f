"""What the parts for all frameworks share: which text is handed over, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from headnote.chunking.chunker import chunk_document
from headnote.chunking.presets import make_settings
from headnote.chunking.settings import nearest, shown
from headnote.errors import SettingsError
from headnote.markdown.document import Document
from headnote.model import Chunk, Hit

Content = Literal["embed_text", "text"]
"""Which text of a chunk is handed over. A framework embeds the text it is given, and shows the same text to a model:
only with `embed_text` do the headings above a chunk reach either of them, and it is `embed_text` that keeps the cap."""

FIELDS = (
    *("id", "key", "index", "breadcrumb", "heading_path", "start", "end", "start_line", "end_line", "tokens"),
    "metadata",
)
"""What is said about a chunk if nobody chooses: its name, its headings, its place, its size, and the frontmatter."""

_NAMES = {
    "id": "chunk_id",
    "key": "chunk_key",
    "index": "chunk_index",
    "part": "chunk_part",
    "hash": "chunk_hash",
    "start": "start_index",
    "end": "end_index",
}
"""Names under which fields stand in metadata, beside whatever others put there; the rest keep their own."""


@runtime_checkable
class Searchable(Protocol):
    """What a retriever needs of an index; `headnote.Index` is one."""

    def search(self, query: str, *args: Any, **options: Any) -> list[Hit]: ...


class Cutter:
    """Documents → chunks, and chunks → text and metadata, as one splitter is told to. Checked when it is made."""

    def __init__(self, preset: str, content: str, fields: Sequence[str], settings: Mapping[str, Any]) -> None:
        self.settings = make_settings(preset, **settings)
        self.content = check_content(content)
        self.fields = _check_fields(fields)
        self.names = [_NAMES.get(name, name) for name in self.fields if name != "metadata"]
        """Under which what a chunk says about itself stands in metadata."""

    def chunks(self, text: str, path: str) -> list[Chunk]:
        """Blank chunks, which only an empty document has, are left out: frameworks refuse to embed them."""
        document = Document(text, path, self.settings.mdx)
        return [chunk for chunk in chunk_document(document, self.settings) if chunk.text.strip()]

    def text(self, chunk: Chunk) -> str:
        return chunk.embed_text if self.content == "embed_text" else chunk.text

    def metadata(self, chunk: Chunk, given: Mapping[str, Any]) -> dict[str, Any]:
        """What came with the document, and what is known of the chunk.

        Frontmatter gives way to what came with the document; what a chunk says about itself gives way to nothing.
        """
        frontmatter = chunk.metadata if "metadata" in self.fields else {}
        values = (getattr(chunk, name) for name in self.fields if name != "metadata")
        own = dict(zip(self.names, values, strict=True))
        return {**dict(_flat(frontmatter)), **given, **dict(_flat(own))}


def path_in(metadata: Mapping[str, Any], *names: str) -> str:
    """The path of a document, under the first name that has one; ids begin with it, and `.mdx` turns MDX on."""
    return next((str(metadata[name]) for name in names if metadata.get(name)), "")


def describe_hit(hit: Hit) -> dict[str, Any]:
    """The metadata of what was found, below what its document says about itself. Its score is among it."""
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


def text_of_hit(hit: Hit, content: str) -> str:
    """What was found, below its headings unless only the text is wanted."""
    return f"{hit.breadcrumb}\n\n{hit.text}" if hit.breadcrumb and content == "embed_text" else hit.text


def check_content(content: object) -> Content:
    if content in get_args(Content):
        return content  # type: ignore[return-value]
    raise SettingsError(f"content {shown(content)} is not known", remedy=f"use {' or '.join(get_args(Content))}")


def check_index(index: object) -> Searchable:
    if isinstance(index, Searchable):
        return index
    raise SettingsError(f"{shown(index)} is no index", remedy='give an open one, such as headnote.Index.open("docs")')


def _check_fields(fields: Sequence[str]) -> tuple[str, ...]:
    for name in fields:
        if name not in Chunk.FIELDS:
            remedy = nearest(str(name), Chunk.FIELDS)
            raise SettingsError(f"a chunk has no field {shown(name)}", remedy=remedy)
    return tuple(fields)


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """What says something, as stores take it: no mapping in a mapping (`a.b` is field `b` in `a`), nothing empty."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        elif value is not None and value != () and value != []:
            yield f"{above}{name}", _plain(value)


def _plain(value: Any) -> Any:
    """A value that can be written as JSON, as frameworks do with metadata."""
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, (date, time)) else value
