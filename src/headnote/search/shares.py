"""How much meaning counts beside words: by the model that compares, and by the query.

Measured on link texts, on questions about sections and prose, and on questions in words of their own: docs/quality.md.
"""

from __future__ import annotations

from typing import NamedTuple

SHARE = 0.7
"""Share of meaning in the score of a short query. Names and questions alike want from 0.6 to 0.8."""
SHARES = {"instant": 0.65}
"""The same for models that know less, by the kind of model: the part of its name before the first colon."""
LONG_QUERY_LOSS = 0.15
"""What a long query takes off the share: so many words describe a passage well by themselves."""
SHORT, LONG = 6, 12
"""Terms: up to the first, a query is short; from the second on, it is long. Between them, the share falls evenly."""


class Share(NamedTuple):
    """How much meaning counts, and why."""

    meaning: float
    """From 0, words alone, to 1, meaning alone."""
    reason: str
    """In plain words, for people."""


WORDS_ALONE = Share(0.0, "words alone")
UNREADABLE = Share(0.0, "the model cannot read the query")
MEANING_ALONE = Share(1.0, "meaning alone")
BY_RANK = Share(0.5, "both count by rank")


def share_of_meaning(model: str, terms: int, *, has_words: bool, has_meaning: bool, unfinished: int = 0) -> Share:
    """The share for a query of so many terms. Where only one of both found anything, it has the whole weight.

    `model` is the name of the one that compared; empty if there was none. So many of the terms are `unfinished`: words
    while they are typed, which have no meaning yet.
    """
    if not has_meaning:
        return UNREADABLE if model else WORDS_ALONE
    if not has_words:
        return MEANING_ALONE
    most = SHARES.get(model.partition(":")[0], SHARE)
    length = min(max((terms - SHORT) / (LONG - SHORT), 0.0), 1.0)
    share = most - LONG_QUERY_LOSS * length
    if unfinished:
        return Share(share * (terms - unfinished) / terms, "a word is unfinished")
    return Share(share, "a long query" if length else "a short query")
