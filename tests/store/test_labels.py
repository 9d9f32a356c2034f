"""What chunks are grouped by, from the rows of any database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from headnote.store.caching import CHUNKS, DOCUMENT_TAGS, DOCUMENTS, read_labels


@pytest.mark.parametrize("step", [1, 3, 1_000_003], ids=["no gaps", "some gaps", "an id in a million"])
def test_chunks_are_found_however_far_apart_their_ids_are(step: int) -> None:
    ids = [7 + step * place for place in range(60)]
    rows: dict[str, list[tuple[Any, ...]]] = {
        DOCUMENTS: [(number, f"notes/{number}.md", 0) for number in range(6)],
        CHUNKS: [(chunk, place // 10) for place, chunk in enumerate(ids)],
        DOCUMENT_TAGS: [(number, "even" if number % 2 == 0 else "odd") for number in range(6)],
    }

    def select(query: str) -> Iterable[tuple[Any, ...]]:
        return rows.get(query, [])

    labels = read_labels(select)
    chosen = np.array([ids[0], ids[9], ids[10], ids[59]])
    assert labels.places(chosen).tolist() == [0, 9, 10, 59]
    assert labels.places([]).tolist() == []
    per_document = labels.counts(chosen)
    assert per_document.tolist() == [2, 1, 0, 0, 0, 1]
    # Of equals, the first by name comes first.
    assert list(labels.tags.counted(per_document)) == [(2, ("", "even")), (2, ("", "odd"))]
    assert (labels.place_of is None) == (step > 1000)


def test_an_index_without_chunks_has_no_labels() -> None:
    labels = read_labels(lambda _: [])
    assert labels.places([]).tolist() == []
    assert list(labels.folders.counted(labels.counts(labels.chunks))) == []
