"""Links of real sites: how many lead nowhere, and where some that are hard to follow lead."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import headnote


class Bounds(NamedTuple):
    """What was counted and gone through by hand; what is left is not there, or made while the site is built."""

    corpus: str
    links: int
    """To something below the root, at least."""
    broken: int
    """At most."""


SITES = [
    Bounds("own", 60, 7),  # pictures, the README of the project, one on purpose
    Bounds("vite-docs", 430, 18),  # headings of older migration guides
    Bounds("mkdocs-material-docs", 950, 60),  # anchors that hooks of the site make
    Bounds("dbt-docs", 4400, 150),  # headings that have other names now, pages of programs
    Bounds("astro-en", 2900, 1),
    Bounds("foam", 280, 28),  # pictures that are not in the corpus
    Bounds("rust-book", 320, 0),
    Bounds("fastapi-en", 140, 1),
    Bounds("react.dev", 2500, 75),
]
PLACES = [
    ("own", "../guide/getting-started.md", "tests/corpus/guide/getting-started.md"),
    ("own", "getting-started", "tests/corpus/guide/getting-started.md"),
    ("dbt-docs", "/sql-reference/where", "website/docs/sql-reference/clauses/sql-where.md"),
    ("dbt-docs", "/guides/manual-install?step=3", "website/docs/guides/manual-install-qs.md"),
    ("dbt-docs", "/blog/evolving-data-engineer-craft", "website/blog/2023-05-01-evolving-data-engineer-craft.md"),
    (
        "dbt-docs",
        "/docs/dbt-versions/core-upgrade/upgrading-to-v1.7",
        "website/docs/docs/dbt-versions/core-upgrade/08-upgrading-to-v1.7.md",
    ),
    ("vite-docs", "/", "docs/index.md"),
    ("vite-docs", "/og-image-announcing-vite7.webp", "docs/public/og-image-announcing-vite7.webp"),
    ("astro-en", "/en/guides/deploy/", "guides/deploy/index.mdx"),
]


IGNORED = "!build/\ngrown/\n"
"""dbt has pages in a folder named build; links of grown pages lead nowhere."""

OpenSite = Callable[[str], headnote.Index]


@pytest.fixture(scope="module")
def open_site(corpus_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> OpenSite:
    """A corpus with the files of its site that are no documents, which are empty here."""

    @cache
    def open_corpus(corpus: str) -> headnote.Index:
        folder = tmp_path_factory.mktemp("sites") / corpus
        shutil.copytree(corpus_folder(corpus), folder)
        others = folder / "OTHER-FILES.txt"
        for name in others.read_text(encoding="utf-8").splitlines() if others.exists() else ():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        (folder / ".headnoteignore").write_text(IGNORED, encoding="utf-8")
        index = headnote.Index.open(folder, embedder="none")
        index.update()
        return index

    return open_corpus


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.corpus)
def test_few_links_are_broken(site: Bounds, open_site: OpenSite) -> None:
    index = open_site(site.corpus)
    inside = [link for path in index.documents() for link in index.links(path) if not link.external]
    assert len(inside) >= site.links
    assert len(index.broken_links()) <= site.broken


@pytest.mark.parametrize(("corpus", "target", "expected"), PLACES)
def test_hard_ones_lead_to_the_right_page(corpus: str, target: str, expected: str, open_site: OpenSite) -> None:
    index = open_site(corpus)
    links = [link for path in index.documents() for link in index.links(path) if link.target == target]
    assert {link.resolved for link in links} == {expected}
