"""Passages near a passage or a document, and links that are still to be made.

A link may be missing between documents that are near, or where one names the other. The reasons come with each.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote

from headnote.embedding.registry import Models
from headnote.extras import np
from headnote.lines import whole_lines
from headnote.markdown.document import Document
from headnote.markdown.shown_headings import shown_breadcrumb
from headnote.model import Related, file_name
from headnote.search.everywhere import LOOKED_AT, common_share, said_everywhere
from headnote.search.ranking import model_for
from headnote.search.spelling import Wording, function_terms, rarity
from headnote.store.interface import Reader
from headnote.store.keyword_fields import keyword_fields_of, terms_of
from headnote.store.quantized import PartSet
from headnote.store.rows import DocumentHead, DocumentRow, LinkRow, StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- How near the chunks of an index are to a passage or a document: by vectors that are stored, and by rare words.


DEPTH = 200
"""Passages of other documents that each of the two ways contributes."""
TELLING_TERMS = 40
"""Maximum telling terms of a passage or document: terms that are frequent in it and rare elsewhere."""
COMMON = 0.2
"""A term that a larger share of all chunks has says nothing, unless the index is small."""
MEANING = 0.7
"""Share of the vectors in a score; the rest is words."""
MIN_TERM = 3
"""Minimum letters of a term, in scripts where a letter is not a word."""
SHOWN_WORDS = 5


class RelatedSource(NamedTuple):
    """What others are compared with."""

    document: DocumentRow
    chunks: Sequence[StoredChunk]
    """Some chunks of the document, or all of them."""

    @property
    def place(self) -> str:
        return f"{self.document.path}:{self.chunks[0].row.start_line if self.chunks else 1}"


class Near(NamedTuple):
    """How near a chunk is, both from 0 to 1."""

    similarity: float = 0.0
    words: float = 0.0


class Nearness:
    """The chunks near a source, which is some or all chunks of a document."""

    def __init__(self, reader: Reader, models: Models, source: Sequence[StoredChunk]) -> None:
        self._reader = reader
        self._source = source
        embedder = model_for(reader, models)
        self.model = embedder.name if embedder else ""
        self._vector = self._mean() if embedder else None
        self.scores: dict[int, Near] = {}
        for chunk, similarity in self._by_meaning():
            self.scores[chunk] = Near(similarity=similarity)
        for chunk, words in self._by_words():
            self.scores[chunk] = self.scores.get(chunk, Near())._replace(words=words)
        self._compare_those_found_by_words()

    def total(self, chunk: int) -> float:
        near = self.scores[chunk]
        share = MEANING if self._vector is not None else 0.0
        return share * near.similarity + (1 - share) * near.words

    def best_of_documents(self, own: str, left_out: frozenset[str]) -> dict[str, int]:
        """Path → its nearest chunk, for other documents than the source's own. What both have of what stands everywhere
        makes nothing near."""
        best = self._best_of_documents(own, left_out)
        first = self._reader.chunks(list(best.values())[:LOOKED_AT])
        everywhere = said_everywhere(self._reader, ((chunk.path, chunk.text) for chunk in first))
        if everywhere:
            common = common_share("\n\n".join(chunk.text for chunk in self._source), everywhere)
            for chunk in self._reader.chunks(list(self.scores)):
                near = self.scores[chunk.id]
                similarity = max(near.similarity - common * common_share(chunk.text, everywhere), 0.0)
                self.scores[chunk.id] = near._replace(similarity=similarity)
            best = self._best_of_documents(own, left_out)
        return best

    def _best_of_documents(self, own: str, left_out: frozenset[str]) -> dict[str, int]:
        labels = self._reader.labels()
        ids = sorted(self.scores, key=lambda chunk: (-self.total(chunk), chunk))
        best: dict[str, int] = {}
        for chunk, document in zip(ids, labels.documents[labels.places(ids)].tolist(), strict=True):
            path = labels.paths[document]
            if path != own and path not in left_out:
                best.setdefault(path, chunk)
        return best

    def shared_words(self, chunk: StoredChunk) -> tuple[str, ...]:
        """Telling words that both have, as the chunk writes them."""
        own = terms_of(chunk)
        shared = [term for term in self._telling if term in own][:SHOWN_WORDS]
        written = self._wording.of(chunk, shared)
        return tuple(dict.fromkeys(written[term] for term in shared))

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self._telling)

    # -- meaning

    def _mean(self) -> NDArray[np.float32] | None:
        """The direction of the chunks of the source together; None if none has a vector."""
        vectors = _wholes(self._reader.parts(self.model, [chunk.id for chunk in self._source]))
        mean = vectors.sum(axis=0) if len(vectors) else vectors
        length = float(np.linalg.norm(mean))
        return mean / length if len(vectors) and length else None

    def _by_meaning(self) -> Iterable[tuple[int, float]]:
        if self._vector is None:
            return []
        own = len(self._reader.chunks_of(self._source[0].path))
        return self._reader.nearest(self.model, self._vector, DEPTH + own)

    def _compare_those_found_by_words(self) -> None:
        if self._vector is None:
            return
        missing = [chunk for chunk, near in self.scores.items() if not near.similarity]
        parts = self._reader.parts(self.model, missing)
        for chunk, vector in zip(parts.chunks, _wholes(parts), strict=True):
            similarity = max(float(vector @ self._vector), 0.0)
            self.scores[chunk] = self.scores[chunk]._replace(similarity=similarity)

    # -- words

    @cached_property
    def _telling(self) -> list[str]:
        """Terms of the source by how often it has them and how rare they are, best first."""
        own = Counter(term for fields in keyword_fields_of(self._source) for term in fields.text.split())
        chunks = self._reader.chunk_count()
        # Function words are left out first: to count the chunks that have a term takes as long as there are many.
        counts = self._reader.term_frequencies(filter(_is_telling_term, own))
        most = max(COMMON * chunks, 20)
        known = {term: count for term, count in counts.items() if 1 < count <= most}
        weights = rarity(known, chunks)
        return sorted(known, key=lambda term: (-weights[term] * _often(own[term]), term))[:TELLING_TERMS]

    def _by_words(self) -> Iterable[tuple[int, float]]:
        """The share of the source's own score that other chunks reach."""
        if not self._telling:
            return
        own = {chunk.id for chunk in self._source}
        hits = self._reader.keyword(self._telling, DEPTH + len(own))
        most = max((hit.score for hit in hits if hit.chunk in own), default=0.0)
        most = most or max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            yield hit.chunk, min(hit.score / most, 1.0)


