"""LangChain: a `TextSplitter` and a retriever over an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from headnote.errors import SettingsError
from headnote.extras import importing, install
from headnote.integrations.common import (
    FIELDS,
    Content,
    DocumentChunker,
    Searchable,
    hit_metadata,
    hit_text,
    path_in,
    search,
)
from headnote.model import Hit
from headnote.search.query import Mode
from headnote.tokens import count_tokens

with importing("headnote in LangChain", install("langchain")):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables.config import run_in_executor
    from langchain_text_splitters import TextSplitter
    from pydantic import ConfigDict, Field

_PATHS = ("source", "file_path", "path")


class HeadnoteSplitter(TextSplitter):
    """Splits Markdown and MDX documents into chunks that remember their headings.

    Each chunk keeps the metadata of its document and adds its headings, its position (`start_index`, `end_index`,
    `start_line`, `end_line`), its size, and the frontmatter.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        content: Content = "embed_text",
        metadata_fields: Sequence[str] = FIELDS,
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
        length_function: Callable[[str], int] | None = None,
        add_start_index: bool = True,
        **settings: Any,
    ) -> None:
        """Takes every setting of `headnote.chunk`.

        `content` is the text of a chunk that becomes `page_content`: `embed_text` starts with the headings, `text` does
        not. `metadata_fields` are the fields of a chunk that become metadata. `chunk_size`, `chunk_overlap` and
        `length_function` work as in other text splitters, so without a `length_function` or a `counter` they count
        characters.
        """
        translated = _translate(settings, chunk_size, chunk_overlap, length_function)
        fields = [name for name in metadata_fields if add_start_index or name != "start"]
        self._chunker = DocumentChunker(preset, content, fields, translated)
        chunking = self._chunker.settings
        super().__init__(
            chunk_size=chunking.max_tokens,
            chunk_overlap=chunking.overlap_tokens,
            length_function=partial(count_tokens, counter=chunking.counter),
            add_start_index=add_start_index,
        )

    def split_text(self, text: str) -> list[str]:
        """The text of every chunk, in order."""
        return [self._chunker.text(chunk) for chunk in self._chunker.chunks(text, "")]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """A document per chunk. `source` in the metadata becomes part of the ids, and `.mdx` there turns MDX on."""
        documents = []
        for number, text in enumerate(texts):
            metadata = metadatas[number] if metadatas else {}
            documents += [
                Document(self._chunker.text(chunk), metadata=self._chunker.metadata(chunk, deepcopy(metadata)))
                for chunk in self._chunker.chunks(text, path_in(metadata, *_PATHS))
            ]
        return documents


class HeadnoteRetriever(BaseRetriever):
    """Retrieves the passages of a folder that answer a query; none if nothing is relevant.

    An index that was never updated raises `UnreadIndex`: call its `update` first.
    """

    # A field that does not exist, such as `limit`, must not be ignored in silence.
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Searchable
    """An open index, such as `headnote.Index.open("docs")`."""
    k: int = 4
    """Maximum number of documents."""
    mode: Mode = "hybrid"
    """`hybrid`, `semantic` or `keyword`."""
    content: Content = "embed_text"
    """`embed_text` if `page_content` starts with the headings, `text` if not."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Other options of `Index.search`: `path`, `tags`, `where`, `since`, `min_score`, …"""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        **kwargs: Any,
    ) -> list[Document]:
        return self._search(query, kwargs)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
        **kwargs: Any,
    ) -> list[Document]:
        documents: list[Document] = await run_in_executor(None, self._search, query, kwargs)
        return documents

    def _search(self, query: str, overrides: dict[str, Any]) -> list[Document]:
        options = {"mode": self.mode, **self.search_kwargs, **overrides}
        limit = options.pop("k", self.k)
        return [self._document(hit) for hit in search(self.index, query, limit, options)]

    def _document(self, hit: Hit) -> Document:
        return Document(hit_text(hit, self.content), id=hit.key, metadata=hit_metadata(hit))


def _translate(
    settings: dict[str, Any], size: int | None, overlap: int | None, length: Callable[[str], int] | None
) -> dict[str, Any]:
    """The settings, with LangChain's arguments under our names."""
    arguments = {"max_tokens": size, "overlap_tokens": overlap, "counter": length}
    translated = {name: value for name, value in arguments.items() if value is not None}
    if duplicates := sorted(translated.keys() & settings.keys()):
        raise SettingsError(f"{duplicates[0]} is given twice", remedy="use headnote's name or LangChain's")
    # LangChain counts characters by default.
    return {"counter": "chars", **translated, **settings} if translated else settings
