"""A pack whose author wrote what no headnote writes, with checksums that fit: each reading is an answer or one line."""

from __future__ import annotations

import json
import random
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest
from pack_samples import BLOCK, changed, database_of, description_of, forged, write_pack

import headnote
from headnote import CorruptIndex, HeadnoteError, Index, SettingsError
from headnote.api import read_pack_info
from headnote.cli.main import main
from headnote.extra.export import writing
from headnote.extra.packs.packed import PackedStore
from headnote.extra.packs.unpacking import open_packed, verify_pack
from headnote.store import codec

DEEP = "[" * 100_000
"""JSON that no parser follows to its end."""
ODD = ("NULL", "-1", "9223372036854775807", "9e999", "'x'", "x'ff00'", "'[1]'", f"'{DEEP}'")
"""As SQL."""
COLUMNS = {
    "state": ("generation", "updated_ns"),
    "manifest": ("key", "value"),
    "documents": ("path", "size", "mtime_ns", "title", "metadata", "tags", "aliases", "warning", "mdx", "name"),
    "texts": ("text",),
    "chunks": ("id", "document", "start", "end", "start_line", "part", "hash", "key_tail", "heading_path", "carried"),
    "links": ("chunk", "kind", "target", "external", "resolved", "resolved_chunk"),
    "models": ("name", "dims", "changed"),
    "vectors": ("slot", "hash"),
    "vector_blocks": ("number", "data"),
    "vector_parts": ("slot", "data"),
    "name_vectors": ("data",),
    "document_tags": ("tag",),
    "names": ("chunk", "kind", "number"),
}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    root = tmp_path_factory.mktemp("hostile") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    file = root.parent / "handbook.headnote"
    with Index.open(root, embedder="instant") as index:
        index.update()
        index.pack(file, times=True)
    return file


