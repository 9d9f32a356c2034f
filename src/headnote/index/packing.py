"""Vectors in the form in which they are stored, made by whoever has the texts.

The instant model is fast enough for that: its vectors go into the store in the same transaction as the words, so a
chunk never lacks them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TypeVar

from headnote.embedding.embedder import Embedder
from headnote.index.parts import parts_of, whole
from headnote.numeric import np
from headnote.sources.chunks import on_all_cores
from headnote.store.integrity import Damaged
from headnote.store.interface import Writer
from headnote.store.quantized import name_hash, names_of, packed_groups
from headnote.store.rows import DocumentEntry, PackedVectors, PendingText

_TEXTS_AT_ONCE = 4096
"""Missing texts held in memory."""
_TEXTS_IN_A_BATCH = 32
_NAMES_IN_A_BATCH = 256

Item = TypeVar("Item")


def with_vectors(entries: Sequence[DocumentEntry], embedder: Embedder) -> list[DocumentEntry]:
    """The entries, with their vectors. They are made together: many short texts at once take less time."""
    texts = [{row.hash: row.embed_text(entry.document.text) for row in entry.chunks} for entry in entries]
    names = [_names(entry) for entry in entries]
    every_text = {digest: text for own in texts for digest, text in own.items()}
    every_name = dict.fromkeys(name for own in names for name in own)
    packed = pack(embedder, every_text, list(every_name))
    hashes = {name: name_hash(name) for name in every_name}
    return [
        entry._replace(
            vectors=packed._replace(
                texts={digest: packed.texts[digest] for digest in map(bytes.fromhex, own_texts)},
                names={hashes[name]: packed.names[hashes[name]] for name in own_names},
            )
        )
        for entry, own_texts, own_names in zip(entries, texts, names, strict=True)
    ]


def _names(entry: DocumentEntry) -> set[str]:
    title = entry.document.title
    return {name for path in {row.heading_path for row in entry.chunks} for name in names_of(title, path)}


def pack(embedder: Embedder, texts: Mapping[str, str], names: Sequence[str]) -> PackedVectors:
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
            bytes.fromhex(digest): (row.tobytes(), parts)
            for digest, row, parts in zip(texts, wholes, groups[: len(cut)], strict=True)
        },
        names=dict(zip(map(name_hash, names), groups[len(cut) :], strict=True)),
    )


def complete(writer: Writer, embedder: Embedder, workers: int | None = None) -> None:
    """Make all vectors that are still missing, on all cores: those of documents that another model or an older version
    has read."""
    model = embedder.name
    made: set[PendingText] = set()
    while texts := writer.pending(model, _TEXTS_AT_ONCE, claimed=True):
        if not made.isdisjoint(texts):
            raise Damaged("vectors that were stored are not found again")
        made = set(texts)
        some_texts = _batched(texts, _TEXTS_IN_A_BATCH)
        writer.add_packed(on_all_cores(partial(_pack_texts, embedder), some_texts, workers))
    if names := writer.pending_names(model, claimed=True):
        some_names = _batched(names, _NAMES_IN_A_BATCH)
        writer.add_packed(on_all_cores(partial(pack, embedder, {}), some_names, workers))


def _pack_texts(embedder: Embedder, texts: Sequence[PendingText]) -> PackedVectors:
    return pack(embedder, {text.hash: text.text for text in texts}, [])


def _batched(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    return (list(items[start : start + size]) for start in range(0, len(items), size))
