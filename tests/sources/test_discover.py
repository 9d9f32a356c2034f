"""Which files are there: suffixes, rules in their order, and what is reported instead of read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from smallfolders import make, paths, reasons

from headnote.errors import MissingSource, UnreadableSource
from headnote.sources import discover as discovery
from headnote.sources.discover import MAX_BYTES, discover, has_more_files
from headnote.sources.repository import ListedFile

on_posix = pytest.mark.skipif(os.name == "nt", reason="no such names on Windows")


def test_four_suffixes_in_any_case_and_a_fixed_order(tmp_path: Path) -> None:
    make(tmp_path, "b.MD", "a/z.mdx", "a-b.md", "a/a.Markdown", "notes.txt", "page.html", "md", "c.mdown")
    assert paths(discover(tmp_path)) == ["a/a.Markdown", "a/z.mdx", "a-b.md", "b.MD", "notes.txt"]


def test_size_and_time_are_those_of_the_file(tmp_path: Path) -> None:
    make(tmp_path, "a.md", text="é\n")
    os.utime(tmp_path / "a.md", ns=(1, 1_234_567_000_000_000))
    assert discover(str(tmp_path)).files == [ListedFile("a.md", 3, 1_234_567_000_000_000)]


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    listing = discover(tmp_path)
    assert (listing.files, listing.skipped, listing.folders, listing.rules_from) == ([], [], ["."], [])


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    for name in ("nowhere", "a\0b"):
        with pytest.raises(MissingSource, match="no such file or folder"):
            discover(tmp_path / name)


def test_a_root_that_is_a_file(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    with pytest.raises(MissingSource, match=r"a\.md: a file, not a folder \(name the folder"):
        discover(tmp_path / "a.md")


def test_a_root_may_be_a_link(tmp_path: Path) -> None:
    make(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(discover(tmp_path / "link")) == ["a.md"]


# What is ignored.


def test_usual_names_are_ignored(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".hidden.md", ".github/b.md", "x/node_modules/c.md", "x/.headnote/d.md")
    make(tmp_path, "venv/f.md", "lib/site-packages/g.md", "__pycache__/h.md")
    listing = discover(tmp_path)
    assert (paths(listing), listing.skipped) == (["a.md"], [])


def test_folders_named_like_build_output_are_read(tmp_path: Path) -> None:
    """People write in them: `Event.target` and `docs/build` are pages."""
    pages = ["_build/a.md", "build/b.md", "dist/c.md", "dist.md", "event/target/d.md"]
    make(tmp_path, *pages)
    make(tmp_path, "event/package.json", "Cargo.toml/e.md")
    listing = discover(tmp_path)
    assert (paths(listing), listing.skipped) == (["Cargo.toml/e.md", *pages], [])


@pytest.mark.parametrize(
    ("folder", "maker"),
    [
        ("target", "Cargo.toml"),
        ("target", "pom.xml"),
        ("build", "package.json"),
        ("build", "meson.build"),
        ("build", "build.gradle.kts"),
        ("dist", "pyproject.toml"),
        ("_build", "conf.py"),
    ],
)
def test_build_output_beside_what_makes_it_is_reported(folder: str, maker: str, tmp_path: Path) -> None:
    make(tmp_path, f"x/{folder}/a.md", f"x/{maker}", f"x/docs/{folder}/b.md", f"{folder}/c.md")
    listing = discover(tmp_path)
    assert sorted(paths(listing)) == sorted([f"{folder}/c.md", f"x/docs/{folder}/b.md"])
    reason = f"taken for build output, beside {maker}: `!{folder}/` in .headnoteignore brings it back"
    assert reasons(listing) == {f"x/{folder}": reason}
    make(tmp_path, "x/.headnoteignore", text=f"!{folder}/")
    assert f"x/{folder}/a.md" in paths(discover(tmp_path))


def test_build_output_that_git_ignores_is_not_worth_a_word(tmp_path: Path) -> None:
    make(tmp_path, "dist/e.md", "package.json")
    make(tmp_path, ".gitignore", text="/dist/")
    assert reasons(discover(tmp_path)) == {}
    make(tmp_path, "docs/dist/f.md")
    make(tmp_path, ".gitignore", text="dist")
    assert (paths(discover(tmp_path)), reasons(discover(tmp_path))) == ([], {})


def test_own_rules_bring_back_what_git_and_custom_ignore(tmp_path: Path) -> None:
    make(tmp_path, "drafts/a.md", "build/b.md", "Makefile", ".github/c.md", "c.md", "d.md")
    make(tmp_path, ".gitignore", text="drafts/\nc.md\n")
    assert paths(discover(tmp_path)) == ["d.md"]
    make(tmp_path, ".headnoteignore", text="!drafts/\n!/build/\n!.github/\nd.md\n")
    assert paths(discover(tmp_path)) == ["build/b.md", "drafts/a.md"]
    make(tmp_path, ".headnoteignore", text="!c.md\n!drafts/\n!.github/\nd.md\n")
    assert paths(discover(tmp_path)) == [".github/c.md", "c.md", "drafts/a.md"]


def test_git_rules_do_not_bring_back_what_is_usually_ignored(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "node_modules/b.md", ".venv/c.md")
    make(tmp_path, ".gitignore", text="*\n!*/\n!*.md\n")
    assert paths(discover(tmp_path)) == ["a.md"]


def test_nearer_rules_win_within_each_kind(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "x/a.md", "x/y/a.md")
    make(tmp_path, ".headnoteignore", text="a.md")
    make(tmp_path, "x/.headnoteignore", text="!a.md")
    make(tmp_path, "x/y/.gitignore", text="a.md")
    assert paths(discover(tmp_path)) == ["x/a.md", "x/y/a.md"]


def test_programs_own_folders_never_come_back(tmp_path: Path) -> None:
    make(tmp_path, ".git/a.md", ".headnote/b.md", "c.md")
    make(tmp_path, ".headnoteignore", text="!*\n!.git/\n!.headnote/\n")
    assert paths(discover(tmp_path)) == ["c.md"]


def test_rules_above_the_root_hold_as_far_as_the_repository(tmp_path: Path) -> None:
    make(tmp_path, "repo/.git/HEAD", "repo/docs/a.md", "repo/docs/b.md", "repo/docs/c.md", "repo/docs/d.md")
    make(tmp_path, "repo/.gitignore", text="/docs/a.md\n/c.md\n")
    make(tmp_path, "repo/.headnoteignore", text="docs/b.md")
    make(tmp_path, ".gitignore", text="d.md")
    assert paths(discover(tmp_path / "repo" / "docs")) == ["c.md", "d.md"]


def test_without_a_repository_nothing_above_the_root_counts(tmp_path: Path) -> None:
    make(tmp_path, "docs/a.md")
    make(tmp_path, ".gitignore", text="a.md")
    assert paths(discover(tmp_path / "docs")) == ["a.md"]


@pytest.mark.parametrize("rules", ["*", "notes", "/notes/", "drafts/"])
def test_a_root_that_the_repository_ignores_is_read_all_the_same(rules: str, tmp_path: Path) -> None:
    make(tmp_path, ".git/HEAD", "notes/drafts/a.md", "notes/b.md")
    make(tmp_path, ".gitignore", text=rules)
    make(tmp_path, "notes/.gitignore", text="b.md")
    root = tmp_path / "notes"
    assert paths(discover(root)) == ([] if rules == "drafts/" else ["drafts/a.md"])
    assert paths(discover(root / "drafts")) == ["a.md"]


def test_ignore_files_that_cannot_be_used_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.sources.repository.MAX_IGNORE_FILE_BYTES", 100)
    make(tmp_path, "x/a.md", "y/a.md", "z/.gitignore/a.md", "z/a.md")
    make(tmp_path, "rules", text="*.md")
    (tmp_path / "x" / ".gitignore").symlink_to(tmp_path / "rules")
    make(tmp_path, "y/.headnoteignore", text="a.md\n" * 30)
    listing = discover(tmp_path)
    assert paths(listing) == ["x/a.md", "y/a.md", "z/a.md"]
    assert reasons(listing) == {
        "x/.gitignore": "ignored: it is a symlink",
        "y/.headnoteignore": "ignored: more than 100 bytes",
    }


def test_counting_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        make(tmp_path, *(f"{number}/{name}.md" for name in range(5)), f"{number}/x.py")
    read: list[str] = []
    scan = os.scandir

    def count(path: str) -> object:
        read.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", count)
    assert has_more_files(tmp_path, 9)
    assert len(read) == 3, "the root, and as many folders as it takes"
    assert has_more_files(tmp_path, 99)
    assert not has_more_files(tmp_path, 100)
    make(tmp_path, *(f"{number}/{name}.py" for number in range(20) for name in range(60)))
    assert has_more_files(tmp_path, 100), "nor are a thousand other names looked at"


# Globs from the settings.

TREE = ["a.md", "docs/a.md", "docs/old/b.md", "docs/api/c.txt", "src/docs/d.md", "src/e.md"]

CHOICES: list[tuple[list[str], list[str], list[str]]] = [
    ([], [], TREE),
    (["docs"], [], ["docs/a.md", "docs/api/c.txt", "docs/old/b.md", "src/docs/d.md"]),
    (["/docs/"], [], ["docs/a.md", "docs/api/c.txt", "docs/old/b.md"]),
    (["./docs/**"], [], ["docs/a.md", "docs/api/c.txt", "docs/old/b.md"]),
    (["docs/*"], [], ["docs/a.md", "docs/api/c.txt", "docs/old/b.md"]),
    (["*.txt", "a.md"], [], ["a.md", "docs/a.md", "docs/api/c.txt"]),
    (["/docs", "!/docs/old"], [], ["docs/a.md", "docs/api/c.txt"]),
    (["nothing"], [], []),
    ([], ["docs"], ["a.md", "src/e.md"]),
    ([], ["docs/old/", "*.txt"], ["a.md", "docs/a.md", "src/docs/d.md", "src/e.md"]),
    ([], ["*.md", "!a.md"], ["a.md", "docs/a.md", "docs/api/c.txt"]),
    (["docs"], ["a.md", "src"], ["docs/api/c.txt", "docs/old/b.md"]),
]


@pytest.mark.parametrize(("include", "exclude", "expected"), CHOICES)
def test_include_narrows_and_exclude_wins(
    include: list[str], exclude: list[str], expected: list[str], tmp_path: Path
) -> None:
    make(tmp_path, *TREE)
    assert sorted(paths(discover(tmp_path, include=include, exclude=exclude))) == sorted(expected)


def test_include_brings_nothing_back_and_exclude_beats_own_rules(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.md", ".github/c.md", "node_modules/d.md")
    make(tmp_path, ".gitignore", text="a.md")
    assert paths(discover(tmp_path, include=["**/*.md", ".github", "node_modules"])) == ["b.md"]
    make(tmp_path, ".headnoteignore", text="!a.md\n!b.md")
    assert paths(discover(tmp_path, exclude=["b.md"])) == ["a.md"]


def test_globs_count_from_the_root_also_inside_a_repository(tmp_path: Path) -> None:
    make(tmp_path, ".git/HEAD", "docs/a.md", "docs/x/a.md")
    assert paths(discover(tmp_path / "docs", include=["/a.md"])) == ["a.md"]
    assert paths(discover(tmp_path / "docs", exclude=["/docs", "/x"])) == ["a.md"]


# Links.


def test_a_link_to_a_folder_above_is_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.md")
    (tmp_path / "sub" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "sub" / "here").symlink_to(".", target_is_directory=True)
    listing = discover(tmp_path)
    assert paths(listing) == ["sub/a.md"]
    assert reasons(listing) == {
        "sub/up": "a symlink to the root, already indexed",
        "sub/here": "a symlink to sub, already indexed",
    }


def test_links_that_go_in_circles_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    (tmp_path / "c.md").symlink_to("gone.md")
    (tmp_path / "folder").symlink_to("folder")
    assert reasons(discover(tmp_path)) == dict.fromkeys(["a.md", "b.md", "c.md"], "a broken symlink")


def test_links_out_of_the_root_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "outside/secret.md", "root/a.md", "root-2/b.md")
    root = tmp_path / "root"
    (root / "folder").symlink_to("../outside")
    (root / "file.md").symlink_to("../outside/secret.md")
    (root / "neighbour").symlink_to("../root-2")
    (root / "above").symlink_to("..")
    (root / "program").symlink_to("../outside/secret.md")
    listing = discover(root)
    assert paths(listing) == ["a.md"]
    assert reasons(listing) == dict.fromkeys(["above", "file.md", "folder", "neighbour"], "a symlink out of the folder")


def test_ignored_links_are_nobodys_business(tmp_path: Path) -> None:
    make(tmp_path, "outside/a.md", "root/b.md")
    root = tmp_path / "root"
    for name in ("node_modules", ".cache", "private"):
        (root / name).symlink_to("../outside")
    make(root, ".gitignore", text="private/")
    assert reasons(discover(root)) == {}


def test_each_file_is_there_once_whatever_links_there_are(tmp_path: Path) -> None:
    make(tmp_path, "docs/a.md", ".shared/b.md", ".shared/deep/c.md", ".one/d.md")
    (tmp_path / "copy.md").symlink_to("docs/a.md")
    (tmp_path / "docs2").symlink_to("docs")
    (tmp_path / "shared").symlink_to(".shared")
    (tmp_path / "again").symlink_to(".shared/deep")
    (tmp_path / "d1.md").symlink_to(".one/d.md")
    (tmp_path / "d2.md").symlink_to(".one/d.md")
    listing = discover(tmp_path)
    assert paths(listing) == ["again/c.md", "d1.md", "docs/a.md", "shared/b.md"]
    assert reasons(listing) == {
        "copy.md": "a symlink to docs/a.md, already indexed",
        "d2.md": "a symlink to d1.md, already indexed",
        "docs2": "a symlink to docs, already indexed",
    }
    assert listing == discover(tmp_path)


def test_a_linked_folder_obeys_the_rules_where_the_link_stands(tmp_path: Path) -> None:
    make(tmp_path, ".store/a.md", ".store/b.md", ".store/c.md")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "notes").symlink_to("../.store")
    make(tmp_path, "x/.gitignore", text="/notes/a.md")
    make(tmp_path, ".store/.gitignore", text="/b.md")
    assert paths(discover(tmp_path)) == ["x/notes/c.md"]


def test_a_link_into_a_programs_folder_is_refused(tmp_path: Path) -> None:
    make(tmp_path, ".git/a.md")
    (tmp_path / "a.md").symlink_to(".git/a.md")
    assert reasons(discover(tmp_path)) == {"a.md": "a symlink into .git or .headnote"}


# What else is reported.


def test_a_huge_file_is_reported_and_not_read(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with (tmp_path / "just.md").open("wb") as file:
        file.truncate(MAX_BYTES)
    listing = discover(tmp_path)
    assert paths(listing) == ["a.md", "just.md"]
    assert reasons(listing) == {"huge.md": "too large: 10,485,761 bytes, and 10,485,760 are allowed"}
    assert list(reasons(discover(tmp_path, max_bytes=4))) == ["a.md", "huge.md", "just.md"]


def test_a_forbidden_folder_is_reported(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "closed/b.md", "names-only/c.md", "names-only/d/e.md")
    closed, names_only = tmp_path / "closed", tmp_path / "names-only"
    closed.chmod(0)
    names_only.chmod(0o400)
    try:
        if os.access(closed, os.R_OK):
            pytest.skip("this user may read everything")
        listing = discover(tmp_path)
        assert paths(listing) == ["a.md"]
        refused = "cannot be read: permission denied"
        assert reasons(listing) == dict.fromkeys(["closed", "names-only/c.md", "names-only/d"], refused)
        with pytest.raises(UnreadableSource, match="permission denied"):
            discover(closed)
    finally:
        closed.chmod(0o700)
        names_only.chmod(0o700)


def test_a_folder_that_is_refused_while_walking_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, for those who may read everything."""
    make(tmp_path, "a.md", "closed/b.md")
    scan = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    listing = discover(tmp_path)
    assert paths(listing) == ["a.md"]
    assert reasons(listing) == {"closed": "cannot be read: permission denied"}
    assert listing.folders == ["."]


