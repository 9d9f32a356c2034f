"""The vectors that the tests compare with, from weights in 32 bits: `python reference.py minilm|quality`, which are
downloaded, or `python reference.py deep WEIGHTS.npz`.

Everything here is plain numpy from the definition of BERT, so that it shares nothing with the graph under test.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Array = NDArray[np.float32]

MODELS = Path(__file__).resolve().parents[1]
TESTS = MODELS.parent / "tests" / "embedding"
TOKENIZER = MODELS / "minilm" / "src" / "headnote_minilm" / "tokenizer.json"
"""All models have the same vocabulary."""
PUBLISHED = {"minilm": "minilm", "quality": "gte-small"}
"""The published weights of a model, under their names in `workshop/published.py`."""
HEADS = 12
WINDOW = 256

# numpy has no error function; the one in the standard library is exact, and its speed does not matter here.
_erf = np.frompyfunc(math.erf, 1, 1)


class Model:
    """The encoder and the mean over its words, without what all vectors have in common."""

    def __init__(self, weights: Mapping[str, Array], common: Array | float = 0.0) -> None:
        self.weights = weights
        self.common = common
        self.layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})
        self.tokenizer = Tokenizer.from_file(str(TOKENIZER))

    def embed(self, text: str) -> Array:
        ids = self.tokenizer.encode(text).ids
        if len(ids) > WINDOW:
            sys.exit(f"a reference text has {len(ids)} word pieces; the model reads {WINDOW}")
        vector = self.encode(ids).mean(axis=0) - self.common
        unit: Array = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit

    def encode(self, ids: list[int]) -> Array:
        weights = self.weights
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm("embeddings.LayerNorm.", x + weights["embeddings.token_type_embeddings.weight"][0])
        for layer in range(self.layers):
            prefix = f"encoder.layer.{layer}."
            attended = self.linear(prefix + "attention.output.dense.", self.attend(prefix + "attention.self.", x))
            x = self.norm(prefix + "attention.output.LayerNorm.", x + attended)
            wide = self.linear(prefix + "intermediate.dense.", x)
            active = (wide * 0.5 * (1 + _erf(wide / math.sqrt(2)).astype(np.float32))).astype(np.float32)
            x = self.norm(prefix + "output.LayerNorm.", x + self.linear(prefix + "output.dense.", active))
        return x

    def linear(self, name: str, x: Array) -> Array:
        return x @ self.weights[name + "weight"].T + self.weights[name + "bias"]

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        normed: Array = scaled * self.weights[name + "weight"] + self.weights[name + "bias"]
        return normed

    def attend(self, name: str, x: Array) -> Array:
        query, key, value = (self.heads(self.linear(f"{name}{part}.", x)) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        attended: Array = (shares @ value).transpose(1, 0, 2).reshape(x.shape)
        return attended

    def heads(self, x: Array) -> Array:
        return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=["deep", "minilm", "quality"])
    parser.add_argument("weights", type=Path, nargs="?")
    arguments = parser.parse_args()
    sys.path[:0] = [str(TESTS), str(MODELS / "workshop")]
    from published import read_published, read_start
    from reference_file import reference_file, write_reference
    from reference_texts import reference_texts

    weights = read_start(arguments.weights) if arguments.weights else read_published(PUBLISHED[arguments.model])
    common = MODELS / arguments.model / "common.json"
    model = Model(weights, np.array(json.loads(common.read_text()), np.float32) if common.exists() else 0.0)
    texts = reference_texts()
    file = reference_file(arguments.model)
    write_reference(file, texts, np.array([model.embed(text) for text in texts]))
    sys.stdout.write(f"{file.name}: {file.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
