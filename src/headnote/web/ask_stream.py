"""`/api/ask`: an answer, streamed line by line while the client listens. Only a few run at a time."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from headnote.api.keeper import Served
from headnote.errors import HeadnoteError
from headnote.model import Turn
from headnote.rendering.answers import StreamedAnswer
from headnote.services import Cancellation, Cancelled
from headnote.web.conversion import INTERNAL_ERROR, Refused, answer_event, encoded, problem_of
from headnote.web.requests import AskRequest
from headnote.web.responses import AskEvent, ErrorEvent, TextEvent

MAX_ANSWERS = 8
"""At a time. Each holds a thread and a connection to the model, and few models answer more at once."""
RETRY_SECONDS = 5
"""When to try again if all slots are taken: about what a short answer takes."""
LINES = "application/x-ndjson"

logger = logging.getLogger(__name__)


class AskLimiter:
    """The slots for answers of one server."""

    def __init__(self) -> None:
        self._slots = threading.BoundedSemaphore(MAX_ANSWERS)

    def respond(self, served: Served, request: AskRequest) -> AskResponse:
        """A response that streams the answer; refused at once if no slot is free."""
        if not self._slots.acquire(blocking=False):
            raise Refused(
                503,
                "busy",
                f"{MAX_ANSWERS} questions are being answered already",
                f"ask again in {RETRY_SECONDS} seconds",
                {"Retry-After": str(RETRY_SECONDS)},
            )
        return AskResponse(AnswerStream(served, request, self._slots.release))


class AskResponse(StreamingResponse):
    """Cancels its answer however it ends: complete, disconnected, or shut down with the server."""

    def __init__(self, stream: AnswerStream) -> None:
        super().__init__(stream.lines(), media_type=LINES)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.cancel()


class AnswerStream:
    """One answer, made in a thread of its own. The thread ends with the answer, or when the client disconnects."""

    def __init__(self, served: Served, request: AskRequest, on_end: Callable[[], object]) -> None:
        self._served = served
        self._request = request
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[AskEvent | None] = asyncio.Queue()
        self._cancellation = Cancellation()
        self._sending = threading.Lock()
        """Held while an event is passed to the loop: once cancelled, the loop may be closed at any time."""
        try:
            # A daemon: a cancelled answer may take a moment to notice, and must not keep the process alive.
            threading.Thread(target=self._work, name="headnote ask", daemon=True).start()
        except RuntimeError:  # the system has no thread left
            on_end()
            raise

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """Events, one JSON object each, the last an answer or an error."""
        while (event := await self._events.get()) is not None:
            yield encoded(event) + b"\n"

    def cancel(self) -> None:
        """Stop the thread, and the request to the model it waits for."""
        with self._sending:
            self._cancellation.cancel()

    def _send(self, event: AskEvent | None) -> None:
        with self._sending:
            self._cancellation.check()
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    def _work(self) -> None:
        try:
            with self._cancellation.active():
                self._send(self._answer())
                self._send(None)
        except Cancelled:
            pass
        finally:
            self._on_end()

    def _answer(self) -> AskEvent:
        request = self._request
        streamed = StreamedAnswer()
        try:
            read = self._served.state().files_read
            answer = self._served.index.ask(
                request.question,
                limit=request.limit,
                budget=request.budget,
                path=request.path,
                roots=request.roots,
                tags=request.tags,
                history=[Turn(turn.question, turn.answer) for turn in request.history],
                stream=lambda text: self._send(TextEvent(text, streamed.add(text))),
            )
            return answer_event(answer, request.question, read)
        except Cancelled:
            raise
        except HeadnoteError as error:
            return ErrorEvent(problem_of(error)[1])
        except Exception:
            # Log before the client learns of it, like every other unexpected error.
            logger.exception("an answer failed")
            return ErrorEvent(INTERNAL_ERROR)
