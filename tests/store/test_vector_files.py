"""The nearest vectors are those of an exact comparison, and processes share the file that they are read from."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from store_samples import entry

from headnote.store.sqlite.matrix import (
    BLOCK,
    MIN_ROWS,
    Matrix,
    Patched,
    StoredVectors,
    VectorFiles,
    floats_of,
    matrix_of,
    nearest,
    rough_similarities,
)
from headnote.store.sqlite.store import SqliteStore, file_of

DIMENSIONS = 24
MODEL = "model:24"


def vectors(count: int, seed: int = 0, length: float = 1.0) -> NDArray[np.float16]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    halves: NDArray[np.float16] = (length * rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    return halves


def matrix_from(rows: NDArray[np.float16], free: list[int] | None = None) -> Matrix:
    halves = [(start, rows[start : start + 50].tobytes()) for start in range(0, len(rows), 50)]
    return matrix_of(len(rows), DIMENSIONS, halves, free or [])


# -- the nearest


@given(st.integers(0, 300), st.integers(1, 40), st.integers(0, 9), st.floats(0.1, 20), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_nearest_are_those_of_comparing_all_of_them(
    count: int, depth: int, seed: int, length: float, is_filtered: bool
) -> None:
    rows, free = vectors(count, seed, length), list(range(0, count, 7))
    query = vectors(1, seed + 100)[0].astype(np.float32)
    allowed = np.arange(count) % 3 > 0 if is_filtered else None
    similarities = rows.astype(np.float32) @ query
    similarities[free] = 0
    if allowed is not None:
        similarities[~allowed] = 0
    found = nearest(matrix_from(rows, free), query, depth, allowed)
    expected = sorted((-value, slot) for slot, value in enumerate(similarities.tolist()) if value > 0)[:depth]
    assert [slot for slot, _ in found] == [slot for _, slot in expected]
    assert [value for _, value in found] == pytest.approx([-value for value, _ in expected], abs=1e-5 * length)


@pytest.mark.parametrize("by_bytes", [False, True])
def test_a_rough_row_is_off_by_no_more_than_it_says(by_bytes: bool) -> None:
    package = pytest.importorskip("simsimd") if by_bytes else None
    rows, query = vectors(500), vectors(1, 5)[0].astype(np.float32)
    matrix = matrix_from(rows)
    rough, lost = rough_similarities(matrix, query, package)
    off = np.abs(rough - rows.astype(np.float32) @ query).max()
    assert 0 < off <= matrix.error * np.linalg.norm(query) + lost + 1e-6 < 0.05


def test_nan_is_damage() -> None:
    rows = vectors(3)
    rows[1, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        matrix_from(rows)


# -- files


@pytest.fixture
def index(tmp_path: Path) -> Path:
    file = tmp_path / "index.db"
    file.touch()
    return file


def stored(rows: NDArray[np.float16], stamp: int = 7, *, model: int = 1, changed: Sequence[int] = ()) -> StoredVectors:
    """Of a database whose blocks have the stamp, except for those that have changed since."""
    blocks = dict.fromkeys(range(-(-len(rows) // BLOCK)), stamp) | dict.fromkeys(changed, stamp + 1)

    def read_blocks(numbers: Sequence[int], slots: NDArray[np.int64]) -> Matrix:
        assert list(numbers) == [number for number in blocks if number in changed]
        assert {int(slot) // BLOCK for slot in slots} == set(numbers)
        return matrix_from(rows[slots])

    return StoredVectors(
        model=model,
        stamp=stamp + len(changed),
        size=len(rows),
        dimensions=rows.shape[1],
        blocks=blocks,
        read_all=lambda: matrix_from(rows),
        read_blocks=read_blocks,
    )


def refused() -> Matrix:
    raise AssertionError("the file should have been used")


def whole(matrix: Matrix | Patched) -> NDArray[np.float16]:
    return matrix.rows(np.arange(matrix.size))


def file_of_model(index: Path, model: int = 1) -> Path:
    (file,) = index.parent.glob(f"index.db-vectors-{model}-*")
    return file


def test_the_second_reader_maps_what_the_first_one_wrote(index: Path) -> None:
    written = VectorFiles(index, least=10).matrix(stored(vectors(99), -5))
    mapped = VectorFiles(index, read_only=True).matrix(stored(vectors(99), -5)._replace(read_all=refused))
    expected = matrix_from(vectors(99))
    assert isinstance(mapped, Matrix)
    assert isinstance(written, Matrix)
    assert np.array_equal(mapped.exact, expected.exact)
    assert np.array_equal(mapped.rough, expected.rough)
    assert np.array_equal(mapped.scales, expected.scales)
    assert mapped[3:] == expected[3:]
    assert not mapped.exact.flags.writeable
    assert not written.exact.flags.writeable
    assert file_of_model(index).stat().st_mode == index.stat().st_mode


def test_other_vectors_have_another_file_and_an_old_mapping_stays(index: Path) -> None:
    files = VectorFiles(index, least=10)
    old = files.matrix(stored(vectors(99)))
    other_model = files.matrix(stored(vectors(50), model=2))
    new = files.matrix(stored(vectors(80, seed=1), 9))
    assert np.array_equal(whole(old), vectors(99))
    assert np.array_equal(whole(new), vectors(80, seed=1))
    assert other_model.size == 50
    left = sorted(file.name.rpartition("-")[0] for file in index.parent.glob("index.db-vectors-*"))
    on_posix = ["index.db-vectors-1", "index.db-vectors-2"]
    assert left == on_posix or sys.platform == "win32"  # where nobody deletes what is mapped


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 5000, None])
def test_a_file_that_is_not_what_it_should_be_is_made_again(index: Path, damage: bytes | None) -> None:
    files = VectorFiles(index, least=10)
    files.matrix(stored(vectors(99)))
    file = file_of_model(index)
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[:-1] if damage is None else damage)
    assert np.array_equal(whole(files.matrix(stored(vectors(99)))), vectors(99))
    assert file.read_bytes() == content


def test_few_vectors_and_readers_that_may_not_write_leave_no_file(index: Path) -> None:
    assert VectorFiles(index).matrix(stored(vectors(99))).size == 99
    assert VectorFiles(index, read_only=True, least=10).matrix(stored(vectors(99))).size == 99
    nowhere = VectorFiles(index.parent / "gone" / "index.db", least=10)
    assert nowhere.matrix(stored(vectors(99))).size == 99
    assert [file.name for file in index.parent.iterdir()] == ["index.db"]


# -- small updates


@pytest.mark.parametrize(
    ("size", "changed"),
    [
        (40 * BLOCK, [0]),
        (40 * BLOCK, [3, 17, 39]),
        (40 * BLOCK + 9, [40]),  # a new block
        (41 * BLOCK + 500, [2, 40, 41]),
        (39 * BLOCK - 3, [38]),  # fewer than there were
        (39 * BLOCK, []),  # the last block is gone
    ],
)
def test_a_small_update_reads_what_has_changed_and_writes_no_file(index: Path, size: int, changed: list[int]) -> None:
    before = vectors(40 * BLOCK)
    files = VectorFiles(index)
    files.matrix(stored(before))
    file = file_of_model(index)
    now = np.concatenate([before, vectors(2 * BLOCK, seed=3)])[:size]
    for number in changed:
        now[number * BLOCK : (number + 1) * BLOCK] = vectors(BLOCK, seed=number + 9)[: size - number * BLOCK]
    found = files.matrix(stored(now, changed=changed)._replace(read_all=refused))
    assert isinstance(found, Patched)
    assert np.array_equal(whole(found), now)
    assert file_of_model(index) == file
    query = vectors(1, seed=5)[0].astype(np.float32)
    allowed = np.arange(size) % 3 > 0
    for kept in (None, allowed):
        slots, values = zip(*nearest(found, query, 50, kept), strict=True)
        expected_slots, expected_values = zip(*nearest(matrix_from(now), query, 50, kept), strict=True)
        assert slots == expected_slots
        assert values == pytest.approx(expected_values, abs=1e-6)


def test_a_large_update_writes_a_new_file(index: Path) -> None:
    files = VectorFiles(index)
    files.matrix(stored(vectors(40 * BLOCK)))
    old = file_of_model(index)
    now = vectors(40 * BLOCK, seed=1)
    assert np.array_equal(whole(files.matrix(stored(now, changed=range(6)))), now), "more than an eighth"
    assert file_of_model(index) != old or sys.platform == "win32"


# -- in a store


QUERY = vectors(1, seed=2)[0].astype(np.float32)


def add(root: Path, names: list[str], seed: int, others: int = 0) -> None:
    """Documents of one chunk each, with a vector, and vectors of nothing that point away from the query."""
    entries = [entry(f"{name}.md", f"# {name}") for name in names]
    hashes = [one.chunks[0].hash for one in entries]
    away = np.tile(-QUERY, (others, 1))
    with SqliteStore.open(root).writing() as writer:
        writer.put(entries)
        writer.add_vectors(MODEL, hashes, np.abs(vectors(len(names), seed)) * np.sign(QUERY))
        writer.add_vectors(MODEL, [f"{number:040x}" for number in range(others)], away)


def file_names(root: Path) -> list[str]:
    return [file.name for file in file_of(root).parent.iterdir() if "-vectors-" in file.name]


def test_an_update_by_another_process_is_seen(tmp_path: Path) -> None:
    add(tmp_path, ["one", "two"], seed=1, others=MIN_ROWS)
    store = SqliteStore.open(tmp_path)
    with store.reading() as reader:
        before = reader.nearest(MODEL, QUERY, 5)
        names = file_names(tmp_path)
        process = multiprocessing.get_context("spawn").Process(target=add, args=(tmp_path, ["three"], 2))
        process.start()
        process.join()
        assert process.exitcode == 0
        with SqliteStore.open(tmp_path).reading() as other:
            assert len(other.nearest(MODEL, QUERY, 5)) == 3
        assert reader.nearest(MODEL, QUERY, 5) == before  # a view stays what it was, though its file is gone
    with store.reading() as reader:
        after = reader.nearest(MODEL, QUERY, 5)
    assert (len(before), len(after), len(names)) == (2, 3, 1)
    assert set(before) < set(after)
    assert names == file_names(tmp_path), "a small update writes no file"


def test_vectors_that_are_gone_are_found_no_more(tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    add(tmp_path, names, seed=1, others=MIN_ROWS)
    store = SqliteStore.open(tmp_path)
    found = []
    for number in range(4):
        with store.reading() as reader, SqliteStore.open(tmp_path).reading() as fresh:
            found.append(len(reader.nearest(MODEL, QUERY, 5)))
            assert found[-1] == len(fresh.nearest(MODEL, QUERY, 5)) == len(fresh.nearest(MODEL, QUERY, MIN_ROWS))
        with store.writing() as writer:
            writer.remove([f"{name}.md" for name in names[number : number + 1]])
            writer.sweep()
    assert found == [3, 2, 1, 0]


def test_an_index_that_is_made_again_has_no_use_for_the_old_file(tmp_path: Path) -> None:
    """Its generations count from the beginning, so they may be the same."""
    found = []
    for seed in (1, 3):
        file_of(tmp_path).unlink(missing_ok=True)
        add(tmp_path, ["one"], seed, others=MIN_ROWS)
        with SqliteStore.open(tmp_path).reading() as reader:
            found.append(reader.nearest(MODEL, QUERY, 5))
    assert found[0] != found[1]


def test_halves_become_floats_exactly() -> None:
    every: NDArray[np.float16] = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    assert np.array_equal(floats_of(finite), finite.astype(np.float32))
    assert np.array_equal(floats_of(finite.reshape(2, -1)[:, ::3]), finite.reshape(2, -1)[:, ::3].astype(np.float32))
