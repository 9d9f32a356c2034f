"""`chunk_files`: files and folders, and what happens to those that cannot be read."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from smallfolders import make

import headnote
from headnote.errors import HeadnoteError, MissingSource, NotText, SkippedSource, SourceError
from headnote.sources.chunks import on_each_file

GOOD = "# A heading\n\ntext\n"
BAD: dict[str, bytes] = {
    "binary": bytes(range(256)),
    "latin-1": "# Zürich\n".encode("latin-1"),
    "half of UTF-16": "# A".encode("utf-16")[:-1],
}


def write(folder: Path, contents: list[str]) -> list[Path]:
    """A file for each: good text, one of the bad, or no file at all."""
    files = [folder / f"{number:03}.md" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        if content != "missing":
            file.write_bytes(BAD.get(content, GOOD.encode()))
    return files


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(contents=st.lists(st.sampled_from(["good", "good", "missing", *BAD]), max_size=40))
def test_every_file_has_chunks_or_an_error_in_the_order_of_the_files(
    contents: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = write(tmp_path_factory.mktemp("files"), contents)
    events: list[str] = []
    for chunk in headnote.chunk_files(files, on_error=lambda error: events.append(error.path), workers=1):
        events.append(chunk.path)  # noqa: PERF401  both go to one list
    assert events == [str(file) for file in files]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_file_raises_when_its_turn_comes(workers: int, tmp_path: Path) -> None:
    files = write(tmp_path, ["good"] * 30 + ["latin-1"] + ["good"] * 30)
    chunks = headnote.chunk_files(files, workers=workers)
    assert [next(chunks).path for _ in range(30)] == [str(file) for file in files[:30]]
    with pytest.raises(NotText) as caught:
        next(chunks)
    assert (caught.value.path, caught.value.line) == (str(files[30]), 1)
    assert "save it as UTF-8" in str(caught.value)
    # Although the program still has the error, and with it every frame it came through.
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("processes")
def test_a_bad_file_is_skipped_with_a_warning_at_the_line_of_the_program(workers: int, tmp_path: Path) -> None:
    files = write(tmp_path, ["good"] * 20 + ["binary"] + ["good"] * 20)
    with pytest.warns(SkippedSource, match=r"020\.md: binary, not text") as shown:
        chunks = list(headnote.chunk_files(files, on_error="skip", workers=workers))
    assert [chunk.path for chunk in chunks] == [str(file) for file in files if file != files[20]]
    # Packages that other tests have loaded may warn, too, when processes start.
    ours = [warning for warning in shown if issubclass(warning.category, SkippedSource)]
    assert [warning.filename for warning in ours] == [__file__]


def test_a_function_decides(tmp_path: Path) -> None:
    files = write(tmp_path, ["missing", "good", "binary", "good"])
    errors: list[SourceError] = []
    assert len(list(headnote.chunk_files(files, on_error=errors.append))) == 2
    assert [type(error) for error in errors] == [MissingSource, NotText]

    def stop(error: SourceError) -> None:
        raise KeyError(error.path)

    with pytest.raises(KeyError):
        list(headnote.chunk_files(files, on_error=stop))


def test_an_error_of_the_program_is_no_bad_file(tmp_path: Path) -> None:
    def count(text: str) -> int:
        return 1 // (len(text) - len(text))

    [file] = write(tmp_path, ["good"])
    with pytest.raises(ZeroDivisionError):
        list(headnote.chunk_files([file], counter=count, on_error="skip"))


# Folders


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    make(tmp_path, "docs/b.md", "docs/a/c.mdx", "docs/notes.txt", "docs/picture.png", "docs/old.md", text=GOOD)
    make(tmp_path, "docs/.headnoteignore", text="old.md\n")
    expected = [str(tmp_path / "docs" / name) for name in ("a/c.mdx", "b.md", "notes.txt")]
    for paths in (tmp_path / "docs", str(tmp_path / "docs"), [tmp_path / "docs"]):
        assert [chunk.path for chunk in headnote.chunk_files(paths)] == expected
    named = [tmp_path / "docs/b.md", tmp_path / "docs", tmp_path / "docs/old.md"]
    paths_of_named = [chunk.path for chunk in headnote.chunk_files(named)]
    assert paths_of_named == [expected[1], expected[0], expected[2], str(tmp_path / "docs/old.md")]


def test_one_file_needs_no_list(tmp_path: Path) -> None:
    [file] = write(tmp_path, ["good"])
    assert list(headnote.chunk_files(str(file))) == headnote.chunk_file(file)


def refuse(error: SourceError) -> None:
    raise AssertionError(error)


@pytest.mark.parametrize("on_error", ["raise", "skip", refuse])
def test_what_one_might_miss_in_a_folder_is_a_warning(on_error: Any, tmp_path: Path) -> None:
    make(tmp_path, "a.md", "build/b.md", "setup.py", text=GOOD)
    with pytest.warns(SkippedSource, match="build: taken for build output"):
        [chunk] = headnote.chunk_files(tmp_path, on_error=on_error)
    assert chunk.path == str(tmp_path / "a.md")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedSource)
        assert list(headnote.chunk_files(tmp_path, on_error=on_error)) == [chunk]


def test_a_folder_without_markdown_is_an_error_in_its_place(tmp_path: Path) -> None:
    make(tmp_path, "full/a.md", "empty/picture.png", text=GOOD)
    chunks = headnote.chunk_files([tmp_path / "full", tmp_path / "empty"])
    assert next(chunks).path == str(tmp_path / "full" / "a.md")
    with pytest.raises(MissingSource, match="no Markdown in this folder"):
        next(chunks)
    paths = [tmp_path / "empty", tmp_path / "full"]
    with pytest.warns(SkippedSource, match="no Markdown in this folder"):
        assert len(list(headnote.chunk_files(paths, on_error="skip"))) == 1


def test_files_are_asked_for_as_they_are_needed(tmp_path: Path) -> None:
    [file] = write(tmp_path, ["good"])
    asked = 0

    def endless() -> Any:
        nonlocal asked
        while True:
            asked += 1
            yield tmp_path / f"missing-{asked}.md"
            yield file

    assert next(headnote.chunk_files(endless(), workers=1, on_error=bool)).path == str(file)
    assert asked < 100


# Encodings: what the bytes say, or an error, and never a guess


@pytest.mark.parametrize("read", [headnote.chunk, headnote.parse, headnote.count_tokens])
def test_bytes_are_refused(read: Callable[[Any], object]) -> None:
    with pytest.raises(headnote.SettingsError, match=r'decode it first: text\.decode\("utf-8"\)'):
        read(b"# A\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# Zürich\n\ntext\n".encode(encoding))
    [chunk] = headnote.chunk_files(tmp_path)
    assert chunk.title == "Zürich"


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_text_is_an_error_for_one_file_and_for_many(bad: str, tmp_path: Path) -> None:
    [file] = write(tmp_path, [bad])
    for read in (headnote.chunk_file, headnote.chunk_files):
        with pytest.raises(NotText) as caught:
            list(read(file))
        assert caught.value.path == str(file)


# Processes


def every_error() -> list[type[HeadnoteError]]:
    kinds = [HeadnoteError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return kinds


@pytest.mark.parametrize("kind", every_error())
def test_an_error_from_a_worker_is_the_same_error(kind: type[HeadnoteError]) -> None:
    error = kind("what", path="a.md", line=3, remedy="do this")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.message, copy.path, copy.line, copy.remedy) == ("what", "a.md", 3, "do this")
    assert str(copy) == str(error) == "a.md:3: what (do this)"


def test_errors_among_the_files_stay_in_their_places() -> None:
    error = MissingSource("gone", path="b.md")
    assert list(on_each_file(str.upper, ["a", error, "c"], 1)) == ["A", error, "C"]


INTERRUPTED = """
import sys, time, headnote
try:
    for number, chunk in enumerate(headnote.chunk_files(sys.argv[1], workers=2)):
        if number == 0:
            print("started", flush=True)
        time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C reaches a group of processes in another way there")
def test_ctrl_c_ends_the_workers_without_a_word(tmp_path: Path) -> None:
    write(tmp_path, ["good"] * 400)
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    # A group of its own, as a shell gives to a command: Ctrl-C reaches the program and its workers.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout
        assert running.stdout.readline() == "started\n"
        os.killpg(running.pid, signal.SIGINT)
        output, errors = running.communicate(timeout=60)
    assert (output, errors, running.returncode) == ("interrupted\n", "", 0)
    deadline = time.monotonic() + 60
    while has_members(running.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not has_members(running.pid)


def has_members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
