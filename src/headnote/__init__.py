"""headnote: Markdown and MDX as blocks, headings and sections with exact positions.

>>> import headnote
>>> [block.kind for block in headnote.parse("# Title\\n\\nText.")]
['heading', 'paragraph']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headnote.errors import (
    HeadnoteError,
    MissingSource,
    NotAFile,
    NotText,
    SettingsError,
    SourceError,
    UnreadableSource,
)
from headnote.model import Block, Frontmatter, Heading, Link, Section, Tag

if TYPE_CHECKING:
    from headnote.chunking.presets import presets
    from headnote.chunking.settings import Settings
    from headnote.markdown import parse

__version__ = "0.1.0"

__all__ = [
    "Block",
    "Frontmatter",
    "Heading",
    "HeadnoteError",
    "Link",
    "MissingSource",
    "NotAFile",
    "NotText",
    "Section",
    "Settings",
    "SettingsError",
    "SourceError",
    "Tag",
    "UnreadableSource",
    "__version__",
    "parse",
    "presets",
]

# Loaded when first asked for: whoever only wants a type or the version does not pay for the scanner.
_HOME_OF_LAZY_NAME = {
    "Settings": "headnote.chunking.settings",
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
