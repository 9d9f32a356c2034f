"""The vectors that the tests compare with, from the published weights in 32 bits: `python reference.py [WHEEL]`.

Written in plain numpy from the definition of the model, so that it shares nothing with the graph under test.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from weights import Array, Published

TESTS = Path(__file__).resolve().parents[2] / "tests" / "embedding"
LAYERS = 6
HEADS = 12
WINDOW = 256

# numpy has no error function; the one in the standard library is exact, and its speed does not matter here.
_erf = np.frompyfunc(math.erf, 1, 1)


class Model:
    """The encoder and the mean over its words."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.tokenizer = Tokenizer.from_str(json.dumps(published.tokenizer))

    def embed(self, text: str) -> Array:
        ids = self.tokenizer.encode(text).ids
        if len(ids) > WINDOW:
            sys.exit(f"a reference text has {len(ids)} word pieces; the model reads {WINDOW}")
        vector = self.encode(ids).mean(axis=0)
        unit: Array = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit

    def encode(self, ids: list[int]) -> Array:
        weights = self.published
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm("embeddings.LayerNorm.", x + weights["embeddings.token_type_embeddings.weight"][0])
        for layer in range(LAYERS):
            prefix = f"encoder.layer.{layer}."
            attended = self.linear(prefix + "attention.output.dense.", self.attend(prefix + "attention.self.", x))
            x = self.norm(prefix + "attention.output.LayerNorm.", x + attended)
            wide = self.linear(prefix + "intermediate.dense.", x)
            active = (wide * 0.5 * (1 + _erf(wide / math.sqrt(2)).astype(np.float32))).astype(np.float32)
            x = self.norm(prefix + "output.LayerNorm.", x + self.linear(prefix + "output.dense.", active))
        return x

    def linear(self, name: str, x: Array) -> Array:
        return x @ self.published[name + "weight"].T + self.published[name + "bias"]

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        normed: Array = scaled * self.published[name + "weight"] + self.published[name + "bias"]
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


def main(arguments: list[str]) -> None:
    sys.path.insert(0, str(TESTS))
    from reference_file import FILE, write_reference
    from reference_texts import reference_texts

    model = Model(Published(Path(arguments[0]) if arguments else None))
    texts = reference_texts()
    write_reference(texts, np.array([model.embed(text) for text in texts]))
    sys.stdout.write(f"{FILE.name}: {FILE.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
