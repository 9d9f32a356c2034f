"""LangChain: a `TextSplitter`, and a retriever over an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from headnote.errors import SettingsError
from headnote.extras import importing
from headnote.integrations.common import (
    FIELDS,
    Content,
    Cutter,
    Searchable,
    describe_hit,
    path_in,
    text_of_hit,
)
from headnote.model import Hit
from headnote.search.query import Mode
from headnote.tokens import count_tokens

with importing("headnote in LangChain", "pip install 'headnote[langchain]'"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables.config import run_in_executor
    from langchain_text_splitters import TextSplitter
    from pydantic import Field

_PATHS = ("source", "file_path", "path")


class HeadnoteSplitter(TextSplitter):
    """Documents of Markdown or MDX as chunks that remember their headings.

    Metadata of a document is kept, and what is known of each chunk is added: its headings, its place in the document
    (`start_index`, `end_index`, `start_line`, `end_line`), its size, the frontmatter.
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
        """Any setting of `headnote.chunk` may be given.

        `content` is the text of a chunk that becomes `page_content`: `embed_text` begins with the headings, `text`
        does not. `metadata_fields` are the
        fields of a chunk that become metadata. `chunk_size`, `chunk_overlap` and `length_function` mean what
        they do in other text splitters, so without a `length_function` or a `counter` they count characters.
        """
        given = _translate(settings, chunk_size, chunk_overlap, length_function)
        fields = [name for name in metadata_fields if add_start_index or name != "start"]
        self._cutter = Cutter(preset, content, fields, given)
        made = self._cutter.settings
        super().__init__(
            chunk_size=made.max_tokens,
            chunk_overlap=made.overlap_tokens,
            length_function=partial(count_tokens, counter=made.counter),
            add_start_index=add_start_index,
        )

    def split_text(self, text: str) -> list[str]:
        """The text of every chunk, in order."""
        return [self._cutter.text(chunk) for chunk in self._cutter.chunks(text, "")]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """A document for every chunk. `source` in the metadata names a text in its ids, and `.mdx` turns MDX on."""
        made = []
        for number, text in enumerate(texts):
            given = metadatas[number] if metadatas else {}
            made += [
                Document(self._cutter.text(chunk), metadata=self._cutter.metadata(chunk, deepcopy(given)))
                for chunk in self._cutter.chunks(text, path_in(given, *_PATHS))
            ]
        return made


class HeadnoteRetriever(BaseRetriever):
    """Passages of a folder that answer a query; none if nothing in it is relevant."""

    index: Searchable
    """An index that was opened before, such as `headnote.Index.open("docs")`."""
    k: int = 4
    """Documents at most."""
    mode: Mode = "hybrid"
    """`hybrid`, `semantic` or `keyword`."""
    content: Content = "embed_text"
    """Whether `page_content` begins with the headings."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Other options of `Index.search`: `path`, `tags`, `where`, `since`, `min_score`, …"""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        **kwargs: Any,
    ) -> list[Document]:
        return self._find(query, kwargs)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
        **kwargs: Any,
    ) -> list[Document]:
        found: list[Document] = await run_in_executor(None, self._find, query, kwargs)
        return found

    def _find(self, query: str, given: dict[str, Any]) -> list[Document]:
        """What is given with a call comes before what the retriever was made with."""
        options = {"mode": self.mode, **self.search_kwargs, **given}
        limit = options.pop("k", self.k)
        return [self._document(hit) for hit in self.index.search(query, limit, **options)]

    def _document(self, hit: Hit) -> Document:
        return Document(text_of_hit(hit, self.content), id=hit.key, metadata=describe_hit(hit))


def _translate(
    settings: dict[str, Any], size: int | None, overlap: int | None, length: Callable[[str], int] | None
) -> dict[str, Any]:
    """Settings by our names, with what was given by theirs."""
    theirs = {"max_tokens": size, "overlap_tokens": overlap, "counter": length}
    given = {name: value for name, value in theirs.items() if value is not None}
    if twice := sorted(given.keys() & settings.keys()):
        raise SettingsError(f"{twice[0]} is given twice", remedy="use the name of headnote or that of LangChain")
    # Characters are what LangChain counts unless told otherwise.
    return {"counter": "chars", **given, **settings} if given else settings
