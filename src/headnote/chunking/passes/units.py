"""What is packed into chunks: stretches of source that are not taken apart any further, side by side in lists."""

from __future__ import annotations

NO_SEAM, IN_TEXT, IN_BLOCK, BETWEEN_BLOCKS = range(4)
"""How good a place to cut a unit's beginning is, worst first."""


class Units:
    """Parallel lists with an entry for each unit, in the order of the source. Each unit ends where the next begins."""

    __slots__ = ("blocks", "closing", "opening", "prefixes", "starts", "strengths", "suffixes", "weights")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.blocks: list[int] = []
        """Index of the block each comes from."""
        self.weights: list[int] = []
        self.strengths: list[int] = []
        """How good a place to cut the beginning of each is."""
        self.prefixes: list[str] = []
        """What a chunk needs in front if it begins with the unit."""
        self.suffixes: list[str] = []
        """What a chunk needs behind if it ends with it."""
        self.opening: list[int] = []
        """Weight of the prefix."""
        self.closing: list[int] = []
        """Weight of the suffix, less that of many blanks at its end: they count only if something follows them."""

    def replace(self, number: int, inside: Units) -> None:
        """Put the units that one consists of in its place."""
        inside.blocks = [self.blocks[number]] * len(inside.starts)
        inside.strengths[0] = self.strengths[number]
        for name in self.__slots__:
            getattr(self, name)[number : number + 1] = getattr(inside, name)
