"""Buckets, on an S3 server on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bulk_samples import BAD, bulk, expected, in_order, stored, write_folder

import headnote.extra.scale.storage as storage
import headnote.extra.scale.work as work
from headnote.errors import BulkError, MissingSource, UnreadableSource
from headnote.extra.scale.storage import open_storage

pytest.importorskip("pyarrow", reason="the extra s3 is not installed")
s3fs = pytest.importorskip("s3fs", reason="the extra s3 is not installed")
server = pytest.importorskip("moto.server", reason="moto[server] is not installed")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore.*"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:moto.*"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(service: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A file system with one empty bucket, and the key for it in the environment."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "FSSPEC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", service)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    forget_connections()
    files = s3fs.S3FileSystem()
    if files.exists("docs"):
        files.rm("docs", recursive=True)
    files.mkdir("docs")
    yield files
    forget_connections()


def forget_connections() -> None:
    """Drop cached connections, which belong to the environment of one test."""
    storage._file_system.cache_clear()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def folder(bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents on disk and in the bucket."""
    monkeypatch.setattr(work, "MIN_PART_BYTES", 20_000)
    folder = write_folder(tmp_path / "docs", generated=12)
    bucket.put(f"{folder}/", "docs/hand/book/", recursive=True)
    bucket.pipe_file("docs/hand/book/picture.png", b"no document")
    bucket.pipe_file("docs/hand/book/.hidden/a.md", b"# Hidden")
    return folder


def rows_in(files: Any, place: str) -> list[dict[str, Any]]:
    from pyarrow import parquet

    tables = [parquet.read_table(files.open(name)) for name in files.find(f"{place}/chunks")]
    return in_order([row for table in tables for row in table.to_pylist()])


def without_time(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the time, which for an object is that of its upload."""
    return [{**row, "modified": None} for row in rows]


@pytest.mark.parametrize("workers", [1, 2])
def test_from_bucket_to_bucket(folder: Path, bucket: Any, workers: int) -> None:
    summary = bulk("s3://docs/hand/book", "s3://docs/out/", workers=workers)
    assert [failure.path for failure in summary.failures] == sorted(BAD)
    rows = rows_in(bucket, "docs/out")
    assert without_time(rows) == without_time(expected(folder))
    assert all(row["modified"] > 1e9 for row in rows)
    again = bulk("s3://docs/hand/book/", "s3://docs/out", workers=1)
    assert (again.read, again.unchanged) == (0, summary.documents)


def test_only_what_changed_is_read(folder: Path, bucket: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bulk("s3://docs/hand/book", out, workers=1)
    bucket.pipe_file("docs/hand/book/made/001.md", b"# New\n\ntext")
    bucket.rm_file("docs/hand/book/made/002.md")
    summary = bulk("s3://docs/hand/book", out, workers=1)
    assert (summary.read, summary.removed) == (1, 1)
    (folder / "made" / "001.md").write_bytes(b"# New\n\ntext")
    (folder / "made" / "002.md").unlink()
    assert without_time(stored(out)) == without_time(expected(folder))


def test_a_glob_and_a_single_object(folder: Path, tmp_path: Path) -> None:
    assert folder.exists()
    assert bulk("s3://docs/hand/book/made/00*.md", tmp_path / "a", workers=1).documents == 10
    assert bulk("s3://docs/hand/**/*.mdx", tmp_path / "b", workers=1).documents == 1
    assert stored(tmp_path / "b")[0]["path"] == "book/deep/[slug].mdx"
    assert bulk("s3://docs/hand/book/mark.md", tmp_path / "c", workers=1).documents == 1
    assert stored(tmp_path / "c")[0]["path"] == "mark.md"


def test_parquet_in_a_bucket(bucket: Any, tmp_path: Path) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    with bucket.open("docs/tables/one.parquet", "wb") as file:
        parquet.write_table(arrow.table({"path": ["a.md", "b.md"], "text": ["# A\n\na", "# B\n\nb"]}), file)
    assert bulk("s3://docs/tables", tmp_path / "out", workers=1).chunks == 2


@pytest.mark.usefixtures("bucket")
def test_a_missing_object_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingSource, match="s3://docs/nowhere: there is nothing to read"):
        bulk("s3://docs/nowhere", tmp_path / "out")
    with pytest.raises(MissingSource, match="s3://no-such-bucket/x: no such file or folder"):
        bulk("s3://no-such-bucket/x", tmp_path / "out")


@pytest.mark.usefixtures("bucket")
def test_a_missing_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    forget_connections()
    with pytest.raises(UnreadableSource, match=r"cannot be read: .*credentials.*AWS_ACCESS_KEY_ID"):
        bulk("s3://docs/hand", tmp_path / "out")


@pytest.mark.usefixtures("bucket")
def test_an_unreachable_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    forget_connections()
    with pytest.raises(UnreadableSource, match=r"s3://docs/hand: cannot be read: .*AWS_ENDPOINT_URL"):
        bulk("s3://docs/hand", tmp_path / "out")


def test_a_bucket_that_cannot_be_written(folder: Path, bucket: Any) -> None:
    assert bucket.exists("docs")
    with pytest.raises(BulkError, match=r"s3://no-such-bucket/out.*cannot be written"):
        bulk(folder, "s3://no-such-bucket/out", workers=1)


@pytest.mark.usefixtures("bucket")
def test_objects_are_replaced_and_removed() -> None:
    place = open_storage("s3://docs/place")
    assert place.names() == []
    place.write("a/b", b"one")
    place.write("a/b", b"two")
    assert (place.names(), place.read("a/b")) == (["a/b"], b"two")
    place.remove("a/b")
    place.remove("a/b")
    assert place.names() == []