def _is_telling_term(term: str) -> bool:
    """Whether it may say what a text is about: no function word, no number, no single letter."""
    is_short = term.isascii() and len(term) < MIN_TERM
    return not is_short and not term.isdigit() and term not in function_terms()


def _often(count: int) -> float:
    return 1.0 + min(count, 8) / 4


def _wholes(parts: PartSet) -> NDArray[np.float32]:
    """A vector of length one for each chunk: the direction of its parts together."""
    counts = np.asarray(parts.counts, np.int64)
    if not len(counts):
        return np.empty((0, 0), np.float32)
    sums = np.add.reduceat(parts.floats()[1], np.cumsum(counts) - counts, axis=0)
    return _of_length_one(sums)


def document_vectors(reader: Reader, model: str, documents: Mapping[str, Sequence[int]]) -> NDArray[np.float32]:
    """The direction of each document, given its chunks; zero for one without vectors."""
    owner = {chunk: place for place, chunks in enumerate(documents.values()) for chunk in chunks}
    sums = np.zeros((len(documents), reader.models().get(model, 0)), np.float32)
    ids = list(owner)
    for first in range(0, len(ids), READ_BATCH):
        parts = reader.parts(model, ids[first : first + READ_BATCH])
        if parts.chunks:
            np.add.at(sums, [owner[chunk] for chunk in parts.chunks], _wholes(parts))
    return _of_length_one(sums)


