"""The benchmark of times and sizes: it runs, and its tables go into the page."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="the benchmarks measure cores and memory as Unix does")


@pytest.fixture(scope="module")
def measured(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page and the figures of a small run."""
    pytest.importorskip("numpy", reason="needs the extra search")
    folder = tmp_path_factory.mktemp("size")
    shutil.copy(repository / "docs" / "size.md", folder / "size.md")
    small = ["--corpus", "none", "--notes", "12", "--rounds", "1", "--deep-files", "0"]
    files = ["--page", str(folder / "size.md"), "--json", str(folder / "size.json")]
    command = [sys.executable, str(repository / "bench" / "size.py"), *small, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    (folder / "output.txt").write_text(run.stdout, encoding="utf-8")
    return folder


def test_a_small_run_measures_everything(measured: Path) -> None:
    [folder] = json.loads((measured / "size.json").read_text(encoding="utf-8"))["folders"]
    assert folder["files"] == 12
    assert folder["chunks"] >= 12
    assert min(folder["read"]["seconds"], folder["read"]["cores"], folder["search"]["seconds"]) > 0
    assert 0 < folder["warm"]["p50"] <= folder["warm"]["p95"]
    assert folder["index_bytes"] > folder["size"]


def test_every_figure_is_a_record(measured: Path) -> None:
    written = json.loads((measured / "size.json").read_text(encoding="utf-8"))
    [folder] = written["folders"]
    found = {(record["case"], record["metric"]): record["value"] for record in written["records"]}
    assert found["generated notes: read", "core time"] == folder["read"]["cores"]
    assert found["generated notes: warm search", "p95"] == folder["warm"]["p95"]
    assert {record["bench"] for record in written["records"]} == {"size"}
    assert {"commit", "load", "python"} <= written["machine"].keys()


def test_the_tables_replace_those_of_the_page(measured: Path, repository: Path) -> None:
    before, after = ((folder / "size.md").read_text(encoding="utf-8") for folder in (repository / "docs", measured))
    rows = [line for line in after.splitlines() if line.startswith("| generated notes |")]
    assert len(rows) == 3, "no vectors of the deep model were asked for"
    assert rows[0].split(" | ")[1] == "12"
    assert before.splitlines()[0] == after.splitlines()[0]
    assert "kubernetes-en" in before
