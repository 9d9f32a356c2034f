"""Links of real sites: how many lead nowhere, and where some that are hard to follow lead."""

from __future__ import annotations

import shutil
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
    Bounds("vite-docs", 430, 18),  # headings of older migration guides
    Bounds("mkdocs-material-docs", 950, 60),  # anchors that hooks of the site make
    Bounds("dbt-docs", 4400, 150),  # headings that have other names now, pages of programs
    Bounds("astro-en", 2900, 1),
    Bounds("foam", 280, 28),  # pictures that are not in the corpus
    Bounds("rust-book", 320, 33),  # links to other books
    Bounds("fastapi-en", 140, 1),
    Bounds("react.dev", 2500, 75),
]
PLACES = [
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


@pytest.fixture(scope="module")
def indexes(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, headnote.Index]:
    """Each corpus, with the files of its site that are no documents, which are empty here."""
    found = {}
    for site in SITES:
        folder = tmp_path_factory.mktemp("sites") / site.corpus
        shutil.copytree(shared / "corpora" / site.corpus, folder)
        others = folder / "OTHER-FILES.txt"
        for name in others.read_text(encoding="utf-8").splitlines() if others.exists() else ():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        (folder / ".headnoteignore").write_text("!build/\n", encoding="utf-8")  # dbt has pages in a folder of this name
        found[site.corpus] = headnote.Index.open(folder, embedder="none")
        found[site.corpus].update()
    return found


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.corpus)
def test_few_links_are_broken(site: Bounds, indexes: dict[str, headnote.Index]) -> None:
    index = indexes[site.corpus]
    inside = [link for path in index.documents() for link in index.links(path) if not link.external]
    assert len(inside) >= site.links
    assert len(index.broken_links()) <= site.broken


@pytest.mark.parametrize(("corpus", "target", "expected"), PLACES)
def test_hard_ones_lead_to_the_right_page(
    corpus: str, target: str, expected: str, indexes: dict[str, headnote.Index]
) -> None:
    index = indexes[corpus]
    links = [link for path in index.documents() for link in index.links(path) if link.target == target]
    assert {link.resolved for link in links} == {expected}
