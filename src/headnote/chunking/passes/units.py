"""What is packed into chunks: stretches of source that are not taken apart any further, side by side in lists."""

from __future__ import annotations

NO_SEAM, IN_TEXT, IN_BLOCK, BETWEEN_BLOCKS = range(4)
"""How good a place to cut a unit's beginning is, worst first."""


class Units:
    """Parallel lists with an entry for each unit, in the order of the source. Each unit ends where the next begins."""

    __slots__ = ("blocks", "closing", "doubts", "opening", "prefixes", "starts", "strengths", "suffixes", "weights")

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
        """Weight of the prefix, less that of many blanks before the unit: they count only if something stands there."""
        self.closing: list[int] = []
        """Weight of the suffix, less that of many blanks at its end: they count only if something follows them."""

        self.doubts: list[bool] = []
        """Whether its weight and that of the unit before do not add up to what both together weigh."""

    def append(
        self,
        start: int,
        weight: int,
        strength: int,
        doubt: bool,
        prefix: str = "",
        suffix: str = "",
        opening: int = 0,
        closing: int = 0,
    ) -> None:
        """One unit more, with an entry in each of the lists but the one of blocks, which its owner fills."""
        self.starts.append(start)
        self.weights.append(weight)
        self.strengths.append(strength)
        self.doubts.append(doubt)
        self.prefixes.append(prefix)
        self.suffixes.append(suffix)
        self.opening.append(opening)
        self.closing.append(closing)

    def replace(self, number: int, inside: Units) -> None:
        """Put the units that one consists of in its place; none, if it is blank."""
        inside.blocks = [self.blocks[number]] * len(inside.starts)
        if inside.starts:
            inside.strengths[0] = self.strengths[number]
        elif number + 1 < len(self.starts):
            self.doubts[number + 1] = True  # the weight of blanks that are no unit any more is missing there
        for name in self.__slots__:
            getattr(self, name)[number : number + 1] = getattr(inside, name)
