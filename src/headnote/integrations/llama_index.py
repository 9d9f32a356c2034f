"""LlamaIndex: a `NodeParser`, and a retriever over an index."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

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

with importing("headnote in LlamaIndex", "pip install 'headnote[llama-index]'"):
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
_SHOWN_TO_MODELS = {"source", "start_line", "end_line"}
"""What a model that answers from a passage needs to say where it stands."""


_WRITTEN_ID_FUNC = {"id_func_name": default_id_func.__name__, "title": "id_func"}


class HeadnoteNodeParser(NodeParser):
    """Documents of Markdown or MDX as nodes that remember their headings.

    `start_char_idx` and `end_char_idx` are where the own text of a node stands in its document. What is known of a
    chunk is metadata that neither embeddings nor models are shown: the headings already stand in the text. Only if the
    text comes without them is `breadcrumb` shown, as LlamaIndex does with metadata.
    """

    preset: str = Field(default="default", description="Named settings to begin with.")
    content: Content = Field(
        default="embed_text", description="Text of a chunk that becomes the text of a node; `text` has no headings."
    )
    metadata_fields: list[str] = Field(
        default_factory=lambda: list(FIELDS), description="Fields of a chunk that become metadata."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict, description="Settings of `headnote.chunk` that differ from the preset."
    )
    _cutter: Cutter = PrivateAttr()

    def __init__(self, **given: Any) -> None:
        """Settings of `headnote.chunk` may be given by name, beside the fields of the parser."""
        own = {name: value for name, value in given.items() if name in type(self).model_fields}
        others = {name: value for name, value in given.items() if name not in own and name != "class_name"}
        own["settings"] = {**own.get("settings", {}), **others}
        if own.get("id_func") == _WRITTEN_ID_FUNC:
            # Written as its name by `to_dict`, from which the default at least can be read again.
            del own["id_func"]
        # Before the fields: what is wrong is one of our errors then, with its remedy.
        cutter = Cutter(
            own.get("preset", "default"),
            own.get("content", "embed_text"),
            own.get("metadata_fields", FIELDS),
            own["settings"],
        )
        super().__init__(**own)
        self._cutter = cutter

    @classmethod
    def class_name(cls) -> str:
        return "HeadnoteNodeParser"

    def get_nodes_from_node(self, node: BaseNode) -> list[TextNode]:
        """The nodes of one document, without relations among each other."""
        given = node.metadata
        chunks = self._cutter.chunks(node.get_content(metadata_mode=MetadataMode.NONE), path_in(given, *_PATHS))
        texts = [self._cutter.text(chunk) for chunk in chunks]
        made = build_nodes_from_splits(texts, node, id_func=self.id_func)
        for chunk, new in zip(chunks, made, strict=True):
            self._describe(new, chunk, given)
        return list(made)

    def _describe(self, node: TextNode, chunk: Chunk, given: dict[str, Any]) -> None:
        node.start_char_idx, node.end_char_idx = chunk.start, chunk.end
        if not self.include_metadata:
            return
        described = self._cutter.metadata(chunk, given)
        node.metadata = described
        hidden = [name for name in described if name in self._cutter.names or name not in given]
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
        shown = get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
        return [made for node in shown for made in self.get_nodes_from_node(node)]

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:
        """Relations come from above; places too, but guessed by looking for the text, so ours are put back."""
        places = [(node.start_char_idx, node.end_char_idx) for node in nodes]
        done = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(done, places, strict=True):
            node.start_char_idx, node.end_char_idx = start, end
        return list(done)


class HeadnoteRetriever(BaseRetriever):
    """Passages of a folder that answer a query; none if nothing in it is relevant."""

    def __init__(
        self,
        index: Searchable,
        similarity_top_k: int = 2,
        mode: Mode = "hybrid",
        content: Content = "embed_text",
        callback_manager: CallbackManager | None = None,
        **search_options: Any,
    ) -> None:
        """`index` was opened before, with `headnote.Index.open` for instance; the options are those of its `search`."""
        self._index = check_index(index)
        self._limit = similarity_top_k
        self._options = {"mode": mode, **search_options}
        self._content = check_content(content)
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._index.search(query_bundle.query_str, self._limit, **self._options)
        return [NodeWithScore(node=self._node(hit), score=hit.score) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _node(self, hit: Hit) -> TextNode:
        metadata = describe_hit(hit)
        shown = _SHOWN_TO_MODELS if self._content == "embed_text" else _SHOWN_TO_MODELS | {"breadcrumb"}
        hidden = [name for name in metadata if name not in shown]
        return TextNode(
            id_=hit.key,
            text=text_of_hit(hit, self._content),
            metadata=metadata,
            excluded_embed_metadata_keys=[name for name in metadata if name not in shown - _SHOWN_TO_MODELS],
            excluded_llm_metadata_keys=hidden,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.path)},
        )