def _of_length_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


READ_BATCH = 4096
"""Chunks whose vectors are read at once."""


# -- The names of other documents in a text that are not links: titles, aliases and file names, as a reader sees them.


MAX_NAME_WORDS = 12
"""Words."""
MIN_WORD = 4
"""Letters of a name that is one word."""
COMMON_NAMES = frozenset(
    {"index", "readme", "overview", "introduction", "home", "notes", "untitled", "todo", "summary"}
)
"""Names that many documents have, and that say nothing about one of them."""

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


class MentionNames:
    """The names of all documents, found in texts word by word."""

    def __init__(self, heads: Iterable[DocumentHead]) -> None:
        paths: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._written: dict[tuple[str, ...], str] = {}
        for head in heads:
            for name in (head.title, *head.aliases, file_name(head.path)):
                words = tuple(_WORD.findall(name))
                key = tuple(word.casefold() for word in words)
                if _is_telling_name(key):
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


def _is_telling_name(key: tuple[str, ...]) -> bool:
    if len(key) == 1:
        return len(key[0]) >= MIN_WORD and not key[0].isdigit() and key[0] not in COMMON_NAMES
    return 1 < len(key) <= MAX_NAME_WORDS and not all(word.isdigit() for word in key)


def _prose(document: DocumentRow) -> Iterator[tuple[int, str]]:
    """Lines of text with their numbers, with blanks in place of what is no prose."""
    lines = whole_lines(_NOT_PROSE.sub(lambda match: " " * len(match[0]), document.masked))
    parsed = Document(document.text, document.path, document.mdx)
    for block in parsed.blocks:
        if block.kind not in _KINDS_WITHOUT_PROSE:
            for number in range(block.start_line, min(block.end_line, len(lines)) + 1):
                yield number, lines[number - 1]


# -- How a folder writes its links: `[[Note]]`, or `[text](../note.md)`.


class LinkStyle:
    """Writes links as most links of a folder are written."""

    def __init__(self, links: Iterable[LinkRow], paths: Iterable[str]) -> None:
        kinds = Counter(link.kind for link in links if link.resolved is not None)
        self.has_wikilinks = kinds["wikilink"] + kinds["embed"] > kinds["link"]
        self._stems = Counter(map(_stem, paths))

    def link(self, source: str, target: str, text: str) -> str:
        """A link from one document to another one that shows this text."""
        if self.has_wikilinks:
            stem = _stem(target)
            name = stem if self._stems[stem] == 1 else posixpath.splitext(target)[0]
            shown = text.replace("|", " ").replace("]", " ")
            return f"[[{name}]]" if shown == name else f"[[{name}|{shown}]]"
        address = posixpath.relpath(target, posixpath.dirname(source) or ".")
        escaped = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        return f"[{escaped}]({quote(address, safe='/.-_~')})"


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


# -- Passages near a passage or a document, and links that are still to be made


FOR_LINKS = 0.1
"""What documents that both link to add to a score, at most."""
FOR_A_MENTION = 0.2
"""What a mention of one document in the other adds."""
NEAR = 0.45
"""Minimum score of a link that is suggested for nearness alone."""
COMPARED_BATCH = 512
"""Documents that are compared with all others at once."""


class LinkGraph:
    """Which documents link to which."""

    def __init__(self, reader: Reader) -> None:
        self.to: defaultdict[str, set[str]] = defaultdict(set)
        self.around: defaultdict[str, set[str]] = defaultdict(set)
        """Those that a document links to, and those that link to it."""
        for one, other in reader.connections():
            self.to[one].add(other)
            self.around[one].add(other)
            self.around[other].add(one)

    def linked(self, one: str, other: str) -> Literal["", "to", "from", "both"]:
        if other in self.to[one]:
            return "both" if one in self.to[other] else "to"
        return "from" if one in self.to[other] else ""

    def shared(self, one: str, other: str) -> set[str]:
        return self.around[one] & self.around[other]

    def bonus(self, one: str, other: str) -> float:
        """More for a document in common that few are linked with: everything links to the start page."""
        return FOR_LINKS * min(1.0, sum(1 / math.log2(1 + len(self.around[path])) for path in self.shared(one, other)))


