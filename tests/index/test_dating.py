"""When documents were changed: what a clone knows as its original does, and what a stranger's repository cannot do."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headnote import Index
from headnote.errors import SettingsError
from headnote.index.dating import dates_of
from headnote.sources.commits import head_of

if not shutil.which("git"):
    pytest.skip("needs git", allow_module_level=True)

DAY = 86_400
NOW = int(time.time())


class Repository:
    """A folder of notes under git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, days_ago: int = 0) -> str:
        stamp = f"{NOW - days_ago * DAY} +0000"
        values = {"NAME": "A", "EMAIL": "a@b", "DATE": stamp}
        who = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in values.items()}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=os.environ | who,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def write(self, path: str, text: str, days_ago: int = 0) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (NOW - days_ago * DAY,) * 2)

    def commit(self, path: str, text: str, days_ago: int) -> None:
        self.write(path, text, days_ago)
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", path, days_ago=days_ago)


@pytest.fixture
def notes(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "notes")
    repository.commit("old.md", "# Old\n\nA pump.\n", 400)
    repository.commit("sub/über neu.md", "# New\n\nA pump.\n", 3)
    repository.commit("said.md", "---\nupdated: 2020-05-01\n---\n# Said\n\nA pump.\n", 3)
    repository.commit("journal/2021-03-04.md", "# Day\n\nA pump.\n", 60)
    return repository


@pytest.fixture
def opened() -> Iterator[list[Index]]:
    indexes: list[Index] = []
    yield indexes
    for index in indexes:
        index.close()


def dated(index: Index, **options: object) -> dict[str, tuple[str, int]]:
    """Path → what says when it was changed, and how many days ago that was."""
    index.update()
    hits = index.search("pump", 50, mode="keyword", **options)  # type: ignore[arg-type]
    return {hit.path: (hit.dated_by, round((NOW - hit.dated) / DAY)) for hit in hits}


def test_a_clone_answers_as_the_original_does(notes: Repository, tmp_path: Path, opened: list[Index]) -> None:
    subprocess.run(["git", "clone", "--quiet", str(notes.folder), str(tmp_path / "clone")], check=True)
    original, clone = (Index.open(tmp_path / name, embedder="none") for name in ("notes", "clone"))
    opened += [original, clone]
    expected = dated(original)
    assert dated(clone) == expected
    assert expected["old.md"] == ("git", 400)
    assert expected["sub/über neu.md"] == ("git", 3)
    assert expected["said.md"][0] == "frontmatter"
    for options in ({"since": "30d"}, {"before": "30d"}, {"between": "2020"}, {"since": "2020-01-01", "before": "1y"}):
        assert dated(clone, **options).keys() == dated(original, **options).keys()
    assert dated(clone, since="30d").keys() == {"sub/über neu.md"}
    assert dated(clone, between="2020-05-01..2020-05").keys() == {"said.md"}
    assert dated(clone, before="200d").keys() == {"old.md", "said.md"}


def test_dates_follow_commits_and_changes_that_are_not_committed(notes: Repository, opened: list[Index]) -> None:
    index = Index.open(notes.folder, embedder="none")
    opened.append(index)
    assert dated(index)["old.md"] == ("git", 400)
    notes.write("old.md", "# Old\n\nA red pump.\n", 1)
    assert dated(index)["old.md"] == ("mtime", 1)
    notes.git("commit", "--quiet", "--all", "-m", "red", days_ago=2)
    assert dated(index)["old.md"] == ("git", 2), "committed since, and the file is as it was"
    notes.write("old.md", "# Old\n\nA blue pump.\n", 1)
    assert dated(index)["old.md"] == ("mtime", 1)
    notes.git("checkout", "--quiet", "old.md")
    assert dated(index)["old.md"] == ("git", 2), "the change was taken back"
    notes.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    assert dated(index)["old.md"] == ("git", 400), "another branch"
    notes.write("new.md", "# Spare parts\n\nFor every pump there is one.\n", 5)
    assert dated(index)["new.md"] == ("mtime", 5), "git does not know it"
    (notes.folder / "new.md").rename(notes.folder / "2022-01-02.md")
    assert dated(index)["2022-01-02.md"][0] == "name"
    os.utime(notes.folder / "old.md")
    assert dated(index)["old.md"] == ("git", 400), "touched, not changed"


