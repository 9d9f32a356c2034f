"""The instant model: exact, independent of neighbours, fast to load, with numpy alone."""

from __future__ import annotations

import hashlib
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_texts import Writer, reference_texts

from headnote.embedding import get_embedder
from headnote.embedding.embedder import normalised
from headnote.embedding.instant import DATA, InstantEmbedder
from headnote.embedding.wordpieces import uncased

TEXTS = reference_texts()
INSTANT = InstantEmbedder()


@cache
def alone(text: str) -> bytes:
    """The bytes of the vector of a text embedded by itself, before anything else was."""
    return InstantEmbedder().embed([text]).tobytes()


def test_a_vector_is_the_direction_of_the_sum_of_its_pieces() -> None:
    rows, weights = np.load(DATA / "rows.npy"), np.load(DATA / "weights.npy")
    for text in TEXTS[:6]:
        pieces = uncased().ids(text)
        total = (rows[pieces].astype(np.float64) * weights[pieces, None]).sum(axis=0)
        assert np.abs(INSTANT.embed_query(text) - total / np.linalg.norm(total)).max() < 1e-6


def test_rows_have_length_one() -> None:
    vectors = INSTANT.embed(TEXTS[:6])
    assert vectors.shape == (6, INSTANT.dimensions) == (6, 256)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6


def test_similar_meanings_are_near() -> None:
    question = INSTANT.embed_query("How do I undo the last commit?")
    answers = INSTANT.embed(["Revert the most recent change with git reset.", "Knead the dough for ten minutes."])
    near, far = answers @ question
    assert near > far + 0.2


# ── independent of neighbours ──


@given(
    texts=st.lists(st.sampled_from(TEXTS) | st.text(max_size=30), max_size=8),
    seed=st.integers(0, 1000),
)
def test_neighbours_and_order_change_nothing(texts: list[str], seed: int) -> None:
    random.Random(seed).shuffle(texts)
    assert [vector.tobytes() for vector in INSTANT.embed(texts)] == [alone(text) for text in texts]


@given(words=st.lists(st.sampled_from(" ".join(TEXTS[:50]).split()), min_size=1), seed=st.integers(0, 1000))
def test_the_order_of_words_changes_nothing(words: list[str], seed: int) -> None:
    """Sums of whole numbers are exact. Sums of floats would differ in the last digits."""
    shuffled = random.Random(seed).sample(words, len(words))
    first, second = INSTANT.embed([" ".join(words), " ".join(shuffled)])
    assert first.tobytes() == second.tobytes()


def test_many_threads_share_one_embedder() -> None:
    fresh = InstantEmbedder()  # not loaded yet, so that loading is part of the race
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda text: fresh.embed([text, "neighbour"])[0].tobytes(), TEXTS))
    assert vectors == [alone(text) for text in TEXTS]


# ── every text ──


def test_the_end_of_a_long_text_counts() -> None:
    long = Writer(3).paragraph(4000)
    assert len(uncased().ids(long)) > 40_000
    plain, marked = INSTANT.embed([long, f"{long} {'penguins ' * 100}"])
    query = INSTANT.embed_query("penguins")
    assert marked @ query > plain @ query


def test_the_longest_texts_do_not_overflow() -> None:
    """Even the heaviest piece alone, so often that 32 bits would not hold the sum."""
    rows, weights = np.load(DATA / "rows.npy").astype(np.int64), np.load(DATA / "weights.npy")
    words = {number: piece for number, piece in enumerate(PIECES) if piece.isalpha()}
    heaviest = max(words, key=lambda number: int(np.abs(rows[number]).max() * weights[number]))
    times = 2**31 // int(np.abs(rows[heaviest]).max() * weights[heaviest]) + 1
    one, many = INSTANT.embed([words[heaviest], f"{words[heaviest]} " * times])
    assert one @ many == pytest.approx(1, abs=1e-6)


PIECES = (DATA / "vocabulary.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("blank", ["", " ", "\n\n\t", "\u00a0\u3000", "\x00", "\u200b", "\ud800"])
def test_a_blank_text_has_no_direction(blank: str) -> None:
    vectors = INSTANT.embed([blank, "word"])
    assert not vectors[0].any()
    assert vectors[1].any()
    assert not INSTANT.embed_query(blank).any()


def test_no_texts_no_rows() -> None:
    assert INSTANT.embed([]).shape == (0, 256)


# ── the files and other processes ──


def test_the_name_identifies_the_files() -> None:
    content = b"".join((DATA / name).read_bytes() for name in ("rows.npy", "weights.npy", "vocabulary.txt"))
    assert INSTANT.name == f"instant:{hashlib.sha256(content).hexdigest()[:12]}"


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 12_000_000


def test_partial_sums_fit_in_32_bits() -> None:
    from headnote.embedding.instant import _BATCH_SIZE

    rows, weights = np.load(DATA / "rows.npy").astype(np.int64), np.load(DATA / "weights.npy")
    assert np.abs(rows * weights[:, None]).max() * _BATCH_SIZE < 2**31


def test_a_vector_is_the_sum_of_its_pieces_with_and_without_a_table() -> None:
    rows, weights = np.load(DATA / "rows.npy").astype(np.int64), np.load(DATA / "weights.npy").astype(np.int64)
    texts = [Writer(seed).paragraph(6 + 300 * (seed % 7 == 0)) for seed in range(80)]
    sums = [(rows[ids] * weights[ids, None]).sum(axis=0) for ids in map(uncased().ids, texts)]
    expected = normalised(np.array(sums, np.float32))
    fresh = InstantEmbedder()
    assert np.concatenate([fresh.embed([text]) for text in texts]).tobytes() == expected.tobytes()
    assert fresh.embed(texts).tobytes() == expected.tobytes()


def test_it_can_be_pickled() -> None:
    copy: InstantEmbedder = pickle.loads(pickle.dumps(INSTANT))
    assert copy.name == INSTANT.name
    assert copy.embed(["word"]).tobytes() == alone("word")


def test_its_name_loads_nothing_heavy_and_a_vector_needs_numpy_alone() -> None:
    code = (
        "import sys; from headnote.embedding import get_embedder; e = get_embedder('instant'); e.name, e.dimensions; "
        "assert not {'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys(); e.embed_query('word'); "
        "assert not {'onnxruntime', 'tokenizers'} & sys.modules.keys()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert result.returncode == 0, result.stderr.decode()


def test_one_object_for_all() -> None:
    assert get_embedder("instant") is get_embedder("instant")
