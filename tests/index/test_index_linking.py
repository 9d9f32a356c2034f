"""Where links lead, in every way that people write them, and which are broken. No store."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from headnote.chunking.settings import Settings
from headnote.index.entries import read_entry
from headnote.links.anchors import Anchors
from headnote.links.judging import LinkCheck
from headnote.links.resolving import Resolver
from headnote.links.sites.detection import sites_without_files
from headnote.links.sites.site import Naming
from headnote.model import LinkKind
from headnote.sources.files import FileSnapshot
from headnote.store.rows import LinkRow

PAGES = (
    *("README.md", "guide.md", "docs/index.md", "docs/a.md", "docs/b.md", "docs/With Blank.md", "docs/Ümlaut.md"),
    *("docs/setup/_index.md", "docs/setup/linux.md", "docs/setup/notes.txt", "docs/v1.29.md", "docs/page.mdx"),
    *("other/a.md", "other/deep/a.md", "other/index.md", "other/Node.js.md", "other/linux.md"),
)
HEADINGS = {
    "install": 0,
    "on-linux": 1,
    "options": 1,
    "on-windows": 2,
    "options-1": 2,
    "MyId": 3,
    "c": 3,
    "überblick": 3,
    "step": 4,
    "step-1": 5,
}
ANCHORS = Anchors(HEADINGS)
ALIASES = {"docs/a.md": "the first", "docs/b.md": "dr. no", "guide.md": "straße"}


class SameContents:
    """What documents say, each the same."""

    def __init__(self, paths: Iterable[str], anchors: Anchors = ANCHORS) -> None:
        self._paths = paths
        self._anchors = anchors

    def anchors(self, _: str) -> Anchors:
        return self._anchors

    def naming(self) -> dict[str, Naming]:
        return {path: Naming(aliases=(ALIASES[path],) if path in ALIASES else ()) for path in self._paths}

    def block(self, _: str) -> None:
        return None


def resolver_of(*paths: str, anchors: Anchors = ANCHORS) -> Resolver:
    return Resolver(paths, SameContents(paths, anchors), sites_without_files(paths))


def resolved(target: str, source: str = "docs/a.md", kind: LinkKind = "link", fragment: str = "") -> LinkRow:
    return resolver_of(*PAGES).resolve(LinkRow(source, 0, 1, kind, target, fragment, "", external=False))


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        # beside the page
        ("b.md", "docs/a.md", "docs/b.md"),
        ("./b.md", "docs/a.md", "docs/b.md"),
        ("../guide.md", "docs/a.md", "guide.md"),
        ("setup/linux.md", "docs/a.md", "docs/setup/linux.md"),
        ("b", "docs/a.md", "docs/b.md"),
        ("b.html", "docs/a.md", "docs/b.md"),
        ("page", "docs/a.md", "docs/page.mdx"),
        ("v1.29", "docs/a.md", "docs/v1.29.md"),
        ("a.md", "other/deep/a.md", "other/deep/a.md"),
        ("../a.md", "other/deep/a.md", "other/a.md"),
        # of another case, encoded, with a query
        ("B.MD", "docs/a.md", "docs/b.md"),
        ("Setup/LINUX", "docs/a.md", "docs/setup/linux.md"),
        ("With%20Blank.md", "docs/a.md", "docs/With Blank.md"),
        ("%C3%9Cmlaut.md", "docs/a.md", "docs/Ümlaut.md"),
        ("U\u0308mlaut.md", "docs/a.md", "docs/Ümlaut.md"),
        ("b.md?plain=1", "docs/a.md", "docs/b.md"),
        ("?plain=1", "docs/a.md", "docs/a.md"),
        (" b.md ", "docs/a.md", "docs/b.md"),
        # folders and their first pages
        ("setup", "docs/a.md", "docs/setup/_index.md"),
        ("setup/", "docs/a.md", "docs/setup/_index.md"),
        ("setup/index.html", "docs/a.md", "docs/setup/_index.md"),
        (".", "docs/a.md", "docs/index.md"),
        ("..", "docs/a.md", "README.md"),
        ("../", "docs/setup/linux.md", "docs/index.md"),
        # pages shown as folders
        ("../b/", "docs/a.md", "docs/b.md"),
        ("../b/", "docs/setup/_index.md", "docs/b.md"),
        ("../../docs/b", "docs/a.md", "docs/b.md"),
        # from the root, and from the root of a site that lies below it
        ("/docs/b.md", "other/a.md", "docs/b.md"),
        ("/docs/setup/", "other/a.md", "docs/setup/_index.md"),
        ("/", "docs/a.md", "docs/index.md"),
        ("/", "guide.md", "README.md"),
        ("/setup/linux/", "docs/a.md", "docs/setup/linux.md"),
        # what only looks alike further down is somebody else's page
        ("/linux/", "docs/a.md", None),
        ("/linux/", "other/a.md", None),
        ("/deep/a", "docs/a.md", None),
        # within the page
        ("", "docs/a.md", "docs/a.md"),
        # nowhere
        ("c.md", "docs/a.md", None),
        ("missing", "docs/a.md", None),
        ("/docs/missing/", "docs/a.md", None),
        ("../../b.md", "docs/a.md", None),
        ("../../../b.png", "docs/a.md", None),
        ("setup/notes.md", "docs/a.md", "docs/setup/notes.txt"),
        ("b.txt", "docs/a.md", None),
        # other files
        ("picture.png", "docs/a.md", "docs/picture.png"),
        ("../data%20set.csv", "docs/a.md", "data set.csv"),
        ("/static/x.svg", "docs/a.md", "static/x.svg"),
        ("..hidden.png", "guide.md", "..hidden.png"),
    ],
)
def test_markdown_links(target: str, source: str, expected: str | None) -> None:
    assert resolved(target, source).resolved == expected


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("guide", "other/deep/a.md", "guide.md"),
        ("Guide", "docs/a.md", "guide.md"),
        ("guide.md", "docs/a.md", "guide.md"),
        ("setup/linux", "other/a.md", "docs/setup/linux.md"),
        ("up/linux", "other/a.md", None),
        ("/docs/b", "other/a.md", "docs/b.md"),
        ("With Blank", "guide.md", "docs/With Blank.md"),
        ("with%20blank", "guide.md", "docs/With Blank.md"),
        ("ümlaut", "guide.md", "docs/Ümlaut.md"),
        ("Node.js", "guide.md", "other/Node.js.md"),
        ("v1.29", "guide.md", "docs/v1.29.md"),
        # several: the nearest, then the least deep
        ("a", "docs/b.md", "docs/a.md"),
        ("a", "other/deep/x.md", "other/deep/a.md"),
        ("a", "other/index.md", "other/a.md"),
        ("a", "guide.md", "docs/a.md"),
        ("linux", "other/deep/a.md", "other/linux.md"),
        # first pages, by their own name and by that of their folder
        ("index", "docs/a.md", "docs/index.md"),
        ("index", "other/deep/a.md", "other/index.md"),
        ("readme", "docs/a.md", "README.md"),
        ("setup", "guide.md", "docs/setup/_index.md"),
        # relative
        ("../guide", "docs/a.md", "guide.md"),
        ("./b", "docs/a.md", "docs/b.md"),
        # by another name
        ("The First", "guide.md", "docs/a.md"),
        ("Dr. No", "guide.md", "docs/b.md"),
        ("STRASSE", "docs/a.md", "guide.md"),
        # other
        ("", "docs/a.md", "docs/a.md"),
        ("Nobody knows", "docs/a.md", None),
        ("What? No", "docs/a.md", None),
        ("Mr. X", "docs/a.md", None),
        ("plan.pdf", "docs/a.md", "docs/plan.pdf"),
    ],
)
def test_wikilinks(name: str, source: str, expected: str | None) -> None:
    assert resolved(name, source, "wikilink").resolved == expected
    assert resolved(name, source, "embed").resolved == expected


def test_a_note_with_a_question_mark_is_no_query() -> None:
    resolver = resolver_of("what.md", "what? now.md")
    row = LinkRow("x.md", 0, 1, "wikilink", "what? now", "", "", external=False)
    assert resolver.resolve(row).resolved == "what? now.md"


def test_the_spelling_that_is_written_comes_first() -> None:
    resolver = resolver_of("A.md", "a.md", "n.md", "n.txt", "d/n.txt")

    def lead(target: str, kind: LinkKind = "link") -> str | None:
        return resolver.resolve(LinkRow("x.md", 0, 1, kind, target, "", "", external=False)).resolved

    assert [lead("a"), lead("A"), lead("a.md"), lead("A.md")] == ["a.md", "A.md", "a.md", "A.md"]
    assert [lead("n.txt"), lead("n"), lead("n.txt", "wikilink")] == ["n.txt", "n.md", "n.txt"]


@pytest.mark.parametrize(
    ("fragment", "section", "chunk"),
    [
        ("install", "install", 0),
        ("Install", "install", 0),
        ("On Linux", "on-linux", 1),
        ("On%20Linux", "on-linux", 1),
        ("MyId", "MyId", 3),
        ("myid", "MyId", 3),
        ("C++", "c", 3),
        ("%C3%BCberblick", "überblick", 3),
        ("Überblick", "überblick", 3),
        ("On Linux#Options", "options", 1),
        ("On Windows#Options", "options-1", 2),
        ("Install#On Windows#Options", "options-1", 2),
        ("On Windows#Install", None, None),
        ("missing", None, None),
        ("step-1", "step-1", 5),
    ],
)
def test_sections(fragment: str, section: str | None, chunk: int | None) -> None:
    for kind, target in (("link", "b.md"), ("wikilink", "b"), ("link", "")):
        link = resolved(target, kind=kind, fragment=fragment)  # type: ignore[arg-type]
        assert (link.section, link.resolved_chunk) == (section, chunk)
        assert link.resolved == ("docs/b.md" if target else "docs/a.md")


def test_a_fragment_of_what_is_no_document_of_ours_is_not_judged() -> None:
    for target in ("picture.svg", "missing.md"):
        assert resolved(target, fragment="install").section is None


def test_what_was_resolved_before_is_forgotten() -> None:
    resolver = resolver_of("a.md")
    row = LinkRow("a.md", 0, 1, "link", "b.md", "x", "", False, "b.md", "x", 3)
    assert resolver.resolve(row) == row._replace(resolved=None, section=None, resolved_chunk=None)


TEXT = """\
# A {#start}

