"""What holds for documents in every format: nothing is lost, positions are those of the file, chunks keep the cap."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.chunking.chunker import chunk_document
from headnote.chunking.settings import Settings
from headnote.formats.kinds import open_document
from headnote.markdown.document import Document

sys.path.insert(0, str(Path(__file__).parent.parent / "markdown"))
from effort import counted_steps, stop_of_endless_work

pytest.importorskip("docutils", reason="docutils is not installed")

WORDS = "tide gauge sensor lamp reef harbour pier valve survey buoy depth chart".split()
SMALL = Settings(max_tokens=48, target_tokens=32, min_tokens=8, overlap_tokens=0)
RST_PIECES = (
    "Title\n=====",
    "=====\nOver\n=====",
    "Deeper\n------",
    "A paragraph of the tide\nwith two lines.",
    "Literal::\n\n    code = 1\n    more",
    "* one\n* two\n\n  * nested",
    "1. first\n2. second",
    "term\n  what it means",
    ":field: value",
    ".. note:: mind the gap\n\n   and the reef",
    ".. code-block:: python\n\n   x = 1",
    ".. unknown-directive:: a\n   :option: b\n\n   content",
    ".. _label:",
    ".. image:: a.png",
    ".. a comment",
    "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+",
    "=== ===\n a   b\n=== ===\n 1   2\n=== ===",
    "    quoted text",
    ">>> 1 + 1\n2",
    "----",
    "See `the map <map.rst>`_ and :doc:`plan`.",
    "``a`` `b`_ |c| [1]_ *d **e",
)
HTML_PIECES = (
    "<h1>Title</h1>",
    '<h2 id="a">Deeper<a class="headerlink" href="#a">¶</a></h2>',
    "<p>A paragraph of the tide\nwith <em>two</em> lines.</p>",
    '<div class="x"><p>inside</p></div>',
    "<ul>\n<li>one</li>\n<li>two <b>bold</b></li></ul>",
    "<pre><code>x &lt; 1\n  y</code></pre>",
    "<table><tr><th>a</th></tr>\n<tr><td>1</td></tr></table>",
    "bare text &amp; more",
    "<script>var a = '<p>';</script>",
    "<!-- hidden -->",
    '<nav><a href="x.html">menu</a></nav>',
    "<main>", "</main>", "<ul>", "</div>", "<p", "<h3>", "<", ">", '"', "<!--", "&nbsp;", "<title>T</title>",
    '<a href="map.html#b"\n  title="x">the map</a>',
)  # fmt: skip


def notebook(cells: list[tuple[str, list[str]]]) -> str:
    made = [{"cell_type": kind, "metadata": {}, "source": lines} for kind, lines in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def made(path: str, dice: random.Random) -> str:
    if path.endswith(".ipynb"):
        texts = [
            "# Title\n",
            "text\n",
            "- item\n",
            "\n",
            "x = 1\n",
            "```\n",
            "~~~~\n",
            "<!--\n",
            "<pre>\n",
            'say "é"\n',
            "last",
        ]
        cells = [(dice.choice(["markdown", "code", "raw"]), dice.choices(texts, k=dice.randrange(5))) for _ in range(5)]
        return notebook(cells)
    pieces = RST_PIECES if path.endswith(".rst") else HTML_PIECES
    chosen = [
        dice.choice(pieces) if dice.random() < 0.8 else " ".join(dice.choices(WORDS, k=dice.randrange(1, 60)))
        for _ in range(dice.randrange(1, 12))
    ]
    ends = dice.choice(["\n", "\r\n"])
    return dice.choice(["\n\n", "\n", "\n\n\n"]).join(chosen).replace("\n", ends)


def check(source: str, path: str, settings: Settings) -> None:
    document = open_document(source, path)
    text = document.text
    assert len(text) == len(source)
    assert re.sub(r"[^\r\n]", "", text) == re.sub(r"[^\r\n]", "", source)
    assert open_document(text, path).text == text
    check_blocks(document)
    chunks = chunk_document(document, settings)
    assert chunks == chunk_document(open_document(text, path), settings)
    own = "".join(text[chunk.start : chunk.end] for chunk in chunks)
    assert own.split() == text.split() or "".join(own.split()) == "".join(text.split()), "something is lost"
    for chunk in chunks:
        assert chunk.tokens <= settings.max_tokens
        assert chunk.text == chunk.prefix + text[chunk.start : chunk.end] + chunk.suffix
        assert chunk.start_line == 1 + len(re.findall(r"\r\n?|\n", text[: chunk.start]))


def check_blocks(document: Document) -> None:
    text = document.text
    ends = [(0, 0), *((block.start, block.end) for block in document.blocks), (len(text), len(text))]
    for (_, end), (start, _) in pairwise(ends):
        assert not text[end:start].strip(), "between blocks stands nothing"
    for block in document.blocks:
        assert block.start_line == 1 + len(re.findall(r"\r\n?|\n", text[: block.start]))
    assert [heading.block for heading in document.headings] == [
        number for number, block in enumerate(document.blocks) if block.kind == "heading"
    ]


@pytest.mark.parametrize("path", ["a.rst", "a.html", "a.ipynb"])
@given(seed=st.integers(0, 10**9))
def test_the_laws_hold(path: str, seed: int) -> None:
    dice = random.Random(seed)
    check(made(path, dice), path, dice.choice([SMALL, Settings()]))


@given(text=st.text(alphabet="ab .:*=-_`|+<>/&;\"'!\n\r\t#\u2028\x0c", max_size=120))
@pytest.mark.parametrize("path", ["a.rst", "a.html"])
def test_no_text_is_refused(path: str, text: str) -> None:
    check(text, path, SMALL)


WORST = ["<!--", "<a ", "<![CDATA[", "&#", "<?", "</", "<script>", "<a b=\"", "<a b='>", "<", "<p>", "<nav>", "<main>",
         "<ul>", "<h1>", "<a href=#>", "<title>", "<pre>", "</ul>", "<td>x"]  # fmt: skip


@pytest.mark.parametrize("piece", WORST)
def test_a_page_takes_as_long_as_it_is(piece: str) -> None:
    def steps(count: int) -> Callable[[], object]:
        return lambda: open_document(piece * count, "a.html").blocks

    open_document("<p>warm", "a.html").blocks  # noqa: B018
    small, large = counted_steps(steps(400)), counted_steps(steps(800))
    assert large <= 2.2 * small + 500
    with stop_of_endless_work():
        steps(30_000)()
