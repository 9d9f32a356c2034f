"""`chunk_batch`: the same chunks as `headnote.chunk`, whatever the columns, and no exception for bad documents."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from bulk_samples import BAD, ODD, as_row

import headnote
from headnote.chunking.presets import presets
from headnote.chunking.settings import Settings
from headnote.embedding.embedder import HashingEmbedder
from headnote.errors import SettingsError
from headnote.extra.scale.batch import chunk_batch, chunk_schema, document_schema, embed_chunks
from headnote.extra.scale.work import Recipe
from headnote.model import Chunk
from headnote.sources.files import decode

arrow = pytest.importorskip("pyarrow", reason="the extra bulk is not installed")


def batch_of(**columns: Any) -> Any:
    return arrow.RecordBatch.from_pydict(columns)


def rows_of_odd(settings: Settings) -> list[dict[str, Any]]:
    return [
        as_row(chunk)
        for path, data in ODD.items()
        for chunk in headnote.chunk(decode(data, path), path=path, preset=settings)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize("preset", presets())
def test_bytes_give_the_chunks_of_headnote_chunk(preset: str) -> None:
    settings = presets()[preset]
    result = chunk_batch(batch_of(path=list(ODD), bytes=list(ODD.values())), settings)
    assert result.chunks.schema == chunk_schema()
    assert result.chunks.to_pylist() == rows_of_odd(settings)
    assert result.documents.column("error").to_pylist() == [""] * len(ODD)


@pytest.mark.parametrize("name", ["text", "bytes", "content"])
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_text_gives_the_same_chunks(name: str, kind: str) -> None:
    texts = arrow.array([decode(data, path) for path, data in ODD.items()], getattr(arrow, kind)())
    result = chunk_batch(batch_of(path=list(ODD), **{name: texts}), Settings())
    assert result.chunks.to_pylist() == rows_of_odd(Settings())


def test_every_field_of_a_chunk_is_a_column() -> None:
    assert tuple(chunk_schema().names) == Chunk.FIELDS
    assert chunk_schema(vectors=True).names[-1] == "vector"


def test_modification_times_are_optional() -> None:
    result = chunk_batch(
        batch_of(path=["a.md", "b.md"], text=["# A\n\na", "# B\n\nb"], modified=[1.5, None]), Settings()
    )
    assert result.chunks.column("modified").to_pylist() == [1.5, None]


def test_bad_documents_are_reported_and_stop_nothing() -> None:
    contents = {**BAD, "none.md": None, "good.md": b"# Good\n\ntext"}
    result = chunk_batch(batch_of(path=list(contents), bytes=list(contents.values())), Settings())
    assert result.documents.schema == document_schema()
    assert result.chunks.column("path").to_pylist() == ["good.md"]
    outcomes = {row["path"]: (row["error"], row["line"], row["retry"]) for row in result.documents.to_pylist()}
    assert outcomes == {
        "picture.md": ("binary, not text", None, False),
        "old.md": ("not valid UTF-8: byte 0xe9 at offset 5", 1, False),
        "none.md": ("it has no content", None, True),
        "good.md": ("", None, False),
    }


class Broken(Settings):
    """Settings that fail on every document."""

    @property
    def strategy(self) -> Any:
        raise ZeroDivisionError("by design")


def test_our_own_failures_are_reported_too() -> None:
    settings = object.__new__(Broken)
    for name in Settings.__slots__:
        if name != "strategy":
            object.__setattr__(settings, name, getattr(Settings(), name))
    result = chunk_batch(batch_of(path=["a.md"], text=["# A"]), settings)
    [row] = result.documents.to_pylist()
    assert row["error"] == "headnote failed: ZeroDivisionError: by design"
    assert row["retry"] is True
    assert result.chunks.num_rows == 0


def test_missing_columns_are_named() -> None:
    with pytest.raises(
        SettingsError, match=r"the columns are name, text \(have path and one of bytes, text, content\)"
    ):
        chunk_batch(batch_of(name=["a"], text=["b"]), Settings())


def test_an_empty_batch_has_the_columns() -> None:
    result = chunk_batch(batch_of(path=arrow.array([], "string"), text=arrow.array([], "string")), Settings())
    assert (result.chunks.num_rows, result.chunks.schema) == (0, chunk_schema())


def test_vectors_do_not_depend_on_neighbours() -> None:
    embedder = HashingEmbedder(16)
    together = chunk_batch(batch_of(path=["a.md", "b.md"], text=["# A\n\nsame", "# A\n\nsame"]), Settings(), embedder)
    alone = chunk_batch(batch_of(path=["a.md"], text=["# A\n\nsame"]), Settings(), embedder)
    vectors = together.chunks.column("vector").to_pylist()
    assert vectors == alone.chunks.column("vector").to_pylist() * 2
    assert vectors[0] == embedder.embed(together.chunks.column("embed_text").to_pylist()[:1])[0].tolist()
    assert embed_chunks([], embedder).shape == (0, 16)


def test_a_recipe_can_be_pickled() -> None:
    recipe = Recipe(Settings(), "hashing:16", "hashing:16")
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert pickle.loads(pickle.dumps(recipe)).text == recipe.text