def test_the_order_is_a_setting(notes: Repository, opened: list[Index]) -> None:
    settings = notes.folder / "headnote.toml"
    for order, origins in (
        ('["name", "mtime"]', {"mtime", "name"}),
        ('["git"]', {"git"}),
        ('["mtime", "frontmatter"]', {"mtime"}),
        ('["frontmatter", "git", "name", "mtime"]', {"git", "frontmatter"}),
    ):
        settings.write_text(f"[index]\ndates = {order}\n", encoding="utf-8")
        index = Index.open(notes.folder, embedder="none")
        opened.append(index)
        assert {origin for origin, _ in dated(index).values()} == origins, order
    settings.write_text('[index]\ndates = ["gti"]\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"'gti' is not known"):
        Index.open(notes.folder, embedder="none")


def test_only_a_part_of_a_repository_and_a_worktree(notes: Repository, tmp_path: Path, opened: list[Index]) -> None:
    part = Index.open(notes.folder / "sub", embedder="none")
    notes.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "HEAD~2")
    tree = Index.open(tmp_path / "tree", embedder="none")
    opened += [part, tree]
    assert dated(part) == {"über neu.md": ("git", 3)}
    assert dated(tree) == {"old.md": ("git", 400), "sub/über neu.md": ("git", 3)}


def test_no_program_of_a_repository_is_started(notes: Repository, tmp_path: Path, opened: list[Index]) -> None:
    witness = tmp_path / "started"
    command = f"touch '{witness}'; cat"
    for name in ("core.fsmonitor", "gpg.program", "diff.external", "core.pager", "filter.x.clean", "core.sshCommand"):
        notes.git("config", name, command)
    notes.git("config", "log.showSignature", "true")
    notes.write(".git/info/attributes", "*.md filter=x diff=x\n")
    notes.write(".git/hooks/post-index-change", f"#!/bin/sh\n{command}\n")
    (notes.folder / ".git/hooks/post-index-change").chmod(0o755)
    os.utime(notes.folder / "old.md")
    index = Index.open(notes.folder, embedder="none")
    opened.append(index)
    assert dated(index)["old.md"] == ("git", 400)
    assert not witness.exists()


def test_a_repository_that_git_cannot_read_is_said_once(notes: Repository, opened: list[Index]) -> None:
    shutil.rmtree(notes.folder / ".git" / "objects")
    index = Index.open(notes.folder, embedder="none")
    opened.append(index)
    [(path, warning)] = index.update().warnings
    assert path == "."
    assert warning.startswith("its commits do not count for dates: ")
    assert not index.update().warnings
    assert {origin for origin, _ in dated(index).values()} == {"mtime", "frontmatter", "name"}


def test_the_commit_that_is_checked_out_is_read_without_git(notes: Repository) -> None:
    assert head_of(notes.folder / "sub") == notes.git("rev-parse", "HEAD")
    notes.git("pack-refs", "--all")
    assert head_of(notes.folder) == notes.git("rev-parse", "HEAD")
    notes.git("checkout", "--quiet", "--detach", "HEAD~1")
    assert head_of(notes.folder) == notes.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2026-03-01.md", "2026-03-01"),
        ("journal/2026_03_01.md", "2026-03-01"),
        ("posts/2026-03-01-hello.md", "2026-03-01"),
        ("Meeting 2026.03.01.md", "2026-03-01"),
        ("202603011530 zettel.md", "2026-03-01"),
        ("20260301.md", "2026-03-01"),
        ("log/2026/03/01.md", "2026-03-01"),
        ("2026-W10.md", "2026-03-02"),
        ("2026-03.md", "2026-03-01"),
        ("2026-02-31.md", None),
        ("1234-05-06.md", None),
        ("v12026-03-01x.md", None),
        ("12345678901.md", None),
        ("2026.md", None),
    ],
)
def test_names_of_daily_notes(path: str, day: str | None) -> None:
    found = dates_of(path, {}).name
    assert (found and time.strftime("%Y-%m-%d", time.gmtime(found / 1e9))) == day


@pytest.mark.parametrize(
    ("metadata", "moment"),
    [
        ({"updated": "2026-03-01T10:00:00+02:00", "date": "2020-01-01"}, "2026-03-01 08:00"),
        ({"date": "2020-01-01"}, "2020-01-01 12:00"),
        ({"last_update": {"date": "2020-01-01", "author": "A"}}, "2020-01-01 12:00"),
        ({"lastUpdated": True, "Last-Modified": "2020-01-01 10:00"}, "2020-01-01 10:00"),
        ({"created": "2020-01-01"}, None),
        ({"date": "soon", "updated": 20200101}, None),
    ],
)
def test_dates_of_frontmatter(metadata: dict[str, object], moment: str | None) -> None:
    found = dates_of("a.md", metadata).frontmatter
    assert (found and time.strftime("%Y-%m-%d %H:%M", time.gmtime(found / 1e9))) == moment
