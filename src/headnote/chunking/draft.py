"""A chunk in the making."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Draft:
    """What a chunk owns, kept apart from what it only carries.

    Own text is one range of the source. Overlap, a reopened fence and a repeated table header are carried: merging
    drops them, so no word is ever doubled, and "nothing lost" means that own ranges tile the source.
    """

    start: int
    """Offset of its first own character."""
    end: int
    """Offset just past its last own character."""
    block_start: int
    """Index of the first block it has text of."""
    block_end: int
    """Index of the last block it has text of."""
    heading_path: tuple[str, ...]
    """Heading stack at its first content, or at the first heading if that is among it; for merged sections what they
    have in common."""
    section: int
    """Number of the section it comes from: parts of one section share it."""
    level: int = 0
    """Level of the heading it begins with; 0 if it begins with none."""
    part: int | None = None
    """Position among the parts of a split section; None if it is not split."""
    prefix: str = ""
    """Carried in front of its own text so that it stands alone: an opening fence, the head of a table."""
    suffix: str = ""
    """Carried behind it: a closing fence."""
    overlap: str = ""
    """Carried from the chunk before."""
    weight: int = 0
    """Sum of the weights of its units: its own text with the blank lines after it."""
    adds_up: bool = True
    """Whether that sum is the weight of the text. Across a unit that begins off a seam it is only an estimate."""


def number_parts(drafts: Iterable[Draft]) -> None:
    """Number the parts of each section in order, whichever passes cut them: ids depend on it."""
    parts: Counter[int] = Counter()
    for draft in drafts:
        if draft.part is not None:
            draft.part = parts[draft.section]
            parts[draft.section] += 1
