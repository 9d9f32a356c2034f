"""Reading vectors, and what has none yet: the half that both databases say in the same words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from headnote.store.codec import escaped, unescaped, unpacked_strings
from headnote.store.document_reader import DocumentReader
from headnote.store.filters import Filter
from headnote.store.quantized import ChunkVectors, PartSet, chunk_vectors, name_hash, names_of, part_set
from headnote.store.rows import Claim, PendingText

_PENDING_COUNT = """
SELECT (
    SELECT count(DISTINCT c.hash) FROM chunks c
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
) + (
    SELECT count(*) FROM (
        SELECT name FROM chunks UNION SELECT d.name FROM documents d WHERE d.id IN (SELECT document FROM chunks)
    ) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
"""
"""Number of texts and names without a vector of a model."""

_PENDING_CHUNKS = """
WITH linked AS (
    SELECT resolved AS path, count(*) AS links FROM links WHERE resolved IS NOT NULL GROUP BY resolved
), places AS (
    SELECT d.id, row_number() OVER (ORDER BY d.mtime_ns DESC, d.id) / (1.0 + coalesce(l.links, 0)) AS place
    FROM documents d LEFT JOIN linked l ON l.path = d.path
)
SELECT c.id FROM chunks c JOIN places p ON p.id = c.document
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash)
AND (? OR NOT EXISTS (SELECT 1 FROM claims m WHERE m.model = ? AND m.hash = c.hash))
ORDER BY p.place, c.document, c.number LIMIT ?
"""
"""Chunks without a vector of a model, those of new and of much linked documents first. Bindings: whether claimed ones
count, the name of the model, how many."""

_WITHOUT_VECTOR = """
SELECT CASE WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} c.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = c.name
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM chunks c WHERE {passing} NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.model = {model} AND v.hash = c.hash
    )
) THEN 1 WHEN EXISTS (
    SELECT 1 FROM documents d WHERE d.name IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = d.name
    ) AND EXISTS (SELECT 1 FROM chunks c WHERE {passing} c.document = d.id)
) THEN 1 ELSE 0 END
"""
"""Whether a name, a text or a title has no vector of a model. It stops at the first one."""

_PENDING_NAMES = """
WITH missing AS (
    SELECT name FROM (SELECT name FROM chunks UNION SELECT name FROM documents) names
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name_vectors v WHERE v.model = {model} AND v.hash = name)
)
SELECT d.title, c.heading_path FROM chunks c JOIN documents d ON d.id = c.document
WHERE c.name IN (SELECT name FROM missing)
UNION
SELECT d.title, '[]' FROM documents d
WHERE d.name IN (SELECT name FROM missing) AND d.id IN (SELECT document FROM chunks)
"""
"""Title and headings of each name without a vector of a model; no headings for the title alone."""


class VectorReader(DocumentReader):
    """The vectors of chunks, of their parts and of their names."""

    PARTS: ClassVar[str]
    """Chunk, the vectors of its parts, and those of its two names. Bindings: an array of chunks, and a model."""
    SECONDS_LEFT: ClassVar[str]
    """Of a claim, by the clock that it was made with."""

    @abstractmethod
    def models(self) -> dict[str, int]:
        """Name of each model that has vectors → their length."""

    @abstractmethod
    def _number(self, model: str) -> int:
        """Of a model, or one that no model has."""

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        number, dims = self._number(model), self.models().get(model, 0)
        keys = [(number, int(chunk)) for chunk in chunks]
        found = self._caches.parts.get_many(self._generation, keys, lambda missing: self._read_parts(missing, dims))
        return part_set([(key[1], vectors) for key in keys if (vectors := found[key])], dims)

    def _read_parts(self, keys: list[tuple[int, int]], dims: int) -> dict[tuple[int, int], ChunkVectors | None]:
        """(model, chunk) → its vectors; None for those that have no parts."""
        model = keys[0][0]
        rows = self.select(self.PARTS, (self.array(chunk for _, chunk in keys), model))
        stored = {(model, chunk): (parts, names) for chunk, parts, *names in rows}
        return dict.fromkeys(keys, None) | chunk_vectors(stored, dims)

    def has_all_vectors(self, model: str, only: Filter = Filter()) -> bool:  # noqa: B008  immutable
        return self._caches.complete.get(self._generation, (model, only), lambda: self._has_all(model, only))

    def _has_all(self, model: str, only: Filter) -> bool:
        condition, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        passing = f"c.id IN ({condition}) AND" if condition else ""
        query = _WITHOUT_VECTOR.format(passing=passing, model=self._number(model))
        return not self._only_value(query, 3 * bindings)

    def pending_count(self, model: str) -> int:
        def count() -> int:
            return int(self._only_value(_PENDING_COUNT.format(model=self._number(model))))

        return self._caches.numbers.get(self._generation, ("pending", model), count)

    def pending(self, model: str, limit: int, *, claimed: bool = False) -> list[PendingText]:
        query = _PENDING_CHUNKS.format(model=self._number(model))
        ids = [chunk for (chunk,) in self.select(query, (claimed, escaped(model), limit))]
        texts = {chunk.row.hash: chunk.embed_text for chunk in self.chunks(ids)}
        return [PendingText(*pair) for pair in texts.items()]

    def pending_names(self, model: str, *, claimed: bool = False) -> list[str]:
        missing = self.select(_PENDING_NAMES.format(model=self._number(model)))
        names = {names_of(unescaped(title), unpacked_strings(path))[-1] for title, path in missing}
        if claimed:
            return sorted(names)
        claims = self.select("SELECT hash FROM claims WHERE model = ?", (escaped(model),))
        taken = {bytes(digest) for (digest,) in claims}
        return sorted(name for name in names if name_hash(name) not in taken)

    def claims(self, model: str) -> list[Claim]:
        query = f"SELECT owner, {self.SECONDS_LEFT} FROM claims WHERE model = ? GROUP BY owner ORDER BY owner"
        return [Claim(unescaped(owner), left) for owner, left in self.select(query, (escaped(model),))]
