"""The breadcrumb begins with the title of the document where no heading says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.chunking.presets import presets

PAGE = "---\ntitle: {title}\n---\n\nBefore.\n\n# Overview\n\nText.\n\n## Limits\n\nMore text.\n"
APART: dict[str, Any] = {"min_tokens": 0, "target_tokens": 1, "boundaries": "heading"}


def breadcrumbs(title: str, **settings: Any) -> list[str]:
    chunks = headnote.chunk(PAGE.format(title=title), **APART, **settings)
    assert [chunk.embed_text for chunk in chunks] == [
        f"{chunk.breadcrumb}\n\n{chunk.text}" if chunk.breadcrumb else chunk.text for chunk in chunks
    ]
    return [chunk.breadcrumb for chunk in chunks]


def test_every_chunk_says_which_document_it_is_from() -> None:
    assert breadcrumbs("Pods  and\n  friends") == [
        "Pods and friends",
        "Pods and friends > Overview",
        "Pods and friends > Overview > Limits",
    ]


def test_a_heading_that_says_the_title_says_it_alone() -> None:
    assert breadcrumbs("OVERVIEW") == ["OVERVIEW", "Overview", "Overview > Limits"]


@pytest.mark.parametrize("settings", [{"document_title": False}, {"frontmatter": "strip"}])
def test_without_a_title_there_are_headings_only(settings: dict[str, Any]) -> None:
    assert breadcrumbs("Pods", **settings) == ["", "Overview", "Overview > Limits"]


@pytest.mark.parametrize("preset", [name for name in presets() if name != "default"])
def test_other_systems_know_headings_only(preset: str) -> None:
    assert not any(
        chunk.breadcrumb.startswith("Pods") for chunk in headnote.chunk(PAGE.format(title="Pods"), preset=preset)
    )


def test_the_title_counts_and_goes_first_where_it_is_too_long() -> None:
    title = "word " * 20
    assert breadcrumbs(title, max_tokens=64)[1] == f"{title}> Overview"
    [first, *_] = headnote.chunk(PAGE.format(title=title), **APART, max_tokens=32)
    assert first.embed_text == "Before."
    parts = headnote.chunk(PAGE.format(title="Pods") + "Words here. " * 300, max_tokens=64)
    assert max(chunk.tokens for chunk in parts) <= 64
    assert all(chunk.embed_text.startswith("Pods > Overview") for chunk in parts)


def test_an_index_cuts_the_same_chunks_and_knows_the_title_as_a_name(tmp_path: Path) -> None:
    text = PAGE.format(title="Pods") + "Words about quotas here. " * 300
    (tmp_path / "page.md").write_text(text)
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update()
        hits = index.search("quotas", limit=50)
    keys = {chunk.key for chunk in headnote.chunk(text, path="page.md")}
    assert hits
    assert {hit.key for hit in hits} <= keys
    assert {(hit.title, hit.breadcrumb) for hit in hits} == {("Pods", "Overview > Limits")}
