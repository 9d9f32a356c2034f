"""The Haystack integration."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from framework_samples import CORPORA, EDITS, GUIDE, LARGEST, SETTINGS, handbook_index, not_covered, real_documents

import headnote

# Before Haystack is imported, because it sends telemetry.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack", reason='needs the extra: pip install "headnote-md[haystack]"')

from haystack import Document, Pipeline
from haystack.components.converters import TextFileToDocument
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy

from headnote.embedding.embedder import HashingEmbedder
from headnote.integrations.haystack import HeadnoteRetriever, HeadnoteSplitter


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[headnote.Index]:
    with handbook_index(repository, tmp_path_factory.mktemp("haystack")) as opened:
        yield opened


def split(text: str = GUIDE, meta: dict[str, Any] | None = None, **options: Any) -> list[Document]:
    result = HeadnoteSplitter(**{**SETTINGS, **options}).run([Document(content=text, meta=meta or {})])
    return list(result["documents"])


def test_it_makes_the_chunks_of_headnote_with_the_meta_of_splitters() -> None:
    source = Document(content=GUIDE, meta={"file_path": "guide.md", "owner": {"team": "a"}, "title": "Mine"})
    documents = HeadnoteSplitter(**SETTINGS).run([source])["documents"]
    chunks = headnote.chunk(GUIDE, path="guide.md", **SETTINGS)
    assert [document.content for document in documents] == [chunk.embed_text for chunk in chunks]
    for number, (document, chunk) in enumerate(zip(documents, chunks, strict=True)):
        assert (
            document.meta.items()
            >= {
                "file_path": "guide.md",
                "owner": {"team": "a"},
                "title": "Mine",
                "review.by": "Ada",
                "source_id": source.id,
                "split_id": number,
                "split_idx_start": chunk.start,
                "page_number": 1,
                "chunk_id": chunk.id,
                "breadcrumb": chunk.breadcrumb,
                "start_line": chunk.start_line,
                "end_line": chunk.end_line,
            }.items()
        )
    assert len({document.id for document in documents}) == len(documents) == 4
    assert source.meta == {"file_path": "guide.md", "owner": {"team": "a"}, "title": "Mine"}


def test_positions_are_right_even_if_text_repeats() -> None:
    documents = split(content="text")
    assert [document.content for document in documents] == [
        GUIDE[document.meta["split_idx_start"] : document.meta["end_index"]] for document in documents
    ]


def test_pages_are_counted() -> None:
    text = "# A\n\nFirst page.\n\n\f\n\n# B\n\nSecond page.\n\f\n# C\n\nThird page.\n"
    pages = {document.meta["breadcrumb"]: document.meta["page_number"] for document in split(text)}
    assert pages == {"A": 1, "B": 2, "C": 3}
    assert split("# A\n\nText.\n", {"page_number": 7})[0].meta["page_number"] == 7


def test_blank_documents_are_left_out_and_mistakes_refused() -> None:
    assert split("") == split("---\ntitle: only\n---\n") == []
    with pytest.raises(ValueError, match="has no content"):
        HeadnoteSplitter().run([Document(content=None)])
    with pytest.raises(headnote.SettingsError, match="did you mean max_tokens"):
        HeadnoteSplitter(max_token=10)
    with pytest.raises(headnote.SettingsError, match="'docs' is not an index"):
        HeadnoteRetriever("docs")  # type: ignore[arg-type]


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_guarantees_hold_on_real_documents(corpus: str, corpus_files: Callable[[str], list[Path]]) -> None:
    splitter = HeadnoteSplitter(max_tokens=LARGEST)
    for file in real_documents(corpus_files, corpus):
        source = file.read_text(encoding="utf-8")
        documents = splitter.run([Document(content=source, meta={"file_path": str(file)})])["documents"]
        ranges = [(document.meta["split_idx_start"], document.meta["end_index"]) for document in documents]
        assert not_covered(source, ranges) == "", file
        assert all(headnote.count_tokens(document.content) <= LARGEST for document in documents), file


def indexing() -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("read", TextFileToDocument())
    pipeline.add_component("split", HeadnoteSplitter(preset="blocks", metadata_fields=["breadcrumb"], max_tokens=64))
    pipeline.add_component("write", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("read", "split")
    pipeline.connect("split", "write")
    return pipeline


def test_a_pipeline_can_be_serialised(repository: Path) -> None:
    files = sorted((repository / "examples" / "handbook").glob("*.md"))[:2]
    written = indexing().dumps()
    again = Pipeline.loads(written, allowed_modules=["headnote.*"])
    assert again.dumps() == written
    assert again.get_component("split").to_dict() == {
        "type": "headnote.integrations.haystack.HeadnoteSplitter",
        "init_parameters": {
            "preset": "blocks",
            "content": "embed_text",
            "metadata_fields": ["breadcrumb"],
            "max_tokens": 64,
        },
    }
    results = []
    for pipeline in (indexing(), again):
        pipeline.run({"read": {"sources": files}})
        store = pipeline.get_component("write").document_store
        results.append(sorted((document.content, document.meta["breadcrumb"]) for document in store.filter_documents()))
    assert results[0] == results[1]
    assert len(results[0]) > len(files)


def test_the_retriever_finds_what_the_index_finds(index: headnote.Index) -> None:
    hits = index.search("torque for the brackets", 2, mode="keyword")
    retriever = HeadnoteRetriever(index, top_k=2, mode="keyword")
    retrieved = retriever.run("torque for the brackets")["documents"]
    assert [(document.id, document.score, document.content) for document in retrieved] == [
        (hit.key, hit.score, f"{hit.breadcrumb}\n\n{hit.text}") for hit in hits
    ]
    assert retrieved[0].meta["source"] == "installing.md"
    assert asyncio.run(retriever.run_async("torque for the brackets"))["documents"] == retrieved
    assert retriever.run("zzyzx qwfpgj")["documents"] == []


def test_search_options_of_the_retriever_and_of_a_run(index: headnote.Index) -> None:
    retriever = HeadnoteRetriever(index, mode="keyword", content="text", search_options={"path": "publishing.md"})
    [document] = retriever.run("gauge readings", top_k=1)["documents"]
    assert document.meta["source"] == "publishing.md"
    assert not document.content.startswith(f"{document.meta['breadcrumb']}\n")
    [other] = retriever.run("gauge", top_k=1, search_options={"path": "installing.md"})["documents"]
    assert other.meta["source"] == "installing.md"


def test_a_serialised_retriever_opens_its_index_again(index: headnote.Index) -> None:
    pipeline = Pipeline()
    pipeline.add_component("find", HeadnoteRetriever(index, top_k=1, mode="keyword"))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["headnote.*"])
    inputs = {"find": {"query": "torque for the brackets"}}
    assert again.run(inputs) == pipeline.run(inputs)
    assert pipeline.run(inputs)["find"]["documents"]
    again.get_component("find").index.close()


def test_an_index_without_a_folder_or_named_embedder_is_not_serialised(tmp_path: Path) -> None:
    class Own:
        def search(self, query: str, *args: Any, **options: Any) -> list[headnote.Hit]:
            return []

    with pytest.raises(headnote.SettingsError, match="without a folder"):
        HeadnoteRetriever(Own()).to_dict()
    with (
        headnote.Index.open(tmp_path, embedder=HashingEmbedder()) as opened,
        pytest.raises(headnote.SettingsError, match="an embedder object"),
    ):
        HeadnoteRetriever(opened).to_dict()


def test_an_index_that_was_never_updated_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Gauge\n", encoding="utf-8")
    with headnote.Index.open(tmp_path, embedder="none") as unread:
        retriever = HeadnoteRetriever(unread, mode="keyword")
        with pytest.raises(headnote.UnreadIndex, match=r"call index\.update\(\)"):
            retriever.run("gauge")
        with pytest.raises(headnote.UnreadIndex):
            asyncio.run(retriever.run_async("gauge"))
        unread.update()
        assert retriever.run("gauge")["documents"]


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_a_store_has_the_new_chunks_alone(edit: str) -> None:
    store = InMemoryDocumentStore()
    for path, text in (("guide.md", GUIDE), ("other.md", "# Other\n"), ("guide.md", EDITS[edit])):
        of_file = {"field": "meta.file_path", "operator": "==", "value": path}
        store.delete_documents([stored.id for stored in store.filter_documents(of_file)])
        chunks = split(text, {"file_path": path})
        store.write_documents(chunks, policy=DuplicatePolicy.OVERWRITE)
    [other] = split("# Other\n", {"file_path": "other.md"})
    assert {stored.id for stored in store.filter_documents()} == {other.id, *(chunk.id for chunk in chunks)}
