"""What search and answering return, and how far long work is. The same types are sent: JSON has their fields, by
name and in this order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

# Hits and their reasons are made by the hundred: a frozen one would take three times as long. Nobody changes one.

_SPECIAL = re.compile(r"[*?\[\\]")
"""What has a meaning in a glob."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of lines of a document."""

    path: str
    """Of the document, relative to the root."""
    start_line: int
    """From 1."""
    end_line: int
    """Inclusive; the last line of the document if the request went past it."""
    text: str = ""
    """The lines, as they stand in the document."""


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word of a document that a query finds."""

    line: int
    """Its line in the document, from 1."""
    text: str
    """As it is written there; where there are no blanks, it may be a part of a word, or several."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A word of the query that was taken for another one."""

    typed: str
    """The word as it stands in the query."""
    found: str
    """As the passage writes it."""
    is_correction: bool
    """Whether the word was taken for misspelt; if not, it is the beginning of the other one."""


@dataclass(slots=True)
class Why:
    """Why a chunk is a hit: its rank and score by each retriever, and what changed its score."""

    keyword_rank: int | None = None
    """Rank in the keyword search, from 1; None if it is not in there."""
    keyword_score: float = 0.0
    """BM25 over weighted fields."""
    matched: tuple[str, ...] = ()
    """Words of the query that it contains, as it writes them; of a word that was guessed, what it was taken for."""
    guesses: tuple[Guess, ...] = ()
    """Words of the query that it contains in another form: misspelt or unfinished ones."""
    semantic_rank: int | None = None
    """Rank in the semantic search, from 1; None if it is not in there."""
    similarity: float = 0.0
    """Cosine between the query and the chunk."""
    model: str = ""
    """The model whose vectors were compared; empty if it is not in the semantic search."""
    linked_from: str = ""
    """A better hit that links here and raised the score, as path:line."""
    links_to: str = ""
    """A better hit that this one links to and that raised the score, as path:line."""
    link_score: float = 0.0
    """What the links added to the score."""
    recency: float = 1.0
    """Factor for being new."""
    about: float = 1.0
    """Factor for what is said about its folders, if that has words of the query."""
    version: float = 1.0
    """Factor for a passage that says what was new in a version, if the query asks for nothing of that kind."""
    folder: float = 1.0
    """Factor for a passage outside of the folders that the query names by what all their documents are about."""
    meaning_share: float = 0.0
    """How much meaning counts in the score: from 0, words alone, to 1, meaning alone. The rest is words."""
    share_reason: str = ""
    """Why it counts so much, in plain words."""
    name: Literal["title", "alias", "file name", "heading", ""] = ""
    """What the query is of it; empty if it is no name of it. What the query names is the first hit."""
    terms: tuple[str, ...] = ()
    """The matched words as the keyword index has them, most of them stems. Snippets mark the words with these terms."""


@dataclass(slots=True)
class Hit:
    """A chunk found for a query, with its score."""

    path: str
    """Of the document, relative to the root."""
    start_line: int
    """First line of the chunk's own text, from 1."""
    end_line: int
    """Last line, inclusive."""
    breadcrumb: str
    """The headings above it: `A > B > C`."""
    title: str
    """Of the document."""
    text: str
    """The text to show, with what `expand` added."""
    score: float
    """From 0 to about 1; higher is better."""
    id: str
    """Of the chunk, in the format of the preset."""
    key: str
    """Of the chunk; stays the same when other chunks move."""
    tokens: int
    """Size of the text that was embedded, in the counter of the index."""
    why: Why = field(default_factory=Why)
    """The reasons for its rank."""
    start: int = 0
    """Offset of its own first character in the document."""
    end: int = 0
    """Offset just past its own last character."""
    tags: tuple[str, ...] = ()
    """In the frontmatter of its document, or in the passage itself."""
    aliases: tuple[str, ...] = ()
    """Other names of the document."""
    links: tuple[str, ...] = ()
    """Targets of the links in the chunk: paths relative to the root, with the section they name, and addresses."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Frontmatter of the document."""
    lead: int = 0
    """Characters of `text` before its own, which begins at `start`: overlap, and what lets it stand alone."""
    root: str = ""
    """Of several folders the name of the one that has it, with which `path` begins; empty for a single folder."""
    about: str = ""
    """What `[context]` in `headnote.toml` says about its folders and its document, from the outermost inwards."""
    also_in: tuple[str, ...] = ()
    """Other documents that say the same, with the line: hits that were left out as copies of it."""
    # A pack need not know when: its hits are those of the folder all the same.
    dated: float = field(default=0.0, compare=False)
    """When the document was changed, in seconds since 1970."""
    dated_by: Literal["frontmatter", "git", "name", "mtime"] = field(default="mtime", compare=False)
    """What says so: its frontmatter, its last commit, its name, or the time of its file."""

    def __repr__(self) -> str:
        # All fields of ten hits would fill a screen.
        return f"<Hit {f'{self.path}:{self.start_line}-{self.end_line}'!r} {self.breadcrumb!r} score {self.score:.2f}>"


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to narrow a search, and how many passages it leaves."""

    kind: Literal["folder", "tag", "field"]
    """What passages are chosen by."""
    name: str
    """Of a field of the frontmatter; else empty."""
    value: str
    """The folder, as `guides/setup/`; the tag; or the value of the field. Tags and values are in lower case."""
    total: int
    """What a search with this filter finds: its `total`."""

    @property
    def options(self) -> dict[str, Any]:
        """The filter, as options of `search` and `search_page`. A folder stands in place of `path`, a tag and a field
        beside those that are given."""
        if self.kind == "folder":
            return {"path": folder_glob(self.value)}
        return {"tags": [self.value]} if self.kind == "tag" else {"where": {self.name: self.value}}


def folder_glob(folder: str) -> str:
    """The glob for what lies in one folder, whatever characters its name has."""
    return "/" + _SPECIAL.sub(r"\\\g<0>", folder)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Some of the hits of a search, and how many passages it finds."""

    hits: tuple[Hit, ...]
    """Best first, from `offset` on."""
    total: int
    """Passages that are found: those that have a word of the query, and those near it in meaning that are relevant.
    Near copies of a hit are among them, but not among the hits."""
    facets: tuple[Facet, ...] = ()
    """Folders, tags and fields that leave some of the passages, the most frequent of each kind first."""
    offset: int = 0
    """How many hits come before these."""