class Surroundings:
    """What is known of all documents of an index at one moment: their links and their names."""

    def __init__(self, reader: Reader) -> None:
        self.graph = LinkGraph(reader)
        self.heads = _with_text(reader)
        self.names = MentionNames(self.heads)


def related(
    reader: Reader, models: Models, known: Surroundings, source: RelatedSource, limit: int, *, linked: bool = False
) -> list[Related]:
    """The nearest passages of other documents, one of each, best first. Those of documents that this one links to are
    left out unless `linked`."""
    graph, path = known.graph, source.document.path
    left_out = frozenset() if linked else frozenset(graph.to[path])
    near = Nearness(reader, models, source.chunks)
    best = near.best_of_documents(path, left_out)
    named = {mention.path: mention for mention in known.names.mentions(source.document, left_out)}
    scores = {
        other: near.total(chunk) + graph.bonus(path, other) + (FOR_A_MENTION if other in named else 0.0)
        for other, chunk in best.items()
    }
    chosen = sorted(scores, key=lambda other: (-scores[other], other))[:limit]
    chunks = {chunk.path: chunk for chunk in reader.chunks([best[other] for other in chosen])}
    return [
        replace(
            _described(chunks[other], scores[other], source.place, near),
            shared_links=len(graph.shared(path, other)),
            mention=named[other].text if other in named else "",
            linked=graph.linked(path, other),
        )
        for other in chosen
    ]


def missing_links(
    reader: Reader, models: Models, known: Surroundings, source: RelatedSource, limit: int
) -> list[Related]:
    """Links to make in one document: to those it names, and to those that are near and not linked either way."""
    graph, path = known.graph, source.document.path
    around = frozenset(graph.around[path])
    near = Nearness(reader, models, source.chunks)
    best = near.best_of_documents(path, around)
    named = {mention.path: mention for mention in known.names.mentions(source.document, around)}
    scores = {other: near.total(chunk) + graph.bonus(path, other) for other, chunk in best.items()}
    scores = {other: score for other, score in scores.items() if score >= NEAR or other in named}
    for other in named:
        scores[other] = scores.get(other, 0.0) + FOR_A_MENTION
    chosen = sorted(scores, key=lambda other: (-scores[other], other))[:limit]
    style = LinkStyle(reader.links(), reader.document_paths())
    chunks = {chunk.path: chunk for chunk in reader.chunks([best[other] for other in chosen if other in best])}
    for other in chosen:
        chunks |= {} if other in chunks else {other: reader.chunks_of(other)[0]}
    return [
        _as_link(
            replace(
                _described(chunks[other], scores[other], source.place, near),
                shared_links=len(graph.shared(path, other)),
            ),
            style,
            named.get(other),
        )
        for other in chosen
    ]


def missing_links_anywhere(reader: Reader, models: Models, known: Surroundings, limit: int) -> list[Related]:
    """Links to make in the whole folder, the likeliest first, each pair once."""
    graph, heads = known.graph, known.heads
    pairs: dict[tuple[str, str], _Pair] = {}
    for pair in _near_pairs(reader, models, graph, limit):
        pairs[pair.one, pair.other] = pair._replace(score=min(pair.similarity + graph.bonus(pair.one, pair.other), 1.0))
    for head in heads:
        document = reader.document(head.path)
        assert document is not None
        for mention in known.names.mentions(document, frozenset(graph.around[head.path])):
            key = head.path, mention.path
            pair = pairs.pop((mention.path, head.path), pairs.get(key, _Pair(*key)))
            pairs[key] = pair._replace(one=key[0], other=key[1], score=pair.score + FOR_A_MENTION, mention=mention)
    chosen = sorted(pairs.values(), key=lambda pair: (-pair.score, pair.one, pair.other))[:limit]
    style = LinkStyle(reader.links(), reader.document_paths())
    return [_as_link(_of_pair(reader, graph, pair), style, pair.mention) for pair in chosen]


