"""Haystack: a splitter and a retriever over an index, as components of a pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from headnote.embedding.registry import get_embedder
from headnote.errors import SettingsError
from headnote.extras import importing, install
from headnote.integrations.common import (
    FIELDS,
    Content,
    DocumentChunker,
    Searchable,
    check_content,
    check_index,
    hit_metadata,
    hit_text,
    path_in,
    search,
)
from headnote.model import Chunk, Hit
from headnote.search.query import Mode

with importing("headnote in Haystack", install("haystack")):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.serialization import generate_qualified_class_name, import_class_by_name

_PATHS = ("file_path", "source", "file_name")
_PAGE_BREAK = "\f"


@component
class HeadnoteSplitter:
    """Splits Markdown and MDX documents into chunks that remember their headings.

    Each chunk keeps the meta of its document and adds what other splitters add (`source_id`, `split_id`,
    `split_idx_start`, `page_number`), its headings, lines and size, and the frontmatter.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        content: Content = "embed_text",
        metadata_fields: Sequence[str] = FIELDS,
        **settings: Any,
    ) -> None:
        """Takes every setting of `headnote.chunk`. `metadata_fields` are the fields of a chunk that become meta.

        `content` is the text of a chunk that becomes the content of a document: `embed_text` starts with the headings,
        `text` does not. With `text`, pass them to the embedder with `meta_fields_to_embed=["breadcrumb"]`.
        """
        self.preset = preset
        self.content = content
        self.metadata_fields = list(metadata_fields)
        self.settings = settings
        self._chunker = DocumentChunker(preset, content, metadata_fields, settings)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """The chunks of every document, in order. Like all splitters, it refuses a document without text."""
        for document in documents:
            if document.content is None:
                raise ValueError(f"HeadnoteSplitter needs text, and document {document.id} has no content")
        return {"documents": [chunk for document in documents for chunk in self._split(document)]}

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        chunks = self._chunker.chunks(text, path_in(document.meta, *_PATHS))
        return [
            Document(content=self._chunker.text(chunk), meta=self._meta(chunk, number, document))
            for number, chunk in enumerate(chunks)
        ]

    def _meta(self, chunk: Chunk, number: int, document: Document) -> dict[str, Any]:
        return self._chunker.metadata(chunk, deepcopy(document.meta)) | {
            "source_id": document.id,
            "split_id": number,
            "split_idx_start": chunk.start,
            "page_number": document.meta.get("page_number", 1) + _page_breaks_before(chunk, document.content or ""),
        }

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = default_to_dict(
            self, preset=self.preset, content=self.content, metadata_fields=self.metadata_fields, **self.settings
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HeadnoteSplitter:
        splitter: HeadnoteSplitter = default_from_dict(cls, data)
        return splitter


@component
class HeadnoteRetriever:
    """Retrieves the passages of a folder that answer a query; none if nothing is relevant.

    An index that was never updated raises `UnreadIndex`: call its `update` first.
    """

    def __init__(
        self,
        index: Searchable,
        *,
        top_k: int = 10,
        mode: Mode = "hybrid",
        content: Content = "embed_text",
        search_options: dict[str, Any] | None = None,
    ) -> None:
        """`index` is open, for instance from `headnote.Index.open`; `search_options` go to its `search`."""
        self.index = check_index(index)
        self.top_k = top_k
        self.mode = mode
        self.content = check_content(content)
        self.search_options = dict(search_options or {})

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, search_options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """The passages, best first. Arguments override the options of the retriever."""
        options = {"mode": self.mode, **self.search_options, **(search_options or {})}
        hits = search(self.index, query, self.top_k if top_k is None else top_k, options)
        return {"documents": [self._document(hit) for hit in hits]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, search_options: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        return await asyncio.to_thread(self.run, query, top_k, search_options)

    def _document(self, hit: Hit) -> Document:
        meta = hit_metadata(hit)
        return Document(id=hit.key, content=hit_text(hit, self.content), meta=meta, score=meta.pop("score"))

    def to_dict(self) -> dict[str, Any]:
        """The index is stored as its class and folder; `from_dict` opens it again."""
        data: dict[str, Any] = default_to_dict(
            self,
            index=_serialised(self.index),
            top_k=self.top_k,
            mode=self.mode,
            content=self.content,
            search_options=self.search_options,
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HeadnoteRetriever:
        parameters = dict(data["init_parameters"])
        index = dict(parameters["index"])
        # Haystack checks the name against the modules it may load from.
        index_class: Any = import_class_by_name(index.pop("class"))
        parameters["index"] = index_class.open(index.pop("root"), create=False, **index)
        retriever: HeadnoteRetriever = default_from_dict(cls, {**data, "init_parameters": parameters})
        return retriever


def _serialised(index: Any) -> dict[str, str]:
    """What it takes to open the index again."""
    try:
        name = index.index_settings.embedder
        data = {"class": generate_qualified_class_name(type(index)), "root": str(index.root), "embedder": name}
    except AttributeError:
        raise SettingsError("cannot serialise an index without a folder", remedy="use headnote.Index.open") from None
    if get_embedder(name).name != index.embedder.name:
        raise SettingsError("cannot serialise an embedder object", remedy="open the index with an embedder's name")
    return data


def _page_breaks_before(chunk: Chunk, text: str) -> int:
    """How many pages end before the first visible character of a chunk."""
    own = text[chunk.start : chunk.end]
    return text.count(_PAGE_BREAK, 0, chunk.start + len(own) - len(own.lstrip()))
