"""A real model with layers: independent of neighbours, and without truncation. Here it is MiniLM; what depends on the
weights is in test_model_packages.py."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_texts import Writer, reference_texts

from headnote.embedding.transformer import TransformerEmbedder

files: Any = pytest.importorskip(
    "headnote_minilm", reason="the model is not installed: run pip install ./models/minilm", exc_type=ImportError
)

TEXTS = reference_texts()


@pytest.fixture(scope="module")
def embedder() -> TransformerEmbedder:
    return TransformerEmbedder("minilm")


@cache
def alone(text: str) -> bytes:
    """The bytes of the vector of a text embedded by itself."""
    return MINILM.embed([text]).tobytes()


MINILM = TransformerEmbedder("minilm", threads=2)


# ── independent of neighbours ──


@settings(max_examples=15)
@given(
    chosen=st.lists(st.integers(0, 99), min_size=1, max_size=8),
    blanks=st.lists(st.sampled_from(["", " ", "\n\t"]), max_size=2),
    seed=st.integers(0, 1000),
)
def test_neighbours_and_order_change_nothing(chosen: list[int], blanks: list[str], seed: int) -> None:
    texts = [TEXTS[number] for number in chosen] + blanks
    random.Random(seed).shuffle(texts)
    vectors = MINILM.embed(texts)
    assert [vector.tobytes() for vector in vectors] == [alone(text) for text in texts]


def test_one_long_neighbour_changes_nothing(embedder: TransformerEmbedder) -> None:
    long = Writer(7).paragraph(60)
    assert embedder.embed(["short", long])[0].tobytes() == alone("short")
    assert embedder.embed([long, "short"])[0].tobytes() == alone(long)


def test_the_number_of_threads_changes_nothing() -> None:
    one, many = MINILM.with_threads(1), MINILM.with_threads(5)
    assert one.embed(TEXTS[:12]).tobytes() == many.embed(TEXTS[:12]).tobytes()
    assert one.name == many.name


def test_many_texts_are_embedded_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.embedding.transformer._BATCH", 5)
    assert [vector.tobytes() for vector in MINILM.embed(TEXTS[:12])] == [alone(text) for text in TEXTS[:12]]


def test_a_query_is_embedded_like_a_text(embedder: TransformerEmbedder) -> None:
    assert embedder.embed_query(TEXTS[0]).tobytes() == alone(TEXTS[0])


def test_many_threads_share_one_embedder() -> None:
    fresh = TransformerEmbedder("minilm", threads=2)  # not loaded yet, so that loading is part of the race
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda text: fresh.embed([text, "neighbour"])[0].tobytes(), TEXTS[:24]))
    assert vectors == [alone(text) for text in TEXTS[:24]]


# ── every text ──


def test_the_end_of_a_long_text_counts(embedder: TransformerEmbedder) -> None:
    long = " ".join(Writer(3).paragraph(220).split()[:3000])
    marker = "Penguins negotiate the price of purple umbrellas."
    plain, marked = embedder.embed([long, f"{long} {marker}"])
    assert plain @ marked < 0.9999
    query = embedder.embed_query(marker)
    assert marked @ query > plain @ query + 0.01


def test_a_text_of_two_windows_is_like_both(embedder: TransformerEmbedder) -> None:
    bread = "Knead the dough, let it rise and bake the bread until the crust is brown. " * 14
    stars = "The telescope shows the moons of Jupiter and the rings of Saturn at night. " * 14
    both, first, second = embedder.embed([bread + stars, bread, stars])
    assert min(both @ first, both @ second) > first @ second + 0.4


@pytest.mark.parametrize("blank", ["", " ", "\n\n\t", "\u00a0\u3000", "\x00", "\u200b", "\ud800"])
def test_a_blank_text_has_no_direction(embedder: TransformerEmbedder, blank: str) -> None:
    vectors = embedder.embed([blank, "word"])
    assert not vectors[0].any()
    assert vectors[1].any()
    assert not embedder.embed_query(blank).any()


def test_no_texts_no_rows(embedder: TransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["a \udfff b", "[CLS] [SEP] [PAD] [MASK]", "x" * 5000, "\ufeff#"])
def test_odd_texts_have_a_vector(embedder: TransformerEmbedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed([text])[0]) == pytest.approx(1, abs=1e-6)


def test_special_tokens_are_ordinary_text(embedder: TransformerEmbedder) -> None:
    plain, marked = embedder.embed(["one two", "one [SEP] two"])
    assert plain @ marked < 0.99


# ── the package and other processes ──


def test_it_can_be_pickled(embedder: TransformerEmbedder) -> None:
    copy: TransformerEmbedder = pickle.loads(pickle.dumps(embedder))
    assert copy.name == embedder.name
    assert copy.embed(["word"]).tobytes() == alone("word")


def test_name_and_dimensions_load_nothing_heavy() -> None:
    code = (
        "import sys; from headnote.embedding import get_embedder; e = get_embedder('minilm'); e.name, e.dimensions; "
        "sys.exit(bool({'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys()))"
    )
    folder = Path(files.__file__).parents[1]
    result = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(folder)}, capture_output=True)
    assert result.returncode == 0, result.stderr.decode()
