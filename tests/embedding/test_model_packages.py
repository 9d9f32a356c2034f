"""What holds for each model with layers: near the original, independent of neighbours, known by its fingerprint."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from statistics import fmean

import numpy as np
import pytest
from model_packages import MODELS, NAMES, model_package
from reference_file import read_reference, reference_file
from reference_texts import Writer, reference_texts

from headnote.embedding.transformer import TransformerEmbedder

TEXTS = reference_texts()


@pytest.fixture(scope="module", params=NAMES)
def embedder(request: pytest.FixtureRequest) -> Iterator[TransformerEmbedder]:
    with model_package(request.param) as embedder:
        yield embedder


def test_near_the_original(embedder: TransformerEmbedder, record_property: Callable[[str, object], None]) -> None:
    reference = read_reference(reference_file(embedder.name.partition(":")[0]), TEXTS)
    pairs = [(ours, theirs) for ours, theirs in zip(embedder.embed(TEXTS), reference, strict=True) if ours.any()]
    cosines = [float(ours @ theirs) for ours, theirs in pairs]
    mean, least = fmean(cosines), min(cosines)
    record_property("cosine", f"mean {mean:.5f}, minimum {least:.5f}")
    assert len(cosines) > 180, "only a few of the texts are in scripts that no model reads"
    assert mean >= 0.995, f"minimum {least:.5f}"
    assert least >= 0.985, f"at {TEXTS[cosines.index(least)][:60]!r}"


def test_rows_have_length_one(embedder: TransformerEmbedder) -> None:
    vectors = embedder.embed(TEXTS[:6])
    assert vectors.shape == (6, embedder.dimensions) == (6, 384)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6


def test_neighbours_and_order_change_nothing(embedder: TransformerEmbedder) -> None:
    texts = [*TEXTS[:6], "", Writer(7).paragraph(60), "short"]
    alone = {text: embedder.embed_query(text).tobytes() for text in texts}
    shuffled = random.Random(1).sample(texts, len(texts))
    assert [vector.tobytes() for vector in embedder.embed(shuffled)] == [alone[text] for text in shuffled]


def test_similar_meanings_are_near(embedder: TransformerEmbedder) -> None:
    question = embedder.embed_query("How do I undo the last commit?")
    near, far = embedder.embed(["Revert the most recent change with git reset.", "Knead the dough for ten minutes."])
    # gte-small puts all texts into a narrow cone, so only the order says something.
    assert near @ question > far @ question + 0.05


def test_the_name_identifies_the_files(embedder: TransformerEmbedder) -> None:
    name = embedder.name.partition(":")[0]
    folder = MODELS / name / "src" / f"headnote_{name}"
    tokenizer = folder / "tokenizer.json"
    content = (folder / "model.onnx").read_bytes()
    content += tokenizer.read_bytes().rstrip(b"\n") if tokenizer.exists() else b""
    assert embedder.name == f"{name}:{hashlib.sha256(content).hexdigest()[:12]}:254-32"
