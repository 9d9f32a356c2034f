"""How near a chunk is by meaning: as a whole, in its nearest part, and by its names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from headnote.search.ranking import (
    NAME_SHARE,
    NEAREST_OF_DOCUMENT,
    OF_DOCUMENT,
    WHOLE_SHARE,
    by_documents_too,
    by_parts,
    unread_chunks,
)
from headnote.store.quantized import PartSet
from headnote.store.rows import Owners

QUERY = np.array([1, 0], np.float32)


def at(cosine: float) -> list[float]:
    """A vector so near the query."""
    return [cosine, float(np.sqrt(1 - cosine**2))]


def parts(*chunks: tuple[list[float], list[float]]) -> PartSet:
    """Chunks, each as the cosines of its parts and of its names."""
    return part_set([([at(one) for one in cosines], [at(one) for one in names]) for cosines, names in chunks])


def part_set(chunks: Sequence[tuple[list[list[float]], list[list[float]]]]) -> PartSet:
    """Chunks, each as the vectors of its parts and of its names, in steps that are worth 1."""
    rows = [*(name for _, names in chunks for name in names), *(part for own, _ in chunks for part in own)]
    lengths = np.array([np.linalg.norm(np.sum(own, axis=0)) for own, _ in chunks], np.float32)
    steps: NDArray[np.float32] = np.array(rows, np.float32).reshape(-1, 2)
    counts = [len(own) for own, _ in chunks]
    return PartSet(list(range(len(chunks))), counts, steps, np.ones(len(steps), np.float32), lengths)


def test_the_nearest_part_and_the_whole_count() -> None:
    scores = dict(by_parts(parts(([0.5], [0, 0]), ([0.5, 0.9], [0, 0])), QUERY))
    whole = np.array(at(0.5)) + np.array(at(0.9))
    cosine = whole[0] / np.linalg.norm(whole)
    assert scores[0] == pytest.approx(0.5)
    assert scores[1] == pytest.approx(WHOLE_SHARE * cosine + (1 - WHOLE_SHARE) * 0.9)


def test_a_name_that_is_nearer_lifts_and_one_that_is_farther_does_not_count() -> None:
    near, far, other = (([0.5], names) for names in ([0.0, 0.9], [0.4, 0.1], [0.9, 0.2]))
    scores = dict(by_parts(parts(near, far, other), QUERY))
    assert scores[0] == scores[2] == pytest.approx(0.5 + NAME_SHARE * 0.4), "whichever name it is"
    assert scores[1] == pytest.approx(0.5)


def test_names_without_a_vector_yet_change_nothing() -> None:
    nameless = part_set([([at(0.5)], [[0, 0], [0, 0]])])
    assert by_parts(nameless, QUERY) == by_parts(parts(([0.5], [0.4, 0.4])), QUERY)


def test_best_first_and_none_that_points_away() -> None:
    ranking = by_parts(parts(([-0.5], [0, 0]), ([0.2], [0, 0]), ([0.8], [0, 0])), QUERY)
    assert [chunk for chunk, _ in ranking] == [2, 1]
    assert by_parts(parts(), QUERY) == []


def test_chunks_without_a_direction_are_unread() -> None:
    nothing, names = [0.0, 0.0], [at(0), at(0)]
    known = part_set([([nothing], names), ([nothing, at(0.9)], names), ([at(0.2)], names)])
    assert unread_chunks(known, [0, 1, 2, 9]) == {0, 9}
    assert unread_chunks(known, []) == frozenset()
    assert unread_chunks(parts(), [3]) == {3}


def test_several_near_chunks_of_a_document_count_together() -> None:
    many = [(10 + number, 0.5 - number / 100) for number in range(8)]
    ranking = [(1, 0.52), *many, (2, 0.4)]
    owners = Owners(np.array([0, *[7] * len(many), 3]), np.array([1, *[20] * len(many), 40]))
    near = by_documents_too(ranking, owners)
    scores = dict(near)
    together = sum(similarity for _, similarity in many[:NEAREST_OF_DOCUMENT]) / NEAREST_OF_DOCUMENT
    assert scores[10] == pytest.approx((1 - OF_DOCUMENT) * 0.5 + OF_DOCUMENT * together)
    assert scores[1] == pytest.approx(0.52), "a document of one chunk is as near as that"
    assert scores[2] == pytest.approx(0.4 * (1 - OF_DOCUMENT) + 0.4 * OF_DOCUMENT / NEAREST_OF_DOCUMENT)
    assert [chunk for chunk, _ in near] == sorted(scores, key=lambda chunk: -scores[chunk])
    assert by_documents_too([], Owners(np.array([]), np.array([]))) == []
