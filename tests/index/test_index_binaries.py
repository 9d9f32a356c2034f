"""Files that have the name of a document and no text in them: read once, reported always, and read again if changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from index_states import put_file

import headnote
from headnote.index.plan import Report
from headnote.model.results import Progress
from headnote.store.readers import DocumentReader

pytest_plugins = ("store_fixtures",)

BINARY = b"\x00\x01\x02\xff" * 100
SKIPPED = [("picture.md", "binary, not text")]

pytestmark = pytest.mark.usefixtures("everywhere")


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._clock = 0

    def put(self, name: str, data: bytes) -> None:
        self._clock += 1
        put_file(self.root / name, data, self._clock)

    def update(self, rebuild: bool = False) -> tuple[Report, int]:
        """What an update says, and how many files it reads."""
        progress: list[Progress] = []
        with headnote.Index.open(self.root, embedder="none") as index:
            report = index.update(workers=1, on_progress=progress.append, rebuild=rebuild)
        return report, sum(step.stage == "read" and step.done > 0 for step in progress)

    def drift(self) -> headnote.api.Drift:
        with headnote.Index.open(self.root, embedder="none") as index:
            return index.drift()

    def documents(self) -> list[str]:
        with headnote.Index.open(self.root, embedder="none") as index:
            return index.documents()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.put("page.md", b"# A\n\ntext\n")
    made.put("picture.md", BINARY)
    return made


def skipped(report: Report) -> list[tuple[str, str]]:
    return [(file.path, file.reason) for file in report.skipped]


def test_it_is_read_once_and_reported_every_time(folder: Folder) -> None:
    first, reads = folder.update()
    assert (skipped(first), reads) == (SKIPPED, 2)
    assert folder.drift().is_empty
    again, reads = folder.update()
    assert (skipped(again), reads) == (SKIPPED, 0)
    assert again.plan.is_empty


def test_no_file_is_decoded_to_see_that_none_has_changed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.update()
    monkeypatch.delattr(DocumentReader, "files")
    again, _ = folder.update()
    assert (skipped(again), again.plan.unchanged) == (SKIPPED, 1)


def test_it_stays_known_while_other_files_change(folder: Folder) -> None:
    folder.update()
    folder.put("page.md", b"# B\n")
    report, reads = folder.update()
    assert (skipped(report), reads) == (SKIPPED, 1)
    assert folder.drift().is_empty


def test_it_is_read_again_when_it_has_changed(folder: Folder) -> None:
    folder.update()
    folder.put("picture.md", b"# Now text\n")
    assert folder.drift().new == ["picture.md"]
    report, _ = folder.update()
    assert (report.plan.added, skipped(report)) == (["picture.md"], [])
    folder.put("picture.md", BINARY)
    assert folder.drift().changed == ["picture.md"]
    report, _ = folder.update()
    assert (report.plan.removed, skipped(report)) == (["picture.md"], SKIPPED)
    assert folder.documents() == ["page.md"]
    assert folder.drift().is_empty


def test_a_rebuild_looks_at_it_again(folder: Folder) -> None:
    folder.update()
    report, reads = folder.update(rebuild=True)
    assert (skipped(report), reads) == (SKIPPED, 2)


def test_what_is_gone_is_forgotten(folder: Folder) -> None:
    folder.update()
    (folder.root / "picture.md").unlink()
    report, _ = folder.update()
    assert skipped(report) == []
    assert folder.drift().is_empty
