"""A document parses its text at most once, whatever is read of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import files_below

from headnote.chunking.chunker import chunk_document
from headnote.chunking.settings import Settings
from headnote.markdown import document as document_module
from headnote.markdown import parse
from headnote.markdown.document import Document, is_mdx
from headnote.markdown.headings import headings
from headnote.markdown.links import links_and_tags
from headnote.markdown.rules.rule import Span
from headnote.markdown.scanner import scan_spans
from headnote.sources.files import read_source

TEXT = """\ufeff---
title: A guide
tags: [one, two]
aliases: Manual
---

# Guide

See [other](b.md#x) and #three.

## Steps

Text.
"""


def test_a_document_knows_everything_its_text_says() -> None:
    document = Document(TEXT, "docs/guide.md")
    assert [block.kind for block in document.blocks] == ["frontmatter", "heading", "paragraph", "heading", "paragraph"]
    assert [heading.text for heading in document.headings] == ["Guide", "Steps"]
    assert [(entry.start_line, entry.end_line) for entry in document.outline] == [(7, 13), (11, 13)]
    assert document.frontmatter.data == {"title": "A guide", "tags": ["one", "two"], "aliases": "Manual"}
    assert (document.title, document.tags, document.aliases) == ("A guide", ["one", "two"], ["Manual"])
    assert [link.target for link in document.links] == ["b.md"]
    assert [tag.name for tag in document.inline_tags] == ["three"]


def test_a_document_agrees_with_the_functions_it_is_made_of(repository: Path) -> None:
    for path in files_below(repository / "examples"):
        text = read_source(path)
        document = Document(text, str(path))
        mdx = is_mdx(path)
        blocks = parse(text, mdx)
        assert document.blocks == blocks
        assert document.headings == headings(text, blocks)
        assert (document.links, document.inline_tags) == links_and_tags(
            text, scan_spans(text, is_mdx(path)), is_mdx(path)
        )


def test_the_text_is_scanned_once_and_only_when_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[str] = []

    def counting(text: str, mdx: bool = False) -> list[Span]:
        scans.append(text)
        return scan_spans(text, mdx)

    monkeypatch.setattr(document_module, "scan_spans", counting)
    document = Document(TEXT)
    assert not scans
    chunks = chunk_document(document, Settings())
    assert (chunks[0].metadata, chunks[0].links) == (document.frontmatter.data, tuple(document.links))
    assert document.outline
    assert document.title
    assert scans == [TEXT]


LEADING = [
    "",
    "\n\n",
    "---\ntags: [a]\n---\n",
    "---\ntitle:\n---\n",
    "<!-- A comment of several words. -->\n\n",
    '<a id="old"></a>\n\n',
    '<p align="center">\n  <img src="logo.png" alt="The logo">\n</p>\n\n',
    "[![build](https://a.example/b.svg)](https://a.example) ![cover](c.svg)\n\n",
    "[English](README.md) | [Deutsch](README.de.md) · [[Other note]]\n\n",
    "#project #idea/raw\n\n",
    "[label]: https://a.example\n\n",
    "***\n\n",
]
"""What may stand above a heading that leads a document."""
PROSE = ["An intro.\n\n", "- a list\n\n", "> a quote\n\n", "    code\n\n", "`code`\n\n", "## Part\n\n", "|a|\n|-|\n\n"]


@pytest.mark.parametrize("above", LEADING)
@pytest.mark.parametrize("heading", ["# The *title*\n", "The *title*\n===\n"])
def test_a_heading_of_level_1_that_leads_a_document_is_its_title(above: str, heading: str) -> None:
    assert Document(f"{above}{heading}\ntext\n\n# Other\n", "folder/name.md").title == "The title"


@pytest.mark.parametrize("above", PROSE)
@pytest.mark.parametrize("before", LEADING)
def test_below_prose_a_heading_is_no_title(before: str, above: str) -> None:
    assert Document(f"{before}{above}# Later\n", "folder/My note.md").title == "My note"


@pytest.mark.parametrize("text", ["", "text\n", "## Deeper\n\n# First\n", "#\n\ntext\n"])
def test_a_document_without_a_title_is_called_after_its_file(text: str) -> None:
    assert Document(text, "a/b.c/The plan v1.2.md").title == "The plan v1.2"
    assert Document(text).title == ""


def test_the_title_of_the_frontmatter_comes_first() -> None:
    assert Document("---\ntitle: Given\n---\n# Heading\n", "name.md").title == "Given"


def test_imports_and_components_of_mdx_may_stand_above_the_title() -> None:
    text = "import A from 'a'\nexport const b = 1\n\n<A b={b} />\n\n{/* a comment */}\n\n# Page\n"
    assert Document(text, "page.mdx").title == "Page"


@pytest.mark.parametrize(
    ("path", "override", "mdx"),
    [
        ("a.mdx", None, True),
        ("a.MDX", None, True),
        (Path("a.mdx"), None, True),
        ("a.md", None, False),
        ("mdx", None, False),
        ("", None, False),
        ("a.mdx", False, False),
        ("a.md", True, True),
    ],
)
def test_the_name_says_mdx_unless_a_setting_does(path: str | Path, override: bool | None, mdx: bool) -> None:
    assert is_mdx(path, override) is mdx
    assert Document("", str(path), override).mdx is mdx
