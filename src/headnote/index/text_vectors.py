"""Texts → vectors, in the form in which they are stored.

Texts are embedded in parts: one vector for a long text is about everything in it and close to nothing. Parts depend on
the text alone, not on the tokens of a model, so they are the same for every embedder, and equal texts have equal
vectors wherever they occur.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeVar

from headnote.embedding.embedder import normalised
from headnote.extras import np
from headnote.store.integrity import Damaged
from headnote.store.quantized import name_hash, names_of, packed_groups
from headnote.store.rows import DocumentEntry, PackedVectors, PendingText

if TYPE_CHECKING:
    from headnote.embedding.embedder import Embedder, Vectors
    from headnote.store.interface import Writer

PART = 600
"""Largest part in bytes, without its lead: about 140 tokens in any script. Half of that is no better and takes twice
the space; whole chunks are far worse. Any change here makes stored vectors stale: give the index another version."""

LEAD = 240
"""Longest breadcrumb, in characters, that is repeated in every part."""

_HEADING = re.compile(r"#{1,6}[ \t]+")


@cache  # a search needs them only for a long query, and compiling takes a while
def _sentence(full_stops: str) -> re.Pattern[str]:
    """A sentence or a line with the blanks after it. `full_stops`: marks of other scripts, which need no blank.

    One pattern that runs from mark to mark: most of the time that cutting takes is spent here."""
    closed = r"[.!?]['\")\]*_]*+[^\S\n]++"
    run = rf"[^\n.!?{full_stops}]*+"
    body = rf"(?s:.) {run} (?: (?!{closed}) [.!?] {run} )*+"
    pattern = rf"{body} (?: \n++ | {closed} | \Z )"
    if full_stops:
        pattern = rf"(?: [{full_stops}] | {body} [{full_stops}] ) (?: \n++ | {closed} )?+ | {pattern}"
    return re.compile(pattern, re.VERBOSE)


_WORD = re.compile(r"\S*\s*")


def parts_of(text: str) -> list[str]:
    """The text in parts, at least one, cut between sentences and lines where possible. Every part begins with the
    breadcrumb of the text."""
    lead = lead_of(text)
    rest = text[len(lead) :]
    if _size(rest) <= PART:
        return [text]
    units = _units(rest)
    parts: list[str] = []
    start = size = 0
    for at, length in enumerate(map(len if rest.isascii() else _size, units)):
        if size and size + length > PART:
            parts.append(lead + "".join(units[start:at]))
            start, size = at, 0
        size += length
    return [*parts, lead + "".join(units[start:])]


def lead_of(text: str) -> str:
    """The breadcrumb that a text begins with, with the line ends after it; empty if there is none. It is one short line
    that has a path in it or repeats the heading that follows."""
    end = text.find("\n\n", 0, LEAD)
    line = text[: max(end, 0)]
    if not line or "\n" in line:
        return ""
    heading = _HEADING.match(text, end + 2)
    names_the_heading = heading is not None and text.startswith((f"{line}\n", f"{line}\r"), heading.end())
    return text[: end + 2] if " > " in line or names_the_heading else ""


def _units(text: str) -> list[str]:
    """Sentences and lines; words of long sentences; pieces of long words."""
    sentences = _sentences(text)
    if max(map(len, sentences), default=0) <= PART // 8:  # four bytes a character at most
        return sentences
    units: list[str] = []
    for sentence in sentences:
        if len(sentence) <= PART // 8 or _size(sentence) <= PART // 2:
            units.append(sentence)
        else:
            units += _words(sentence)
    return units


def _words(sentence: str) -> Iterator[str]:
    for word in filter(None, _WORD.findall(sentence)):
        if _size(word) <= PART:
            yield word
        else:
            yield from (word[at : at + PART // 4] for at in range(0, len(word), PART // 4))


def _sentences(text: str) -> list[str]:
    return _sentence("" if text.isascii() else "。！？").findall(text)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def embed_in_parts(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text a matrix with one row per part."""
    cut = [parts_of(text) for text in texts]
    rows = embedder.embed([part for parts in cut for part in parts])
    ends = accumulate((len(parts) for parts in cut), initial=0)
    return [rows[start:end] for start, end in pairwise(ends)]


