"""Load packages that only an extra installs, or say how to install them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from headnote.errors import MissingExtra

DISTRIBUTION = "headnote-md"
"""The name to install: on PyPI, the name to import belongs to another project."""


def install(*extras: str) -> str:
    """The command that installs headnote with these extras.

    In double quotes: a shell may read the brackets as a pattern, and cmd.exe knows no single quotes.
    """
    return f'pip install "{DISTRIBUTION}[{",".join(extras)}]"'


SEARCH = install("search")


def load(package: str, purpose: str, remedy: str = SEARCH) -> Any:
    """The package, or an error with the command that installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        # The missing package may be a dependency of this one; name that.
        raise MissingExtra(f"{purpose} needs the package {error.name or package}", remedy=f"run: {remedy}") from None


@contextmanager
def importing(purpose: str, remedy: str) -> Iterator[None]:
    """The same for `import` statements at the top of a module."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{purpose} needs the package {error.name}", remedy=f"run: {remedy}") from None


def load_numpy() -> Any:
    """Numpy, which all vectors need."""
    return load("numpy", "searching by meaning")