@pytest.fixture(scope="module", autouse=True)
def _one_model() -> Iterator[None]:
    """Most of an export is the model, which is the same whatever the pack says: it is written once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("row_shards", "vocabulary_shards", "packed"):
            patch.setattr(writing, name, lru_cache(10_000)(getattr(writing, name)))
        yield


def readings(file: Path) -> Iterator[Callable[[], object]]:
    """Everything that can be read of a pack."""
    yield lambda: read_pack_info(file)
    yield lambda: verify_pack(file)
    with headnote.open_pack(file, without_deep=True) as index:
        for mode in ("hybrid", "keyword", "semantic"):
            yield lambda mode=mode: index.search("calibrate the battery", mode=mode, limit=30, min_score=0.0)  # type: ignore[misc]
        yield lambda: index.search("battery", expand="section", recency_steps=True, path=["*.md"])
        yield lambda: index.search_page("waves", facets=True)
        yield lambda: index.why_empty("quokka")
        yield from (index.contents, index.graph, index.broken_links, index.orphans, index.status)
        yield index.suggested_questions
        yield lambda: index.ask("How often do I calibrate?", model="")
        for path in ("calibration.md", "index.md"):
            for of_document in (index.document, index.outline, index.read, index.links, index.related):
                yield lambda path=path, of_document=of_document: of_document(path)  # type: ignore[misc]
        yield lambda: index.related("calibration.md", unlinked=True)
        yield lambda: index.export(file.parent / "site", check=True)


def refusals(file: Path) -> list[HeadnoteError]:
    """What is said of a pack. Anything but an error of ours gets through, and fails the test."""
    said: list[HeadnoteError] = []
    reading = readings(file)
    try:
        for read in reading:
            try:
                read()
            except HeadnoteError as error:
                said.append(error)
    except HeadnoteError as error:  # it cannot even be opened
        said.append(error)
    assert not [one for one in said if "\n" in str(one) or not one.remedy]
    return said


def test_a_sound_pack_has_nothing_to_refuse(pack: Path) -> None:
    assert refusals(pack) == []


@pytest.mark.parametrize(("table", "column"), [(table, column) for table, names in COLUMNS.items() for column in names])
def test_values_that_no_statement_writes(pack: Path, tmp_path: Path, table: str, column: str) -> None:
    for value in ODD:
        try:
            file = forged(pack, tmp_path / "a.headnote", table, column, value)
        except (apsw.MismatchError, apsw.ConstraintError):
            continue  # a key of a table is a number
        refusals(file)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("vector_parts", "data", "x''"),
        ("name_vectors", "data", "x'00'"),
        ("documents", "metadata", f"'{DEEP}'"),
        ("documents", "metadata", "'[]'"),
        ("documents", "size", "'x'"),
        ("chunks", "heading_path", f"'{DEEP}'"),
        ("chunks", "carried", '\'[[0,0,0,0,0,0],[],"","",""]\''),
        ("texts", "text", "x'ff00'"),
        ("state", "updated_ns", "'x'"),
    ],
)
def test_damage_is_said_in_a_line(pack: Path, tmp_path: Path, table: str, column: str, value: str) -> None:
    said = refusals(forged(pack, tmp_path / "a.headnote", table, column, value))
    assert {type(error) for error in said} == {CorruptIndex}
    assert all("get the pack again" in error.remedy or "get the file again" in error.remedy for error in said)


@pytest.mark.parametrize(("table", "column", "value"), [("models", "id", "-1"), ("vectors", "slot", "-1")])
def test_vectors_of_nobody_are_no_export(pack: Path, tmp_path: Path, table: str, column: str, value: str) -> None:
    said = refusals(forged(pack, tmp_path / "a.headnote", table, column, value))
    assert any("no passage has its vectors" in str(error) for error in said)


def test_numbers_of_chunks_that_would_fill_the_memory(pack: Path, tmp_path: Path) -> None:
    """Scores have a place for each number."""
    hostile = changed(pack, tmp_path / "a.pack", "UPDATE chunks SET id = 4611686018427387904 WHERE id = 1")
    with pytest.raises(CorruptIndex, match="a chunk has the number"):
        headnote.open_pack(hostile)


def test_a_path_that_would_fill_the_memory(pack: Path, tmp_path: Path) -> None:
    hostile = changed(pack, tmp_path / "a.pack", f"UPDATE documents SET path = '{'a/' * 5000}' WHERE id = 1")
    with pytest.raises(CorruptIndex, match="longer than paths are"):
        headnote.open_pack(hostile)


@pytest.mark.parametrize("seed", range(4))
def test_bytes_of_any_kind(pack: Path, tmp_path: Path, seed: int) -> None:
    """Pages of the database that an author has written himself."""
    chance = random.Random(seed)
    sound = database_of(pack, tmp_path / "a.db").read_bytes()
    for _ in range(10):
        data = bytearray(sound)
        for _ in range(chance.choice((1, 3, 20))):
            in_a_header = chance.random() < 0.3
            place = chance.randrange(len(data) // 8192) * 8192 + chance.randrange(40) if in_a_header else 0
            data[place or chance.randrange(100, len(data))] = chance.choice((0, 128, 255, chance.randrange(256)))
        (tmp_path / "a.db").write_bytes(data)
        refusals(write_pack(tmp_path / "a.db", tmp_path / "a.headnote", **description_of(pack)))


# What a pack says about itself


def with_description(pack: Path, new: Path, text: bytes) -> Path:
    """The pack with these bytes as its description."""
    data = database_of(pack, new.with_suffix(".db")).read_bytes()
    digests = b"".join(sha256(data[at : at + BLOCK]).digest() for at in range(0, len(data), BLOCK))
    lengths = struct.pack("<QIII", len(data), len(text), 0, BLOCK)
    digest = sha256(digests + text + lengths).digest()
    new.write_bytes(data + digests + text + lengths + digest + struct.pack("<I8s", 1, b"hnotPACK"))
    return new


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


VALUES = (
    *("1" + "0" * 40, "1" + "0" * 5000, "-1", "1e400", "NaN", "null", "true", "[]", "{}", '"x"', '"\\ud800"', "[1]"),
    *(nested(900), nested(100_000), f'{{"limit": {nested(900)}}}', '{"limit": 1e400}', '{"../x": "y"}', '["../x"]'),
    *('{"": "\\u001b]0;x"}', '["\\u0000"]', '"\\u0000"', "253402300800", "9223372037", '{"a": "b"}', '["a"]'),
    '"' + "x" * 70_000 + '"',
)


@pytest.mark.parametrize("name", ["name", "documents", "models", "times", "created", "search", "roots", "contexts"])
def test_descriptions_that_no_headnote_writes(
    pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    stored = {key: json.dumps(value) for key, value in description_of(pack).items()}
    for value in VALUES:
        fields = ",".join(f'"{key}":{text}' for key, text in (stored | {name: value}).items())
        file = with_description(pack, tmp_path / "a.headnote", f"{{{fields}}}".encode())
        for arguments in (["pack", "--info", str(file)], ["pack", "--info", str(file), "--json"]):
            code = main(arguments)
            said = capsys.readouterr()
            assert (code, said.err.count("\n")) in ((0, 0), (2, 1)), (value[:40], said.err)
        with suppress(HeadnoteError):
            headnote.open_pack(file).close()


@pytest.mark.parametrize("text", [b"", b"[]x", b"7", b'"name"', b"null", b"\xff", b"[1]", b"[" * 200_000])
def test_what_is_no_description(pack: Path, tmp_path: Path, text: bytes) -> None:
    with pytest.raises(CorruptIndex, match="its description cannot be read"):
        read_pack_info(with_description(pack, tmp_path / "a.headnote", text))


@pytest.mark.parametrize("created", [10**40, -1, 253402300800])
def test_a_time_that_is_none(pack: Path, tmp_path: Path, created: int) -> None:
    with pytest.raises(CorruptIndex, match="its description cannot be read"):
        read_pack_info(changed(pack, tmp_path / "a.headnote", created=created))


def test_a_signature_is_no_book(pack: Path, tmp_path: Path) -> None:
    database = database_of(pack, tmp_path / "a.db")
    long = b"-----BEGIN SSH SIGNATURE-----" + b"\n" * 60_000
    assert read_pack_info(write_pack(database, tmp_path / "a.headnote", signature=long)).signer == ""
    with pytest.raises(CorruptIndex, match="do not fit together"):
        read_pack_info(write_pack(database, tmp_path / "a.headnote", signature=bytes(70_000)))


def test_a_pack_is_not_made_that_nobody_reads(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Index.open(pack.parent / "handbook") as index:
        with pytest.raises(SettingsError, match="--description"):
            index.pack(tmp_path / "a.headnote", description="x" * 70_000)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1" + "0" * 40)
        with pytest.raises(SettingsError, match="seconds since 1970"):
            index.pack(tmp_path / "a.headnote")
    assert not list(tmp_path.iterdir())


# Bounds


def inflating(pack: Path, new: Path, *texts: bytes) -> Path:
    """The texts of the first documents, as an author has compressed them."""
    statements = [
        f"UPDATE texts SET text = x'{(codec.COMPRESSED + zlib.compress(text, 9)).hex()}' WHERE document = {number}"
        for number, text in enumerate(texts, 1)
    ]
    return changed(pack, new, *statements)


def test_a_few_bytes_are_no_large_text(pack: Path, tmp_path: Path) -> None:
    assert codec.compressed(bytes(5_000_000), 9) == bytes(5_000_000), "it is stored as it is"
    hostile = inflating(pack, tmp_path / "a.headnote", *[bytes(5_000_000)] * 8)
    with headnote.open_pack(hostile) as opened:
        for path in opened.documents():
            with pytest.raises(CorruptIndex, match=r"larger than texts are.*get the pack again"):
                opened.read(path)
        with pytest.raises(CorruptIndex, match="larger than texts are"):
            opened.search("battery", mode="keyword")


def test_what_a_search_reads_is_bounded(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with headnote.open_pack(pack) as opened:
        longest = max(len(opened.document(path).document.text) for path in opened.documents())
        monkeypatch.setattr(PackedStore, "max_text", longest + 1)
        with pytest.raises(CorruptIndex, match="characters for one answer"):
            opened.search("the", mode="keyword", limit=30, min_score=0.0)
        assert opened.document("calibration.md"), "one document is no more than it is"
    statement = (
        'UPDATE chunks SET "end" = (SELECT max(c."end") FROM chunks c WHERE c.document = chunks.document), "start" = 0'
    )
    with (
        headnote.open_pack(changed(pack, tmp_path / "a.headnote", statement)) as opened,
        pytest.raises(CorruptIndex, match="characters for one answer"),
    ):
        opened.search("the", mode="keyword", limit=30, min_score=0.0)


def test_pages_that_repeat_what_they_hold(pack: Path, tmp_path: Path) -> None:
    """The cells of a page may all be the same one: a megabyte, a thousand times."""
    database = database_of(pack, tmp_path / "a.db")
    connection = apsw.Connection(str(database))
    connection.execute("INSERT INTO manifest VALUES ('z', ?)", ("x" * 1_000_000,))
    root: Any = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'manifest'").fetchall()[0][0]
    size = int(connection.pragma("page_size"))
    connection.close()
    data = bytearray(database.read_bytes())
    page = (root - 1) * size
    assert data[page] == 10, "all of it is on one page"
    (cells,) = struct.unpack_from(">H", data, page + 3)
    last = data[page + 8 + 2 * (cells - 1) : page + 8 + 2 * cells]
    room = min((struct.unpack_from(">H", data, page + 5)[0] - 8) // 2, 1000)
    data[page + 8 : page + 8 + 2 * room] = last * room
    struct.pack_into(">H", data, page + 3, room)
    database.write_bytes(data)
    hostile = write_pack(database, tmp_path / "b.headnote", **description_of(pack))
    with pytest.raises(CorruptIndex, match="more than the pack holds"):
        headnote.open_pack(hostile)


def test_pages_that_lead_to_the_same_page(pack: Path, tmp_path: Path) -> None:
    """A few levels of them would be a tree that nobody reads to its end."""
    data = bytearray(database_of(pack, tmp_path / "a.db").read_bytes())
    (size,) = struct.unpack_from(">H", data, 16)
    pages = [page for page in range(size, len(data), size) if data[page] in (2, 5)]
    assert pages
    for page in pages:
        (first,) = struct.unpack_from(">H", data, page + 12)
        data[page + first : page + first + 4] = data[page + 8 : page + 12]
    (tmp_path / "a.db").write_bytes(data)
    said = refusals(write_pack(tmp_path / "a.db", tmp_path / "a.headnote", **description_of(pack)))
    assert any("its pages are no tree" in str(error) for error in said)


# What a database could do


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH ':memory:' AS other",
        "CREATE TABLE extra (a)",
        "CREATE TEMP TABLE extra (a)",
        "DELETE FROM documents",
        "INSERT INTO keyword (keyword) VALUES ('delete-all')",
        "SELECT load_extension('x')",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = ''",
        "SELECT zeroblob(1000000000)",
    ],
)
def test_a_connection_can_only_read(pack: Path, statement: str) -> None:
    with (
        closing(open_packed(pack, without_deep=True).store) as store,
        pytest.raises(CorruptIndex),
        store.reading() as reader,
    ):
        reader.db.execute(statement).fetchall()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW texts AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n",
        "CREATE TABLE texts (document INTEGER PRIMARY KEY, text BLOB AS (randomblob(1000000000))) STRICT",
        "CREATE VIRTUAL TABLE texts USING fts5(a)",
        "CREATE TABLE texts (document, text",
    ],
)
def test_a_schema_of_its_own_is_refused_before_it_is_used(pack: Path, tmp_path: Path, sql: str) -> None:
    database = database_of(pack, tmp_path / "a.db")
    connection = apsw.Connection(str(database))
    connection.pragma("writable_schema", True)
    kind = "view" if "VIEW" in sql else "table"
    connection.execute("UPDATE sqlite_schema SET sql = ?, type = ? WHERE name = 'texts'", (sql, kind))
    connection.close()
    said = refusals(write_pack(database, tmp_path / "a.headnote", **description_of(pack)))
    assert {type(error) for error in said} == {CorruptIndex}


def test_tables_at_the_place_of_others(pack: Path, tmp_path: Path) -> None:
    """The text of the schema is that of ours; where each table begins is not."""
    places: dict[str, Any] = {"texts": "documents", "chunks": "links", "vectors": "name_vectors", "manifest": "texts"}
    for table, other in places.items():
        statement = f"""PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage =
            (SELECT rootpage FROM sqlite_schema WHERE name = '{other}') WHERE name = '{table}'"""
        assert refusals(changed(pack, tmp_path / "a.headnote", statement))
