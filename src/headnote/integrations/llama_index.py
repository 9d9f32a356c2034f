"""LlamaIndex: a `NodeParser` and a retriever over an index."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

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

with importing("headnote in LlamaIndex", install("llama-index")):
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.utils import get_tqdm_iterable

_PATHS = ("file_path", "file_name", "source")
_CITATION_FIELDS = {"source", "start_line", "end_line"}
"""What a model needs to cite a passage."""

_SERIALISED_ID_FUNC = {"id_func_name": default_id_func.__name__, "title": "id_func"}


class HeadnoteNodeParser(NodeParser):
    """Splits Markdown and MDX documents into nodes that remember their headings.

    `start_char_idx` and `end_char_idx` are the position of a node's own text in its document. The metadata of a chunk
    is hidden from embeddings and models, because the text already starts with the headings. Only with `content="text"`
    is `breadcrumb` visible, in the way LlamaIndex shows metadata.
    """

    preset: str = Field(default="default", description="Named settings to start from.")
    content: Content = Field(
        default="embed_text", description="Text of a chunk that becomes the text of a node; `text` has no headings."
    )
    metadata_fields: list[str] = Field(
        default_factory=lambda: list(FIELDS), description="Fields of a chunk that become metadata."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict, description="Settings of `headnote.chunk` that override the preset."
    )
    _chunker: DocumentChunker = PrivateAttr()

    def __init__(self, **arguments: Any) -> None:
        """Takes the fields of the parser and, by name, every setting of `headnote.chunk`."""
        fields = {name: value for name, value in arguments.items() if name in type(self).model_fields}
        settings = {name: value for name, value in arguments.items() if name not in fields and name != "class_name"}
        fields["settings"] = {**fields.get("settings", {}), **settings}
        if fields.get("id_func") == _SERIALISED_ID_FUNC:
            # `to_dict` writes the function as its name, from which at least the default can be restored.
            del fields["id_func"]
        # Before pydantic checks the fields, so that a mistake is one of our errors, with its remedy.
        chunker = DocumentChunker(
            fields.get("preset", "default"),
            fields.get("content", "embed_text"),
            fields.get("metadata_fields", FIELDS),
            fields["settings"],
        )
        super().__init__(**fields)
        self._chunker = chunker

    @classmethod
    def class_name(cls) -> str:
        return "HeadnoteNodeParser"

    def get_nodes_from_node(self, node: BaseNode) -> list[TextNode]:
        """The nodes of one document, without relationships between them."""
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        chunks = self._chunker.chunks(text, path_in(node.metadata, *_PATHS))
        texts = [self._chunker.text(chunk) for chunk in chunks]
        parts = build_nodes_from_splits(texts, node, id_func=self.id_func)
        for chunk, part in zip(chunks, parts, strict=True):
            self._describe(part, chunk, node.metadata)
        return list(parts)

    def _describe(self, node: TextNode, chunk: Chunk, inherited: dict[str, Any]) -> None:
        node.start_char_idx, node.end_char_idx = chunk.start, chunk.end
        if not self.include_metadata:
            return
        node.metadata = self._chunker.metadata(chunk, inherited)
        hidden = [name for name in node.metadata if name in self._chunker.names or name not in inherited]
        if self.content == "text" and "breadcrumb" in hidden:
            hidden.remove("breadcrumb")
        node.excluded_embed_metadata_keys = [*dict.fromkeys([*node.excluded_embed_metadata_keys, *hidden])]
        node.excluded_llm_metadata_keys = [*dict.fromkeys([*node.excluded_llm_metadata_keys, *hidden])]

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ARG002
    ) -> list[BaseNode]:
        with_progress = get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
        return [part for node in with_progress for part in self.get_nodes_from_node(node)]

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:
        """The base class sets relationships, but also guesses positions by searching for the text; restore ours."""
        positions = [(node.start_char_idx, node.end_char_idx) for node in nodes]
        processed = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(processed, positions, strict=True):
            node.start_char_idx, node.end_char_idx = start, end
        return list(processed)


class HeadnoteRetriever(BaseRetriever):
    """Retrieves the passages of a folder that answer a query; none if nothing is relevant.

    An index that was never updated raises `UnreadIndex`: call its `update` first.
    """

    def __init__(
        self,
        index: Searchable,
        similarity_top_k: int = 2,
        mode: Mode = "hybrid",
        content: Content = "embed_text",
        callback_manager: CallbackManager | None = None,
        **search_options: Any,
    ) -> None:
        """`index` is open, for instance from `headnote.Index.open`; `search_options` go to its `search`."""
        self._index = check_index(index)
        self._limit = similarity_top_k
        self._options = {"mode": mode, **search_options}
        self._content = check_content(content)
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = search(self._index, query_bundle.query_str, self._limit, self._options)
        return [NodeWithScore(node=self._node(hit), score=hit.score) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _node(self, hit: Hit) -> TextNode:
        metadata = hit_metadata(hit)
        # The text of `embed_text` starts with the breadcrumb already.
        embedded = set() if self._content == "embed_text" else {"breadcrumb"}
        shown_to_models = _CITATION_FIELDS | embedded
        return TextNode(
            id_=hit.key,
            text=hit_text(hit, self._content),
            metadata=metadata,
            excluded_embed_metadata_keys=[name for name in metadata if name not in embedded],
            excluded_llm_metadata_keys=[name for name in metadata if name not in shown_to_models],
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.path)},
        )
