"""The site of the documentation: it builds without a warning, its links lead somewhere, and it needs no network."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

import headnote

RELATIONS_THAT_LOAD = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload", "manifest"}


class Reference(NamedTuple):
    """An address in a page."""

    tag: str
    address: str
    is_loaded: bool
    """Whether the browser asks for it by itself."""


class Html(HTMLParser):
    """The ids, the classes and the addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.classes: set[str] = set()
        self.references: list[Reference] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids.add(values.get("id", ""))
        self.classes.update(values.get("class", "").split())
        if "href" in values:
            is_loaded = tag == "link" and bool(RELATIONS_THAT_LOAD & set(values.get("rel", "").split()))
            self.references.append(Reference(tag, values["href"], is_loaded))
        for attribute in ("src", "srcset", "poster", "data"):
            if attribute in values:
                self.references.append(Reference(tag, values[attribute], is_loaded=True))


@cache
def html(page: Path) -> Html:
    return Html(page.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 20
    return found


def is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


# No network


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loaded = {(page.name, one.address) for page in pages(site) for one in html(page).references if one.is_loaded}
    assert len(loaded) > len(pages(site))
    assert [
        (page, address) for page, address in loaded if is_elsewhere(address) and not address.startswith("data:")
    ] == []


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    styles = list(site.rglob("*.css"))
    assert styles
    for style in styles:
        text = style.read_text(encoding="utf-8")
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\s]*", text) == [], style.name


def test_no_page_has_what_the_theme_would_fetch(site: Path) -> None:
    """The script of the theme fetches a library for diagrams from a server, if a page has one."""
    assert [page.name for page in pages(site) if "mermaid" in html(page).classes] == []


# Links


def broken_links(site: Path, page: Path) -> Iterator[str]:
    for reference in html(page).references:
        address = urlsplit(reference.address)
        if is_elsewhere(reference.address):
            continue
        assert not reference.address.startswith("/"), f"{page}: {reference.address} works only at the root of a server"
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        target = target / "index.html" if target.is_dir() else target
        is_there = target.is_file() and target.is_relative_to(site.resolve())
        fragment = unquote(address.fragment)
        if not is_there or (fragment and not fragment.startswith("__") and fragment not in html(target).ids):
            yield reference.address


def test_every_link_and_anchor_leads_somewhere(site: Path) -> None:
    # The page for missing pages is shown at any address, so its links begin at the root.
    for page in pages(site):
        if page.name != "404.html":
            assert list(broken_links(site, page)) == [], page.relative_to(site)


# What it says


def test_every_public_name_is_in_the_reference(repository: Path) -> None:
    folder = repository / "docs" / "reference"
    text = "\n".join(page.read_text(encoding="utf-8") for page in folder.glob("*.md"))
    listed = re.findall(r"^::: headnote\.(\w+)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(headnote.__all__)


def test_every_public_name_is_on_the_site(site: Path) -> None:
    ids = {name for page in (site / "reference").glob("*.html") for name in html(page).ids}
    assert {f"headnote.{name}" for name in headnote.__all__} <= ids
    assert "headnote.Index.search" in ids


@pytest.mark.parametrize("name", ["architecture", "changelog", "contributing", "security"])
def test_the_pages_of_the_project_are_on_the_site(name: str, site: Path) -> None:
    assert (site / "project" / f"{name}.html").is_file()


def test_the_titles_of_examples_are_shown(site: Path) -> None:
    page = (site / "indexing.html").read_text(encoding="utf-8")
    assert '<span class="filename">pumps.md</span>' in page


def test_the_extra_is_installed_by_ci(repository: Path) -> None:
    assert re.search(
        r"^extras=\(.*\bdocs\b.*\)$", (repository / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE
    )


# The same on GitHub

SHOWN = ("h1", "h2", "h3", "ol", "ul", "li", "blockquote", "tr", "pre")


class Shapes(HTMLParser):
    """How many elements of each kind there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count: Counter[str] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SHOWN:
            self.count[tag] += 1


def written_pages(repository: Path) -> list[Path]:
    return [page for page in sorted((repository / "docs").rglob("*.md")) if page.parent.name != "reference"]


def test_a_page_has_the_same_structure_as_on_github(site: Path, repository: Path) -> None:
    """The site's Markdown wants four blanks in front of what belongs to a list item, and a blank line before a list."""
    github = MarkdownIt("gfm-like", {"linkify": False})
    for page in written_pages(repository):
        shown = (site / page.relative_to(repository / "docs")).with_suffix(".html").read_text(encoding="utf-8")
        article = re.search(r"<article.*</article>", shown, re.DOTALL)
        assert article is not None
        expected = Shapes(github.render(page.read_text(encoding="utf-8"))).count
        assert Shapes(article[0]).count == expected, page.name
