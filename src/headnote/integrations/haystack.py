"""Haystack: a splitter, and a retriever over an index, as components of a pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from headnote.embedding.registry import get_embedder
from headnote.errors import SettingsError
from headnote.extras import importing
from headnote.integrations.common import (
    FIELDS,
    Content,
    Cutter,
    Searchable,
    check_content,
    check_index,
    describe_hit,
    path_in,
    text_of_hit,
)
from headnote.model import Chunk, Hit
from headnote.search.query import Mode

with importing("headnote in Haystack", "pip install 'headnote[haystack]'"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.serialization import generate_qualified_class_name, import_class_by_name

_PATHS = ("file_path", "source", "file_name")
_PAGE_BREAK = "\f"


@component
class HeadnoteSplitter:
    """Documents of Markdown or MDX as chunks that remember their headings.

    Meta of a document is kept, and what other splitters write is added (`source_id`, `split_id`, `split_idx_start`,
    `page_number`), with what is known of each chunk: its headings, its lines, its size, the frontmatter.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        content: Content = "embed_text",
        metadata_fields: Sequence[str] = FIELDS,
        **settings: Any,
    ) -> None:
        """Any setting of `headnote.chunk` may be given. `metadata_fields` are the fields of a chunk that become meta.

        `content` is the text of a chunk that becomes the content of a document: `embed_text` begins with the headings.
        With `text` it does not; let the embedder have them with `meta_fields_to_embed=["breadcrumb"]` then.
        """
        self.preset = preset
        self.content = content
        self.metadata_fields = list(metadata_fields)
        self.settings = settings
        self._cutter = Cutter(preset, content, metadata_fields, settings)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """The chunks of every document, in order. A document without text is refused, as all splitters do."""
        for document in documents:
            if document.content is None:
                raise ValueError(f"HeadnoteSplitter needs text, and document {document.id} has no content")
        return {"documents": [made for document in documents for made in self._split(document)]}

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        chunks = self._cutter.chunks(text, path_in(document.meta, *_PATHS))
        return [
            Document(content=self._cutter.text(chunk), meta=self._meta(chunk, number, document))
            for number, chunk in enumerate(chunks)
        ]

    def _meta(self, chunk: Chunk, number: int, document: Document) -> dict[str, Any]:
        return self._cutter.metadata(chunk, deepcopy(document.meta)) | {
            "source_id": document.id,
            "split_id": number,
            "split_idx_start": chunk.start,
            "page_number": document.meta.get("page_number", 1) + _page_breaks_before(chunk, document.content or ""),
        }

    def to_dict(self) -> dict[str, Any]:
        written: dict[str, Any] = default_to_dict(
            self, preset=self.preset, content=self.content, metadata_fields=self.metadata_fields, **self.settings
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HeadnoteSplitter:
        made: HeadnoteSplitter = default_from_dict(cls, data)
        return made


@component
class HeadnoteRetriever:
    """Passages of a folder that answer a query; none if nothing in it is relevant."""

    def __init__(
        self,
        index: Searchable,
        *,
        top_k: int = 10,
        mode: Mode = "hybrid",
        content: Content = "embed_text",
        search_options: dict[str, Any] | None = None,
    ) -> None:
        """`index` was opened before, with `headnote.Index.open` for instance; the options are those of its `search`."""
        self.index = check_index(index)
        self.top_k = top_k
        self.mode = mode
        self.content = check_content(content)
        self.search_options = dict(search_options or {})

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, search_options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """The passages, best first. What is given here comes before what the retriever was made with."""
        options = {"mode": self.mode, **self.search_options, **(search_options or {})}
        hits = self.index.search(query, self.top_k if top_k is None else top_k, **options)
        return {"documents": [self._document(hit) for hit in hits]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, search_options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        return await asyncio.to_thread(self.run, query, top_k, search_options)

    def _document(self, hit: Hit) -> Document:
        meta = describe_hit(hit)
        return Document(id=hit.key, content=text_of_hit(hit, self.content), meta=meta, score=meta.pop("score"))

    def to_dict(self) -> dict[str, Any]:
        """An index is written as the folder it belongs to; whoever reads this opens it there."""
        written: dict[str, Any] = default_to_dict(
            self,
            index=_written(self.index),
            top_k=self.top_k,
            mode=self.mode,
            content=self.content,
            search_options=self.search_options,
        )
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HeadnoteRetriever:
        given = dict(data["init_parameters"])
        place = dict(given["index"])
        # By its name, and checked against the modules that Haystack was allowed to load from.
        kind: Any = import_class_by_name(place.pop("class"))
        given["index"] = kind.open(place.pop("root"), create=False, **place)
        made: HeadnoteRetriever = default_from_dict(cls, {**data, "init_parameters": given})
        return made


def _written(index: Any) -> dict[str, str]:
    """An index as the class and the folder that it can be opened with again."""
    try:
        name = index.index_settings.embedder
        place = {"class": generate_qualified_class_name(type(index)), "root": str(index.root), "embedder": name}
    except AttributeError:
        raise SettingsError("an index without a folder cannot be written", remedy="use headnote.Index.open") from None
    if get_embedder(name).name != index.embedder.name:
        raise SettingsError("an embedder that is an object cannot be written", remedy="open the index with its name")
    return place


def _page_breaks_before(chunk: Chunk, text: str) -> int:
    """How many pages end before the first visible character of a chunk."""
    own = text[chunk.start : chunk.end]
    return text.count(_PAGE_BREAK, 0, chunk.start + len(own) - len(own.lstrip()))
