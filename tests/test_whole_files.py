"""A file appears whole or not at all, and nothing else stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headnote import whole_files
from headnote.whole_files import MAX_IDLE, name_aside, written_whole


@pytest.fixture(params=["as the system can", "with a name"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "with a name":
        monkeypatch.setattr(whole_files, "_nameless", lambda _: None)
    return tmp_path / "notes.txt"


def names(file: Path) -> list[str]:
    return sorted(path.name for path in file.parent.iterdir())


def test_it_takes_its_place_when_it_is_whole(file: Path) -> None:
    for text in ("one", "two, which is longer"):
        before = file.read_text(encoding="utf-8") if file.exists() else None
        with written_whole(file) as aside:
            aside.write_text(text, encoding="utf-8")
            assert (file.read_text(encoding="utf-8") if file.exists() else None) == before
        assert file.read_text(encoding="utf-8") == text
        assert names(file) == ["notes.txt"]
    plain = file.with_name("plain.txt")
    plain.touch()
    assert file.stat().st_mode == plain.stat().st_mode, "others may read it as any file"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_after_an_error_all_is_as_before(file: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with written_whole(file) as aside:
            aside.write_text("half", encoding="utf-8")
            raise error

    file.write_text("before", encoding="utf-8")
    with pytest.raises(error):
        fail()
    assert (names(file), file.read_text(encoding="utf-8")) == (["notes.txt"], "before")


def test_a_place_that_is_a_folder_or_is_not_there(file: Path) -> None:
    file.mkdir()
    with pytest.raises(OSError, match="irectory"), written_whole(file) as aside:
        aside.write_text("text", encoding="utf-8")
    assert names(file) == ["notes.txt"]
    with pytest.raises(FileNotFoundError), written_whole(file / "gone" / "notes.txt"):
        pass


def test_what_a_killed_writer_has_left_is_removed_by_the_next(file: Path) -> None:
    left, busy, other = name_aside(file), name_aside(file), name_aside(file.with_name("else.txt"))
    own = file.with_name(".notes.txt.swp")
    for one in (left, busy, other, own):
        one.touch()
    for one in (left, other, own):
        os.utime(one, (1, busy.stat().st_mtime - MAX_IDLE - 60))
    with written_whole(file) as aside:
        aside.write_text("text", encoding="utf-8")
    assert names(file) == sorted(["notes.txt", busy.name, other.name, own.name])
