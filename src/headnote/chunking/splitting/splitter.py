"""The algorithm: a block is cut at the seams of its kind, and what is still too heavy at finer ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from operator import sub

from headnote.chunking.context import MANY_BLANKS, ChunkingContext
from headnote.chunking.splitting import pieces
from headnote.chunking.splitting.pieces import (
    BETWEEN_BLOCKS,
    IN_BLOCK,
    NO_SEAM,
    CutPiece,
    Cuts,
    Units,
    by_item,
    by_line,
    by_sentence,
    by_word,
    quote_marker,
    source_start,
)
from headnote.lines import with_plain_line_ends
from headnote.markdown.rules.mdx import flow_at
from headnote.markdown.rules.rule import SpansRead
from headnote.markdown.scanner import scan_spans
from headnote.markdown.views import View, footnote_content, list_items, quote_content, whole

# -- Where containers are cut: between the blocks inside them.


def item(piece: CutPiece) -> list[CutPiece]:
    """The blocks in the content of a list item."""
    contents = list(list_items(piece.view, piece.start, piece.end))
    if len(contents) == 1:
        return _blocks(_content(piece, "item", contents[0]))
    return [_content(piece, "item", content, IN_BLOCK if number else None) for number, content in enumerate(contents)]


def quote(piece: CutPiece) -> list[CutPiece]:
    return _blocks(_content(piece, "quote", quote_content(piece.view, piece.start, piece.end)))


def footnote(piece: CutPiece) -> list[CutPiece]:
    return _blocks(_content(piece, "footnote", footnote_content(piece.view, piece.start, piece.end)))


def jsx_element(piece: CutPiece) -> list[CutPiece]:
    """The opening tag, the blocks inside, the closing tag; the tags stay with what is next to them."""
    text = piece.view.text
    inner = min(flow_at(text, piece.start, SpansRead()).end + 1, piece.end)
    closing = max(text.rfind("\n", inner, piece.end) + 1, inner)
    blocks = _blocks(piece._replace(start=inner, end=closing)) if inner < closing else []
    if not blocks:
        return by_line(piece).parts()
    blocks[0] = blocks[0]._replace(strength=NO_SEAM)
    opening_tag = piece._replace(kind="line", end=inner)
    closing_tag = piece._replace(kind="line", start=closing, strength=NO_SEAM)
    return [opening_tag, *blocks, closing_tag]


def _content(container: CutPiece, kind: str, view: View, strength: int | None = None) -> CutPiece:
    """The content of a container as a piece; by default, its beginning is as good a place to cut as the container's."""
    return CutPiece(
        kind=kind,
        source=container.source,
        view=View(view.text + "\n", view.starts, view.shifts),
        start=0,
        end=len(view.text),
        strength=container.strength if strength is None else strength,
        mdx=container.mdx,
    )


def _blocks(content: CutPiece) -> list[CutPiece]:
    # The line end in front keeps what looks like frontmatter from being read as such.
    spans = scan_spans("\n" + content.text, content.mdx)
    shift = content.start - 1
    bare = content._replace(before="", after="", reopen="", close="")
    return [
        bare.part(kind, shift + start, shift + end, IN_BLOCK if number else content.strength)
        for number, (kind, start, end, _, _) in enumerate(spans)
    ]


# -- How heavy the parts of one block are.


