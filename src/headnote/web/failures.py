"""Every error → one JSON body, and a status that says whose fault it is."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from headnote.errors import (
    AnswerError,
    EmbeddingError,
    HeadnoteError,
    IndexFailure,
    MissingSource,
    SettingsError,
)
from headnote.web.conversion import encoded
from headnote.web.responses import Failure, Problem

_KINDS: tuple[tuple[type[HeadnoteError], int, str], ...] = (
    (MissingSource, 404, "not_found"),
    (SettingsError, 400, "bad_request"),
    (AnswerError, 502, "model_failed"),
    (EmbeddingError, 502, "model_failed"),
    (IndexFailure, 503, "index_unavailable"),
    (HeadnoteError, 503, "unavailable"),
)

# The traceback goes to the terminal of the server, never to the client.
INTERNAL_ERROR = Problem("failed", "the server failed", "see the output on its terminal")


class Refused(Exception):
    """A request that is refused before it reaches the index."""

    def __init__(
        self, status: int, code: str, message: str, remedy: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.problem = Problem(code, message, remedy)


def failure(status: int, problem: Problem, headers: dict[str, str] | None = None) -> Response:
    return Response(encoded(Failure(problem)), status, headers, "application/json")


def problem_of(error: HeadnoteError) -> tuple[int, Problem]:
    """The status and body for an error, without the folders of this machine."""
    status, code = next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))
    if isinstance(error, MissingSource):
        remedy = error.remedy if error.remedy.startswith(("it has", "nearest", "search")) else "see /api/documents"
        return status, Problem(code, f"{error.path}: {error.message}", remedy)
    where = f"{error.path}: " if isinstance(error, SettingsError) and error.path else ""
    return status, Problem(code, where + error.message, error.remedy)


def on_headnote_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HeadnoteError)
    return failure(*problem_of(error))


def on_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return failure(error.status, error.problem, error.headers)


def on_http_error(_: Request, error: Exception) -> Response:
    """No such address, or the wrong method."""
    status = int(getattr(error, "status_code", 500))
    phrase = HTTPStatus(status).phrase
    headers = dict(getattr(error, "headers", None) or {})
    return failure(status, Problem(phrase.lower().replace(" ", "_"), phrase, "see /api/openapi.json"), headers)


def on_unexpected(_: Request, __: Exception) -> Response:
    return failure(500, INTERNAL_ERROR)
