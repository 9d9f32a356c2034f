"""Load packages that only an extra installs, or say how to install them; numpy is loaded when something of it is first
used."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.errors import MissingExtra

__all__ = ["DISTRIBUTION", "SEARCH", "check_numpy", "importing", "install", "load", "np"]

DISTRIBUTION = "headnote-md"
"""The name to install: on PyPI, the name to import belongs to another project."""


class _Tool(NamedTuple):
    """The tool that installed headnote. Those with an environment for each program make it anew every time, so they
    must be told again what is there already: their receipt lists it."""

    command: str = "pip install"
    option: str = ""
    """What stands before another package."""
    receipt: str = ""


_RECEIPTS = {
    "uv-receipt.toml": _Tool("uv tool install", "--with "),
    "pipx_metadata.json": _Tool("pipx install --force", "--preinstall "),
}
_EXTRAS_THERE = re.compile(rf'{DISTRIBUTION}(?:\[|", extras = \[)([^\]]*)\]')
_PACKAGES_THERE = re.compile(rf'"({DISTRIBUTION}-[a-z]+)"')


def install(*extras: str, package: str | None = None) -> str:
    """The command that installs headnote with these extras, and another package beside it.

    In double quotes: a shell may read the brackets as a pattern, and cmd.exe knows no single quotes.
    """
    tool = _installed_by()
    there = _EXTRAS_THERE.search(tool.receipt)
    all_extras = dict.fromkeys([*re.findall(r"[\w-]+", there[1] if there else ""), *extras])
    packages = dict.fromkeys([*_PACKAGES_THERE.findall(tool.receipt), *([package] if package else [])])
    command = f'{tool.command} "{requirement(*all_extras)}"'
    return " ".join([command, *(f"{tool.option}{name}" for name in packages)])


def requirement(*extras: str) -> str:
    """headnote with these extras, as every installer writes it."""
    return f"{DISTRIBUTION}[{','.join(extras)}]"


@cache
def _installed_by(prefix: str = sys.prefix) -> _Tool:
    for name, tool in _RECEIPTS.items():
        with suppress(OSError, UnicodeDecodeError):
            return tool._replace(receipt=(Path(prefix) / name).read_text(encoding="utf-8"))
    return _Tool()


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


# -- Numpy with its types, loaded when something of it is first used.
#
# A command that never computes must not pay for it (numpy is a third of the time of a search as a command), and
# chunking works without it. So modules write `from headnote.extras import np` at their top, as anyone would, and the
# first attribute that is read loads the package, or says how to install it.


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


def check_numpy() -> None:
    """Raise if it is missing. It is not loaded: that takes longer than opening an index."""
    if find_spec("numpy") is None:
        _load()


def _load() -> Any:
    return load("numpy", "searching by meaning")
