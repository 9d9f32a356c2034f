"""Ends with an error unless the headnote that Python finds is compiled and chunks a text."""

from __future__ import annotations

from pathlib import Path

import headnote
from headnote.markdown import scanner

if Path(scanner.__file__).suffix == ".py":
    raise SystemExit(f"not compiled: {scanner.__file__}")
[chunk] = headnote.chunk("# A\n\nThe *text*, and a [link](b.md).\n")
if (chunk.heading_path, [link.target for link in chunk.links]) != (("A",), ["b.md"]):
    raise SystemExit(f"compiled, but wrong: {chunk.to_dict()}")
