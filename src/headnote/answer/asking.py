"""The stage: passages in, an answer out, by a model or without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headnote.answer.chat import MODEL_VARIABLE, Chat
from headnote.answer.citations import Checker
from headnote.answer.extract import extract
from headnote.answer.passages import Shown
from headnote.answer.prompt import BUDGET, build_prompt
from headnote.embedding.base import Embedder
from headnote.model import Answer

Listener = Callable[[str], object]
"""Told the text of an answer, piece by piece; what it was told is never taken back."""

NOTHING = "Nothing here answers this question."
NOT_ASKED = f"no model was asked; these are the passages themselves (set {MODEL_VARIABLE} to have a model answer)"


def answer_from(
    question: str,
    passages: Sequence[Shown],
    chat: Chat | None,
    embedder: Embedder,
    budget: int = BUDGET,
    listener: Listener | None = None,
) -> Answer:
    """An answer from these passages and nothing else."""
    tell = listener or _nobody
    if not passages:
        tell(NOTHING)
        return Answer(NOTHING, note="no model was asked: nothing relevant was found")
    if chat is not None:
        return _by_model(question, passages, chat, budget, tell)
    text, citations = extract(question, passages, embedder)
    tell(text)
    return Answer(text, citations, tuple(passage.hit for passage in passages), note=NOT_ASKED)


def _by_model(question: str, passages: Sequence[Shown], chat: Chat, budget: int, tell: Listener) -> Answer:
    prompt = build_prompt(question, passages, budget)
    checker = Checker(prompt.shown)
    said: list[str] = []
    broken = ""

    def release(text: str) -> None:
        if text:
            said.append(text)
            tell(text)

    for piece in chat.ask(prompt.messages):
        release(checker.feed(piece.text))
        broken = piece.broken or broken
    release(checker.finish(cut_off=bool(broken)))
    return Answer(
        "".join(said),
        checker.citations,
        tuple(passage.hit for passage in prompt.shown),
        checker.dropped,
        complete=not broken,
        model=chat.model,
        note=f"the answer is not complete: {broken}" if broken else "",
    )


def _nobody(_: str) -> None:
    pass