class Measure:
    """Weighs stretches of a block. Offsets are those of its source, which begins at `start` in the document and has
    its line ends.

    The pieces that are cut have plain line ends, and these weigh less.
    """

    def __init__(self, context: ChunkingContext, source: str, start: int, is_code: bool) -> None:
        self._context = context
        self._start = start
        self._counter = context.counter
        self._source = context.masked[start : start + len(source)] if context.leaves_out else source
        self._is_code = is_code

    def texts(self, *texts: str) -> list[int]:
        """Weight of each text."""
        return self._context.weigh_texts(texts, self._is_code)

    def between(self, cuts: Sequence[int]) -> list[int]:
        """Weight of the source between each two neighbouring cuts."""
        before = self._context.weight_before
        totals: list[int] = []
        for cut in cuts:
            total = before.get(self._start + cut)
            if total is None:
                return self._context.weigh_pieces(self._source, cuts, self._is_code)
            totals.append(total)
        return list(map(sub, totals[1:], totals))

    def seams(self, cuts: list[int]) -> tuple[list[int], list[bool]]:
        """The seam of each cut, and whether the cut has none.

        A seam lies at the cut or before the blanks in front of it: weights between seams add up exactly. A cut
        without a seam stands for itself, and sums across it are estimates. Seams never run backwards.
        """
        if self._counter.adds == "anywhere" or self._are_known(cuts):
            return _never_backwards(cuts), [False] * len(cuts)
        seams = self._counter.seams_before(self._source, cuts)
        off_seam = [seam is None for seam in seams]
        nearest = [cut if seam is None else seam for cut, seam in zip(cuts, seams, strict=True)]
        return _never_backwards(nearest), off_seam

    def _are_known(self, cuts: list[int]) -> bool:
        before, start = self._context.weight_before, self._start
        return bool(before) and all(start + cut in before for cut in cuts)

    def fit(self, text: str, start: int, end: int, limit: int) -> int:
        """How far the text from `start` on stays under the limit; one character at least."""
        counter = self._counter
        return counter.fit(text, limit // counter.unit, start, end, self._is_code)

    def blanks_behind(self, text: str, weight: int) -> int:
        """How much of the weight of a text is a long run of blanks at its end."""
        bare = text.rstrip()
        return weight - self.texts(bare)[0] if len(text) - len(bare) > MANY_BLANKS else 0


def _never_backwards(places: list[int]) -> list[int]:
    """Each place, or the furthest one before it. They are nearly always sorted, which `sorted` detects fastest."""
    return places if places == sorted(places) else list(accumulate(places, max))


# -- The algorithm


_SEAMS: dict[str, Callable[[CutPiece], Cuts]] = {
    "code": pieces.code,
    "html": pieces.raw,
    "mdx_expression": pieces.raw,
    "table": pieces.table,
    "list": by_item,
    "paragraph": by_sentence,
    "heading": by_word,
    "sentence": by_word,
    "line": by_word,
}
"""Kind → where it is cut. A word is cut between characters; kinds that are named nowhere are cut between lines."""

_CONTAINERS: dict[str, Callable[[CutPiece], list[CutPiece]]] = {
    "item": item,
    "quote": quote,
    "footnote": footnote,
    "mdx_jsx": jsx_element,
}
"""Kind → the pieces inside it."""

_MAX_DEPTH = 24
"""Containers in containers are opened this far; deeper ones are cut between lines."""

_LONG_BLANKS = (" " * MANY_BLANKS + "\n", "\t" * MANY_BLANKS + "\n", "\n" * MANY_BLANKS)

Extent = tuple[int, int]
"""Where something begins and ends in the source."""


def split_block(source: str, kind: str, end: int, limit: int, measure: Measure, mdx: bool) -> Units:
    """The units of a block, none heavier than the limit, in the order of the source.

    The block goes up to `end`. What follows it in the source is blank and belongs to its last unit.
    """
    text = with_plain_line_ends(source)
    block = CutPiece(kind=kind, source=text, view=whole(text), start=0, end=end, strength=BETWEEN_BLOCKS, mdx=mdx)
    splitter = _Splitter(limit, measure)
    splitter.divide(block, (0, len(source)))
    return splitter.units


def split_bare(source: str, limit: int, measure: Measure) -> Units:
    """The units of a text whose structure does not matter, each as long as fits."""
    splitter = _Splitter(limit, measure)
    splitter.append_bare(source, (0, len(source)))
    return splitter.units


class _Splitter:
    """Collects the units of one block."""

    def __init__(self, limit: int, measure: Measure) -> None:
        self.limit = limit
        self.measure = measure
        self.units = Units()
        self._carried_weights: dict[str, int] = {"": 0}

    def divide(self, piece: CutPiece, extent: Extent, depth: int = 0) -> None:
        """Append the units of a piece.

        The extent is all that these units cover in the source: the piece with the markers before it and the blanks
        behind it. Two things hold whenever this returns:

        - Units cover the source without gaps or overlaps up to the end of the extent; only blanks in front of the
          very first one are left out.
        - Their weights add up to the weight of what they cover, except where a unit begins off a seam.

        It ends because each step leads to a finer kind: containers to blocks (`_MAX_DEPTH` times at most), a list to
        its items, other blocks to lines or sentences, these to words, and words to characters, which are not
        divided any further.
        """
        if piece.kind in _CONTAINERS and depth < _MAX_DEPTH:
            parts = _CONTAINERS[piece.kind](piece)
        elif piece.kind == "word":
            parts = self._by_character(piece).parts()
        else:
            cuts = _SEAMS.get(piece.kind, by_line)(piece)
            if self._append_all(cuts, extent):
                return
            parts = cuts.parts()
        if parts:
            self._append_each(parts, extent, depth)
        else:
            self.append_bare(piece.source, extent)  # nothing but the markers of containers

    def _append_all(self, cuts: Cuts, extent: Extent) -> bool:
        """Append all parts of a piece at once, if none is too heavy: the usual case, and far cheaper than each."""
        piece, _, (_, *starts), strengths = cuts
        source = piece.source
        if piece.is_nested or _has_long_blanks(source, extent[0], extent[1]):
            return False
        starts = [extent[0], *starts]
        seams, off_seam = self.measure.seams([*starts, extent[1]])
        weights = self.measure.between(seams)
        before, reopen, close, after = self.measure.texts(piece.before, piece.reopen, piece.close, piece.after)
        half = self.limit // 2
        if max(weights) + reopen + close > self.limit or reopen + close > half or before + after > half:
            return False
        units, inner = self.units, len(starts) - 1
        units.starts += starts
        units.weights += weights
        units.strengths += strengths
        units.off_seam += off_seam[:-1]
        units.prefixes += [piece.before, *[piece.reopen] * inner]
        units.suffixes += [*[piece.close] * inner, piece.after]
        units.opening += [before, *[reopen] * inner]
        units.closing += [*[close] * inner, after]
        return True

    def _append_each(self, parts: list[CutPiece], extent: Extent, depth: int) -> None:
        """Append parts one by one, and divide those that are still too heavy."""
        units, source = self.units, parts[0].source
        starts = [*map(source_start, parts), extent[1]]
        if source[extent[0] : starts[0]].strip():
            starts[0] = extent[0]  # the marker of a container may stand on a line of its own
        # Each part is weighed from its seam to the next one, so that the weights of neighbours add up.
        (end_before, *seams), (_, *off_seam) = self.measure.seams([extent[0], *starts])
        if not units.starts:
            seams[0] = end_before
        elif end_before < seams[0]:
            # Blanks in front of the first part lie behind the unit before, which weighs no more if it ends a chunk.
            [blanks] = self.measure.between((end_before, seams[0]))
            units.weights[-1] += blanks
            units.closing[-1] -= blanks
        places = zip(pairwise(starts), pairwise(seams), self.measure.between(seams), off_seam[:-1], strict=True)
        for part, (part_extent, part_seams, weight, is_off_seam) in zip(parts, places, strict=True):
            if part_extent[0] < part_extent[1]:  # otherwise all of it stands on a line that went to the part before
                self._append_part(part, part_extent, part_seams, weight, is_off_seam, depth)

    def _append_part(
        self, part: CutPiece, extent: Extent, seams: Extent, weight: int, is_off_seam: bool, depth: int
    ) -> None:
        start = extent[0]
        if part.source[start].isspace() and part.source[start : extent[1]].isspace():
            self._append_blanks(weight, is_off_seam)
            return
        part = self._with_light_carry(_with_quote_marker(part, start))
        carried = self._carried_weights
        # Long blanks at either end count only inside a chunk: whether the unit fits alone is decided without them.
        leading = self.measure.between((seams[0], start))[0] if start - seams[0] > MANY_BLANKS else 0
        trailing = self.measure.blanks_behind(part.source[start : max(start, seams[1])], weight - leading)
        excess = weight - leading - trailing + carried[part.before] + carried[part.after] - self.limit
        if excess > 0 and part.kind != "character":
            self.divide(part, extent, depth + 1)
        elif excess > self.limit // 8:
            self.append_bare(part.source, extent)
        else:
            self.units.append(
                start=start,
                weight=weight,
                strength=part.strength,
                off_seam=is_off_seam,
                prefix=part.before,
                suffix=part.after,
                opening=carried[part.before] - leading,
                closing=carried[part.after] - trailing,
            )

    def append_bare(self, source: str, extent: Extent) -> None:
        """Append as much of the source at a time as fits, with nothing around it: the very last resort."""
        units = self.units
        start, end = extent
        while start < end:
            cut = self.measure.fit(source, start, end, self.limit)
            [weight] = self.measure.between((start, cut))
            if source[start:cut].isspace():
                self._append_blanks(weight, is_off_seam=True)
            else:
                units.append(start=start, weight=weight, strength=NO_SEAM, off_seam=True)
            start = cut

    def _append_blanks(self, weight: int, is_off_seam: bool) -> None:
        """Blanks belong to the unit before, if there is one. It weighs no more if it ends a chunk."""
        units = self.units
        if units.starts:
            units.weights[-1] += weight
            units.closing[-1] -= weight
            units.off_seam[-1] |= is_off_seam

    def _by_character(self, word: CutPiece) -> Cuts:
        """Cut a single endless word: as many characters at a time as fit."""
        text = word.text
        end = word.start + len(text.rstrip())
        word = word._replace(start=word.end - len(text.lstrip()))
        marker = quote_marker(word)
        around = (word.reopen + marker, word.close, word.before + marker, word.after)
        reopen, close, before, after = self.measure.texts(*around)
        limit = max(1, self.limit - max(reopen + close, before + after))
        starts = [word.start]
        while (cut := self.measure.fit(word.view.text, starts[-1], end, limit)) < end:
            starts.append(cut)
        return Cuts(word, "character", starts, [word.strength, *[NO_SEAM] * (len(starts) - 1)])

    def _with_light_carry(self, part: CutPiece) -> CutPiece:
        """What is repeated around a part may take three quarters of the limit.

        Rather than more, a fence loses its info string, and a table its head: a part that does not quite stand alone
        is better than none.
        """
        weights = self._carried_weights
        while True:
            for text in (part.before, part.after):
                if text not in weights:
                    weights[text] = self.measure.texts(text)[0]
            if weights[part.before] + weights[part.after] <= self.limit * 3 // 4:
                return part
            before, reopen = pieces.shorter_opening(part.before), pieces.shorter_opening(part.reopen)
            if (before, reopen) == (part.before, part.reopen):
                return part._replace(before="", after="", reopen="", close="")
            part = part._replace(before=before, reopen=reopen)


def _has_long_blanks(source: str, start: int, end: int) -> bool:
    return any(source.find(blanks, start, end) >= 0 for blanks in _LONG_BLANKS)


def _with_quote_marker(part: CutPiece, start: int) -> CutPiece:
    """A part that begins inside a line of a quote needs the marker of that line."""
    if start == 0 or part.source[start - 1] == "\n":
        return part
    return part._replace(before=part.before + quote_marker(part))
