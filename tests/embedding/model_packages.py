"""The model packages of the repository, which need not be installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headnote.embedding.transformer import TransformerEmbedder

MODELS = Path(__file__).parents[2] / "models"
NAMES = ("deep", "minilm", "quality")


@contextmanager
def model_package(name: str) -> Iterator[TransformerEmbedder]:
    """The model, or a skip if its weights have not been built. Others do not see it afterwards: the default depends on
    what is installed."""
    folder = MODELS / name / "src"
    if not (folder / f"headnote_{name}" / "model.onnx").exists():
        pytest.skip(f"the weights are not there: see models/{name}/README.md")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, f"headnote_{name}", raising=False)
        yield TransformerEmbedder(name, threads=2)
        sys.modules.pop(f"headnote_{name}", None)
