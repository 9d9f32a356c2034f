"""One function over Arrow batches: the same chunks as `headnote.chunk`, whatever the columns, and never a failure."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from bulk_samples import BAD, ODD, as_row

import headnote
from headnote.chunking.presets import presets
from headnote.chunking.settings import Settings
from headnote.embedding.hashing import HashingEmbedder
from headnote.errors import SettingsError
from headnote.model import Chunk
from headnote.scale.batch import chunk_batch, embedded
from headnote.scale.columns import chunk_schema, document_schema
from headnote.scale.recipe import Recipe
from headnote.sources.decode import decode

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
    found = chunk_batch(batch_of(path=list(ODD), bytes=list(ODD.values())), settings)
    assert found.chunks.schema == chunk_schema()
    assert found.chunks.to_pylist() == rows_of_odd(settings)
    assert found.documents.column("error").to_pylist() == [""] * len(ODD)


@pytest.mark.parametrize("name", ["text", "bytes", "content"])
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_text_gives_the_same(name: str, kind: str) -> None:
    texts = arrow.array([decode(data, path) for path, data in ODD.items()], getattr(arrow, kind)())
    found = chunk_batch(batch_of(path=list(ODD), **{name: texts}), Settings())
    assert found.chunks.to_pylist() == rows_of_odd(Settings())


def test_every_field_of_a_chunk_is_a_column() -> None:
    assert tuple(chunk_schema().names) == Chunk.FIELDS
    assert chunk_schema(vectors=True).names[-1] == "vector"


def test_the_time_is_taken_where_it_is_given() -> None:
    found = chunk_batch(
        batch_of(path=["a.md", "b.md"], text=["# A\n\na", "# B\n\nb"], modified=[1.5, None]), Settings()
    )
    assert found.chunks.column("modified").to_pylist() == [1.5, None]


def test_what_is_no_text_is_told_and_stops_nothing() -> None:
    contents = {**BAD, "none.md": None, "good.md": b"# Good\n\ntext"}
    found = chunk_batch(batch_of(path=list(contents), bytes=list(contents.values())), Settings())
    assert found.documents.schema == document_schema()
    assert found.chunks.column("path").to_pylist() == ["good.md"]
    told = {row["path"]: (row["error"], row["line"], row["retry"]) for row in found.documents.to_pylist()}
    assert told == {
        "picture.md": ("binary, not text", None, False),
        "old.md": ("not valid UTF-8: byte 0xe9 at offset 5", 1, False),
        "none.md": ("it has no content", None, True),
        "good.md": ("", None, False),
    }


class Broken(Settings):
    """Settings that no document survives."""

    @property
    def strategy(self) -> Any:
        raise ZeroDivisionError("by design")


def test_a_mistake_of_ours_is_told_too() -> None:
    settings = object.__new__(Broken)
    for name in Settings.__slots__:
        if name != "strategy":
            object.__setattr__(settings, name, getattr(Settings(), name))
    found = chunk_batch(batch_of(path=["a.md"], text=["# A"]), settings)
    [row] = found.documents.to_pylist()
    assert row["error"] == "headnote failed: ZeroDivisionError: by design"
    assert row["retry"] is True
    assert found.chunks.num_rows == 0


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(
        SettingsError, match=r"the columns are name, text \(have path and one of bytes, text, content\)"
    ):
        chunk_batch(batch_of(name=["a"], text=["b"]), Settings())


def test_an_empty_batch_has_the_columns() -> None:
    found = chunk_batch(batch_of(path=arrow.array([], "string"), text=arrow.array([], "string")), Settings())
    assert (found.chunks.num_rows, found.chunks.schema) == (0, chunk_schema())


def test_vectors_are_those_of_the_embedder_and_of_no_neighbour() -> None:
    embedder = HashingEmbedder(16)
    together = chunk_batch(batch_of(path=["a.md", "b.md"], text=["# A\n\nsame", "# A\n\nsame"]), Settings(), embedder)
    alone = chunk_batch(batch_of(path=["a.md"], text=["# A\n\nsame"]), Settings(), embedder)
    vectors = together.chunks.column("vector").to_pylist()
    assert vectors == alone.chunks.column("vector").to_pylist() * 2
    assert vectors[0] == embedder.embed(together.chunks.column("embed_text").to_pylist()[:1])[0].tolist()
    assert embedded([], embedder).shape == (0, 16)


def test_what_travels_can_be_pickled() -> None:
    recipe = Recipe(Settings(), "hashing:16", "hashing:16")
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert pickle.loads(pickle.dumps(recipe)).text == recipe.text
