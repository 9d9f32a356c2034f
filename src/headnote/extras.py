"""Packages that only an extra brings, and what to say when they are not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from headnote.errors import MissingExtra

SEARCH = "pip install 'headnote[search]'"


def load(package: str, purpose: str, remedy: str = SEARCH) -> Any:
    """The package, or one line that says how to get it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        # Something else may be missing inside the package; then that is what to say.
        raise MissingExtra(f"{purpose} needs the package {error.name or package}", remedy=f"run: {remedy}") from None


@contextmanager
def importing(purpose: str, remedy: str) -> Iterator[None]:
    """The same for `import` statements, in modules that are nothing without what they import."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{purpose} needs the package {error.name}", remedy=f"run: {remedy}") from None


def load_numpy() -> Any:
    """What every vector is made of."""
    return load("numpy", "searching by meaning")
