"""`chunk`, `chunk_files`, `outline`, `index` and `bulk` read the same files of a folder."""

from __future__ import annotations

import json
import shutil
import warnings
from contextlib import closing
from pathlib import Path

import pytest
from gitrules import Tree, clear, lay_out, trees
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from smallfolders import make

import headnote
from headnote.cli.main import main
from headnote.extra.scale.inputs import list_inputs
from headnote.sources.discover import discover, expand

ODD_FILES = (".hidden.md", ".obsidian/a.md", "node_modules/x/a.md", "build/a.md", "notes.txt", "picture.png", "top.md")
LINKS = {"twin.md": "top.md", "gone.md": "nowhere.md", "up": ".", "out.md": "../outside.md"}


def files_by_command(root: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """What each command reads, by path from the root."""

    def paths_of(command: str) -> list[str]:
        capsys.readouterr()
        assert main([command, str(root), "--json"]) == 0
        lines = capsys.readouterr().out.split("\n")
        paths = dict.fromkeys(Path(json.loads(line)["path"]) for line in lines if line)
        return [path.relative_to(root).as_posix() for path in paths]

    with closing(headnote.Index.open(root, embedder="none")) as index:
        index.update()
        indexed = [document.path for document in index.contents()]
    shutil.rmtree(root / ".headnote")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", headnote.SkippedSource)
        chunked = dict.fromkeys(Path(chunk.path).relative_to(root).as_posix() for chunk in headnote.chunk_files(root))
    return {
        "chunk_files": list(chunked),
        "chunk": paths_of("chunk"),
        "outline": paths_of("outline"),
        "index": indexed,
        "bulk": [unit.path for unit in list_inputs(str(root)).units],
    }


@settings(
    max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None
)
@given(tree=trees(), odd=st.sets(st.sampled_from(ODD_FILES)), links=st.sets(st.sampled_from(list(LINKS))))
def test_every_command_reads_the_same_files(
    tree: Tree, odd: set[str], links: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    clear(root)
    lay_out(tree, root)
    for path in (*(root / file for file in tree.files), tmp_path / "outside.md"):
        path.write_text("# A heading\n\ntext\n", encoding="utf-8")
    make(root, *odd)
    for link in links:
        (root / link).symlink_to(LINKS[link])
    listed = [file.path for file in discover(root).files]
    assume(listed)
    files = files_by_command(root, capsys)
    assert {command: sorted(paths) for command, paths in files.items()} == dict.fromkeys(files, sorted(listed))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make(tmp_path, ".git/HEAD", "a.md", "drafts/b.md", "docs/c.md", "docs/drafts/d.md", "docs/e.md", "build/f.md")
    make(tmp_path, "package.json", "docs/build/g.md")
    make(tmp_path, ".gitignore", text="/drafts/\n")
    make(tmp_path, "docs/.headnoteignore", text="e.md\n")
    return tmp_path


def test_a_folder_stands_for_what_no_rule_ignores(root: Path) -> None:
    listed = [Path(file).relative_to(root).as_posix() for file in expand([root]) if isinstance(file, str)]
    assert listed == ["a.md", "docs/build/g.md", "docs/c.md", "docs/drafts/d.md"]


def test_what_is_named_is_read_whatever_ignores_it(root: Path) -> None:
    named = [root / "docs/e.md", root / "drafts", root / "build"]
    assert list(expand(named)) == [str(root / path) for path in ("docs/e.md", "drafts/b.md", "build/f.md")]


@pytest.mark.parametrize("command", ["chunk", "outline"])
def test_what_one_might_miss_is_reported(command: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(root), "--json"]) == 0
    reason = "taken for build output, beside package.json: `!build/` in .headnoteignore brings it back"
    expected = f"note: skipped {root / 'build'}: {reason}\n"
    assert capsys.readouterr().err == expected
