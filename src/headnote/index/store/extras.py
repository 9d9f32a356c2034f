"""Packages that come with an extra: loaded when they are first needed, with the install command where they are not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from headnote.errors import MissingExtra


def extra_module(name: str, extra: str) -> Any:
    """The module of that name."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"{name} cannot be loaded: {error}", remedy=f"pip install 'headnote[{extra}]' brings it"
        ) from error
