"""What people say when they ask changes no answer: greetings, thanks, that they have tried, whom they ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.search.query import MODES, Mode
from headnote.search.spelling import read_words
from headnote.words.phrases import without_asking

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
QUESTIONS = (
    "which water level is zero",
    "mount the gauge on a quay wall",
    "why does a gauge go silent?",
    "who may see the readings before they are published",
)
WAYS = (
    "Hi, can someone please help me? {} Thanks in advance!",
    "hello everyone, {}",
    "Hey folks, quick question: {}",
    "[Question] {}",
    "[Bug]: {}",
    "please tell me {}",
    "Could you explain to me: {}",
    "Explain step by step: {}",
    "i'm trying to find out {}",
    "I am currently trying to figure out the following: {}",
    "I was wondering {}",
    "I need help with this: {}",
    "I cannot figure out {}",
    "I’d like to know {}",
    "Does anyone know {}",
    "what's the best way to do this: {}",
    "find the section of the docs about {}",
    "{} Any help is much appreciated.",
    "{} Any ideas?",
    "{}\n\nThank you very much!",
    "{}, thanks",
    "{} TIA",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("handbook")
    for page in HANDBOOK.glob("*.md*"):
        (root / page.name).write_bytes(page.read_bytes())
    with Index.open(root) as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
def test_it_changes_no_answer(index: Index, way: str, mode: Mode) -> None:
    for question in QUESTIONS:
        plain = [hit.key for hit in index.search(question, mode=mode, limit=3)]
        assert plain
        assert [hit.key for hit in index.search(way.format(question), mode=mode, limit=3)] == plain, question


def test_a_story_around_the_question_leaves_its_answer(index: Index) -> None:
    story = "My boat has been in the harbour since the weekend and I cannot sleep. {} It drives my neighbours mad."
    for question in QUESTIONS:
        assert index.search(story.format(question.capitalize().rstrip("?") + "?"), limit=5), question


@pytest.mark.parametrize(
    "text",
    [
        "Hello World in FastAPI",
        "thank you page",
        "find files by name",
        "help command",
        "explained variance",
        "the page about me",
        "try and catch",
        "searching the docs offline",
        "please",
        "thanks!",
        "can you help me?",
        "请问 Pod 是什么",
        "",
        " ",
    ],
)
def test_what_a_query_is_about_stays(text: str) -> None:
    assert without_asking(text) == text


def test_what_is_literal_is_read_as_it_is(index: Index) -> None:
    text = "please tell me which water level is zero"
    with index._store.reading() as reader:
        asked, literal = (read_words(reader, text, reader.chunk_count(), literal) for literal in (False, True))
    assert [word.term for word in literal if word not in asked] == ["pleas", "tell"]


def test_a_name_is_first_however_it_is_asked_for(index: Index) -> None:
    page = next(hit for hit in index.search("calibration") if hit.why.name)
    for query in ("Can someone please explain Calibration?", "i want to understand calibration"):
        assert index.search(query, limit=1)[0].key == page.key