def test_a_file_that_vanishes_while_walking_was_never_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "b.md")
    check = discovery._Walk._is_document

    def vanish(walk: discovery._Walk, name: str) -> bool:
        if name == "a.md":
            (tmp_path / name).unlink()
        return check(walk, name)

    monkeypatch.setattr(discovery._Walk, "_is_document", vanish)
    listing = discover(tmp_path)
    assert paths(listing) == ["b.md"]
    assert reasons(listing) == {}


@on_posix
def test_what_is_no_file_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{folder}/s.md" if Path("/proc/self/fd").exists() else str(tmp_path / "s.md"))
        finally:
            os.close(folder)
        listing = discover(tmp_path)
    assert paths(listing) == []
    assert reasons(listing) == dict.fromkeys(["pipe.md", "s.md"], "a pipe, socket or device, not a file")


@on_posix
def test_strange_names_are_names(tmp_path: Path) -> None:
    strange = ["-rf.md", "a\nb.md", "*.md", " .md", "back\\slash.md", "x\u202ey.md", "\x1b[31m.md", "-d/e\n/f.md"]
    make(tmp_path, *strange)
    assert sorted(paths(discover(tmp_path))) == sorted(strange)


@on_posix
def test_names_in_no_encoding_are_reported_and_can_be_printed(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    try:
        make(tmp_path, os.fsdecode(b"b\xff.md"), os.fsdecode(b"\xe9/c.md"))
    except OSError:
        pytest.skip("this file system takes Unicode only")
    listing = discover(tmp_path)
    assert paths(listing) == ["a.md"]
    assert reasons(listing) == dict.fromkeys([r"b\xff.md", r"\xe9"], "its name is not valid UTF-8: rename it")
    "".join(reasons(listing)).encode()


def test_no_file_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "x/b.md")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("open", "read_bytes", "read_text"):
        monkeypatch.setattr(Path, name, refuse)
    assert paths(discover(tmp_path)) == ["a.md", "x/b.md"]


def test_ignored_folders_are_not_entered(tmp_path: Path) -> None:
    make(tmp_path, "a/b/c.md", "node_modules/d/e.md", "drafts/f.md", "old/g.md")
    make(tmp_path, ".gitignore", text="drafts/")
    assert discover(tmp_path, exclude=["old"]).folders == [".", "a", "a/b"]


def test_a_deep_folder_is_walked_to_its_end(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 300) + "/a.md"
    make(tmp_path, deep)
    assert paths(discover(tmp_path)) == [deep]


@pytest.mark.parametrize("corpus", ["own", "kubernetes-en"])
def test_a_corpus_is_found_whole(
    corpus: str, corpus_files: Callable[[str], list[Path]], corpus_folder: Callable[[str], Path]
) -> None:
    root = corpus_folder(corpus)
    listing = discover(root)
    assert [root / path for path in paths(listing)] == corpus_files(corpus)
    assert listing.skipped == []
