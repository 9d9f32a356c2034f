"""Hits."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from headnote.web.responses.state import FilesReadAnswer

Marks = list[tuple[int, int]]
"""Offsets in a text: start, and just past the end."""


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
    about: float
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
    snippet; `lead` characters of `text` come before its own. `root` names the folder
    of several that has it, `about` is what is said about its folders."""

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
    root: str
    about: str
    line: int
    marks: Marks
    snippet: SnippetAnswer


class FacetAnswer(msgspec.Struct):
    """A way to narrow the search: the same search with `argument` for `parameter` finds `total` passages. A folder
    takes the place of other paths, the others are added. `name` is that of a field."""

    kind: Literal["folder", "tag", "field"]
    name: str
    value: str
    total: int
    parameter: Literal["path", "tag", "where"]
    argument: str


class ReadQueryAnswer(msgspec.Struct):
    """How a query was understood: `words` are looked for, every hit has all `phrases` and satisfies all `filters`, none
    has what is `excluded`. `notes` are remarks, such as a field that no document has."""

    words: str
    phrases: list[str]
    excluded: list[str]
    filters: list[str]
    notes: list[str]


class SearchAnswer(msgspec.Struct):
    """`total` passages are found, of which `hits` are shown from `offset` on; near copies count, but are not shown.
    `answered` is the query with its misspelt words corrected. `note` says why there are no hits, `has_nearest`
    whether a minimum score of 0 shows some all the same. While the folder is read for the first time, `files_read`
    tells how much of it was searched."""

    query: str
    answered: str
    understood: ReadQueryAnswer
    hits: list[HitAnswer]
    total: int
    offset: int
    facets: list[FacetAnswer]
    note: str
    has_nearest: bool
    milliseconds: float
    files_read: FilesReadAnswer | None
