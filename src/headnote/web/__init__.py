"""The index as a web page and an HTTP API."""

from __future__ import annotations

from headnote.extras import load

PURPOSE = "the web page"
INSTALL = "pip install 'headnote[server]'"


def check_packages() -> None:
    """Raises, with the remedy, if something is missing that this room cannot do without."""
    load("anyio", PURPOSE, INSTALL)
    load("starlette", PURPOSE, INSTALL)
    load("uvicorn", PURPOSE, INSTALL)
    load("markdown_it", PURPOSE, INSTALL)
    load("mdit_py_plugins", PURPOSE, INSTALL)
    load("nh3", PURPOSE, INSTALL)


check_packages()
