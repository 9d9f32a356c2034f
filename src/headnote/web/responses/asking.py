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


class AnswerBlock(msgspec.Struct):
    """A block of the answer by its number, from 0, as HTML; it replaces what this block was before."""

    number: int
    html: str


class TextEvent(msgspec.Struct, tag_field="type", tag="text"):
    """A piece of the answer, as it comes, and the blocks that it adds or changes; none follows the last of them."""

    text: str
    blocks: list[AnswerBlock]


class AnswerEvent(msgspec.Struct, tag_field="type", tag="answer"):
    """The whole answer, `html` block by block; the last line. `files_read` is as in a search."""

    text: str
    html: list[str]
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


class QuestionsAnswer(msgspec.Struct):
    """Questions that the folder can answer."""

    questions: list[str]
