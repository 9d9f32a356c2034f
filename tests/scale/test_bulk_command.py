"""`headnote bulk` on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bulk_samples import expected, files_of, stored, write_folder

from headnote.chunking.presets import presets
from headnote.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
    for name in [name for name in os.environ if name.startswith("HEADNOTE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return write_folder(Path("docs"), generated=3)


def test_the_text_output(docs: Path, capsys: Captured) -> None:
    assert main(["bulk", "docs", "--out", "out", "--workers", "1"]) == 0
    output = capsys.readouterr()
    chunks = len(expected(docs))
    assert output.err == ""
    assert re.sub(r"\d+(\.\d+)? (ms|s|MB/s)", "N", output.out) == (
        f"out  13 documents, {chunks} chunks  N\n"
        f"  13 documents read, {chunks} chunks written, N\n"
        "  2 documents without chunks:\n"
        "    old.md:1: not valid UTF-8: byte 0xe9 at offset 5\n"
        "    picture.md: binary, not text\n"
    )
    assert stored(Path("out")) == expected(docs)
    assert main(["bulk", "docs", "--out", "out"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  nothing to do"


def test_the_json_output(docs: Path, capsys: Captured) -> None:
    assert main(["bulk", "docs", "--out", "out", "--json", "--report", "bad.jsonl", "--workers", "1"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record.pop("seconds") >= 0
    failures = record.pop("failures")
    chunks = len(expected(docs))
    assert record == {
        "input": "docs",
        "out": "out",
        "engine": "local",
        "documents": 13,
        "chunks": chunks,
        "read": 13,
        "unchanged": 0,
        "removed": 0,
        "written": chunks,
        "size": record["size"],
    }
    lines = Path("bad.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == failures
    assert Path("out/report.jsonl").read_bytes() == Path("bad.jsonl").read_bytes()


def test_settings_work_as_in_other_commands(docs: Path) -> None:
    assert main(["bulk", "docs", "--out", "a", "--preset", "ragdocs", "--workers", "1"]) == 0
    assert stored(Path("a")) == expected(docs, presets()["ragdocs"])
    (docs / "headnote.toml").write_text('preset = "refdocs"\n', encoding="utf-8")
    assert main(["bulk", "docs", "--out", "b", "--workers", "1", "--max-tokens", "700"]) == 0
    recipe = json.loads(Path("b/bulk.json").read_text(encoding="utf-8"))["recipe"]
    assert json.loads(recipe["settings"])["max_tokens"] == 700
    assert json.loads(recipe["settings"])["strategy"] == "section"


def test_vectors_on_request(docs: Path, capsys: Captured) -> None:
    assert docs.exists()
    assert main(["bulk", "docs", "--out", "out", "--vectors", "--embedder", "hashing:16", "--workers", "1"]) == 0
    assert {len(row["vector"]) for row in stored(Path("out"))} == {16}
    assert main(["bulk", "docs", "--out", "out", "--workers", "1"]) == 2
    assert "was built with other settings: model hashing:16, now" in capsys.readouterr().err
    assert main(["bulk", "docs", "--out", "out", "--no-vectors", "--rebuild", "--workers", "1"]) == 0
    assert "vector" not in stored(Path("out"))[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--out", "out"], "nowhere: no such file or folder (check the path)"),
        (["docs/none", "--out", "out"], "docs/none: there is nothing to read"),
        (["docs", "--out", "out", "--engine", "rai"], "unknown engine 'rai' (did you mean ray?)"),
        (["docs", "--out", "docs"], "contains other files"),
        (["docs"], "Missing option '--out' / '-o' (see headnote bulk --help)"),
        (["docs", "--out", "out", "--embedder", "hashing"], "--embedder needs --vectors (add --vectors"),
        (["docs", "--out", "out", "--vectors", "--embedder", "none"], "--vectors needs an embedder"),
        (["docs", "--out", "out", "--vectors", "--embedder", "nune"], "unknown embedder 'nune'"),
        (["docs", "--out", "out", "--max-tokens", "0"], "--max-tokens: max_tokens 0 is too small"),
        (["docs", "--out", "out", "--counter", "no/such.json"], "no/such.json"),
    ],
)
def test_a_mistake_is_one_line(docs: Path, capsys: Captured, arguments: list[str], message: str) -> None:
    (docs / "none").mkdir()
    before = files_of(docs)
    assert main(["bulk", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert message in output.err
    assert not Path("out").exists()
    assert files_of(docs) == before


def test_a_report_that_cannot_be_written(docs: Path, capsys: Captured) -> None:
    assert docs.exists()
    assert main(["bulk", "docs", "--out", "out", "--workers", "1", "--report", "no/such/file"]) == 2
    assert "no/such/file: cannot be written" in capsys.readouterr().err


WITHOUT = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere())
from headnote.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("missing", "engine", "source", "extra"),
    [
        ("pyarrow", "local", "docs", "bulk"),
        ("ray", "ray", "docs", "ray"),
        ("pyspark", "spark", "docs", "spark"),
        ("s3fs", "local", "s3://bucket/docs", "s3"),
        ("fsspec", "local", "s3://bucket/docs", "s3"),
    ],
)
def test_a_missing_package_is_named(tmp_path: Path, missing: str, engine: str, source: str, extra: str) -> None:
    if missing != "pyarrow":
        pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
    if missing == "s3fs":
        pytest.importorskip("fsspec", reason="the extra s3 is not installed")
    write_folder(tmp_path / "docs", generated=0)
    command = [sys.executable, "-c", WITHOUT, missing, "bulk", source, "--out", "out", "--engine", engine]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1, result.stderr
    assert f"needs the package {missing}" in result.stderr
    assert f'run: pip install "headnote-md[{extra}]"' in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="another kind of Ctrl-C")
def test_ctrl_c_keeps_finished_parts(docs: Path, tmp_path: Path) -> None:
    slow = (
        "import signal\n"
        "import headnote.extra.scale.work as work\n"
        "from headnote.cli.main import run\n"
        "if __name__ == '__main__':\n"
        # A test run in the background may ignore SIGINT.
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    work.MIN_PART_BYTES = 2_000\n"
        "    run()\n"
    )
    write_folder(docs, generated=300)
    (tmp_path / "slow.py").write_text(slow, encoding="utf-8")
    command = [sys.executable, "slow.py", "bulk", "docs", "--out", "out", "--workers", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while process.poll() is None and len(list(Path("out").glob("documents/*.parquet"))) < 3:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    *progress, last = error.splitlines()
    assert last == "note: interrupted; run the same command again to resume"
    assert all(re.fullmatch(r"reading \d+ of 310 files(, [\w ]+ left)?, Ctrl-C is safe", line) for line in progress)
    assert json.loads(Path("out/bulk.json").read_text(encoding="utf-8"))["complete"] is False
    assert main(["bulk", "docs", "--out", "out", "--workers", "1"]) == 0
    assert stored(Path("out")) == expected(docs)
