"""A question that goes on from earlier ones: what to search for, and what to remind a model of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from headnote.answer.citations import read_statement
from headnote.model import Hit, Turn
from headnote.search.ranking import reciprocal_ranks

ENOUGH_TERMS = 2
"""Content terms with which a question can be searched for by itself; "And in winter?" has one."""
MOST_TURNS = 4
"""Earlier turns that are looked at, the last ones."""
_RANK_CONSTANT = 59
"""Of reciprocal rank fusion: how little the first places count more than the next."""
_CITED = re.compile(r"[ \t]*+\[[^\[\]\r\n]{1,300}:[0-9]++(?:[-–][0-9]++)?[^\[\]\r\n]{0,300}\]")


def searches_for(question: str, history: Sequence[Turn]) -> list[str]:
    """The texts to search for, the best first: the question by itself if it has enough words, and in its context."""
    if not history:
        return [question]
    earlier = " ".join(_begun_with(history))
    together = f"{earlier} {question}"
    # "And how often?" may have no word that a document has; what it goes on from has.
    return [question, together] if _stands_alone(question) else [together, earlier]


def _begun_with(history: Sequence[Turn]) -> list[str]:
    """The last question, and those before it that it goes on from itself."""
    asked: list[str] = []
    for turn in reversed(history[-MOST_TURNS:]):
        asked.insert(0, turn.question.strip())
        if _stands_alone(turn.question):
            break
    return asked


def _stands_alone(question: str) -> bool:
    return len(read_statement(question).terms) >= ENOUGH_TERMS


def merged(rankings: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """Hits of several searches as one list, each once: those first that stand high in many."""
    if len(rankings) == 1:
        return list(rankings[0])
    scores = reciprocal_ranks(*([(hit.key, hit.score) for hit in hits] for hits in rankings), constant=_RANK_CONSTANT)
    first: dict[str, Hit] = {}
    for hit in chain.from_iterable(rankings):
        first.setdefault(hit.key, hit)
    return sorted(first.values(), key=lambda hit: -scores[hit.key])[:limit]


def reminders(history: Iterable[Turn]) -> list[Turn]:
    """Earlier turns for a model, without citations: it must not copy those of other passages."""
    return [Turn(turn.question.strip(), _CITED.sub("", turn.answer).strip()) for turn in history][-MOST_TURNS:]
