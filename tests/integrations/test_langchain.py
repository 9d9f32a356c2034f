"""The LangChain integration."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from framework_samples import CORPORA, EDITS, GUIDE, LARGEST, MDX, SETTINGS, handbook_index, not_covered, real_documents

import headnote

pytest.importorskip("langchain_core", reason='needs the extra: pip install "headnote-md[langchain]"')
pytest.importorskip("langchain_text_splitters", reason='needs the extra: pip install "headnote-md[langchain]"')

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager
from langchain_core.indexing import index as write
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import TextSplitter

from headnote.integrations.langchain import HeadnoteRetriever, HeadnoteSplitter


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[headnote.Index]:
    with handbook_index(repository, tmp_path_factory.mktemp("langchain")) as opened:
        yield opened


def split(text: str = GUIDE, metadata: dict[str, Any] | None = None, **options: Any) -> list[Document]:
    splitter = HeadnoteSplitter(**{**SETTINGS, **options})
    return list(splitter.split_documents([Document(text, metadata=metadata or {})]))


def test_it_is_a_text_splitter_with_the_chunks_of_headnote() -> None:
    splitter = HeadnoteSplitter(max_tokens=64)
    assert isinstance(splitter, TextSplitter)
    assert splitter.split_text(GUIDE) == [chunk.embed_text for chunk in headnote.chunk(GUIDE, max_tokens=64)]


def test_chunks_add_to_the_metadata_of_the_document() -> None:
    metadata = {"source": "docs/guide.md", "owner": {"team": "a"}, "title": "Mine"}
    documents = split(metadata=metadata)
    chunks = headnote.chunk(GUIDE, path="docs/guide.md", **SETTINGS)
    assert len(documents) == len(chunks) == 4
    for document, chunk in zip(documents, chunks, strict=True):
        assert metadata.items() <= document.metadata.items()
        assert document.page_content == chunk.embed_text
        added = {name: value for name, value in document.metadata.items() if name not in metadata}
        headings = {"heading_path": list(chunk.heading_path)} if chunk.heading_path else {}
        assert added == headings | {
            "chunk_id": chunk.id,
            "chunk_key": chunk.key,
            "chunk_index": chunk.index,
            "breadcrumb": chunk.breadcrumb,
            "start_index": chunk.start,
            "end_index": chunk.end,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "tokens": chunk.tokens,
            # The frontmatter: flat, without what is empty, and behind what came with the document.
            "tags": ["setup", "tools"],
            "updated": "2026-03-01",
            "review.by": "Ada",
            "review.every": 12,
        }


def test_documents_do_not_share_their_metadata() -> None:
    first, second, *_ = split(metadata={"nested": {"a": 1}})
    first.metadata["nested"]["a"] = 2
    assert second.metadata["nested"] == {"a": 1}


def test_positions_are_right_even_if_text_repeats() -> None:
    documents = split(content="text")
    assert [document.page_content for document in documents] == [
        GUIDE[document.metadata["start_index"] : document.metadata["end_index"]] for document in documents
    ]
    lines = GUIDE.splitlines()
    for document in documents:
        assert document.page_content.startswith(lines[document.metadata["start_line"] - 1])
        assert document.page_content.endswith(lines[document.metadata["end_line"] - 1])
    starts = [document.metadata["start_index"] for document in documents]
    assert starts == sorted(set(starts))


def test_a_name_ending_in_mdx_turns_mdx_on() -> None:
    [*_, document] = split(MDX, {"source": "widget.mdx"}, metadata_fields=["block_end"])
    assert document.metadata["block_end"] == len(headnote.parse(MDX, mdx=True)) - 1
    [*_, document] = split(MDX, {"source": "widget.md"}, metadata_fields=["block_end"])
    assert document.metadata["block_end"] == len(headnote.parse(MDX)) - 1 != len(headnote.parse(MDX, mdx=True)) - 1


def test_fields_can_be_chosen() -> None:
    [*_, last] = split("# A\n\nSee [b](b.md).\n", metadata_fields=["breadcrumb", "links"])
    [link] = headnote.chunk("# A\n\nSee [b](b.md).\n")[0].links
    assert last.metadata == {"breadcrumb": "A", "links": [link._asdict()]}
    assert "start_index" not in split(add_start_index=False)[0].metadata


def test_create_and_transform_documents_agree() -> None:
    splitter = HeadnoteSplitter(**SETTINGS)
    documents = splitter.create_documents([GUIDE, "# B\n\nText.\n"], [{"source": "a.md"}, {"source": "b.md"}])
    sources = [Document(GUIDE, metadata={"source": "a.md"}), Document("# B\n\nText.\n", metadata={"source": "b.md"})]
    assert documents == list(splitter.transform_documents(sources))
    assert documents == list(asyncio.run(splitter.atransform_documents(sources)))
    assert documents[-1].metadata["chunk_id"] == "b.md#0"
    assert [document.page_content for document in splitter.create_documents([GUIDE])] == splitter.split_text(GUIDE)


def test_a_splitter_can_be_pickled() -> None:
    splitter = HeadnoteSplitter(content="text", **SETTINGS)
    assert pickle.loads(pickle.dumps(splitter)).split_text(GUIDE) == splitter.split_text(GUIDE)


@pytest.mark.parametrize("text", ["", " \n\n", "---\ntitle: only\n---\n"])
def test_blank_text_gives_no_documents(text: str) -> None:
    assert split(text) == []
    assert split(text, preset="mdvdb", target_tokens=48) == []


def test_sizes_as_other_splitters_count_them() -> None:
    text = "# A\n\n" + "word " * 500
    by_characters = HeadnoteSplitter(chunk_size=200, chunk_overlap=0).split_text(text)
    assert max(map(len, by_characters)) <= 200
    by_words = HeadnoteSplitter(chunk_size=50, length_function=lambda part: len(part.split())).split_text(text)
    assert max(len(part.split()) for part in by_words) <= 50
    by_tokens = HeadnoteSplitter(chunk_size=50, counter="cl100k").split_text(text)
    assert max(map(headnote.count_tokens, by_tokens)) <= 50
    # A token is more than a character.
    assert max(map(len, by_tokens)) > 50


def test_invalid_settings_are_refused_with_a_remedy() -> None:
    with pytest.raises(headnote.SettingsError, match="max_tokens is given twice"):
        HeadnoteSplitter(chunk_size=10, max_tokens=10)
    with pytest.raises(headnote.SettingsError, match="did you mean max_tokens"):
        HeadnoteSplitter(max_token=10)
    with pytest.raises(headnote.SettingsError, match="did you mean breadcrumb"):
        HeadnoteSplitter(metadata_fields=["breadcrum"])
    with pytest.raises(headnote.SettingsError, match="use embed_text or text"):
        HeadnoteSplitter(content="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_guarantees_hold_on_real_documents(corpus: str, corpus_files: Callable[[str], list[Path]]) -> None:
    splitter = HeadnoteSplitter(max_tokens=LARGEST)
    for file in real_documents(corpus_files, corpus):
        source = file.read_text(encoding="utf-8")
        documents = splitter.split_documents([Document(source, metadata={"source": str(file)})])
        ranges = [(document.metadata["start_index"], document.metadata["end_index"]) for document in documents]
        assert not_covered(source, ranges) == "", file
        assert all(headnote.count_tokens(document.page_content) <= LARGEST for document in documents), file


def test_a_vector_store_takes_the_documents_with_their_keys() -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    documents = split(metadata={"source": "guide.md"})
    keys = [document.metadata["chunk_key"] for document in documents]
    assert store.add_documents(documents, ids=keys) == keys
    assert {document.id for document in store.similarity_search("anything", k=10)} == set(keys)


def test_the_retriever_finds_what_the_index_finds(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index=index, k=2, mode="keyword")
    hits = index.search("torque for the brackets", 2, mode="keyword")
    retrieved = retriever.invoke("torque for the brackets")
    assert [document.id for document in retrieved] == [hit.key for hit in hits]
    assert [document.page_content for document in retrieved] == [f"{hit.breadcrumb}\n\n{hit.text}" for hit in hits]
    assert retrieved[0].metadata == {
        "source": "installing.md",
        "title": hits[0].title,
        "breadcrumb": hits[0].breadcrumb,
        "start_line": hits[0].start_line,
        "end_line": hits[0].end_line,
        "tokens": hits[0].tokens,
        "chunk_id": hits[0].id,
        "chunk_key": hits[0].key,
        "score": hits[0].score,
    }


def test_the_retriever_works_async_and_in_batches(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index=index, mode="keyword")
    queries = ["torque for the brackets", "publishing readings"]

    async def ask() -> list[list[Document]]:
        return [*await asyncio.gather(*map(retriever.ainvoke, queries))]

    assert asyncio.run(ask()) == retriever.batch(queries) == [retriever.invoke(query) for query in queries]
    assert all(retriever.batch(queries))


def test_search_options_of_the_retriever_and_of_a_call(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index=index, mode="keyword", search_kwargs={"path": "publishing.md"}, content="text")
    retrieved = retriever.invoke("gauge readings", k=1)
    assert [document.metadata["source"] for document in retrieved] == ["publishing.md"]
    assert not retrieved[0].page_content.startswith(f"{retrieved[0].metadata['breadcrumb']}\n")
    other = retriever.invoke("gauge", path="installing.md")
    assert {document.metadata["source"] for document in other} == {"installing.md"}
    assert asyncio.run(retriever.ainvoke("gauge", path="installing.md")) == other


def test_no_documents_if_nothing_is_relevant(index: headnote.Index) -> None:
    assert HeadnoteRetriever(index=index, mode="keyword").invoke("zzyzx qwfpgj") == []


def test_only_something_that_can_be_searched_is_an_index() -> None:
    with pytest.raises(ValueError, match="index"):
        HeadnoteRetriever(index="docs")


def test_a_field_that_does_not_exist_is_refused(index: headnote.Index) -> None:
    with pytest.raises(ValueError, match="limit"):
        HeadnoteRetriever(index=index, limit=2)


def test_a_chain_runs_over_the_retriever(index: headnote.Index) -> None:
    def as_context(documents: list[Document]) -> str:
        return "\n".join(f"{document.metadata['source']}: {document.page_content}" for document in documents)

    chain = (
        {"context": HeadnoteRetriever(index=index, k=1, mode="keyword") | as_context, "question": RunnablePassthrough()}
        | RunnableLambda(lambda inputs: f"{inputs['question']}\n{inputs['context']}")
    ).with_config(run_name="ask")
    answer = chain.invoke("torque for the brackets")
    assert answer.startswith("torque for the brackets\ninstalling.md: Installing a gauge")
    assert asyncio.run(chain.ainvoke("torque for the brackets")) == answer


def test_an_index_that_was_never_updated_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Gauge\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="none") as unread:
        retriever = HeadnoteRetriever(index=unread, mode="keyword")
        with pytest.raises(headnote.UnreadIndex, match=r"call index\.update\(\)"):
            retriever.invoke("gauge")
        with pytest.raises(headnote.UnreadIndex):
            asyncio.run(retriever.ainvoke("gauge"))
        unread.update()
        assert retriever.invoke("gauge")


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_a_store_with_a_record_manager_has_the_new_chunks_alone(edit: str) -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    records = InMemoryRecordManager("test")
    for text in (GUIDE, EDITS[edit]):
        documents = split(text, {"source": "guide.md"}) + split("# Other\n", {"source": "other.md"})
        write(documents, records, store, cleanup="incremental", source_id_key="source", key_encoder="sha256")
    stored = sorted((one["text"], one["metadata"]["start_line"]) for one in store.store.values())
    assert stored == sorted((document.page_content, document.metadata["start_line"]) for document in documents)
