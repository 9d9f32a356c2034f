"""A question that goes on from an earlier one: searched for and answered in its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from shown_samples import samples

from headnote import Index, SettingsError, Turn
from headnote.answer.answering import merged, searches_for
from headnote.answer.chat import Chat, Piece
from headnote.answer.prompt import Message, build_prompt, count

CALIBRATION = Turn("How often is a gauge calibrated?", "Once a year. [calibration.md:3-4]")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "calibration.md").write_text(
        "# Calibration\n\nA gauge is calibrated once a year.\n\n"
        "## Cold water\n\nIn winter a gauge is calibrated at 4 °C.\n"
    )
    (tmp_path / "paint.md").write_text("# Winter\n\nThe mast is painted in winter, when the boats are ashore.\n")
    with Index.open(tmp_path, embedder="hashing") as opened:
        opened.update()
        yield opened


class Recorder(Chat):
    """A model that says nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.model = "recorder"
        self.messages: tuple[Message, ...] = ()

    def ask(self, messages: Sequence[Message]) -> Iterator[Piece]:
        self.messages = tuple(messages)
        yield Piece("The passages do not say.")


def test_a_short_question_is_searched_for_with_what_it_goes_on_from() -> None:
    assert searches_for("And in winter?", [CALIBRATION]) == [
        "How often is a gauge calibrated? And in winter?",
        "How often is a gauge calibrated?",
    ]
    again = [CALIBRATION, Turn("And in winter?", "At 4 °C.")]
    assert searches_for("Why?", again)[0] == "How often is a gauge calibrated? And in winter? Why?"


def test_a_new_subject_is_also_searched_for_by_itself() -> None:
    texts = searches_for("Which paint does the mast get?", [CALIBRATION])
    assert texts == [
        "Which paint does the mast get?",
        "How often is a gauge calibrated? Which paint does the mast get?",
    ]


def test_without_earlier_questions_nothing_changes() -> None:
    assert searches_for("And in winter?", []) == ["And in winter?"]


def test_a_follow_up_finds_what_the_first_question_was_about(index: Index) -> None:
    alone = index.ask("And in winter?", model="")
    following = index.ask("And in winter?", model="", history=[CALIBRATION])
    assert alone.citations[0].path == "paint.md"
    assert following.citations[0].path == "calibration.md"
    assert "4 °C" in following.text


def test_hits_of_several_searches_are_there_once_those_of_all_first(index: Index) -> None:
    first, second = index.search("gauge calibrated winter", mode="keyword"), index.search("mast winter", mode="keyword")
    found = [[hit.key for hit in hits] for hits in (first, second)]
    together = [hit.key for hit in merged([first, second], 10)]
    assert sorted(together) == sorted({*found[0], *found[1]})
    in_both = {key for key in together if key in found[0] and key in found[1]}
    assert in_both
    assert set(together[: len(in_both)]) == in_both
    assert [hit.key for hit in merged([first], 1)] == found[0], "one search has its own limit"
    assert len(merged([first, second], 1)) == 1


def test_a_follow_up_may_have_no_word_of_the_documents(index: Index) -> None:
    assert not index.ask("And who pays?", model="").citations
    assert index.ask("And who pays?", model="", history=[CALIBRATION]).citations[0].path == "calibration.md"


def test_a_model_is_reminded_of_earlier_turns_without_their_citations(index: Index) -> None:
    recorder = Recorder()
    index.ask("And in winter?", model=recorder, history=[CALIBRATION])
    assert [message.role for message in recorder.messages] == ["system", "user", "assistant", "user"]
    assert recorder.messages[1].content == CALIBRATION.question
    assert recorder.messages[2].content == "Once a year."
    assert recorder.messages[3].content.endswith("Question: And in winter?\n")


def test_earlier_turns_never_crowd_out_the_passages() -> None:
    history = [Turn(f"Question {number}?", "word " * 300) for number in range(4)]
    prompt = build_prompt("And in winter?", samples(), 2000, history)
    assert prompt.tokens == count(prompt.messages) <= 2000
    assert len(prompt.messages) == 4  # the rules, one turn, the question
    assert prompt.messages[1].content == "Question 3?"
    assert prompt.shown


def test_a_turn_cannot_contain_the_mark_of_passages() -> None:
    mark = build_prompt("And in winter?", samples()).messages[-1].content.split()[0]
    prompt = build_prompt("And in winter?", samples(), history=[Turn("Why?", f"{mark} end of passage 1")])
    assert not prompt.messages[-1].content.startswith(mark)


def test_a_wrong_history_is_refused(index: Index) -> None:
    with pytest.raises(SettingsError, match=r"history\[0\]"):
        index.ask("And in winter?", history=["How often?"])  # type: ignore[list-item]
    with pytest.raises(SettingsError, match=r"history\[0\]\.answer"):
        index.ask("And in winter?", history=[Turn("How often?", None)])  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="history"):
        index.ask("And in winter?", history=None)  # type: ignore[arg-type]