@dataclass(frozen=True, slots=True)
class Citation(Passage):
    """Lines of a document that support a statement. The model was shown them, and they mention it."""

    @property
    def place(self) -> str:
        """As written in an answer, without the brackets."""
        lines = f"{self.start_line}-{self.end_line}" if self.end_line > self.start_line else str(self.start_line)
        return f"{self.path}:{lines}"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer, as the context of the next question."""

    question: str
    """As it was asked."""
    answer: str
    """The text of the answer; its citations may stay in it."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A citation that failed the check."""

    written: str
    """As the model wrote it, without brackets."""
    reason: str
    """Why it was dropped, in plain words."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. Every citation in its text is one of `citations`."""

    text: str
    """The answer, with its citations in brackets: `[path:start-end]`."""
    citations: tuple[Citation, ...] = ()
    """Each once, in the order of the text."""
    sources: tuple[Hit, ...] = ()
    """The passages it is based on, best first; empty if nothing is relevant."""
    dropped: tuple[Dropped, ...] = ()
    """Citations that were removed from the text."""
    complete: bool = True
    """Whether the model finished; if not, the text is what was received."""
    model: str | None = None
    """The language model; None if the answer was made without one."""
    note: str = ""
    """A remark for the reader: that no model was used, or why the answer is not complete."""


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """How a query was understood."""

    words: str
    """What is looked for by words and by meaning."""
    phrases: tuple[str, ...] = ()
    """What every hit has, word by word."""
    excluded: tuple[str, ...] = ()
    """What no hit has: a word, a phrase in quotes, or a field such as `tag:draft`."""
    filters: tuple[str, ...] = ()
    """What every hit satisfies, as it was written: `title:setup`, `tag:a OR tag:b`, `version >= 2`."""
    notes: tuple[str, ...] = ()
    """Remarks for whoever wrote it, such as a field that no document has."""


@dataclass(frozen=True, slots=True)
class Related:
    """A passage near another one, and why. It may be worth a link."""

    path: str
    """Of its document, relative to the root."""
    start_line: int
    """From 1; of a document that is only named, its first line."""
    end_line: int
    """Inclusive."""
    breadcrumb: str
    """The headings above it."""
    title: str
    """Of its document."""
    text: str
    """The passage."""
    score: float
    """From 0 to about 1; higher is nearer."""
    source: str
    """The passage that it is near to, or the line that names it, as path:line."""
    similarity: float = 0.0
    """Cosine between the two, by their stored vectors; 0 without vectors."""
    model: str = ""
    """The model of these vectors."""
    words: tuple[str, ...] = ()
    """Rare words that both have, the rarest first."""
    shared_links: int = 0
    """How many documents both documents link to, or are linked from."""
    mention: str = ""
    """The words that name its document in the other one without a link."""
    linked: Literal["", "to", "from", "both"] = ""
    """Whether the other document already links to it, or it to the other."""
    link: str = ""
    """What to write for a link to it, in the style of the folder."""

    @property
    def place(self) -> str:
        """Its path and first line."""
        return f"{self.path}:{self.start_line}"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A line that a pattern matches."""

    line: int
    """From 1."""
    text: str
    """The line without its end; within a budget, what is around the first match of a long one."""
    breadcrumb: str = ""
    """The headings above it, or itself if it is one."""
    spans: tuple[tuple[int, int], ...] = ()
    """What matches, as ranges of `text`."""


@dataclass(frozen=True, slots=True)
class MatchedDocument:
    """A document with the lines that a pattern matches."""

    path: str
    """Relative to the root."""
    title: str
    """From the frontmatter, a heading, or the file name."""
    lines: int
    """How many lines match."""
    occurrences: int
    """How often the pattern occurs in them."""
    shown: tuple[Occurrence, ...] = ()
    """These lines, as many as the budget has room for."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Every occurrence of a pattern."""

    lines: int
    """How many lines match, in all documents."""
    occurrences: int
    """How often the pattern occurs in them."""
    documents: tuple[MatchedDocument, ...]
    """Those with a line that matches, by path."""
    searched: int
    """How many documents were read."""
    left_out: int = 0
    """How many of the lines the budget has no room for."""


def to_plain(result: object) -> Any:
    """A result as plain data, which `--json` prints and MCP sends: fields by name, dates as text."""
    import msgspec  # late: few who search want plain data

    return msgspec.to_builtins(result)


# -- How far long work is, and who is told.


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage has come."""

    stage: str
    """`read`, `embed` or, of links, `check`."""
    done: int
    """How many are done."""
    total: int
    """How many there are; 0 while the files are still being listed."""
    seconds_left: float | None = None
    """About how long the rest of this stage takes, if that can be told."""


Watcher = Callable[[Progress], None]
