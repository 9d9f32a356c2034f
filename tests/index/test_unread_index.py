"""An index that no update has filled says so, instead of finding nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import headnote


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# Gauge\n\nBrush the sensor.\n", encoding="utf-8")
    return tmp_path


def test_a_search_before_the_first_update_is_a_warning_at_the_line_of_the_program(root: Path) -> None:
    with headnote.Index.open(root, embedder="none") as index:
        with pytest.warns(headnote.UnreadIndex, match=r"nothing has been read yet \(call index\.update\(\)") as shown:
            assert index.search("sensor") == []
        assert [warning.filename for warning in shown] == [__file__]
        with pytest.warns(headnote.UnreadIndex, match=str(root)):
            index.ask("Which sensor?")
        with pytest.raises(headnote.UnreadIndex, match="headnote index"):
            index.check_read()


def test_an_updated_index_finds_nothing_in_silence(root: Path) -> None:
    with headnote.Index.open(root, embedder="none") as index:
        index.update()
        index.check_read()
        assert index.search("zzyzx") == []
    with headnote.Index.open(root, create=False, read_only=True) as index:
        index.check_read()
        assert index.search("zzyzx") == []


def test_an_empty_folder_that_was_read_is_no_unread_index(tmp_path: Path) -> None:
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update()
        index.check_read()
        assert index.search("sensor") == []


def test_a_program_that_updates_may_search_meanwhile(root: Path) -> None:
    """Servers do: they answer while another thread reads the folder for the first time."""
    found = []
    with headnote.Index.open(root, embedder="none") as index:

        def search(_: headnote.Progress) -> None:
            found.append(index.search("sensor"))

        index.update(on_progress=search)
        assert found
        assert index.search("sensor")
