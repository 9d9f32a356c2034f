"""The table of both stores, from the files of the benchmark."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

MACHINE = {
    "processor": "a processor, 4 cores",
    "system": "Linux x86_64",
    "python": "CPython 3.12.0",
    "load": "0.4 1.0 2.0",
}


def measured(file: Path, chunks: str, *figures: tuple[str, str, float]) -> Path:
    records = [
        {"bench": "stores", "case": f"{chunks} chunks: {store}", "metric": metric, "unit": "", "value": value}
        for store, metric, value in figures
    ]
    file.write_text(json.dumps({"machine": MACHINE, "records": records}), encoding="utf-8")
    return file


def test_every_file_becomes_a_pair_of_columns(repository: Path, tmp_path: Path) -> None:
    page = Path(shutil.copy(repository / "docs" / "size.md", tmp_path))
    before = page.read_text(encoding="utf-8")
    few = measured(
        tmp_path / "few.json",
        "1,000",
        ("SQLite", "size", 2.5),
        ("SQLite", "keyword search, p50", 1.25),
        ("SQLite", "keyword search, p95", 1234.5),
        ("PostgreSQL", "size", 5.0),
        ("PostgreSQL, one by one", "memory of the server", 99.0),
    )
    many = measured(
        tmp_path / "many.json",
        "50,000",
        ("SQLite", "size", 100.0),
        ("PostgreSQL", "size", 300.0),
        ("PostgreSQL, one by one", "memory of the server", 400.0),
        ("PostgreSQL, HNSW", "size of the index", 42.0),
        ("PostgreSQL, HNSW", "memory of the server", 500.0),
    )
    command = [sys.executable, str(repository / "bench" / "store_table.py"), str(few), str(many), "--page", str(page)]
    subprocess.run(command, check=True)
    after = page.read_text(encoding="utf-8")
    rows = {line.split(" | ")[0]: line for line in after.partition("<!-- Stores -->")[2].splitlines()}
    assert rows["| chunks"] == "| chunks | 1,000: SQLite | 1,000: PostgreSQL | 50,000: SQLite | 50,000: PostgreSQL |"
    assert rows["| on disk, MB"] == "| on disk, MB | 2.5 | 5.0 | 100 | 342 |"
    assert rows["| by words, p50 / p95 ms"] == "| by words, p50 / p95 ms | 1.2 / 1,234 | – / – | – / – | – / – |"
    assert rows["| memory of the server, MB"] == "| memory of the server, MB | – | 99 | – | 500 |"
    assert (
        "Measured on a processor, 4 cores, Linux x86_64, CPython 3.12.0, load average 0 from other programs." in after
    )
    marks = [line for line in before.splitlines() if line.startswith("<!--")]
    assert [line for line in after.splitlines() if line.startswith("<!--")] == marks
