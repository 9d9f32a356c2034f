"""Every cell of a notebook is a document of its own, as Jupyter shows it: what one leaves open ends with it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import parse
from headnote.formats.kinds import open_document
from headnote.markdown.document import Document

Cells = list[tuple[str, str]]
AFTER: Cells = [("code", "x = 1\n"), ("markdown", "# After\n\nText with a [link](a.md)."), ("code", "y = 2")]
LEFT_OPEN = {
    "```\nnever closed": "```",
    "Text.\n\n```python\nx = 1\n\n# no heading\n": "```",
    "````\n```\nstill open": "````",
    "~~~\ncode": "~~~",
    "   ```\nindented": "```",
    "<!-- a remark\n\n# no heading": "-->",
    "<!-- ``` -->\n\n<!-- ```": "-->",
    "<pre>\ntext\n\nmore": "</pre>",
    "<PRE class=x>\n\ntext": "</pre>",
    "<script>\nlet x = 1;\n": "</script>",
    "<style>\n\np { }": "</style>",
    "<textarea>\n\nx": "</textarea>",
    "<?php\n\necho 1;": "?>",
    "<![CDATA[\n\nx > y": "]]>",
    "<!DOCTYPE\n\nhtml": ">",
}
"""Text of a cell → what closes its last block."""
CLOSED = [
    "```\nclosed\n```",
    "<!-- closed -->",
    "<pre>\n\nclosed</pre>",
    "<div>\n\nends at the blank line",
    "- item\n\n  ```\n  in a list\n",
    "> ```\n> in a quotation",
    "text with ``` in it, and <!-- in it",
    "    ```\n    indented code",
    "",
]


def notebook(cells: Cells, indent: int = 1) -> str:
    made: list[dict[str, object]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for kind, text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=indent)


def opened(cells: Cells, indent: int = 1) -> Document:
    source = notebook(cells, indent)
    document = open_document(source, "a.ipynb")
    assert len(document.text) == len(source)
    assert open_document(document.text, "a.ipynb").text == document.text
    return document


def code_of(document: Document) -> list[str]:
    whole = [document.text[block.start : block.end] for block in document.blocks if block.kind == "code"]
    return [" ".join(text.split()) for text in whole]


@pytest.mark.parametrize("indent", [0, 1, 4])
@pytest.mark.parametrize("text", [*LEFT_OPEN, *CLOSED])
def test_what_a_cell_leaves_open_ends_with_it(text: str, indent: int) -> None:
    document = opened([("markdown", "# Before"), ("markdown", text), *AFTER], indent)
    assert [heading.text for heading in document.headings] == ["Before", "After"]
    assert [link.target for link in document.links] == ["a.md"]
    assert code_of(document)[-2:] == ["```python x = 1 ```", "```python y = 2 ```"]


@pytest.mark.parametrize(("text", "closing"), LEFT_OPEN.items())
def test_the_last_cell_is_closed_too(text: str, closing: str) -> None:
    document = opened([("markdown", text)])
    assert document.text.split() == [*text.split(), closing]
    assert [block.kind for block in document.blocks] == [block.kind for block in parse(text)]


@pytest.mark.parametrize("text", CLOSED)
def test_a_cell_that_ends_by_itself_stays_as_it_is(text: str) -> None:
    words = opened([("markdown", text)]).text.split()
    assert words == text.split()


def test_code_may_have_fences_of_every_kind() -> None:
    document = opened([("code", '"""\n```\n~~~\n````\n"""'), *AFTER])
    assert [heading.text for heading in document.headings] == ["After"]
    assert len(code_of(document)) == 3


PIECES = st.sampled_from(["# Heading\n", "text\n", "\n", "```\n", "~~~~\n", "<!--\n", "-->\n", "<pre>\n", "</pre>\n"])


@given(st.lists(st.lists(PIECES, max_size=5).map("".join), max_size=4))
def test_headings_are_those_of_each_cell_alone(texts: list[str]) -> None:
    document = opened([("markdown", text) for text in texts])
    alone = [heading.text for text in texts for heading in Document(f"\n{text}", "a.md", False).headings]
    assert [heading.text for heading in document.headings] == alone
