"""headnote: Markdown and MDX as chunks that remember their headings, with exact positions.

>>> import headnote
>>> [chunk.breadcrumb for chunk in headnote.chunk("# Title\\n\\nText.")]
['Title']
>>> [block.kind for block in headnote.parse("# Title\\n\\nText.")]
['heading', 'paragraph']
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # true for type checkers, by its name; `typing` takes as long to load as Python to start
if TYPE_CHECKING:
    from typing import Any

    from headnote.answer.chat import Chat, Piece
    from headnote.answer.prompt import Message
    from headnote.api import DocumentView, Drift, Index, LeftOut, ModelStatus, Passages, RootStatus, Status, open_pack
    from headnote.api.checking import check_links, lint
    from headnote.chunking.chunker import chunk
    from headnote.chunking.presets import presets
    from headnote.chunking.settings import ChunkOptions, Settings
    from headnote.config import ChatSettings, IndexSettings, OutwardSetting
    from headnote.embedding.embedder import Embedder
    from headnote.embedding.registry import Models
    from headnote.errors import (
        AnswerError,
        BulkError,
        CorruptIndex,
        EmbeddingError,
        FilterError,
        ForeignIndex,
        HeadnoteError,
        IndexFailure,
        LockedIndex,
        MissingExtra,
        MissingIndex,
        MissingKey,
        MissingSource,
        NewerIndex,
        NotAFile,
        NotText,
        RateLimited,
        RequestRefused,
        ServiceError,
        ServiceUnavailable,
        SettingsError,
        SkippedSource,
        SourceError,
        UnreachableIndex,
        UnreadableSource,
        UnreadIndex,
        UntrustedSettings,
        UnwritableIndex,
        WrongAnswer,
    )
    from headnote.extra.export.writing import Exported
    from headnote.extra.packs.format import PackInfo
    from headnote.index.plan import FilesRead, Plan, Report
    from headnote.links.checking.link_report import Finding, IgnoredFinding, LinkReport, Position
    from headnote.links.graph import Graph, Neighbour, Neighbourhood, Node
    from headnote.markdown import parse
    from headnote.markdown.headings import HeadingStack, OutlineEntry
    from headnote.model import Block, Chunk, Frontmatter, Heading, Link, Section, Tag
    from headnote.model.results import (
        Answer,
        Citation,
        Dropped,
        Facet,
        FoundWord,
        Guess,
        Hit,
        MatchedDocument,
        Matches,
        Occurrence,
        Passage,
        Progress,
        ReadQuery,
        Related,
        SearchPage,
        Turn,
        Why,
    )
    from headnote.search.query import SearchOptions
    from headnote.sources.chunks import chunk_file, chunk_files
    from headnote.sources.repository import SkippedFile
    from headnote.store.rows import (
        ChunkRow,
        Dated,
        Dates,
        DocumentRow,
        DocumentSummary,
        LinkRow,
        NonText,
        Parent,
        StoredChunk,
    )
    from headnote.tokens import Counter, count_tokens, estimate_tokens

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerError",
    "Block",
    "BulkError",
    "Chat",
    "ChatSettings",
    "Chunk",
    "ChunkOptions",
    "ChunkRow",
    "Citation",
    "CorruptIndex",
    "Counter",
    "Dated",
    "Dates",
    "DocumentRow",
    "DocumentSummary",
    "DocumentView",
    "Drift",
    "Dropped",
    "Embedder",
    "EmbeddingError",
    "Exported",
    "Facet",
    "FilesRead",
    "FilterError",
    "Finding",
    "ForeignIndex",
    "FoundWord",
    "Frontmatter",
    "Graph",
    "Guess",
    "Heading",
    "HeadingStack",
    "HeadnoteError",
    "Hit",
    "IgnoredFinding",
    "Index",
    "IndexFailure",
    "IndexSettings",
    "LeftOut",
    "Link",
    "LinkReport",
    "LinkRow",
    "LockedIndex",
    "MatchedDocument",
    "Matches",
    "Message",
    "MissingExtra",
    "MissingIndex",
    "MissingKey",
    "MissingSource",
    "ModelStatus",
    "Models",
    "Neighbour",
    "Neighbourhood",
    "NewerIndex",
    "Node",
    "NonText",
    "NotAFile",
    "NotText",
    "Occurrence",
    "OutlineEntry",
    "OutwardSetting",
    "PackInfo",
    "Parent",
    "Passage",
    "Passages",
    "Piece",
    "Plan",
    "Position",
    "Progress",
    "RateLimited",
    "ReadQuery",
    "Related",
    "Report",
    "RequestRefused",
    "RootStatus",
    "SearchOptions",
    "SearchPage",
    "Section",
    "ServiceError",
    "ServiceUnavailable",
    "Settings",
    "SettingsError",
    "SkippedFile",
    "SkippedSource",
    "SourceError",
    "Status",
    "StoredChunk",
    "Tag",
    "Turn",
    "UnreachableIndex",
    "UnreadIndex",
    "UnreadableSource",
    "UntrustedSettings",
    "UnwritableIndex",
    "Why",
    "WrongAnswer",
    "__version__",
    "check_links",
    "chunk",
    "chunk_file",
    "chunk_files",
    "count_tokens",
    "estimate_tokens",
    "lint",
    "open_pack",
    "parse",
    "presets",
]

# Loaded on first use: a program that needs only a type or the version does not pay for the scanner, and a command that
# another process answers pays for nothing.
_MODULE_OF = {
    "Answer": "headnote.model.results",
    "AnswerError": "headnote.errors",
    "Block": "headnote.model",
    "BulkError": "headnote.errors",
    "Chat": "headnote.answer.chat",
    "ChatSettings": "headnote.config",
    "Chunk": "headnote.model",
    "ChunkOptions": "headnote.chunking.settings",
    "ChunkRow": "headnote.store.rows",
    "Citation": "headnote.model.results",
    "CorruptIndex": "headnote.errors",
    "Counter": "headnote.tokens",
    "Dated": "headnote.store.rows",
    "Dates": "headnote.store.rows",
    "DocumentRow": "headnote.store.rows",
    "DocumentSummary": "headnote.store.rows",
    "DocumentView": "headnote.api",
    "Drift": "headnote.api",
    "Dropped": "headnote.model.results",
    "Embedder": "headnote.embedding.embedder",
    "EmbeddingError": "headnote.errors",
    "Exported": "headnote.extra.export.writing",
    "Facet": "headnote.model.results",
    "FilesRead": "headnote.index.plan",
    "FilterError": "headnote.errors",
    "Finding": "headnote.links.checking.link_report",
    "ForeignIndex": "headnote.errors",
    "FoundWord": "headnote.model.results",
    "Frontmatter": "headnote.model",
    "Graph": "headnote.links.graph",
    "Guess": "headnote.model.results",
    "Heading": "headnote.model",
    "HeadingStack": "headnote.markdown.headings",
    "HeadnoteError": "headnote.errors",
    "Hit": "headnote.model.results",
    "IgnoredFinding": "headnote.links.checking.link_report",
    "Index": "headnote.api",
    "IndexFailure": "headnote.errors",
    "IndexSettings": "headnote.config",
    "LeftOut": "headnote.api",
    "Link": "headnote.model",
    "LinkReport": "headnote.links.checking.link_report",
    "LinkRow": "headnote.store.rows",
    "LockedIndex": "headnote.errors",
    "MatchedDocument": "headnote.model.results",
    "Matches": "headnote.model.results",
    "Message": "headnote.answer.prompt",
    "MissingExtra": "headnote.errors",
    "MissingIndex": "headnote.errors",
    "MissingKey": "headnote.errors",
    "MissingSource": "headnote.errors",
    "ModelStatus": "headnote.api",
    "Models": "headnote.embedding.registry",
    "Neighbour": "headnote.links.graph",
    "Neighbourhood": "headnote.links.graph",
    "NewerIndex": "headnote.errors",
    "Node": "headnote.links.graph",
    "NonText": "headnote.store.rows",
    "NotAFile": "headnote.errors",
    "NotText": "headnote.errors",
    "Occurrence": "headnote.model.results",
    "OutlineEntry": "headnote.markdown.headings",
    "OutwardSetting": "headnote.config",
    "PackInfo": "headnote.extra.packs.format",
    "Parent": "headnote.store.rows",
    "Passage": "headnote.model.results",
    "Passages": "headnote.api",
    "Piece": "headnote.answer.chat",
    "Plan": "headnote.index.plan",
    "Position": "headnote.links.checking.link_report",
    "Progress": "headnote.model.results",
    "RateLimited": "headnote.errors",
    "ReadQuery": "headnote.model.results",
    "Related": "headnote.model.results",
    "Report": "headnote.index.plan",
    "RequestRefused": "headnote.errors",
    "RootStatus": "headnote.api",
    "SearchOptions": "headnote.search.query",
    "SearchPage": "headnote.model.results",
    "Section": "headnote.model",
    "ServiceError": "headnote.errors",
    "ServiceUnavailable": "headnote.errors",
    "Settings": "headnote.chunking.settings",
    "SettingsError": "headnote.errors",
    "SkippedFile": "headnote.sources.repository",
    "SkippedSource": "headnote.errors",
    "SourceError": "headnote.errors",
    "Status": "headnote.api",
    "StoredChunk": "headnote.store.rows",
    "Tag": "headnote.model",
    "Turn": "headnote.model.results",
    "UnreachableIndex": "headnote.errors",
    "UnreadIndex": "headnote.errors",
    "UnreadableSource": "headnote.errors",
    "UntrustedSettings": "headnote.errors",
    "UnwritableIndex": "headnote.errors",
    "Why": "headnote.model.results",
    "WrongAnswer": "headnote.errors",
    "check_links": "headnote.api.checking",
    "lint": "headnote.api.checking",
    "chunk": "headnote.chunking.chunker",
    "chunk_file": "headnote.sources.chunks",
    "chunk_files": "headnote.sources.chunks",
    "count_tokens": "headnote.tokens",
    "estimate_tokens": "headnote.tokens",
    "open_pack": "headnote.api",
    "parse": "headnote.markdown",
    "presets": "headnote.chunking.presets",
}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
