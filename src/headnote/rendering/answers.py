"""An answer as HTML, block by block while it is streamed. Its citations become links to their lines.

What a model writes is as untrusted as any document, and passes the same cleaner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from headnote.answer.citations import CitedPlace, find_brackets, read_bracket
from headnote.answer.prompt import shown_path
from headnote.markdown.document import Document
from headnote.model import Citation
from headnote.rendering import Deadline, DrawingTimeout
from headnote.rendering.link_targets import DocumentLinks
from headnote.rendering.parser import make_parser, tidy
from headnote.rendering.sanitizer import clean, nests_deeply

if TYPE_CHECKING:
    from markdown_it.token import Token

DRAW_SECONDS = 2.0
MAX_OPEN_BLOCK_CHARS = 20_000
"""Characters of a block that is drawn again with each word; a longer one is drawn when it is complete."""


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block of the answer, such as a paragraph, a list or code, as it is now."""

    number: int
    html: str


class CitedPlaces:
    """The places that an answer cites, numbered in the order of the text."""

    def __init__(self, citations: Iterable[Citation] = ()) -> None:
        known = list(citations)
        self._paths = {shown_path(citation.path): citation.path for citation in known}
        self._numbers: dict[tuple[str, int, int], int] = {}
        for citation in known:
            self.number(citation.path, citation.start_line, citation.end_line)

    @property
    def names(self) -> Sequence[str]:
        """Names of cited documents that are known already."""
        return tuple(self._paths)

    def path(self, item: CitedPlace) -> str:
        return self._paths.get(item.path, item.path)

    def number(self, path: str, start_line: int, end_line: int) -> int:
        return self._numbers.setdefault((path, start_line, end_line), len(self._numbers) + 1)


class StreamedAnswer:
    """An answer that grows. A block is final once a whole line of another one follows it."""

    def __init__(self) -> None:
        self._places = CitedPlaces()
        # An empty line first: a rule at the top of an answer begins no frontmatter.
        self._open = "\n"
        self._closed = 0

    def add(self, text: str) -> list[DrawnBlock]:
        """The blocks that this text adds or changes; there are none after the last of them."""
        self._open += text
        blocks = Document(self._open).blocks
        if not blocks:
            return []
        drawn = [
            DrawnBlock(self._closed + at, _draw(self._open[block.start : block.end], self._places))
            for at, block in enumerate(blocks)
            if at < len(blocks) - 1 or block.end - block.start <= MAX_OPEN_BLOCK_CHARS
        ]
        if "\n" in self._open[blocks[-1].start :]:
            self._closed += len(blocks) - 1
            self._open = "\n" + self._open[blocks[-1].start :]
        return drawn


def render_answer(text: str, citations: Iterable[Citation]) -> list[str]:
    """The blocks of a whole answer."""
    places = CitedPlaces(citations)
    text = "\n" + text
    return [_draw(text[block.start : block.end], places) for block in Document(text).blocks]


def _draw(text: str, places: CitedPlaces) -> str:
    """One block as clean HTML; as it is written if it takes too long."""
    links = DocumentLinks(_source_of(text, places), ())
    deadline = Deadline(DRAW_SECONDS)
    parser = make_parser(not nests_deeply(text), deadline)
    parser.inline.ruler.before("link", "citation", _citation_rule(places))
    try:
        tokens = parser.parse(text, {})
        for token in tokens:
            links.resolve(token)
        tidy(tokens)
        return clean(parser.renderer.render(tokens, parser.options, {}), links.address)
    except DrawingTimeout:
        return f"<pre>{escape(text)}</pre>"


def _source_of(text: str, places: CitedPlaces) -> str:
    """The document that a block cites first: its relative links start there."""
    brackets = find_brackets(text, places.names)
    return places.path(brackets[0].items[0]) if brackets else ""


def _citation_rule(places: CitedPlaces) -> Callable[[Any, bool], bool]:
    """An inline rule: `[a.md:12-30; b.md:7]` becomes a numbered link for each place."""

    def cite(state: Any, silent: bool) -> bool:
        if state.src[state.pos] != "[":
            return False
        bracket = read_bracket(state.src, state.pos, places.names)
        if bracket is None or any(item.start_line is None for item in bracket.items):
            return False
        if not silent:
            for item in bracket.items:
                _push_link(state, places, item)
        state.pos = bracket.end
        return True

    return cite


def _push_link(state: Any, places: CitedPlaces, item: CitedPlace) -> None:
    path, start, end = places.path(item), item.start_line or 1, item.end_line
    lines = str(start) if end <= start else f"{start}-{end}"
    query = {"path": path, "line": start, **({"end": end} if end > start else {})}
    opening: Token = state.push("citation_open", "a", 1)
    opening.attrs = {"href": f"#/document?{urlencode(query)}", "class": "cite", "title": f"{path}:{lines}"}
    state.push("text", "", 0).content = str(places.number(path, start, end))
    state.push("citation_close", "a", -1)
