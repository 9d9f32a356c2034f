"""The files of all-MiniLM-L6-v2 in 8 bits, and the fingerprint of this version."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FINGERPRINT", "MODEL", "TOKENIZER"]

_HERE = Path(__file__).resolve().parent

MODEL = _HERE / "model.onnx"
"""Word pieces of one text in (`ids`), the mean of their vectors out (`vector`)."""

TOKENIZER = _HERE / "tokenizer.json"
"""Text to word pieces, neither padded nor truncated."""

FINGERPRINT = (_HERE / "fingerprint.txt").read_text(encoding="ascii").strip()
"""Changes whenever one of the two files does. Vectors of different fingerprints must not be compared."""