[out](https://example.com) <mailto:a@b.c> [drive](C:/x.md) [host](//example.com/x)
[[Plan: next year]] [[https://example.com]] ![[Plan: picture.png]]
[made]({{ site.url }}/x) ![made](${x}/y.png) [made]({% link x.md %})

## B

[in](b.md) [[B#One#Two|shown]]
"""


def test_links_of_a_file_as_they_are_kept() -> None:
    entry, anchors = read_entry(FileSnapshot("d/a.md", len(TEXT), 1, "h", TEXT, ""), Settings())
    assert list(anchors.headings) == ["start", "b"]
    rows = {link.target: (link.external, link.line, link.path) for link in entry.links}
    lines = TEXT.splitlines()
    assert all(link.target in lines[link.line - 1] for link in entry.links if link.kind != "autolink")
    outside = {target for target, (external, *_) in rows.items() if external}
    assert {"https://example.com", "mailto:a@b.c", "C:/x.md", "//example.com/x"} <= outside
    assert {target for target in outside if target.startswith(("{", "$"))}
    assert {target for target in rows if not rows[target][0]} == {"Plan: next year", "Plan: picture.png", "b.md", "B"}
    assert next(link for link in entry.links if link.target == "B").fragment == "One#Two"
    resolver = resolver_of("d/a.md", anchors=anchors)
    assert all(resolver.resolve(link) == link for link in entry.links if link.external)


def test_a_link_is_broken_if_nothing_is_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "here.png").touch()
    check = LinkCheck(tmp_path, {"a.md", "b.md"}, ())

    def is_broken(resolved: str | None, fragment: str = "", section: str | None = None, external: bool = False) -> bool:
        link = LinkRow(
            path="a.md",
            chunk=0,
            line=1,
            kind="link",
            target=resolved or "x",
            fragment=fragment,
            text="text",
            external=external,
            resolved=resolved,
            section=section,
        )
        return check.is_broken(link)

    assert is_broken(None)
    assert is_broken("gone.png")
    assert is_broken("b.md", fragment="nothing")
    assert not is_broken("b.md")
    assert not is_broken("b.md", fragment="there", section="there")
    assert not is_broken("here.png", fragment="x")
    assert not is_broken(None, external=True)
