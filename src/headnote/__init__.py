"""headnote: Markdown and MDX as chunks that remember their headings, with exact positions.

>>> import headnote
>>> [chunk.breadcrumb for chunk in headnote.chunk("# Title\\n\\nText.")]
['Title']
>>> [block.kind for block in headnote.parse("# Title\\n\\nText.")]
['heading', 'paragraph']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headnote.errors import (
    AnswerError,
    EmbeddingError,
    HeadnoteError,
    IndexFailure,
    MissingExtra,
    MissingSource,
    NotAFile,
    NotText,
    SettingsError,
    SourceError,
    UnreadableSource,
)
from headnote.model import (
    Answer,
    Block,
    Chunk,
    Citation,
    Dropped,
    Frontmatter,
    Heading,
    Hit,
    Link,
    Passage,
    Section,
    Tag,
    Why,
)

if TYPE_CHECKING:
    from headnote.api import Index
    from headnote.chunking.chunker import chunk
    from headnote.chunking.presets import presets
    from headnote.chunking.settings import Settings
    from headnote.markdown import parse
    from headnote.sources.chunks import chunk_file, chunk_files
    from headnote.tokens import count_tokens

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerError",
    "Block",
    "Chunk",
    "Citation",
    "Dropped",
    "EmbeddingError",
    "Frontmatter",
    "Heading",
    "HeadnoteError",
    "Hit",
    "Index",
    "IndexFailure",
    "Link",
    "MissingExtra",
    "MissingSource",
    "NotAFile",
    "NotText",
    "Passage",
    "Section",
    "Settings",
    "SettingsError",
    "SourceError",
    "Tag",
    "UnreadableSource",
    "Why",
    "__version__",
    "chunk",
    "chunk_file",
    "chunk_files",
    "count_tokens",
    "parse",
    "presets",
]

# Loaded when first asked for: whoever only wants a type or the version does not pay for the scanner.
_HOME_OF_LAZY_NAME = {
    "Index": "headnote.api",
    "Settings": "headnote.chunking.settings",
    "chunk": "headnote.chunking.chunker",
    "chunk_file": "headnote.sources.chunks",
    "chunk_files": "headnote.sources.chunks",
    "count_tokens": "headnote.tokens",
    "parse": "headnote.markdown",
    "presets": "headnote.chunking.presets",
}


def __getattr__(name: str) -> Any:
    home = _HOME_OF_LAZY_NAME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
