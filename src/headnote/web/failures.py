"""What goes wrong → one JSON shape and a status that says whose fault it is."""

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
from headnote.web.answers import Failure, Problem
from headnote.web.shapes import encoded

_KINDS: tuple[tuple[type[HeadnoteError], int, str], ...] = (
    (MissingSource, 404, "not_found"),
    (SettingsError, 400, "bad_request"),
    (AnswerError, 502, "model_failed"),
    (EmbeddingError, 502, "model_failed"),
    (IndexFailure, 503, "index_unavailable"),
    (HeadnoteError, 503, "unavailable"),
)

# What nobody has foreseen: the server writes it down, and those who asked learn no more than that.
SURPRISE = Problem("failed", "the server failed", "see what it has written on its terminal")


class Refused(Exception):
    """A request that is not answered, for a reason of the protocol."""

    def __init__(
        self, status: int, code: str, message: str, remedy: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.problem = Problem(code, message, remedy)


def failure(status: int, problem: Problem, headers: dict[str, str] | None = None) -> Response:
    return Response(encoded(Failure(problem)), status, headers, "application/json")


def told(error: HeadnoteError) -> tuple[int, Problem]:
    """An error of ours as others may read it: the folders of this machine are not part of it."""
    status, code = next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))
    if isinstance(error, MissingSource):
        remedy = error.remedy if error.remedy.startswith(("it has", "search")) else "see /api/documents"
        return status, Problem(code, f"{error.path}: {error.message}", remedy)
    where = f"{error.path}: " if isinstance(error, SettingsError) and error.path else ""
    return status, Problem(code, where + error.message, error.remedy)


def on_our_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HeadnoteError)
    return failure(*told(error))


def on_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return failure(error.status, error.problem, error.headers)


def on_status(_: Request, error: Exception) -> Response:
    """No such address, or not that way."""
    status = int(getattr(error, "status_code", 500))
    phrase = HTTPStatus(status).phrase
    headers = dict(getattr(error, "headers", None) or {})
    return failure(status, Problem(phrase.lower().replace(" ", "_"), phrase, "see /api/openapi.json"), headers)


def on_surprise(_: Request, __: Exception) -> Response:
    return failure(500, SURPRISE)
