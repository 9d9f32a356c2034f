"""Numpy with its types, loaded when something of it is first used.

A command that never computes must not pay for it (numpy is a third of the time of a search as a command), and chunking
works without it. So modules write `from headnote.numeric import np` at their top, as anyone would, and the first
attribute that is read loads the package, or says how to install it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from headnote.extras import load

if TYPE_CHECKING:
    import numpy as np
else:

    class _LazyNumpy:
        """Stands for the package. What was read once is found here without another look into the package."""

        def __getattr__(self, name: str) -> object:
            value = getattr(_load(), name)
            setattr(self, name, value)
            return value

    np = _LazyNumpy()

__all__ = ["check_numpy", "np"]


def check_numpy() -> None:
    """Raise if it is missing. It is not loaded: that takes longer than opening an index."""
    if find_spec("numpy") is None:
        _load()


def _load() -> Any:
    return load("numpy", "searching by meaning")
