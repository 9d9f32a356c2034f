"""The LlamaIndex integration."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from framework_samples import CORPORA, EDITS, GUIDE, LARGEST, SETTINGS, handbook_index, not_covered, real_documents

import headnote

pytest.importorskip("llama_index.core", reason='needs the extra: pip install "headnote-md[llama-index]"')

from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeRelationship, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from headnote.integrations.llama_index import HeadnoteNodeParser, HeadnoteRetriever


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[headnote.Index]:
    with handbook_index(repository, tmp_path_factory.mktemp("llama_index")) as opened:
        yield opened


def document(text: str = GUIDE, **metadata: Any) -> Document:
    return Document(text=text, metadata=metadata, id_="the document")


def nodes_of(source: Document, **options: Any) -> list[TextNode]:
    return list(HeadnoteNodeParser(**{**SETTINGS, **options}).get_nodes_from_documents([source]))


def test_it_is_a_node_parser_with_the_chunks_of_headnote() -> None:
    chunks = headnote.chunk(GUIDE, path="guide.md", **SETTINGS)
    nodes = nodes_of(document(file_path="guide.md"))
    assert issubclass(HeadnoteNodeParser, NodeParser)
    assert [node.text for node in nodes] == [chunk.embed_text for chunk in chunks]
    assert [node.metadata["chunk_key"] for node in nodes] == [chunk.key for chunk in chunks]
    assert [node.metadata["breadcrumb"] for node in nodes] == [chunk.breadcrumb for chunk in chunks]
    assert len({node.node_id for node in nodes}) == len(nodes) == 4


def test_nodes_are_related_to_their_document_and_to_each_other() -> None:
    first, *_, last = nodes = nodes_of(document())
    assert {node.ref_doc_id for node in nodes} == {"the document"}
    assert NodeRelationship.PREVIOUS not in first.relationships
    assert NodeRelationship.NEXT not in last.relationships
    for before, after in pairwise(nodes):
        assert before.next_node is not None
        assert before.next_node.node_id == after.node_id
        assert after.prev_node is not None
        assert after.prev_node.node_id == before.node_id
    alone = nodes_of(document(), include_prev_next_rel=False)
    assert {relation for node in alone for relation in node.relationships} == {NodeRelationship.SOURCE}


def test_positions_are_right_even_if_text_repeats() -> None:
    nodes = nodes_of(document(), content="text")
    assert [node.text for node in nodes] == [GUIDE[node.start_char_idx : node.end_char_idx] for node in nodes]
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes_of(document())] == [
        (node.start_char_idx, node.end_char_idx) for node in nodes
    ]
    starts = [node.start_char_idx for node in nodes]
    assert starts == sorted(set(starts))


def test_positions_are_not_guessed_from_earlier_text() -> None:
    text = "# A\n\nSame. Words.\n\n# B\n\nSame.\n"
    nodes = nodes_of(document(text), strategy="section", content="text")
    assert [text[node.start_char_idx : node.end_char_idx] for node in nodes][-1].endswith("Same.")
    assert nodes[-1].start_char_idx > text.index("# B")


def test_headings_reach_embeddings_and_models_once() -> None:
    with_headings = nodes_of(document(file_path="guide.md"))[-1]
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        shown = with_headings.get_content(mode)
        assert shown == f"file_path: guide.md\n\n{with_headings.text}"
        assert shown.count("Guide > Use") == 1
    without = nodes_of(document(), content="text")[-1]
    assert "Guide > Use" not in without.text
    assert without.get_content(MetadataMode.EMBED) == f"breadcrumb: Guide > Use\n\n{without.text}"


def test_nodes_inherit_metadata_and_what_is_hidden_of_it() -> None:
    source = document(owner="a", secret="b", title="Mine")
    source.excluded_embed_metadata_keys = ["secret"]
    source.excluded_llm_metadata_keys = ["owner"]
    node = nodes_of(source)[-1]
    assert (node.metadata["owner"], node.metadata["secret"], node.metadata["title"]) == ("a", "b", "Mine")
    assert node.metadata["review.by"] == "Ada"
    assert node.get_metadata_str(MetadataMode.EMBED) == "owner: a\ntitle: Mine"
    assert node.get_metadata_str(MetadataMode.LLM) == "secret: b\ntitle: Mine"
    assert nodes_of(source, include_metadata=False)[-1].metadata == {}
    assert source.metadata == {"owner": "a", "secret": "b", "title": "Mine"}


def test_a_parser_can_be_serialised() -> None:
    parser = HeadnoteNodeParser(preset="blocks", content="text", metadata_fields=["key"], max_tokens=64, size="small")
    for again in (
        HeadnoteNodeParser.from_dict(parser.to_dict()),
        HeadnoteNodeParser.from_json(parser.to_json()),
    ):
        assert again.to_dict() == parser.to_dict()
        texts = [[node.text for node in either.get_nodes_from_documents([document()])] for either in (parser, again)]
        assert texts[0] == texts[1]


def test_a_parser_can_be_pickled() -> None:
    parser = HeadnoteNodeParser(content="text", **SETTINGS)
    again = pickle.loads(pickle.dumps(parser))
    assert [node.text for node in again.get_nodes_from_documents([document()])] == [
        node.text for node in parser.get_nodes_from_documents([document()])
    ]


def test_nodes_can_be_serialised() -> None:
    for node in nodes_of(document(file_path="guide.md"), metadata_fields=list(headnote.Chunk.FIELDS)):
        assert TextNode.from_json(node.to_json()) == node


def test_an_ingestion_pipeline_runs_sync_and_async() -> None:
    parser = HeadnoteNodeParser(**SETTINGS)
    pipeline = IngestionPipeline(transformations=[parser, MockEmbedding(embed_dim=4)])
    nodes = pipeline.run(documents=[document()])
    assert [node.embedding for node in nodes] == [[0.5] * 4] * 4
    again = asyncio.run(IngestionPipeline(transformations=[parser]).arun(documents=[document()]))
    assert [node.get_content() for node in again] == [node.get_content() for node in nodes]
    # The second run finds the nodes in the cache, which knows a parser by what it is written as.
    assert [node.node_id for node in pipeline.run(documents=[document()])] == [node.node_id for node in nodes]


def test_an_index_is_built_over_the_nodes() -> None:
    built = VectorStoreIndex.from_documents(
        [document(file_path="guide.md")],
        transformations=[HeadnoteNodeParser(**SETTINGS)],
        embed_model=MockEmbedding(embed_dim=4),
    )
    retrieved = built.as_retriever(similarity_top_k=10).retrieve("anything")
    assert {item.node.metadata["chunk_id"] for item in retrieved} == {f"guide.md#{number}" for number in range(4)}


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_guarantees_hold_on_real_documents(corpus: str, corpus_files: Callable[[str], list[Path]]) -> None:
    parser = HeadnoteNodeParser(max_tokens=LARGEST)
    for file in real_documents(corpus_files, corpus):
        source = file.read_text(encoding="utf-8")
        nodes = parser.get_nodes_from_documents([document(source)])
        assert not_covered(source, [(node.start_char_idx, node.end_char_idx) for node in nodes]) == "", file
        embedded = [node.get_content(MetadataMode.EMBED) for node in nodes]
        assert all(headnote.count_tokens(text) <= LARGEST for text in embedded), file


@pytest.mark.parametrize("text", ["", " \n\n", "---\ntitle: only\n---\n"])
def test_blank_text_gives_no_nodes(text: str) -> None:
    assert nodes_of(document(text)) == []


def test_invalid_settings_are_refused_with_a_remedy() -> None:
    with pytest.raises(headnote.SettingsError, match="did you mean max_tokens"):
        HeadnoteNodeParser(max_token=10)
    with pytest.raises(headnote.SettingsError, match="use embed_text or text"):
        HeadnoteNodeParser(content="all")
    with pytest.raises(headnote.SettingsError, match="'docs' is not an index"):
        HeadnoteRetriever("docs")  # type: ignore[arg-type]


def test_the_retriever_finds_what_the_index_finds(index: headnote.Index) -> None:
    hits = index.search("torque for the brackets", 3, mode="keyword")
    retrieved = HeadnoteRetriever(index, similarity_top_k=3, mode="keyword").retrieve("torque for the brackets")
    assert [(item.node.node_id, item.score) for item in retrieved] == [(hit.key, hit.score) for hit in hits]
    assert [item.text for item in retrieved] == [f"{hit.breadcrumb}\n\n{hit.text}" for hit in hits]
    assert retrieved[0].node.metadata["source"] == retrieved[0].node.ref_doc_id == "installing.md"
    shown = retrieved[0].node.get_content(MetadataMode.LLM)
    assert shown.startswith(
        f"source: installing.md\nstart_line: {hits[0].start_line}\nend_line: {hits[0].end_line}\n\n"
    )


def test_the_retriever_works_async_and_with_filters(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index, mode="keyword", content="text", path="publishing.md")
    retrieved = asyncio.run(retriever.aretrieve("gauge readings"))
    assert retrieved == retriever.retrieve("gauge readings")
    assert {item.node.metadata["source"] for item in retrieved} == {"publishing.md"}
    assert retrieved[0].node.get_content(MetadataMode.EMBED).startswith("breadcrumb: ")
    assert HeadnoteRetriever(index, mode="keyword").retrieve("zzyzx qwfpgj") == []


def test_a_query_engine_answers_from_the_retriever(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index, similarity_top_k=1, mode="keyword")
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    answer = engine.query("torque for the brackets")
    assert [item.node.metadata["source"] for item in answer.source_nodes] == ["installing.md"]
    assert "Installing a gauge" in str(answer)


def test_an_index_that_was_never_updated_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Gauge\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="none") as unread:
        retriever = HeadnoteRetriever(unread, mode="keyword")
        with pytest.raises(headnote.UnreadIndex, match=r"call index\.update\(\)"):
            retriever.retrieve("gauge")
        with pytest.raises(headnote.UnreadIndex):
            asyncio.run(retriever.aretrieve("gauge"))
        unread.update()
        assert retriever.retrieve("gauge")


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_an_index_has_the_new_nodes_alone(edit: str) -> None:
    parser = HeadnoteNodeParser(**SETTINGS)
    vectors = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=8), transformations=[parser])
    other = Document(text="# Other\n", id_="the other")
    for text in (GUIDE, EDITS[edit]):
        vectors.refresh_ref_docs([document(text), other])
    expected = sorted(node.text for node in [*nodes_of(document(EDITS[edit])), *nodes_of(other)])
    assert sorted(node.get_content() for node in vectors.docstore.docs.values()) == expected
    assert len(vectors.vector_store.data.embedding_dict) == len(expected)


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_a_pipeline_that_upserts_has_stored_the_new_nodes_alone(edit: str) -> None:
    store = SimpleVectorStore()
    pipeline = IngestionPipeline(
        transformations=[HeadnoteNodeParser(**SETTINGS), MockEmbedding(embed_dim=8)],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
        vector_store=store,
    )
    for text in (GUIDE, EDITS[edit]):
        pipeline.run(documents=[document(text)])
    assert len(store.data.embedding_dict) == len(nodes_of(document(EDITS[edit])))
