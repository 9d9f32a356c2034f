"""A chunk in the making."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_FIELDS = (
    "adds_up",
    "block_end",
    "block_start",
    "end",
    "heading_path",
    "level",
    "overlap",
    "part",
    "prefix",
    "section",
    "start",
    "suffix",
    "weight",
)


class Draft:
    """What a chunk owns, kept apart from what it only carries.

    Own text is one range of the source. Overlap, a reopened fence and a repeated table header are carried: merging
    drops them, so no word is ever doubled, and "nothing lost" means that own ranges tile the source.
    """

    __slots__ = _FIELDS

    def __init__(
        self,
        *,
        start: int,
        end: int,
        block_start: int,
        block_end: int,
        heading_path: tuple[str, ...],
        section: int,
        level: int = 0,
        part: int | None = None,
        prefix: str = "",
        suffix: str = "",
        overlap: str = "",
        weight: int = 0,
        adds_up: bool = True,
    ) -> None:
        self.start = start
        """Offset of its first own character."""
        self.end = end
        """Offset just past its last own character."""
        self.block_start = block_start
        """Index of the first block it has text of."""
        self.block_end = block_end
        """Index of the last block it has text of."""
        self.heading_path = heading_path
        """Heading stack at its first content, or at the first heading if that is among it; for merged sections what
        they have in common."""
        self.section = section
        """Number of the section it comes from: parts of one section share it."""
        self.level = level
        """Level of the heading it begins with; 0 if it begins with none."""
        self.part = part
        """Position among the parts of a split section; None if it is not split."""
        self.prefix = prefix
        """Carried in front of its own text so that it stands alone: an opening fence, the head of a table."""
        self.suffix = suffix
        """Carried behind it: a closing fence."""
        self.overlap = overlap
        """Carried from the chunk before."""
        self.weight = weight
        """Sum of the weights of its units: its own text with the blank lines after it."""
        self.adds_up = adds_up
        """Whether that sum is the weight of the text. Across a unit that begins off a seam it is only an estimate."""

    def copy(self) -> Draft:
        """Another draft of the same text, to be changed."""
        return Draft(**{name: getattr(self, name) for name in _FIELDS})

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled objects have no dictionary to pickle.
        return _restored, tuple(getattr(self, name) for name in _FIELDS)


def _restored(*values: Any) -> Draft:
    return Draft(**dict(zip(_FIELDS, values, strict=True)))


def number_parts(drafts: Iterable[Draft]) -> None:
    """Number the parts of each section in order, whichever passes cut them: ids depend on it."""
    parts: dict[int, int] = {}
    for draft in drafts:
        if draft.part is not None:
            draft.part = parts.get(draft.section, 0)
            parts[draft.section] = draft.part + 1
