"""`/api/ask`: an answer line by line, as it comes, for as long as somebody listens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

from headnote.api import Index
from headnote.errors import HeadnoteError
from headnote.search.marks import words_of
from headnote.web.answers import AskEvent, ErrorEvent, Problem, TextEvent
from headnote.web.failures import told
from headnote.web.requests import AskRequest
from headnote.web.shapes import answer_event, encoded


class _Gone(Exception):
    """Nobody listens any more."""


async def ask_lines(index: Index, asked: AskRequest) -> AsyncGenerator[bytes, None]:
    """Events, one JSON object each, the last an answer or an error. Whoever stops listening stops the model, too."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[AskEvent | None] = asyncio.Queue()
    gone = threading.Event()

    def tell(event: AskEvent | None) -> None:
        if gone.is_set():
            raise _Gone
        loop.call_soon_threadsafe(events.put_nowait, event)

    # A thread of its own that does not keep the process alive: a model may be silent for a minute.
    threading.Thread(target=_work, args=(index, asked, tell), name="headnote ask", daemon=True).start()
    try:
        while (event := await events.get()) is not None:
            yield encoded(event) + b"\n"
    finally:
        gone.set()


def _work(index: Index, asked: AskRequest, tell: Callable[[AskEvent | None], None]) -> None:
    last: AskEvent = ErrorEvent(Problem("failed", "the server failed"))
    try:
        try:
            answer = index.ask(
                asked.question,
                limit=asked.limit,
                budget=asked.budget,
                path=asked.path,
                tags=asked.tags,
                stream=lambda text: tell(TextEvent(text)),
            )
            last = answer_event(answer, words_of(asked.question))
        except HeadnoteError as error:
            last = ErrorEvent(told(error)[1])
        finally:
            tell(last)
            tell(None)
    except _Gone:
        pass
