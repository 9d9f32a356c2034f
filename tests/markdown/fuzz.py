"""Hunt for texts that we and the judges read differently: `python tests/markdown/fuzz.py N SEED`.

Prints each difference once, shrunk to the smallest text that still shows it. What turns out to be our error
becomes a golden case in `cases/`.
"""

# ruff: noqa: T201

from __future__ import annotations

import sys
from collections import Counter

from blocklines import seen_by_us, tiling_fault
from judges import seen_by_markdown_it, seen_by_pyromark
from nasty import RandomDice, document
from nasty_mdx import document as mdx_document
from shrink import shrink
from verdict import fault, without_frontmatter

from headnote.markdown.scanner import scan


def main(count: int, seed: str) -> int:
    differing: Counter[str] = Counter()
    for number in range(count):
        text = without_frontmatter(document(RandomDice((seed, number))))
        if fault(text):
            smallest = shrink(text, lambda candidate: bool(fault(without_frontmatter(candidate))))
            differing[smallest] += 1
            if differing[smallest] == 1:
                show(smallest)
        text = mdx_document(RandomDice((seed, number)))
        if mdx_fault(text):
            smallest = shrink(text, lambda candidate: bool(mdx_fault(candidate)))
            differing[smallest] += 1
            if differing[smallest] == 1:
                print(f"mdx {smallest!r}: {mdx_fault(smallest)}")
    print(f"{count} texts, {sum(differing.values())} differ, {len(differing)} of them differently")
    return 1 if differing else 0


def mdx_fault(text: str) -> str:
    """No judge reads MDX: here it is enough that the blocks tile the text."""
    return tiling_fault(text, scan(text, mdx=True))


def show(text: str) -> None:
    print(f"{text!r}: {fault(text)}")
    readings = {
        "ours": seen_by_us(scan(text)),
        "pyromark": seen_by_pyromark(text),
        "markdown-it": seen_by_markdown_it(text),
    }
    for name, seen in readings.items():
        blocks = (f"{one.kind}{one.level or ''}:{one.first_line}-{one.last_line}" for one in seen)
        print(f"  {name:12}", *blocks)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tests/markdown/fuzz.py COUNT SEED")
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
