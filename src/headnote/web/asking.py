"""`/api/ask`: an answer line by line, as it comes, for as long as somebody listens; and only so many at a time."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from headnote.api import Index
from headnote.errors import HeadnoteError
from headnote.search.snippets import marked_terms
from headnote.services.cancellation import Cancellation, Cancelled
from headnote.web.answers import AskEvent, ErrorEvent, TextEvent
from headnote.web.failures import SURPRISE, Refused, told
from headnote.web.requests import AskRequest
from headnote.web.shapes import answer_event, encoded

MOST_ANSWERS = 8
"""At a time. Each holds a thread and a connection to the model, which rarely says more things at once than that."""
RETRY_SECONDS = 5
"""When to come back, for those who found no room: about what a short answer takes."""
LINES = "application/x-ndjson"

logger = logging.getLogger(__name__)


class Answers:
    """Room for the answers of one server."""

    def __init__(self, most: int = MOST_ANSWERS) -> None:
        self._most = most
        self._room = threading.BoundedSemaphore(most)

    def respond(self, index: Index, asked: AskRequest) -> AskResponse:
        """A response that gives the answer; refused at once if there is no room."""
        if not self._room.acquire(blocking=False):
            raise Refused(
                503,
                "busy",
                f"{self._most} questions are being answered already",
                f"ask again in {RETRY_SECONDS} seconds",
                {"Retry-After": str(RETRY_SECONDS)},
            )
        return AskResponse(Answering(index, asked, self._room.release))


class AskResponse(StreamingResponse):
    """Ends its answer however it ends itself: told to the end, hung up on, or shut down with the server."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering.lines(), media_type=LINES)
        self._answering = answering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._answering.cancel()


class Answering:
    """One answer, worked out in a thread of its own, which ends when the answer does or nobody listens any more."""

    def __init__(self, index: Index, asked: AskRequest, ended: Callable[[], object]) -> None:
        self._index = index
        self._asked = asked
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[AskEvent | None] = asyncio.Queue()
        self._cancellation = Cancellation()
        self._telling = threading.Lock()
        """Held while the loop is told something: who has gone may close the loop at once."""
        try:
            # It does not keep the process alive: what is worked out for nobody may take another moment to notice.
            threading.Thread(target=self._work, name="headnote ask", daemon=True).start()
        except RuntimeError:  # the system has no thread for us
            ended()
            raise

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """Events, one JSON object each, the last an answer or an error."""
        while (event := await self._events.get()) is not None:
            yield encoded(event) + b"\n"

    def cancel(self) -> None:
        """Nobody listens any more: what the thread waits for ends, the model's answer first of all."""
        with self._telling:
            self._cancellation.cancel()

    def _tell(self, event: AskEvent | None) -> None:
        with self._telling:
            self._cancellation.check()
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    def _work(self) -> None:
        try:
            with self._cancellation.active():
                self._tell(self._answer())
                self._tell(None)
        except Cancelled:
            pass
        finally:
            self._ended()

    def _answer(self) -> AskEvent:
        asked = self._asked
        try:
            answer = self._index.ask(
                asked.question,
                limit=asked.limit,
                budget=asked.budget,
                path=asked.path,
                tags=asked.tags,
                stream=lambda text: self._tell(TextEvent(text)),
            )
            return answer_event(answer, marked_terms(asked.question))
        except Cancelled:
            raise
        except HeadnoteError as error:
            return ErrorEvent(told(error)[1])
        except Exception:
            # Written on the terminal before the client learns of it, as every other surprise of the server is.
            logger.exception("an answer failed")
            return ErrorEvent(SURPRISE)
