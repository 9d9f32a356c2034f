"""What each format becomes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import headnote
from headnote.errors import NotText, SettingsError
from headnote.formats.kinds import check_format, format_of, open_document, suffixes_of
from headnote.markdown.document import Document

PAGE = """<!DOCTYPE html>
<html><head><title>Gauges - Harbour</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav>
<main class="content">
<h1 id="gauges">Tide gauges<a class="headerlink" href="#gauges">¶</a></h1>
<p class="lead">Read the <a href="reef.html#depth">reef</a> chart
before you <code>calibrate()</code>.</p><p>Twice&nbsp;a day.</p>
<div class="highlight"><pre><span>x</span> = 1
y = 2</pre></div>
<ul><li>one</li>
<li>two</li></ul>
</main><footer>Copyright</footer></body></html>
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "\n", "Read the [chart](chart.md)."]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["secret\n"]}],
            "source": ["import tides\n", "tides.plot()"],
        },
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
RST = """\
.. _top:

=====
Tides
=====

Read the `chart <https://example.org/chart>`_ and :doc:`reef`.

Depth
-----

.. note::
   Mind the reef.

.. code-block:: python

   tides.plot()
"""


def lines(document: Document) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start_line, block.end_line) for block in document.blocks]


def test_a_page_has_its_text_and_its_lines() -> None:
    document = open_document(PAGE, "gauges.html")
    assert lines(document) == [
        ("html", 2, 2), ("heading", 5, 5), ("paragraph", 6, 7), ("paragraph", 7, 7), ("code", 8, 9), ("html", 10, 11),
    ]  # fmt: skip
    assert [(heading.text, heading.slug, heading.start_line) for heading in document.headings] == [
        ("Tide gauges", "gauges", 5)
    ]
    assert document.title == "Tide gauges"
    assert [(link.target, link.fragment, link.text) for link in document.links] == [("reef.html", "depth", "reef")]
    for hidden in ("Home", "Copyright", "color", "¶", "headerlink", "nbsp"):
        assert hidden not in document.text
    assert "Twice a day." in document.text


def test_the_title_of_a_page_without_a_heading_is_its_title() -> None:
    assert open_document("<title>Gauges &amp; buoys</title><p>text", "a.html").title == "Gauges & buoys"
    assert open_document("<p>text", "a.html").title == "a"


def test_a_notebook_is_markdown_on_the_lines_of_its_file() -> None:
    source = json.dumps(NOTEBOOK, indent=1)
    document = open_document(source, "tides.ipynb")
    numbers = {line.strip(): number for number, line in enumerate(source.split("\n"), 1)}
    assert lines(document) == [
        ("heading", numbers['"# Tides\\n",'], numbers['"# Tides\\n",']),
        ("paragraph", numbers['"Read the [chart](chart.md)."'], numbers['"Read the [chart](chart.md)."']),
        ("code", numbers['"import tides\\n",'] - 1, numbers['"tides.plot()"'] + 1),
    ]
    assert document.blocks[-1].info == "python"
    assert [link.target for link in document.links] == ["chart.md"]
    assert "secret" not in document.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(NOTEBOOK), "several lines of a cell are on one line"),
        ('{"cells": [', "its JSON is damaged"),
        ('{"worksheets": []}', "version 3"),
        ('{"cells": [{"cell_type": "markdown", "source": "a\\nb"}]}', "several lines of a cell are on one line"),
    ],
)
def test_a_notebook_without_lines_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotText, match=message) as refusal:
        open_document(text, "a.ipynb")
    assert refusal.value.remedy


def test_docutils_says_where_blocks_are() -> None:
    pytest.importorskip("docutils", reason="docutils is not installed")
    document = open_document(RST, "tides.rst")
    assert lines(document) == [
        ("definition", 1, 1), ("heading", 3, 5), ("paragraph", 7, 7), ("heading", 9, 10), ("directive", 12, 13),
        ("code", 15, 17),
    ]  # fmt: skip
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Tides"), (2, "Depth")]
    assert [link.target for link in document.links] == ["https://example.org/chart", "reef"]
    assert document.blocks[-1].info == "python"
    assert document.text == RST
    (chunk, *_) = headnote.chunk(RST, path="tides.rst")
    assert chunk.heading_path[0] == "Tides"


def test_a_title_is_read_without_the_markup_of_roles() -> None:
    pytest.importorskip("docutils", reason="docutils is not installed")
    document = open_document(":mod:`tides` -- and :py:func:`plot <tides.plot>`\n" + "=" * 50 + "\n", "a.rst")
    assert [heading.text for heading in document.headings] == ["tides -- and plot"]


def test_rst_reads_no_other_file(tmp_path: Path) -> None:
    pytest.importorskip("docutils", reason="docutils is not installed")
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words\n\nTitle\n=====\n", encoding="utf-8")
    source = f".. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n.. csv-table::\n   :file: {secret}\n"
    document = open_document(source, "a.rst")
    assert document.text == source
    assert not document.headings


def test_formats_have_names() -> None:
    assert suffixes_of(["rst", "html", "rst"]) == (".rst", ".rest", ".html", ".htm")
    assert [format_of(name) for name in ("A.RST", "b.htm", "c.ipynb", "d.md", "e.txt")] == [
        "rst", "html", "notebook", "", "",
    ]  # fmt: skip
    with pytest.raises(SettingsError, match="AsciiDoc is not read: no parser for Python tells where"):
        check_format("adoc")
    with pytest.raises(SettingsError, match="unknown format 'odt'"):
        check_format("odt")


def test_without_docutils_the_command_that_installs_it_is_named() -> None:
    script = (
        "import sys; sys.modules['docutils'] = None\n"
        "import headnote\n"
        "try: headnote.chunk('a', path='a.rst')\n"
        "except headnote.HeadnoteError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "reStructuredText needs the package docutils" in result.stdout
    assert "[rst]" in result.stdout
