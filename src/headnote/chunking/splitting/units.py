"""What is packed into chunks: stretches of the source that are not split any further."""

from __future__ import annotations

from typing import Final

NO_SEAM: Final = 0
IN_TEXT: Final = 1
IN_BLOCK: Final = 2
BETWEEN_BLOCKS: Final = 3
"""How good a place to cut a unit's beginning is, worst first."""

_LISTS = ("blocks", "closing", "off_seam", "opening", "prefixes", "starts", "strengths", "suffixes", "weights")


class Units:
    """Parallel lists with an entry for each unit, in the order of the source. Each unit ends where the next begins."""

    __slots__ = _LISTS

    def __init__(self) -> None:
        self.starts: list[int] = []
        """Where each begins in the source."""
        self.blocks: list[int] = []
        """Index of the block each comes from."""
        self.weights: list[int] = []
        """What each adds to the weight of a chunk, with the blanks behind it."""
        self.off_seam: list[bool] = []
        """Whether each begins where weights do not add up exactly with those of the unit before."""
        self.strengths: list[int] = []
        """How good a place to cut the beginning of each is."""
        self.prefixes: list[str] = []
        """What a chunk that begins with the unit needs in front."""
        self.suffixes: list[str] = []
        """What a chunk that ends with the unit needs behind."""
        self.opening: list[int] = []
        """What the weight of a chunk changes by if it begins with the unit: more by the prefix, less by long blanks
        in front, which count only behind other text."""
        self.closing: list[int] = []
        """The same for a chunk that ends with the unit: more by the suffix, less by long blanks at the end."""

    def append(
        self,
        *,
        start: int,
        weight: int,
        strength: int,
        off_seam: bool,
        prefix: str = "",
        suffix: str = "",
        opening: int = 0,
        closing: int = 0,
    ) -> None:
        """Add a unit to every list but `blocks`: a splitter knows only its own block."""
        self.starts.append(start)
        self.weights.append(weight)
        self.strengths.append(strength)
        self.off_seam.append(off_seam)
        self.prefixes.append(prefix)
        self.suffixes.append(suffix)
        self.opening.append(opening)
        self.closing.append(closing)

    def replace(self, number: int, inner: Units) -> None:
        """Replace a unit by those it consists of. A blank unit consists of none."""
        inner.blocks = [self.blocks[number]] * len(inner.starts)
        if inner.starts:
            inner.strengths[0] = self.strengths[number]
        elif number + 1 < len(self.starts):
            self.off_seam[number + 1] = True  # the weight of the blanks that went is missing there
        for name in _LISTS:
            getattr(self, name)[number : number + 1] = getattr(inner, name)
