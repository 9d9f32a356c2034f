"""What the API sends: one type per response. The OpenAPI document is generated from these types."""

from __future__ import annotations

from headnote.web.responses.asking import AnswerEvent, AskEvent, CitationAnswer, DroppedAnswer, ErrorEvent, TextEvent
from headnote.web.responses.cutting import (
    BlockAnswer,
    ChunkAnswer,
    ChunkingAnswer,
    PresetAnswer,
    PresetsAnswer,
    SettingAnswer,
)
from headnote.web.responses.documents import (
    ChunkItem,
    DocumentAnswer,
    DocumentItem,
    DocumentsAnswer,
    FoundAnswer,
    FoundWordAnswer,
    GraphAnswer,
    HeadingAnswer,
    LinkAnswer,
    LinksAnswer,
    NeighbourAnswer,
    NeighbourhoodAnswer,
    NodeAnswer,
    OutlineAnswer,
    PreviewAnswer,
    ReadAnswer,
)
from headnote.web.responses.finding import GuessAnswer, HitAnswer, SearchAnswer, SnippetAnswer, SnippetLine, WhyAnswer
from headnote.web.responses.problems import Failure, Problem
from headnote.web.responses.state import FilesReadAnswer, Health, ModelAnswer, ProgressAnswer, StatusAnswer

__all__ = [
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
    "ErrorEvent",
    "Failure",
    "FilesReadAnswer",
    "FoundAnswer",
    "FoundWordAnswer",
    "GraphAnswer",
    "GuessAnswer",
    "HeadingAnswer",
    "Health",
    "HitAnswer",
    "LinkAnswer",
    "LinksAnswer",
    "ModelAnswer",
    "NeighbourAnswer",
    "NeighbourhoodAnswer",
    "NodeAnswer",
    "OutlineAnswer",
    "PresetAnswer",
    "PresetsAnswer",
    "PreviewAnswer",
    "Problem",
    "ProgressAnswer",
    "ReadAnswer",
    "SearchAnswer",
    "SettingAnswer",
    "SnippetAnswer",
    "SnippetLine",
    "StatusAnswer",
    "TextEvent",
    "WhyAnswer",
]
