"""Markdown → HTML that is safe to show, even from untrusted documents."""

from __future__ import annotations

from headnote.extras import install

INSTALL = install("search", "server")
"""Of the whole web page: nobody shows documents without it."""
