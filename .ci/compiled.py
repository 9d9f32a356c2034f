"""Ends with an error unless the headnote that Python finds is compiled, chunks a text, and has its loops in C."""

from __future__ import annotations

from array import array
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import headnote
from headnote.words.memory import word_memory

COMPILED = ("headnote.markdown.scanner", "headnote.native")

found = {name: find_spec(name) for name in COMPILED}
plain = [name for name, spec in found.items() if spec is None or Path(str(spec.origin)).suffix == ".py"]
if plain:
    raise SystemExit(f"not compiled: {', '.join(plain)}")
native = import_module("headnote.native")

[chunk] = headnote.chunk("# A\n\nThe *text*, and a [link](b.md).\n")
if (chunk.heading_path, [link.target for link in chunk.links]) != (("A",), ["b.md"]):
    raise SystemExit(f"compiled, but wrong: {chunk.to_dict()}")
words = word_memory(str.upper, 9)
rows, sums = array("i", range(48)), array("q", bytes(8 * 16))
native.sum_rows(array("q", [0, 2]).tobytes(), rows, sums)
if not isinstance(words, native.WordMemory) or words.of_words("a b") != ["A", "B"] or sums[15] != rows[15] + rows[47]:
    raise SystemExit("compiled, but native.c is not used, or wrong")
