"""What the pieces of a document share: link references, and footnotes, which are numbered through and stand at its end.

Both are found by parsing only the blocks that may have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.markdown.document import Document
from headnote.web.rendering.deadline import Deadline, DeadlineExceeded
from headnote.web.rendering.parser import make_parser
from headnote.web.rendering.pieces import groups_of
from headnote.web.rendering.sanitizer import nests_deeply

if TYPE_CHECKING:
    from markdown_it.token import Token

_SIGNS = ("]:", "[^", "^[")
_NOTES = "footnote_block_open"


class Shared(NamedTuple):
    """References and numbers of footnotes of a whole document."""

    references: Mapping[str, Any]
    numbers: Mapping[str, int]
    """Of footnotes, by label."""
    inline: Sequence[tuple[int, int]]
    """Footnotes without a label: line and number."""

    def environment(self) -> dict[str, Any]:
        """What a parser must know about the rest of the document."""
        return {
            "references": dict(self.references),
            "footnotes": {"refs": dict.fromkeys((f":{label}" for label in self.numbers), -1), "list": {}},
        }

    def renumber(self, tokens: Sequence[Token], start_line: int, end_line: int) -> list[Token]:
        """The tokens of a piece, without footnotes at its end, and with the numbers of the whole document."""
        kept = _before_notes(tokens)
        unlabelled = iter(number for line, number in self.inline if start_line <= line <= end_line)
        for _, reference in _references(kept):
            own = reference.meta["id"]
            label = reference.meta.get("label")
            number = next(unlabelled, own) if label is None else self.numbers.get(label, own)
            reference.meta = {**reference.meta, "id": number}
        return kept


def read_shared(document: Document, deadline: Deadline) -> Shared:
    """What the pieces share. A document that takes too long has nothing to share."""
    environment: dict[str, Any] = {}
    try:
        tokens = _parse_excerpt(document, deadline, environment)
    except DeadlineExceeded:
        return Shared({}, {}, ())
    labels = environment.get("footnotes", {}).get("refs", {})
    return Shared(
        references=environment.get("references", {}),
        numbers={label[1:]: number for label, number in labels.items() if number >= 0},
        inline=[
            (line, token.meta["id"]) for line, token in _references(_before_notes(tokens)) if "label" not in token.meta
        ],
    )


def notes_of(document: Document, deadline: Deadline) -> list[Token]:
    """The footnotes of a document, as they stand at its end. Raises `DeadlineExceeded`."""
    tokens = _parse_excerpt(document, deadline, {})
    return tokens[len(_before_notes(tokens)) :]


def _parse_excerpt(document: Document, deadline: Deadline, environment: dict[str, Any]) -> list[Token]:
    excerpt = _excerpt(document)
    return make_parser(not nests_deeply(excerpt), deadline, document.mdx).parse(excerpt, environment)


def _excerpt(document: Document) -> str:
    """The document with blank lines in place of all blocks that have neither references nor footnotes."""
    text = document.text
    parts: list[str] = []
    line = 1
    for group in groups_of(document):
        first, last = group[0], group[-1]
        is_code = first.kind in ("code", "frontmatter") and first is last
        if not is_code and any(text.find(sign, first.start, last.end) >= 0 for sign in _SIGNS):
            parts += ["\n" * (first.start_line - line), text[first.start : last.end]]
            line = last.end_line
    return "".join(parts).removeprefix("\ufeff")


def _before_notes(tokens: Sequence[Token]) -> list[Token]:
    at = next((at for at, token in enumerate(tokens) if token.type == _NOTES), len(tokens))
    return list(tokens[:at])


def _references(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """References to footnotes, with the lines of their blocks. A title has no lines but those of its box."""
    line = 0
    for token in tokens:
        line = token.map[0] + 1 if token.map else line
        for child in token.children or ():
            if child.type == "footnote_ref":
                yield line, child
