"""Which documents INPUT means, and how they are cut into parts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from bulk_samples import as_row, bulk, stored, write_folder

import headnote
from headnote.chunking.settings import Settings
from headnote.errors import BulkError, MissingSource, SettingsError, UnreadableSource
from headnote.extra.scale.inputs import Unit, list_inputs
from headnote.extra.scale.work import (
    MAX_PART_BYTES,
    MIN_PART_BYTES,
    RESULT,
    WITH_VECTORS,
    FailedFile,
    OutputPart,
    PartResult,
    Recipe,
    cut_into_parts,
    decode_result,
    parts_table,
    run_parts_table,
)

arrow = pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra bulk is not installed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_folder(Path("docs"), generated=3, bad=False)


def paths(pattern: str, **options: int) -> list[str]:
    return [unit.path for unit in list_inputs(pattern, **options).units]


def write_table(file: Path, **columns: Any) -> Path:
    """A table of documents, two to a group."""
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.table(columns), file, row_group_size=2)
    return file


def test_a_folder_from_anywhere(folder: Path) -> None:
    (folder / ".gitignore").write_text("made/001.md\n")
    (folder / ".git").mkdir()
    listed = paths("docs")
    assert listed == sorted(listed, key=lambda path: path.replace("/", "\0"))
    assert "deep/[slug].mdx" in listed
    assert "made/001.md" not in listed
    assert listed == paths("docs/") == paths(str(folder.resolve())) == paths("docs/../docs")
    assert all(Path(unit.location).is_absolute() for unit in list_inputs("docs").units)


def test_a_file_may_have_any_name(folder: Path) -> None:
    (folder / "notes.rst").write_text("text")
    assert paths("docs/notes.rst") == ["notes.rst"]
    assert paths("docs/deep/[slug].mdx") == ["[slug].mdx"]


def test_a_glob_starts_at_its_first_wildcard(folder: Path) -> None:
    (folder / "made" / "picture.png").write_bytes(b"no")
    assert paths("docs/made/*") == ["000.md", "001.md", "002.md"]
    assert paths("docs/**/00?.md") == ["made/000.md", "made/001.md", "made/002.md"]
    assert paths("*/made/000.md") == ["docs/made/000.md"]
    assert paths(f"{folder.resolve()}/mad*/000.md") == ["made/000.md"]


def test_a_missing_input_is_an_error(folder: Path) -> None:
    with pytest.raises(MissingSource, match=r"nowhere: no such file or folder \(check the path\)"):
        list_inputs("nowhere")
    with pytest.raises(MissingSource, match=r"nothing to read \(looked for \.markdown \.md \.mdx \.txt \.parquet\)"):
        list_inputs("docs/*.nothing")
    (folder / "none").mkdir()
    with pytest.raises(MissingSource, match="docs/none: there is nothing to read"):
        list_inputs("docs/none")


def test_large_files_are_reported(folder: Path) -> None:
    (folder / "large.md").write_bytes(b"x" * 1001)
    inputs = list_inputs("docs", max_bytes=1000)
    assert ("large.md", "too large: 1,001 bytes, and 1,000 are allowed") in [file[:2] for file in inputs.skipped]
    assert [file.path for file in list_inputs("docs/large.*", max_bytes=1000).skipped] == ["large.md"]


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode here")
def test_names_that_are_not_unicode_are_reported(folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9.md")).write_bytes(b"# A")
    assert [skipped.path for skipped in list_inputs("docs").skipped] == ["caf\\xe9.md"]
    inputs = list_inputs("docs/*.md")
    assert [skipped.path for skipped in inputs.skipped] == ["caf\\xe9.md"]
    assert "mark.md" in [unit.path for unit in inputs.units]


@pytest.mark.parametrize("name", ["text", "bytes", "content"])
def test_parquet_is_a_table_of_documents(tmp_path: Path, name: str) -> None:
    texts = [f"# Page {number}\n\nText with 日本語.\n" for number in range(5)]
    contents = texts if name == "text" else [text.encode() for text in texts]
    names = [f"p/{number}.md" for number in range(5)]
    write_table(tmp_path / "in" / "pages.parquet", path=names, other=[1, 2, 3, 4, 5], **{name: contents})
    for pattern in ("in", "in/pages.parquet", "in/*.parquet"):
        out = tmp_path / f"out-{len(pattern)}"
        assert bulk(tmp_path / pattern, out, workers=1).documents == 5
        pages = zip(names, texts, strict=True)
        rows = [as_row(chunk) for path, text in pages for chunk in headnote.chunk(text, path=path)]
        assert [{**row, "modified": None} for row in stored(out)] == rows


def test_the_output_must_not_be_inside_the_input(tmp_path: Path) -> None:
    write_table(tmp_path / "in" / "pages.parquet", path=["a"], text=["# A"])
    with pytest.raises(BulkError, match="is inside the folder of tables to read"):
        bulk(tmp_path / "in", tmp_path / "in" / "out")
    assert [file.name for file in (tmp_path / "in").iterdir()] == ["pages.parquet"]


def test_a_rewritten_table_is_read_again(tmp_path: Path) -> None:
    file = write_table(tmp_path / "pages.parquet", path=["a", "b"], text=["# A\n\na", "# B\n\nb"])
    bulk(file, tmp_path / "out", workers=1)
    assert bulk(file, tmp_path / "out", workers=1).read == 0
    write_table(file, path=["a", "c"], text=["# A\n\na new", "# C\n\nc"])
    summary = bulk(file, tmp_path / "out", workers=1)
    assert (summary.read, summary.removed) == (2, 1)
    assert [row["text"] for row in stored(tmp_path / "out")] == ["# A\n\na new", "# C\n\nc"]


def test_bad_rows_are_reported(tmp_path: Path) -> None:
    file = write_table(
        tmp_path / "pages.parquet",
        path=["a.md", "a.md", "none.md", "binary.md", "large.md"],
        bytes=[b"# A\n\nfirst", b"# A\n\nsecond", None, b"\0\1\2" * 99, b"x" * 600],
    )
    summary = bulk(file, tmp_path / "out", Recipe(Settings(), max_bytes=500), workers=1)
    assert [row["text"] for row in stored(tmp_path / "out")] == ["# A\n\nfirst"]
    assert [(failure.path, failure.error.split(",")[0]) for failure in summary.failures] == [
        ("a.md", "another document of this path"),
        ("binary.md", "binary"),
        ("large.md", "too large: 600 bytes"),
        ("none.md", "it has no content"),
    ]


def test_a_table_without_its_columns(tmp_path: Path) -> None:
    file = write_table(tmp_path / "pages.parquet", name=["a"], text=["b"])
    with pytest.raises(SettingsError, match=r"the columns are name, text \(have path and one of"):
        list_inputs(str(file))


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "pages.parquet").write_bytes(b"not at all")
    with pytest.raises(UnreadableSource, match=r"pages\.parquet: not a parquet file: "):
        list_inputs(str(tmp_path / "pages.parquet"))


# ── parts ──


def units(*sizes: int) -> list[Unit]:
    return [Unit(f"{number:05}.md", f"/x/{number}", size, 1, f"{size}-1") for number, size in enumerate(sizes)]


def test_parts_hold_every_document_once_and_are_even() -> None:
    documents = units(*[(number * 7919) % 60_000 for number in range(2000)])
    parts = cut_into_parts(documents, "recipe", vectors=False)
    assert [unit for part in parts for unit in part.units] == documents
    sizes = [sum(unit.size for unit in part.units) for part in parts]
    assert max(sizes) < 1.2 * MIN_PART_BYTES
    assert min(sizes) > 0.8 * max(sizes)
    assert len({part.name for part in parts}) == len(parts)


def test_parts_are_smaller_with_vectors_and_larger_in_large_jobs() -> None:
    documents = units(*[MIN_PART_BYTES // 10] * 100)
    assert len(cut_into_parts(documents, "", vectors=True)) > 4 * len(cut_into_parts(documents, "", vectors=False))
    assert WITH_VECTORS > 1
    huge = units(*[MAX_PART_BYTES] * 300)
    assert len(cut_into_parts(huge, "", vectors=False)) == 300


def test_a_part_is_named_after_its_contents() -> None:
    [part] = cut_into_parts(units(1, 2), "recipe", vectors=False)
    assert [part] == cut_into_parts(units(1, 2), "recipe", vectors=False)
    others = [cut_into_parts(units(1, 3), "recipe", False), cut_into_parts(units(1, 2), "other", False)]
    assert part.name not in {other[0].name for other in others}
    assert cut_into_parts([], "recipe", vectors=False) == []
    assert [part.units for part in cut_into_parts(units(0, 0), "", vectors=False)] == [units(0, 0)]


def test_parts_and_results_survive_the_journey() -> None:
    def writer(part: OutputPart) -> PartResult:
        return PartResult(part.name, len(part.units), failures=[FailedFile(unit.path, "no") for unit in part.units])

    parts = cut_into_parts(units(MAX_PART_BYTES, MAX_PART_BYTES), "recipe", vectors=False)
    results = run_parts_table(writer, parts_table(parts)).column(RESULT).to_pylist()
    assert [decode_result(result) for result in results] == [writer(part) for part in parts]