def whole(parts: Sequence[Vectors]) -> Vectors:
    """A row for each text: the direction its parts have in common."""
    return normalised(np.stack([rows[0] if len(rows) == 1 else rows.mean(axis=0) for rows in parts]))


# -- Vectors of the instant model, made by whoever has the texts. It is fast enough for that: its vectors go into the
# store in the same transaction as the words, so a chunk never lacks them.


_TEXT_BATCH = 4096
"""Missing texts held in memory."""
_TEXTS_IN_A_BATCH = 32
_NAMES_IN_A_BATCH = 256

Item = TypeVar("Item")


def with_vectors(entries: Sequence[DocumentEntry], embedder: Embedder) -> list[DocumentEntry]:
    """The entries, with their vectors. They are made together: many short texts at once take less time."""
    sources = (entry.document.masked for entry in entries)
    texts = [
        {bytes.fromhex(row.hash): row.embed_text(source) for row in entry.chunks}
        for entry, source in zip(entries, sources, strict=True)
    ]
    names = [_names(entry) for entry in entries]
    every_text = {digest: text for own in texts for digest, text in own.items()}
    every_name = dict.fromkeys(name for own in names for name in own)
    packed = pack(embedder, every_text, list(every_name))
    hashes = {name: name_hash(name) for name in every_name}
    return [
        entry._replace(
            vectors=packed._replace(
                texts={digest: packed.texts[digest] for digest in own_texts},
                names={hashes[name]: packed.names[hashes[name]] for name in own_names},
            )
        )
        for entry, own_texts, own_names in zip(entries, texts, names, strict=True)
    ]


def _names(entry: DocumentEntry) -> set[str]:
    title = entry.document.title
    return {name for path in {row.heading_path for row in entry.chunks} for name in names_of(title, path)}


def pack(embedder: Embedder, texts: Mapping[bytes, str], names: Sequence[str]) -> PackedVectors:
    """The vectors of texts, by hash, and of names."""
    cut = [parts_of(text) for text in texts.values()]
    counts = [len(parts) for parts in cut]
    rows = embedder.embed([*(part for parts in cut for part in parts), *names])
    groups = packed_groups(rows, [*counts, *(1 for _ in names)])
    ends = accumulate(counts, initial=0)
    wholes = whole([rows[start:end] for start, end in pairwise(ends)]).astype(np.float16) if cut else ()
    return PackedVectors(
        model=embedder.name,
        dimensions=rows.shape[1],
        texts={
            digest: (row.tobytes(), parts) for digest, row, parts in zip(texts, wholes, groups[: len(cut)], strict=True)
        },
        names=dict(zip(map(name_hash, names), groups[len(cut) :], strict=True)),
    )


def complete(writer: Writer, embedder: Embedder, workers: int | None = None) -> None:
    """Make all vectors that are still missing, on all cores: those of documents that another model or an older version
    has read."""
    from headnote.processes import on_all_cores  # a search starts no process, and they take a while to load

    model = embedder.name
    made: set[PendingText] = set()
    while texts := writer.pending(model, _TEXT_BATCH, claimed=True):
        if not made.isdisjoint(texts):
            raise Damaged("vectors that were stored are not found again")
        made = set(texts)
        some_texts = _batched(texts, _TEXTS_IN_A_BATCH)
        writer.add_packed(on_all_cores(partial(_pack_texts, embedder), some_texts, workers))
    if names := writer.pending_names(model, claimed=True):
        some_names = _batched(names, _NAMES_IN_A_BATCH)
        writer.add_packed(on_all_cores(partial(pack, embedder, {}), some_names, workers))


def _pack_texts(embedder: Embedder, texts: Sequence[PendingText]) -> PackedVectors:
    return pack(embedder, {bytes.fromhex(text.hash): text.text for text in texts}, [])


def _batched(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    return (list(items[start : start + size]) for start in range(0, len(items), size))
