"""What the API sends: one type per response, made of the types that the index returns. The OpenAPI document is
generated from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from headnote.api.reports import ModelStatus
from headnote.chunking.presets import SettingInfo
from headnote.index.plan import FilesRead
from headnote.links.graph import Node
from headnote.model import Citation, Dropped, Facet, FoundWord, Hit, ReadQuery, Related
from headnote.model.results import Progress
from headnote.rendering.answers import DrawnBlock
from headnote.search.snippets import ExcerptLine, Mark, Snippet

# -- How the server and its index are.


class Health(msgspec.Struct):
    """`ready` tells that every file was read; until then a search may miss some."""

    ok: bool
    version: str
    ready: bool


@dataclass(frozen=True, slots=True)
class ProgressAnswer(Progress):
    """How far an update is."""

    stage: Literal["documents", "vectors"]


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
    models: tuple[ModelStatus, ...]
    answering: str
    files_read: FilesRead | None
    roots: list[RootAnswer]
    """The folders of an index of several; empty for a single one."""
    left_out: list[LeftOutAnswer]
    """The first hundred files and folders that one might miss."""
    left_out_count: int
    """How many there are."""
    withheld: list[str]
    """Settings of the folder that are not used before `headnote trust`."""
    read_only: bool
    """Whether the index stays as it is, whatever becomes of the files."""
    page: str
    """Digest of the page that this server has. A page with another one is of another version."""


# -- Hits.


@dataclass(slots=True, kw_only=True)
class HitAnswer(Hit):
    """A passage that answers a query. `marks` are the words of the query in `text`, `line` is the first line of the
    snippet; `lead` characters of `text` come before its own. `root` names the folder
    of several that has it, `about` is what is said about its folders."""

    line: int
    marks: list[Mark]
    snippet: Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetAnswer(Facet):
    """A way to narrow the search: the same search with `argument` for `parameter` finds `total` passages. A folder
    takes the place of other paths, the others are added. `name` is that of a field."""

    parameter: Literal["path", "tag", "where"]
    argument: str


class SearchAnswer(msgspec.Struct):
    """`total` passages are found, of which `hits` are shown from `offset` on; near copies count, but are not shown.
    `answered` is the query with its misspelt words corrected. `note` says why there are no hits, `has_nearest`
    whether a minimum score of 0 shows some all the same. While the folder is read for the first time, `files_read`
    tells how much of it was searched."""

    query: str
    answered: str
    understood: ReadQuery
    hits: list[HitAnswer]
    total: int
    offset: int
    facets: list[FacetAnswer]
    note: str
    has_nearest: bool
    milliseconds: float
    files_read: FilesRead | None


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


class TextEvent(msgspec.Struct, tag_field="type", tag="text"):
    """A piece of the answer, as it comes, and the blocks that it adds or changes; none follows the last of them."""

    text: str
    blocks: list[DrawnBlock]


class AnswerEvent(msgspec.Struct, tag_field="type", tag="answer"):
    """The whole answer, `html` block by block; the last line. `files_read` is as in a search; `clear` says whether the
    sentences that are quoted without a model answer the question, or only come nearest."""

    text: str
    html: list[str]
    citations: tuple[Citation, ...]
    sources: list[HitAnswer]
    dropped: tuple[Dropped, ...]
    complete: bool
    clear: bool
    model: str | None
    note: str
    files_read: FilesRead | None


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


class PresetsAnswer(msgspec.Struct):
    """`peers` are other ways to cut, imitated for comparison; of their settings only max and overlap can be changed."""

    presets: list[PresetAnswer]
    settings: list[SettingInfo]
    peers: list[PresetAnswer]


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


class HeadingsAnswer(msgspec.Struct):
    """By path of the document: text, first line of the chunk that the heading stands in, and whether that line is its
    own."""

    # Not tuples: tools that read the schema take what `prefixItems` says for an error.
    headings: dict[str, list[list[str | int | bool]]]


class OutlineAnswer(msgspec.Struct):
    path: str
    headings: list[HeadingAnswer]


class FoundAnswer(msgspec.Struct):
    """The words of a document that a query finds, in order; of very many, the first. `total` counts all."""

    path: str
    words: list[FoundWord]
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
    lines: tuple[ExcerptLine, ...]


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
    sentence: str = ""
    """In which it stands, as a reader sees it; of the first links to a document."""


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
    part: int | None


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
    direction: Literal["ltr", "rtl"]
    """Which way most of it is read."""


class GraphAnswer(msgspec.Struct):
    nodes: list[Node]
    edges: list[tuple[int, int]]
    orphans: list[str]
    broken: list[LinkAnswer]
    spots: list[tuple[int, int] | None]
    """Where each document lies in a picture of the whole; null for an orphan."""


class RelatedAnswer(msgspec.Struct):
    """Best first."""

    related: list[Related]
