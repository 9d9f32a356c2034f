"""What the API sends: one type per response. The OpenAPI document is generated from these types."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

# -- How the server and its index are.


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


class RootAnswer(msgspec.Struct):
    """One of several folders, and why it cannot be read; its documents stay as they are."""

    name: str
    documents: int
    problem: str


class LeftOutAnswer(msgspec.Struct):
    """A file or folder that one might miss, and why it is not in the index."""

    path: str
    reason: str


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
    elsewhere: str
    """Which other process is updating the index; empty if none is."""
    busy: bool
    progress: ProgressAnswer | None
    settings: dict[str, Any]
    origins: dict[str, str]
    """Where each setting comes from: the line of a settings file, a variable, a flag; defaults are left out."""
    differing: list[str]
    """Where the settings file says something else than the index has."""
    ask_model: str | None
    models: list[ModelAnswer]
    answering: str
    files_read: FilesReadAnswer | None
    roots: list[RootAnswer]
    """The folders of an index of several; empty for a single one."""
    left_out: list[LeftOutAnswer]
    """The first hundred files and folders that one might miss."""
    withheld: list[str]
    """Settings of the folder that are not used before `headnote trust`."""
    page: str
    """Digest of the page that this server has. A page with another one is of another version."""


# -- Hits.


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


# -- Why a request failed.


class Problem(msgspec.Struct):
    """What went wrong."""

    code: str
    message: str
    remedy: str = ""


class Failure(msgspec.Struct):
    """The body of every error."""

    error: Problem


# -- Answers, as they are streamed.


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


# -- Presets, settings and chunks.


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


class PassageAnswer(msgspec.Struct):
    """The passage that answers a question, and its place among the chunks. `is_given` tells that the request named its
    lines. `chunks` have some of it as their own text, `whole_in` has all of it: null if it is torn. `rank` is that of
    `whole_in`, or else of the best of `chunks`; null if the search finds none of them."""

    start: int
    end: int
    start_line: int
    end_line: int
    is_given: bool
    chunks: list[int]
    whole_in: int | None
    rank: int | None


class QuestionAnswer(msgspec.Struct):
    """How the chunks answer a question. `scores` and `ranks` have an entry for each chunk, 0 and null where a search
    does not find it. If nothing is `relevant`, a search would show no hit. `model` is empty if only words count."""

    scores: list[float]
    ranks: list[int | None]
    relevant: bool
    model: str
    passage: PassageAnswer | None


class ChunkingAnswer(msgspec.Struct):
    """`question` is null unless the request asks one."""

    chunks: list[ChunkAnswer]
    blocks: list[BlockAnswer]
    settings: dict[str, Any]
    seconds: float
    question: QuestionAnswer | None


# -- Documents and the links between them.


class DocumentItem(msgspec.Struct):
    """A document in a list of all."""

    path: str
    title: str
    chunks: int
    size: int
    changed: float
    links: int
    tags: list[str]


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


class FoundWordAnswer(msgspec.Struct):
    """A word as the document writes it, and its line."""

    line: int
    text: str


class FoundAnswer(msgspec.Struct):
    """The words of a document that a query finds, in order; of very many, the first. `total` counts all."""

    path: str
    words: list[FoundWordAnswer]
    total: int


class EditorAnswer(msgspec.Struct):
    """How to open a document in an editor: its name, and the address, in which `{line}` stands for a line. Both are
    null if there is none, or if the request does not come from this machine."""

    editor: str | None = None
    address: str | None = None


class PreviewAnswer(msgspec.Struct):
    """What a reader sees first of a document, or of a section of it; `heading` is empty if it is the document."""

    path: str
    title: str
    heading: str
    lines: list[SnippetLine]


class LinkAnswer(msgspec.Struct):
    """A link with its document and line, and the file it leads to; with the address of the picture, if it is one."""

    path: str
    line: int
    text: str
    target: str
    fragment: str
    resolved: str | None
    broken: bool
    picture: str | None = None


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


class PieceItem(msgspec.Struct):
    """Lines of a document that are drawn together."""

    start_line: int
    end_line: int
    characters: int


class PieceAnswer(msgspec.Struct):
    path: str
    number: int
    start_line: int
    end_line: int
    html: str


class DocumentAnswer(msgspec.Struct):
    path: str
    title: str
    html: str
    """Of the first piece; most documents have one."""
    pieces: list[PieceItem]
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
    tags: list[str]


class GraphAnswer(msgspec.Struct):
    nodes: list[NodeAnswer]
    edges: list[tuple[int, int]]
    orphans: list[str]
    broken: list[LinkAnswer]


class NeighbourAnswer(NodeAnswer):
    """A document near another one."""

    distance: int


class NeighbourhoodAnswer(msgspec.Struct):
    """A document, itself the first of the nodes, and those around it."""

    nodes: list[NeighbourAnswer]
    edges: list[tuple[int, int]]
    left_out: int


class RelatedItem(msgspec.Struct):
    """A passage near another one, which `source` names, and why: the similarity of their vectors, rare `words` that
    both have, documents that both are linked with, or the `mention` of its document. `link` is what to write."""

    path: str
    start_line: int
    end_line: int
    breadcrumb: str
    title: str
    text: str
    score: float
    source: str
    similarity: float
    model: str
    words: tuple[str, ...]
    shared_links: int
    mention: str
    linked: Literal["", "to", "from", "both"]
    link: str


class RelatedAnswer(msgspec.Struct):
    """Best first."""

    related: list[RelatedItem]


# -- What the API sends


__all__ = [
    "AnswerBlock",
    "AnswerEvent",
    "AskEvent",
    "BlockAnswer",
    "ChunkAnswer",
    "ChunkItem",
    "ChunkingAnswer",
    "CitationAnswer",
    "DocumentAnswer",
    "DocumentItem",
    "DocumentsAnswer",
    "DroppedAnswer",
    "EditorAnswer",
    "ErrorEvent",
    "FacetAnswer",
    "Failure",
    "FilesReadAnswer",
    "FoundAnswer",
    "FoundWordAnswer",
    "GraphAnswer",
    "GuessAnswer",
    "HeadingAnswer",
    "Health",
    "HitAnswer",
    "LeftOutAnswer",
    "LinkAnswer",
    "LinksAnswer",
    "ModelAnswer",
    "NeighbourAnswer",
    "NeighbourhoodAnswer",
    "NodeAnswer",
    "OutlineAnswer",
    "PassageAnswer",
    "PieceAnswer",
    "PieceItem",
    "PresetAnswer",
    "PresetsAnswer",
    "PreviewAnswer",
    "Problem",
    "ProgressAnswer",
    "QuestionAnswer",
    "QuestionsAnswer",
    "ReadAnswer",
    "ReadQueryAnswer",
    "RelatedAnswer",
    "RelatedItem",
    "RootAnswer",
    "SearchAnswer",
    "SettingAnswer",
    "SnippetAnswer",
    "SnippetLine",
    "StatusAnswer",
    "TextEvent",
    "WhyAnswer",
]
