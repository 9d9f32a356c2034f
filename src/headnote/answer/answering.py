"""Passages in, an answer out: by a model, or from the passages themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from headnote.answer.chat import MODEL_VARIABLE, Chat
from headnote.answer.citations import Checker, read_statement
from headnote.answer.extract import extract
from headnote.answer.prompt import BUDGET, Prompt, ShownPassage, build_prompt
from headnote.embedding.embedder import Embedder
from headnote.model import Answer, Hit, Turn
from headnote.search.ranking import reciprocal_ranks

# -- A question that goes on from earlier ones: what to search for, and what to remind a model of.


ENOUGH_TERMS = 2
"""Content terms with which a question can be searched for by itself; "And in winter?" has one."""
MAX_TURNS = 4
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
    for turn in reversed(history[-MAX_TURNS:]):
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
    return [Turn(turn.question.strip(), _CITED.sub("", turn.answer).strip()) for turn in history][-MAX_TURNS:]


# -- Passages in, an answer out


Listener = Callable[[str], object]
"""Receives the text of an answer, piece by piece. Nothing is ever taken back."""

NOTHING = "Nothing here answers this question."
NO_MODEL = f"no model was asked; these are the passages themselves (set {MODEL_VARIABLE} to ask a model)"


def answer_from(
    question: str,
    passages: Sequence[ShownPassage],
    chat: Chat | None,
    embedder: Embedder,
    budget: int = BUDGET,
    listener: Listener | None = None,
    history: Sequence[Turn] = (),
) -> Answer:
    """An answer from these passages and nothing else."""
    emit = listener or _ignore
    if not passages:
        emit(NOTHING)
        return Answer(NOTHING, note="no model was asked: nothing relevant was found")
    if chat is not None:
        return _by_model(chat, build_prompt(question, passages, budget, reminders(history)), emit)
    text, citations = extract(searches_for(question, history)[0], passages, embedder)
    emit(text)
    return Answer(text=text, citations=citations, sources=tuple(passage.hit for passage in passages), note=NO_MODEL)


def _by_model(chat: Chat, prompt: Prompt, emit: Listener) -> Answer:
    checker = Checker(prompt.shown)
    pieces: list[str] = []
    broken = ""

    def release(text: str) -> None:
        if text:
            pieces.append(text)
            emit(text)

    for piece in chat.ask(prompt.messages):
        release(checker.feed(piece.text))
        broken = piece.broken or broken
    release(checker.finish(cut_off=bool(broken)))
    return Answer(
        text="".join(pieces),
        citations=checker.citations,
        sources=tuple(passage.hit for passage in prompt.shown),
        dropped=checker.dropped,
        complete=not broken,
        model=chat.model,
        note=f"the answer is not complete: {broken}" if broken else "",
    )


def _ignore(_: str) -> None:
    pass
