"""Several folders as one tree: which file a path means, and which path a file has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.errors import MissingSource, SettingsError
from headnote.sources.discover import discover
from headnote.sources.tree import Root, Tree, check_name


def write(folder: Path, *paths: str) -> Path:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {path}\n", encoding="utf-8")
    return folder


def paths(tree: Tree) -> list[str]:
    return [file.path for file in tree.discover().files]


def test_a_path_begins_with_the_name_of_its_root(tmp_path: Path) -> None:
    docs, notes = write(tmp_path / "x/docs", "a.md", "b/c.md"), write(tmp_path / "notes", "a.md")
    tree = Tree.of_roots([Root("notes", str(notes)), Root("payments", str(docs))])
    assert paths(tree) == ["notes/a.md", "payments/a.md", "payments/b/c.md"]
    assert tree.discover().folders == ["notes", "payments", "payments/b"]
    assert tree.read("payments/b/c.md").path == "payments/b/c.md"
    assert tree.read("payments/b/c.md").text == "# b/c.md\n"
    for path in paths(tree):
        assert tree.path_of(tree.file(path)) == path
    assert tree.path_of(tmp_path / "elsewhere.md") is None
    assert tree.path_of(notes) == "notes"
    with pytest.raises(SettingsError, match=r"no root 'nots'.*did you mean notes"):
        tree.file("nots/a.md")


def test_a_single_folder_is_as_it_is_alone(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b/c.md", "old/d.md")
    tree = Tree.of_folder(tmp_path, exclude=["old"])
    assert tree.discover() == discover(tmp_path, exclude=["old"])
    assert (tree.names, tree.root_of("b/c.md"), tree.read("b/c.md").path) == ([], "", "b/c.md")
    with pytest.raises(MissingSource):
        Tree.of_folder(tmp_path / "nowhere").discover()


def test_globs_and_ignore_files_count_from_each_root(tmp_path: Path) -> None:
    one, other = write(tmp_path / "1", "old/a.md", "b.md"), write(tmp_path / "2", "old/a.md", "b.md", "c.md")
    (other / ".headnoteignore").write_text("c.md\n", encoding="utf-8")
    tree = Tree.of_roots(
        [Root("one", str(one), exclude=("old/**",)), Root("two", str(other), include=("old/**", "c.md"))]
    )
    assert paths(tree) == ["one/b.md", "two/old/a.md"]


@pytest.mark.parametrize("inner", ["sub", "sub/a [b]", "sub/!c*"])
def test_a_root_inside_another_keeps_its_documents(tmp_path: Path, inner: str) -> None:
    write(tmp_path, "a.md", "sub/b.md", f"{inner}/x.md", f"{inner}2/y.md")
    tree = Tree.of_roots([Root("all", str(tmp_path)), Root("inner", str(tmp_path / inner))])
    own = [path for path in paths(tree) if path.startswith("inner/")]
    assert "inner/x.md" in own
    assert f"all/{inner}/x.md" not in paths(tree)
    assert f"all/{inner}2/y.md" in paths(tree)
    assert tree.path_of(tmp_path / inner / "x.md") == "inner/x.md"


def test_a_root_that_is_away_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path / "there", "a.md")
    (tmp_path / "empty").mkdir()
    write(tmp_path, "file.md")
    roots = [
        Root(name, str(tmp_path / place))
        for name, place in [("away", "nowhere"), ("disk", "empty"), ("file", "file.md"), ("here", "there")]
    ]
    listing = Tree.of_roots(roots).discover()
    assert [file.path for file in listing.files] == ["here/a.md"]
    assert [one.path for one in listing.absent] == ["away", "disk", "file"]
    assert all(one.unreadable and str(tmp_path) in one.reason for one in listing.absent)
    assert "not mounted" in listing.absent[1].reason


def test_two_roots_have_two_folders_and_two_names(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(write(tmp_path / "docs", "a.md"))
    with pytest.raises(SettingsError, match="a and b are the same folder"):
        Tree.of_roots([Root("a", str(tmp_path / "docs")), Root("b", str(link))])
    with pytest.raises(SettingsError, match="Notes and notes have the same name"):
        Tree.of_roots([Root("notes", str(tmp_path / "docs")), Root("Notes", str(tmp_path))])


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "a/b", "a\\b", "a:b", "a*", "[a]", " a", "a ", "a.", "-a", "a\n"]
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(SettingsError, match="is not the name of a root"):
        check_name(name)


@pytest.mark.parametrize("name", ["docs", "my notes", "v1.2", "a_b-c", "Übersicht", "日本", "c++", "team@work"])
def test_what_is_a_name(name: str, tmp_path: Path) -> None:
    tree = Tree.of_roots([Root(name, str(write(tmp_path, "a.md")))])
    assert paths(tree) == [f"{name}/a.md"]


@given(st.text(max_size=8))
def test_a_name_is_refused_or_is_the_first_part_of_paths(name: str) -> None:
    try:
        tree = Tree.of_roots([Root(name, "/folder")])
    except SettingsError:
        return
    assert (tree.root_of(f"{name}/a/b.md"), tree.file(f"{name}/a.md")) == (name, Path("/folder/a.md"))


def test_pictures_are_served_by_the_rules_of_their_root(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for path in ("a.png", "old/b.png"):
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_bytes(b"picture")
    (tmp_path / "secret.png").write_bytes(b"secret")
    tree = Tree.of_roots([Root("docs", str(docs), exclude=("old",))])
    assert tree.attachment("docs/a.png") == b"picture"
    for path in ("docs/old/b.png", "docs/../secret.png", "secret.png", "a.png", "other/a.png", "docs"):
        assert tree.attachment(path) is None
