"""Passages near a passage or a document, and links that are still to be made.

A link may be missing between documents that are near, or where one names the other. The reasons come with each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from headnote.embedding.registry import Models
from headnote.extras import load_numpy
from headnote.model import Related, breadcrumb_of
from headnote.search.link_style import LinkStyle
from headnote.search.mentions import Mention, Names
from headnote.search.model_choice import model_for
from headnote.search.nearness import Nearness, Source, document_vectors
from headnote.store.base import Reader
from headnote.store.rows import DocumentHead, StoredChunk

FOR_LINKS = 0.1
"""What documents that both link to add to a score, at most."""
FOR_A_MENTION = 0.2
"""What it adds that one document names the other."""
NEAR = 0.45
"""The least score of a link that is suggested for nearness alone."""
COMPARED_TOGETHER = 512
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
        self.names = Names(self.heads)


def related(
    reader: Reader, models: Models, known: Surroundings, source: Source, limit: int, *, linked: bool = False
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
        _described(chunks[other], scores[other], source.place, near)._replace(
            shared_links=len(graph.shared(path, other)),
            mention=named[other].text if other in named else "",
            linked=graph.linked(path, other),
        )
        for other in chosen
    ]


def missing_links(reader: Reader, models: Models, known: Surroundings, source: Source, limit: int) -> list[Related]:
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
            _described(chunks[other], scores[other], source.place, near)._replace(
                shared_links=len(graph.shared(path, other))
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
    numpy = load_numpy()
    labels = reader.labels()
    documents: dict[str, list[int]] = {path: [] for path in labels.paths}
    for chunk, place in zip(labels.chunks.tolist(), labels.documents.tolist(), strict=True):
        documents[labels.paths[place]].append(chunk)
    paths, vectors = list(documents), document_vectors(reader, embedder.name, documents)
    kept = 20 * most
    found: list[tuple[float, int, int]] = []
    for first in range(0, len(paths), COMPARED_TOGETHER):
        block = vectors[first : first + COMPARED_TOGETHER] @ vectors.T
        # Each pair once, and no more of them than can be chosen: in a folder of like notes, most pairs are near.
        block[numpy.arange(len(paths)) <= numpy.arange(first, first + len(block))[:, None]] = 0.0
        best = numpy.argpartition(block, -min(kept, block.size), axis=None)[-kept:]
        rows, columns = numpy.unravel_index(best, block.shape)
        found += zip(block[rows, columns].tolist(), (rows + first).tolist(), columns.tolist(), strict=True)
        found = sorted((pair for pair in found if pair[0] >= NEAR), reverse=True)[:kept]
    for similarity, one, other in found:
        if not graph.linked(paths[one], paths[other]):
            yield _Pair(paths[one], paths[other], similarity, embedder.name)


def _of_pair(reader: Reader, graph: LinkGraph, pair: _Pair) -> Related:
    chunk = reader.chunks_of(pair.other)[0]
    found = _passage(chunk, min(pair.score, 1.0), f"{pair.one}:{reader.chunks_of(pair.one)[0].row.start_line}")
    shared = len(graph.shared(pair.one, pair.other))
    return found._replace(similarity=pair.similarity, model=pair.model, shared_links=shared)


def _passage(chunk: StoredChunk, score: float, source: str) -> Related:
    return Related(
        path=chunk.path,
        start_line=chunk.row.start_line,
        end_line=chunk.row.end_line,
        breadcrumb=breadcrumb_of(chunk.row.heading_path),
        title=chunk.document.title,
        text=chunk.text,
        score=score,
        source=source,
    )


def _described(chunk: StoredChunk, score: float, source: str, near: Nearness) -> Related:
    similarity = near.scores[chunk.id].similarity if chunk.id in near.scores else 0.0
    return _passage(chunk, min(score, 1.0), source)._replace(
        similarity=similarity, model=near.model if similarity else "", words=near.shared_words(chunk)
    )


def _as_link(found: Related, style: LinkStyle, mention: Mention | None) -> Related:
    """With the link to write, and the line to write it in."""
    path = found.source.rpartition(":")[0]
    if mention is None:
        return found._replace(link=style.link(path, found.path, found.title))
    link = style.link(path, found.path, mention.text)
    return found._replace(link=link, mention=mention.text, source=f"{path}:{mention.line}")
