"""`/api/ask`: an answer line by line, as it comes, for as long as somebody listens."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable

from headnote.api import Index
from headnote.errors import HeadnoteError
from headnote.search.marks import words_of
from headnote.web.answers import AskEvent, ErrorEvent, TextEvent
from headnote.web.failures import SURPRISE, told
from headnote.web.requests import AskRequest
from headnote.web.shapes import answer_event, encoded

logger = logging.getLogger(__name__)


class _Gone(Exception):
    """Nobody listens any more."""


async def ask_lines(index: Index, asked: AskRequest) -> AsyncGenerator[bytes, None]:
    """Events, one JSON object each, the last an answer or an error. Whoever stops listening stops the model, too."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[AskEvent | None] = asyncio.Queue()
    gone = False
    # Held while the loop is told: who has gone may close the loop at once.
    telling = threading.Lock()

    def tell(event: AskEvent | None) -> None:
        with telling:
            if gone:
                raise _Gone
            loop.call_soon_threadsafe(events.put_nowait, event)

    # A thread of its own that does not keep the process alive: a model may be silent for a minute.
    threading.Thread(target=_work, args=(index, asked, tell), name="headnote ask", daemon=True).start()
    try:
        while (event := await events.get()) is not None:
            yield encoded(event) + b"\n"
    finally:
        with telling:
            gone = True


def _work(index: Index, asked: AskRequest, tell: Callable[[AskEvent | None], None]) -> None:
    try:
        tell(_answered(index, asked, tell))
        tell(None)
    except _Gone:
        pass


def _answered(index: Index, asked: AskRequest, tell: Callable[[AskEvent], None]) -> AskEvent:
    try:
        answer = index.ask(
            asked.question,
            limit=asked.limit,
            budget=asked.budget,
            path=asked.path,
            tags=asked.tags,
            stream=lambda text: tell(TextEvent(text)),
        )
        return answer_event(answer, words_of(asked.question))
    except _Gone:
        raise
    except HeadnoteError as error:
        return ErrorEvent(told(error)[1])
    except Exception:
        # Written on the terminal before the client learns of it, as every other surprise of the server is.
        logger.exception("an answer failed")
        return ErrorEvent(SURPRISE)
