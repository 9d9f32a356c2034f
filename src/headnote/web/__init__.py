"""The index as a web page and an HTTP API."""

from __future__ import annotations

from headnote.extras import load
from headnote.rendering import INSTALL

PURPOSE = "the web page"


def check_packages() -> None:
    """Raise, with the install command, if a required package is missing."""
    load("anyio", PURPOSE, INSTALL)
    load("starlette", PURPOSE, INSTALL)
    load("uvicorn", PURPOSE, INSTALL)
    load("markdown_it", PURPOSE, INSTALL)
    load("mdit_py_plugins", PURPOSE, INSTALL)
    load("nh3", PURPOSE, INSTALL)


check_packages()
