"""A question about a text in the request: scores of its chunks, and whether the answer stays whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from web_folder import client_of, write_files

from headnote import Chunk, Index
from headnote.api.keeper import Served
from headnote.index.entries import entry_of
from headnote.markdown.document import Document
from headnote.sources.files import FileSnapshot
from headnote.store.rows import DocumentEntry

pytest_plugins = ("web_fixtures",)

SAMPLE = files("headnote.web").joinpath("static/sample.md").read_text(encoding="utf-8")
QUESTION = "how long do readings stay on the disk"


def asked(client: TestClient, **body: Any) -> dict[str, Any]:
    response = client.post("/api/chunk", json={"text": SAMPLE, "path": "relay.md", "question": QUESTION, **body})
    assert response.status_code == 200, response.text[:500]
    answer: dict[str, Any] = response.json()
    return answer


def refused(client: TestClient, **body: Any) -> dict[str, str]:
    response = client.post("/api/chunk", json=body)
    assert response.status_code == 400, response.text[:500]
    error: dict[str, str] = response.json()["error"]
    return error


@pytest.fixture(scope="module")
def by_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with Index.open(write_files(tmp_path_factory.mktemp("words") / "folder"), embedder="none") as index:
        index.update()
        yield client_of(Served(index))


def test_every_chunk_has_a_score_and_a_rank(client: TestClient) -> None:
    answer = asked(client)
    question, chunks = answer["question"], answer["chunks"]
    assert len(question["scores"]) == len(question["ranks"]) == len(chunks)
    found = sorted((rank, score) for rank, score in zip(question["ranks"], question["scores"], strict=True) if rank)
    assert [rank for rank, _ in found] == list(range(1, len(found) + 1))
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(score == 0 for rank, score in zip(question["ranks"], question["scores"], strict=True) if rank is None)
    assert question["relevant"]
    assert question["model"].startswith("instant:")


def test_without_a_question_there_are_no_scores(client: TestClient) -> None:
    assert asked(client, question="")["question"] is None
    assert asked(client, question=" \n")["question"] is None


def test_a_folder_that_is_searched_by_words_alone_scores_by_words_alone(by_words: TestClient) -> None:
    question = asked(by_words)["question"]
    assert question["model"] == ""
    assert question["passage"]["rank"] == 1


def test_the_passage_is_the_same_whatever_the_settings(client: TestClient) -> None:
    places = set()
    for preset in ("default", "blocks", "mdvdb", "ragdocs", "refdocs"):
        for size in ("small", "large"):
            passage = asked(client, preset=preset, settings={"size": size})["question"]["passage"]
            places.add((passage["start"], passage["end"], passage["start_line"], passage["end_line"]))
    ((start, end, first, last),) = places
    assert "How long readings stay on the disk" in SAMPLE[start:end]
    assert SAMPLE[start:end] in "\n".join(SAMPLE.split("\n")[first - 1 : last])


def test_an_answer_is_whole_or_torn(client: TestClient) -> None:
    whole = asked(client, preset="default", settings={"size": "large"})["question"]["passage"]
    assert whole["chunks"] == [whole["whole_in"]]
    answer = asked(client, preset="mdvdb", settings={"max_tokens": 24, "overlap_tokens": 0})
    torn = answer["question"]["passage"]
    assert torn["whole_in"] is None
    assert len(torn["chunks"]) > 1
    assert torn["rank"] == min(answer["question"]["ranks"][at] for at in torn["chunks"])


def test_the_answer_of_the_sample_is_whole_here_and_torn_by_what_others_use(client: TestClient) -> None:
    places = {}
    for preset in ("default", "fixed", "langchain"):
        answer = asked(client, preset=preset, question="How do I replace a gauge?")
        passage = answer["question"]["passage"]
        places[preset] = (passage["start"], passage["end"])
        assert SAMPLE[passage["start"] : passage["end"]].endswith("staff on the wall.")
        assert (passage["whole_in"] is not None) is (preset == "default"), preset
        assert len(passage["chunks"]) == (1 if preset == "default" else 2), preset
    assert len(set(places.values())) == 1


def test_what_is_imitated_has_sizes_and_no_other_settings(client: TestClient) -> None:
    body = {"text": SAMPLE, "preset": "langchain"}
    answer = client.post("/api/chunk", json={**body, "settings": {"max_tokens": 300, "overlap_tokens": 0}}).json()
    assert max(chunk["tokens"] for chunk in answer["chunks"]) <= 300
    error = refused(client, **body, settings={"strategy": "block"})
    assert error["message"] == "strategy does not apply here"
    assert "max_tokens" in error["remedy"]


def test_lines_of_ones_own_are_the_passage(client: TestClient) -> None:
    line = 1 + SAMPLE[: SAMPLE.index("Numbers only grow.")].count("\n")
    passage = asked(client, passage={"start_line": line - 1, "end_line": line + 1})["question"]["passage"]
    assert passage["is_given"]
    assert (passage["start_line"], passage["end_line"]) == (line, line)  # blank lines around it do not count
    assert SAMPLE[passage["start"] : passage["end"]].startswith("Numbers only grow.")
    assert passage["rank"] != 1
    beyond = asked(client, passage={"start_line": 90_000, "end_line": 90_001})["question"]
    assert beyond["passage"] is None
    backwards = {"start_line": 2, "end_line": 1}
    assert "before it begins" in refused(client, text="a", question="a", passage=backwards)["message"]


def test_what_nothing_answers_is_said(client: TestClient) -> None:
    assert not asked(client, question="interest rates of the central bank")["question"]["relevant"]


@pytest.mark.parametrize("text", ["", "\n", "---\na: b\n---\n", "# Heading", "\0", "\ud7ff🐚\r\n\r\nx"])
def test_any_text_can_be_asked(client: TestClient, text: str) -> None:
    question = asked(client, text=text)["question"]
    assert len(question["scores"]) == len(asked(client, text=text)["chunks"])


def test_too_many_chunks_are_refused_with_a_remedy(client: TestClient) -> None:
    text = "one two three\n\n" * 60_000
    error = refused(client, text=text, question="two", settings={"max_tokens": 8, "merge": False, "target_tokens": 1})
    assert "20000 chunks" in error["message"]
    assert "max_tokens" in error["remedy"]


def test_a_text_of_too_many_passages_is_refused_before_it_is_indexed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headnote.web.endpoints.MAX_CHUNKS", 50)
    text = "# a\n\nb\n\n" * 60
    indexed: list[int] = []

    def counted(file: FileSnapshot, document: Document, chunks: Sequence[Chunk]) -> DocumentEntry:
        indexed.append(len(chunks))
        return entry_of(file, document, chunks)

    monkeypatch.setattr("headnote.search.single_text.entry_of", counted)
    error = refused(client, text=text, question="b", preset="ragdocs")
    assert "50 passages, and this text has 60" in error["message"]
    assert "choose the lines" in error["remedy"]
    assert max(indexed) < 50
    given = asked(client, text=text, question="b", preset="ragdocs", passage={"start_line": 3, "end_line": 3})
    assert given["question"]["passage"]["start_line"] == 3


def test_a_document_of_the_folder_can_be_asked(client: TestClient, served_root: Path) -> None:
    text = (served_root / "tides.md").read_text(encoding="utf-8")
    question = asked(client, text=text, path="tides.md", question="when are tides higher")["question"]
    assert text[question["passage"]["start"] : question["passage"]["end"]].startswith("Spring tides are higher")