class _Pair(NamedTuple):
    """Two documents that may want a link."""

    one: str
    other: str
    similarity: float = 0.0
    model: str = ""
    score: float = 0.0
    mention: Mention | None = None


def _with_text(reader: Reader) -> list[DocumentHead]:
    """All documents but empty ones."""
    labels = reader.labels()
    known = {labels.paths[place] for place in set(labels.documents.tolist())}
    return [head for head in reader.heads() if head.path in known]


def _near_pairs(reader: Reader, models: Models, graph: LinkGraph, most: int) -> Iterator[_Pair]:
    """Documents that are near and not linked, nearest first."""
    embedder = model_for(reader, models)
    if embedder is None:
        return
    labels = reader.labels()
    documents: dict[str, list[int]] = {path: [] for path in labels.paths}
    for chunk, place in zip(labels.chunks.tolist(), labels.documents.tolist(), strict=True):
        documents[labels.paths[place]].append(chunk)
    paths, vectors = list(documents), document_vectors(reader, embedder.name, documents)
    kept = 20 * most
    found: list[tuple[float, int, int]] = []
    for first in range(0, len(paths), COMPARED_BATCH):
        block = vectors[first : first + COMPARED_BATCH] @ vectors.T
        # Each pair once, and no more of them than can be chosen: in a folder of like notes, most pairs are near.
        block[np.arange(len(paths)) <= np.arange(first, first + len(block))[:, None]] = 0.0
        best = np.argpartition(block, -min(kept, block.size), axis=None)[-kept:]
        rows, columns = np.unravel_index(best, block.shape)
        found += zip(block[rows, columns].tolist(), (rows + first).tolist(), columns.tolist(), strict=True)
        found = sorted((pair for pair in found if pair[0] >= NEAR), reverse=True)[:kept]
    for similarity, one, other in found:
        if not graph.linked(paths[one], paths[other]):
            yield _Pair(paths[one], paths[other], similarity, embedder.name)


def _of_pair(reader: Reader, graph: LinkGraph, pair: _Pair) -> Related:
    chunk = reader.chunks_of(pair.other)[0]
    found = _passage(chunk, min(pair.score, 1.0), f"{pair.one}:{reader.chunks_of(pair.one)[0].row.start_line}")
    shared = len(graph.shared(pair.one, pair.other))
    return replace(found, similarity=pair.similarity, model=pair.model, shared_links=shared)


def _passage(chunk: StoredChunk, score: float, source: str) -> Related:
    return Related(
        path=chunk.path,
        start_line=chunk.row.start_line,
        end_line=chunk.row.end_line,
        breadcrumb=shown_breadcrumb(chunk.row.heading_path),
        title=chunk.document.title,
        text=chunk.text,
        score=score,
        source=source,
    )


def _described(chunk: StoredChunk, score: float, source: str, near: Nearness) -> Related:
    similarity = near.scores[chunk.id].similarity if chunk.id in near.scores else 0.0
    return replace(
        _passage(chunk, min(score, 1.0), source),
        similarity=similarity,
        model=near.model if similarity else "",
        words=near.shared_words(chunk),
    )


def _as_link(found: Related, style: LinkStyle, mention: Mention | None) -> Related:
    """With the link to write, and the line to write it in."""
    path = found.source.rpartition(":")[0]
    if mention is None:
        return replace(found, link=style.link(path, found.path, found.title))
    link = style.link(path, found.path, mention.text)
    return replace(found, link=link, mention=mention.text, source=f"{path}:{mention.line}")
