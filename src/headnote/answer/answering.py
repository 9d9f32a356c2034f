"""Passages in, an answer out: by a model, or from the passages themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headnote.answer.chat import MODEL_VARIABLE, Chat
from headnote.answer.citations import Checker
from headnote.answer.extract import extract
from headnote.answer.following import reminders, searches_for
from headnote.answer.passages import ShownPassage
from headnote.answer.prompt import BUDGET, Prompt, build_prompt
from headnote.embedding.base import Embedder
from headnote.model import Answer, Turn

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
