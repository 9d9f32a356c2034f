"""Answers, as they are streamed."""

from __future__ import annotations

import msgspec

from headnote.web.responses.finding import HitAnswer
from headnote.web.responses.problems import Problem
from headnote.web.responses.state import FilesReadAnswer


class CitationAnswer(msgspec.Struct):
    path: str
    start_line: int
    end_line: int
    text: str


class DroppedAnswer(msgspec.Struct):
    """A citation that failed the check."""

    written: str
    reason: str


class TextEvent(msgspec.Struct, tag_field="type", tag="text"):
    """A piece of the answer, as it comes."""

    text: str


class AnswerEvent(msgspec.Struct, tag_field="type", tag="answer"):
    """The whole answer; the last line. `files_read` is as in a search."""

    text: str
    citations: list[CitationAnswer]
    sources: list[HitAnswer]
    dropped: list[DroppedAnswer]
    complete: bool
    model: str | None
    note: str
    files_read: FilesReadAnswer | None


class ErrorEvent(msgspec.Struct, tag_field="type", tag="error"):
    """Why there is no answer; the last line."""

    error: Problem


AskEvent = TextEvent | AnswerEvent | ErrorEvent
