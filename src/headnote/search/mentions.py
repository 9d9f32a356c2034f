"""The names of other documents in a text that are not links: titles, aliases and file names, as a reader sees them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headnote.lines import whole_lines
from headnote.markdown.document import Document
from headnote.model import file_name
from headnote.store.rows import DocumentHead, DocumentRow

LONGEST_NAME = 12
"""Words."""
SHORTEST_WORD = 4
"""Letters of a name that is one word."""
COMMON_NAMES = frozenset(
    {"index", "readme", "overview", "introduction", "home", "notes", "untitled", "todo", "summary"}
)
"""What many documents are called says nothing about one of them."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_PROSE = re.compile(
    r"`+[^`\n]*`+|!?\[\[[^\]\n]*\]\]|!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\](?:\([^()\n]*\)|\[[^\]\n]*\])"
    r"|<[^<>\n]*>|[a-z][a-z+.-]{1,20}://\S+|^\[[^\]\n]+\]:.*$",
    re.MULTILINE,
)
"""Code, links, tags of HTML, addresses and definitions, within a line."""
_KINDS_WITHOUT_PROSE = frozenset({"code", "frontmatter", "heading", "html", "mdx_esm", "mdx_expression", "definition"})


class Mention(NamedTuple):
    """A name of a document in the text of another one."""

    path: str
    """Of the document that is named."""
    line: int
    text: str
    """As it is written there."""


class Names:
    """The names of all documents, found in texts word by word."""

    def __init__(self, heads: Iterable[DocumentHead]) -> None:
        paths: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._written: dict[tuple[str, ...], str] = {}
        for head in heads:
            for name in (head.title, *head.aliases, file_name(head.path)):
                words = tuple(_WORD.findall(name))
                key = tuple(word.casefold() for word in words)
                if _is_telling(key):
                    paths[key].add(head.path)
                    self._written.setdefault(key, " ".join(words))
        # A name that several documents have names none of them.
        self._paths = {key: next(iter(found)) for key, found in paths.items() if len(found) == 1}
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)
        for key in self._paths:
            self._lengths[key[0]].add(len(key))

    def mentions(self, document: DocumentRow, but: frozenset[str] = frozenset()) -> list[Mention]:
        """The first mention of each other document, longest names first where they overlap; none of those in `but`."""
        found: dict[str, Mention] = {}
        for line, text in _prose(document):
            for path, written in self._in_line(text):
                if path != document.path and path not in but:
                    found.setdefault(path, Mention(path, line, written))
        return list(found.values())

    def _in_line(self, text: str) -> Iterator[tuple[str, str]]:
        words = list(_WORD.finditer(text))
        folded = [word[0].casefold() for word in words]
        at = 0
        while at < len(words):
            length = self._length_at(folded, words, at)
            if length:
                yield (
                    self._paths[tuple(folded[at : at + length])],
                    text[words[at].start() : words[at + length - 1].end()],
                )
            at += length or 1

    def _length_at(self, folded: Sequence[str], words: Sequence[re.Match[str]], at: int) -> int:
        for length in sorted(self._lengths.get(folded[at], ()), reverse=True):
            key = tuple(folded[at : at + length])
            # One word may be any word. As a name it is written like one.
            if key in self._paths and (len(key) > 1 or words[at][0] == self._written[key]):
                return len(key)
        return 0


def _is_telling(key: tuple[str, ...]) -> bool:
    if len(key) == 1:
        return len(key[0]) >= SHORTEST_WORD and not key[0].isdigit() and key[0] not in COMMON_NAMES
    return 1 < len(key) <= LONGEST_NAME and not all(word.isdigit() for word in key)


def _prose(document: DocumentRow) -> Iterator[tuple[int, str]]:
    """Lines of text with their numbers, with blanks in place of what is no prose."""
    lines = whole_lines(_NOT_PROSE.sub(lambda match: " " * len(match[0]), document.text))
    parsed = Document(document.text, document.path, document.mdx)
    for block in parsed.blocks:
        if block.kind not in _KINDS_WITHOUT_PROSE:
            for number in range(block.start_line, min(block.end_line, len(lines)) + 1):
                yield number, lines[number - 1]
