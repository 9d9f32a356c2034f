"""The file of headnote's deep model in 8 bits, and the fingerprint of this version."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FINGERPRINT", "MODEL"]

_HERE = Path(__file__).resolve().parent

MODEL = _HERE / "model.onnx"
"""Word pieces of one text in (`ids`), the mean of their vectors out (`vector`)."""

FINGERPRINT = (_HERE / "fingerprint.txt").read_text(encoding="ascii").strip()
"""Changes whenever the model does. Vectors of different fingerprints must not be compared."""
