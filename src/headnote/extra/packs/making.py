"""Make a pack of an index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, fields
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.config import Choice, SearchSettings, choice_of, portable
from headnote.embedding.registry import Models, short_name
from headnote.errors import IndexFailure, SettingsError, UnwritableIndex
from headnote.extra.packs.format import (
    MAX_CREATED,
    MAX_TEXT,
    PackInfo,
    is_pack,
    read_container,
    read_info,
    write_container,
    write_footer,
)
from headnote.extra.packs.signing import sign
from headnote.extra.packs.unpacking import PACKED_MODELS
from headnote.extras import DISTRIBUTION, load
from headnote.index.manifest import manifest_of, unfinished_reads
from headnote.search.ranking import Contexts
from headnote.sources.repository import by_parts
from headnote.store.codec import compressed, escaped
from headnote.store.integrity import BROKEN, SITES, STORED_SETTINGS, signed
from headnote.store.interface import Store
from headnote.store.rows import Dates, DocumentEntry
from headnote.store.sharing import rows
from headnote.store.sqlite.connections import opened_as_database
from headnote.store.sqlite.matrix import BLOCK
from headnote.store.sqlite.schema import create_tables
from headnote.store.sqlite.vectors import BYTES
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter
from headnote.whole_files import name_aside, written_whole

if TYPE_CHECKING:
    import apsw


# -- An index copied into a file of its own whose bytes depend on its content alone.
#
# Ids, slots and pages of an index tell in which order its files were read. Here they follow from the paths, as in an
# index that was read at once, so whatever is found is found in the same order.


PAGE = 8_192
"""Bytes of a page. The vectors of the parts of a chunk are about a thousand bytes, and few fit on a smaller page."""
_LEVEL = 9
_VECTOR_BATCH = 4096


def write_canonical(
    source: SqliteReader,
    file: Path,
    scratch: Path,
    models: Sequence[str],
    manifest: Mapping[str, str],
    adapted: Callable[[DocumentEntry], DocumentEntry],
) -> None:
    """Copies documents, links, words and the vectors of these models. `adapted` says what is stored of a document.
    Files that are no documents, and everything about the machine, stay behind. What is copied is put in order in
    `scratch`, which keeps its name for a moment only, where the system can do without."""
    apsw = load("apsw", "an index")
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(str(scratch), flags=flags)) as db:
            with suppress(PermissionError):  # Windows keeps the names of open files
                scratch.unlink()
            for setting, value in (("page_size", PAGE), ("journal_mode", "off"), ("synchronous", "off")):
                db.pragma(setting, value)
            create_tables(db, scratch)
            writer = SqliteWriter(db)
            hashes = _copy_documents(source, writer, adapted)
            for model in models:
                _copy_vectors(source, writer, model, hashes)
            writer.sweep(models)
            writer.set_manifest(manifest)
            writer.finish()
            _forget_history(db)
            with file.open("r+b", buffering=0) as opened, opened_as_database(opened) as address:
                db.execute("VACUUM INTO ?", (address,))
    finally:
        scratch.unlink(missing_ok=True)


def _forget_history(db: apsw.Connection) -> None:
    """Removes what tells when and how often the index was changed."""
    db.execute("UPDATE state SET generation = 1, updated_ns = NULL")
    db.execute("UPDATE models SET changed = 1, stamp = 0")
    # By their content: equal vectors have equal stamps, and others have others.
    for model, number, data in rows(db, "SELECT model, number, data FROM vector_blocks"):
        stamp = int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
        db.execute("UPDATE block_stamps SET stamp = ? WHERE model = ? AND number = ?", (stamp, model, number))
    db.execute("INSERT INTO keyword (keyword) VALUES ('optimize')")


def _copy_documents(
    source: SqliteReader, writer: SqliteWriter, adapted: Callable[[DocumentEntry], DocumentEntry]
) -> dict[bytes, None]:
    """The hashes of all chunks, in their order."""
    hashes: dict[bytes, None] = {}

    def entries() -> Iterator[DocumentEntry]:
        for path in sorted(source.document_paths(), key=by_parts):
            document = source.document(path)
            assert document is not None
            chunks = [chunk.row for chunk in source.chunks_of(path)]
            hashes.update(dict.fromkeys(bytes.fromhex(chunk.hash) for chunk in chunks))
            yield adapted(DocumentEntry(document, chunks))

    writer.put(entries())
    # In the order in which they are resolved, which decides whose link counts first.
    writer.set_links({path: source.links_from(path) for path in source.document_paths()})
    texts = rows(writer.db, "SELECT document FROM texts")
    for (document,) in texts:
        ((text,),) = rows(writer.db, "SELECT text FROM texts WHERE document = ?", (document,))
        packed = compressed(text, _LEVEL)
        if packed != text:
            writer.db.execute("UPDATE texts SET text = ? WHERE document = ?", (packed, document))
    return hashes


def _copy_vectors(source: SqliteReader, writer: SqliteWriter, model: str, hashes: Mapping[bytes, None]) -> None:
    """Copy vectors in the order of the chunks. Those that no chunk has any more are swept away afterwards."""
    found = rows(source.db, "SELECT id, dims FROM models WHERE name = ?", (escaped(model),))
    if not found:
        return
    number, dims = found[0]
    width = dims * BYTES
    blocks = dict(rows(source.db, "SELECT number, data FROM vector_blocks WHERE model = ?", (number,)))
    query = """SELECT v.slot, p.data FROM vectors v JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
    WHERE v.model = ? AND v.hash = ?"""
    remaining = iter(hashes)
    while batch := list(islice(remaining, _VECTOR_BATCH)):
        vectors = {}
        for digest in batch:
            for slot, parts in rows(source.db, query, (number, digest)):
                at = slot % BLOCK * width
                vectors[digest] = blocks[slot // BLOCK][at : at + width], parts
        writer.put_vectors(model, dims, vectors)
    names = rows(source.db, "SELECT hash, data FROM name_vectors WHERE model = ? ORDER BY hash", (number,))
    writer.put_names(model, dims, dict(names))


# -- Make a pack of an index


class PackOptions(NamedTuple):
    """What a pack is to contain besides text, words and the vectors of the instant model."""

    name: str
    version: str = ""
    description: str = ""
    licence: str = ""
    deep: bool = False
    """Whether the vectors of the deep model travel, too."""
    times: bool = False
    """Whether it says when files were changed."""
    key: Path | None = None
    """The key to sign it with."""


class PackSource(NamedTuple):
    """What a pack is made of."""

    store: Store
    choice: Choice
    models: Models
    search: SearchSettings
    roots: Sequence[str]
    """Names of the folders, if there are several."""
    contexts: Contexts
    broken: Callable[[SqliteReader], object]
    """The places of broken links, as they are stored."""
    place: str
    """Of the folder, for people."""


def make_pack(source: PackSource, file: Path, options: PackOptions) -> PackInfo:
    """Write the pack of an index, as a whole or not at all."""
    _check_place(file)
    _check_words(options)
    try:
        with written_whole(file) as aside:
            _write(source, aside, name_aside(file), options)
    except OSError as error:
        remedy = "name another file with -o"
        raise UnwritableIndex(f"cannot be written: {error.strerror}", path=str(file), remedy=remedy) from None
    return read_info(read_container(file))


def _check_place(file: Path) -> None:
    # Methods of Path raise for a name that is too long; whoever writes there says what is wrong.
    if os.path.isdir(file):
        raise SettingsError("a folder", path=str(file), remedy="name a file, such as docs.headnote")
    if os.path.exists(file) and file.stat().st_size and not is_pack(file):
        raise SettingsError("exists and is not a pack", path=str(file), remedy="name another file, or remove this one")


def _check_words(options: PackOptions) -> None:
    for name in ("name", "version", "description", "licence"):
        if len(getattr(options, name)) > MAX_TEXT:
            raise SettingsError(f"longer than {MAX_TEXT:,} characters", path=f"--{name}", remedy="say it in a sentence")


def _write(source: PackSource, file: Path, scratch: Path, options: PackOptions) -> None:
    created = _source_date()
    time_ns = (created or 0) * 10**9
    with source.store.reading() as reader:
        if not isinstance(reader, SqliteReader):
            remedy = "make an index in a file first: headnote index --store sqlite"
            raise IndexFailure("packs are made from an index in a file", path=source.place, remedy=remedy)
        manifest = reader.manifest()
        if not manifest or unfinished_reads(manifest):
            remedy = "run headnote index to the end"
            raise IndexFailure("not all files are read", path=source.place, remedy=remedy)
        models = _models(source, reader, options.deep)
        own = _manifest(source, manifest, models) | {BROKEN: signed(source.broken(reader))}

        def adapted(entry: DocumentEntry) -> DocumentEntry:
            document = entry.document
            undated = document._replace(mtime_ns=time_ns, dates=Dates())
            return entry if options.times else entry._replace(document=undated)

        write_canonical(reader, file, scratch, models, own, adapted)
        paths = reader.document_paths()
        description = PackInfo(
            name=options.name,
            version=options.version,
            description=options.description,
            licence=options.licence,
            headnote=_own_version(),
            documents=len(paths),
            chunks=reader.chunk_count(),
            models=tuple(models),
            times=options.times,
            created=created,
            search=_search(source.search),
            roots=tuple(source.roots),
            contexts=_said_about(source.contexts, paths),
        )
    container = write_container(file, description)
    write_footer(container, sign(container.signed, options.key) if options.key else b"")


def _models(source: PackSource, reader: SqliteReader, deep: bool) -> list[str]:
    """Names of the models whose vectors travel. Those of a service would need the service, wherever they are used."""
    instant, better = source.models
    names = [instant.name] if instant and reader.has_all_vectors(instant.name) else []
    if not deep:
        return names
    if better is None or short_name(better.name) not in PACKED_MODELS:
        which = better.name if better else "no deep model"
        remedy = f"index with --embedder {' or '.join(PACKED_MODELS[1:])}, or leave out --deep"
        raise SettingsError(f"the index has {which}, whose vectors cannot travel", path=source.place, remedy=remedy)
    if not reader.has_all_vectors(better.name):
        remedy = "run headnote index, which makes them, or leave out --deep"
        raise IndexFailure("vectors of the deep model are missing", path=source.place, remedy=remedy)
    return [*names, better.name]


def _manifest(source: PackSource, manifest: dict[str, str], models: list[str]) -> dict[str, str]:
    """What others may know of how the index was made."""
    embedder = short_name(models[-1]) if models else "none"
    stored_settings = portable(source.choice, embedder)
    instant = next((name for name in models if short_name(name) == "instant"), "")
    own = manifest_of(choice_of(stored_settings).chunking.settings, models[-1] if models else "none", instant)
    return (
        own | {key: manifest[key] for key in ("reader", SITES) if key in manifest} | {STORED_SETTINGS: stored_settings}
    )


def _search(settings: SearchSettings) -> dict[str, Any]:
    default = SearchSettings()
    values = asdict(settings)
    return {one.name: values[one.name] for one in fields(settings) if values[one.name] != getattr(default, one.name)}


def _said_about(contexts: Contexts, paths: Sequence[str]) -> dict[str, str]:
    """The sentences about these documents. One about anything else may be about what nobody is to know of."""
    unused = set(contexts.unused(paths))
    return {place: text for place, text in contexts.sentences.items() if place not in unused}


def _own_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return ""  # run from its source


def _source_date() -> int | None:
    """See reproducible-builds.org: the one time that may stand in what is built."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if text and (not text.isdecimal() or len(text) > 10 or int(text) > MAX_CREATED):
        raise SettingsError(f"{text!r} is not a time", path="SOURCE_DATE_EPOCH", remedy="give seconds since 1970")
    return int(text) if text else None
