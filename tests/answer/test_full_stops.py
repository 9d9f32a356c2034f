"""Sentences end where readers end them: not at `e.g.`, not at initials."""

from __future__ import annotations

import pytest
from shown_samples import passage

from headnote.answer.answering import quotes_of
from headnote.answer.citations import sentence_end

ONE_SENTENCE = [
    "Use a float, e.g. the one of the old gauge, and seal it.",
    "Use a float, e.g. The Float, and seal it.",
    "It sleeps, i.e. it sends nothing.",
    "Take approx. 30 litres.",
    "See Fig. 3 and No. 7 for the seal.",
    "Ask Dr. Holm or J. Holm about the seal.",
    "Screws, nuts, etc. are in the box.",
    "Nehmen Sie z.B. den alten Pegel.",
    "It is sold in the U.S. only with a seal.",
]
TWO_SENTENCES = [
    "The gauge sleeps. The sun wakes it.",
    "It has a seal (see below). Then close it.",
    "There are screws, nuts, etc. Then close it.",
    "He said “stop.” Then it stopped.",
    "It is sold in the U.S. The seal is not.",
    "Is it dark? measure the battery.",
    "So do I. Then it sleeps.",
]


def sentences(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        end = sentence_end(text, at, (), final=True)
        assert end is not None
        found.append(text[at:end])
        at = end
    return found


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_short_forms_do_not_end_a_sentence(text: str) -> None:
    assert sentences(text) == [text]
    assert [quote.text for quote in quotes_of(passage(text, "a.md", 1, 1))] == [text]


@pytest.mark.parametrize("text", TWO_SENTENCES)
def test_full_stops_end_a_sentence(text: str) -> None:
    assert len(sentences(text)) == 2
    assert len(list(quotes_of(passage(text, "a.md", 1, 1)))) == 2


@pytest.mark.parametrize("text", [*ONE_SENTENCE, *TWO_SENTENCES])
def test_a_stream_ends_sentences_where_the_whole_does(text: str) -> None:
    whole = sentences(text)
    for cut in range(len(text)):
        end = sentence_end(text[:cut], 0, (), final=False)
        assert end is None or text[:end] == whole[0]


def test_a_short_form_at_the_end_of_a_line_is_joined_with_the_next_line() -> None:
    quotes = list(quotes_of(passage("Use a float, e.g.\nthe old one. Then close it.", "a.md", 1, 2)))
    assert [quote.text for quote in quotes] == ["Use a float, e.g. the old one.", "Then close it."]
