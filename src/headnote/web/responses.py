"""What the API sends: one type per response. The OpenAPI document is generated from these types."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Marks = list[tuple[int, int]]
"""Offsets in a text: start, and just past the end."""


class Problem(msgspec.Struct):
    """What went wrong."""

    code: str
    message: str
    remedy: str = ""


class Failure(msgspec.Struct):
    """The body of every error."""

    error: Problem


class FilesReadAnswer(msgspec.Struct):
    """How many files of the folder were read, of how many; 0 of 0 before they are counted. Only these are searched."""

    done: int
    total: int


class Health(msgspec.Struct):
    """`ready` tells that every file was read; until then a search may miss some."""

    ok: bool
    version: str
    ready: bool


class ProgressAnswer(msgspec.Struct):
    """How far an update is."""

    stage: Literal["documents", "vectors"]
    done: int
    total: int
    seconds_left: float | None


class ModelAnswer(msgspec.Struct):
    """A model of the index, and how many of its vectors are missing."""

    role: Literal["instant", "deep"]
    name: str
    pending: int


class StatusAnswer(msgspec.Struct):
    root: str
    documents: int
    chunks: int
    links: int
    pending: int
    model: str
    bytes_on_disk: int
    updated: float | None
    generation: int
    problem: str
    busy: bool
    progress: ProgressAnswer | None
    settings: dict[str, Any]
    ask_model: str | None
    models: list[ModelAnswer]
    answering: str
    files_read: FilesReadAnswer | None


class GuessAnswer(msgspec.Struct):
    """A word of the query that was taken for another one."""

    typed: str
    found: str
    is_correction: bool


class WhyAnswer(msgspec.Struct):
    """Why a passage was found. `matched` are words as it writes them, `terms` those of the keyword index."""

    keyword_rank: int | None
    keyword_score: float
    matched: list[str]
    guesses: list[GuessAnswer]
    semantic_rank: int | None
    similarity: float
    model: str
    linked_from: str
    links_to: str
    link_score: float
    recency: float
    meaning_share: float
    share_reason: str
    terms: list[str]


class SnippetLine(msgspec.Struct):
    """A line of a snippet: its place in the document, and what a reader sees of it. Blanks count where it is code."""

    line: int
    text: str
    marks: Marks
    code: bool


class SnippetAnswer(msgspec.Struct):
    """The part of a passage to show; `cut_before` tells that the passage begins earlier."""

    lines: list[SnippetLine]
    cut_before: bool


class HitAnswer(msgspec.Struct):
    """A passage that answers a query. `marks` are the words of the query in `text`, `line` is the first line of the
    snippet; `lead` characters of `text` come before its own."""

    path: str
    start_line: int
    end_line: int
    breadcrumb: str
    title: str
    text: str
    score: float
    id: str
    key: str
    tokens: int
    why: WhyAnswer
    start: int
    end: int
    tags: list[str]
    aliases: list[str]
    links: list[str]
    metadata: dict[str, Any]
    lead: int
    line: int
    marks: Marks
    snippet: SnippetAnswer


class SearchAnswer(msgspec.Struct):
    """`answered` is the query with its misspelt words corrected. `note` says why there are no hits. While the folder is
    read for the first time, `files_read` tells how much of it was searched."""

    query: str
    answered: str
    hits: list[HitAnswer]
    note: str
    milliseconds: float
    files_read: FilesReadAnswer | None


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


class DocumentItem(msgspec.Struct):
    path: str
    title: str
    chunks: int


class DocumentsAnswer(msgspec.Struct):
    documents: list[DocumentItem]


class HeadingAnswer(msgspec.Struct):
    """A heading, with the lines and tokens of its section."""

    level: int
    text: str
    slug: str
    start_line: int
    end_line: int
    tokens: int


class OutlineAnswer(msgspec.Struct):
    path: str
    headings: list[HeadingAnswer]


class ReadAnswer(msgspec.Struct):
    path: str
    start_line: int
    end_line: int
    text: str


class LinkAnswer(msgspec.Struct):
    """A link with its document and line, and the file it leads to."""

    path: str
    line: int
    text: str
    target: str
    fragment: str
    resolved: str | None
    broken: bool


class LinksAnswer(msgspec.Struct):
    path: str
    links: list[LinkAnswer]
    backlinks: list[LinkAnswer]


class ChunkItem(msgspec.Struct):
    """The place of a chunk in its document."""

    index: int
    key: str
    start: int
    end: int
    start_line: int
    end_line: int
    breadcrumb: str
    tokens: int


class DocumentAnswer(msgspec.Struct):
    path: str
    title: str
    html: str
    text: str
    lines: int
    chunks: list[ChunkItem]
    headings: list[HeadingAnswer]
    links: list[LinkAnswer]
    backlinks: list[LinkAnswer]
    tags: list[str]
    metadata: dict[str, Any]


class NodeAnswer(msgspec.Struct):
    path: str
    title: str
    degree: int


class GraphAnswer(msgspec.Struct):
    nodes: list[NodeAnswer]
    edges: list[tuple[int, int]]
    orphans: list[str]
    broken: list[LinkAnswer]


class PresetAnswer(msgspec.Struct):
    name: str
    description: str
    settings: dict[str, Any]


class SettingAnswer(msgspec.Struct):
    name: str
    type: Literal["integer", "boolean", "choice", "text"]
    choices: list[str]
    default: Any
    description: str


class PresetsAnswer(msgspec.Struct):
    presets: list[PresetAnswer]
    settings: list[SettingAnswer]


class ChunkAnswer(msgspec.Struct):
    """A chunk of the text that was sent."""

    index: int
    id: str
    key: str
    start: int
    end: int
    start_line: int
    end_line: int
    breadcrumb: str
    tokens: int
    text: str
    prefix: str
    suffix: str
    overlap: str
    is_split: bool
    part: int | None


class BlockAnswer(msgspec.Struct):
    """A block of the text that was sent."""

    kind: str
    start: int
    end: int
    start_line: int
    end_line: int
    cut: bool


class ChunkingAnswer(msgspec.Struct):
    chunks: list[ChunkAnswer]
    blocks: list[BlockAnswer]
    settings: dict[str, Any]
    seconds: float
