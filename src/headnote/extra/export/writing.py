"""Write the search of a site into a folder: as a whole, and nothing but its own files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from headnote.embedding.registry import Models
from headnote.errors import IndexFailure, SettingsError, UnwritableIndex
from headnote.extra.export.shards import (
    ROWS,
    clusters_of,
    mixed,
    number,
    packed,
    row_shards,
    vectors,
    vocabulary_shards,
    words_of,
)
from headnote.formats.kinds import open_document
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import naming_of, read_sites, site_of
from headnote.search.readable import readable_lines
from headnote.store.integrity import decoding
from headnote.store.interface import Reader, Store
from headnote.store.quantized import PartSet
from headnote.store.rows import StoredChunk

if TYPE_CHECKING:
    from headnote.markdown.headings import OutlineEntry


GROUP = 4
"""Chunks of a shard. Neighbours are alike, so hits often share one."""
MAX_TEXT_CHARS = 900
"""Characters of a chunk that travel."""
MAX_PARTS = 6


class Pages:
    """The addresses and headings of documents."""

    def __init__(self, reader: Reader, site: Path, base_url: str) -> None:
        """`site` is the folder of the built site, where pages are looked for."""
        self._reader = reader
        self._site = site
        self._base = base_url
        self._sites = read_sites(reader.manifest())
        self._outlines: dict[str, list[OutlineEntry]] = {}

    def record(self, chunk: StoredChunk) -> dict[str, Any]:
        """A chunk as the script shows it."""
        lines = " ".join(line.text.strip() for line in readable_lines(chunk.row.own_text(chunk.source)))
        return {
            "url": self.address(chunk.path) + self._fragment(chunk),
            "title": chunk.title or chunk.path,
            "headings": list(chunk.row.heading_path),
            "text": lines[:MAX_TEXT_CHARS],
        }

    @decoding
    def address(self, path: str) -> str:
        """The address of a document, from the top of the site: the first of its addresses that the site has."""
        name, inside = ("", path) if "" in self._sites else path.split("/", 1)
        own = {inside: self._naming[path]}
        known = Addresses(site_of(inside, self._sites[name]), lambda: own).of(inside)
        forms = [form for address in known or [inside.rpartition(".")[0]] for form in _forms(f"{name}/{address}")]
        found = next((form for form, file in forms if os.path.isfile(self._site / file)), forms[0][0])
        return self._base + quote(found)

    @cached_property
    def _naming(self) -> Mapping[str, Any]:
        return {head.path: naming_of(head) for head in self._reader.heads()}

    def _fragment(self, chunk: StoredChunk) -> str:
        if chunk.path not in self._outlines:
            self._outlines = {chunk.path: open_document(chunk.source, chunk.path).outline}
        above = [entry for entry in self._outlines[chunk.path] if entry.start_line <= chunk.row.start_line]
        return f"#{quote(above[-1].heading.slug)}" if above and chunk.row.heading_path else ""


def _forms(whole: str) -> Iterator[tuple[str, str]]:
    """(address, file) of a page, as generators write them."""
    address = "/".join(filter(None, whole.split("/")))
    yield (f"{address}/" if address else ""), f"{address}/index.html".lstrip("/")
    if address:
        yield f"{address}.html", f"{address}.html"
        yield address, address


def add_links(records: Mapping[int, dict[str, Any]], reader: Reader, chunks: Sequence[int]) -> None:
    """Tell each record which chunks it links to. A chunk is known by its place among `chunks`."""
    places = {chunk: place for place, chunk in enumerate(chunks)}
    for source, target in reader.linked_chunks(chunks):
        if source in places and target in places:
            records[source].setdefault("links", []).append(places[target])


def detail_shards(records: Sequence[dict[str, Any]], parts: PartSet, order: Sequence[int]) -> list[bytes]:
    """`records` in the order of their numbers; `order` says which chunk of the parts each is."""
    starts = [0]
    for count in parts.counts:
        starts.append(starts[-1] + count)
    names, texts = parts.floats()

    def packed(row: int) -> bytes:
        """Both names, then the parts."""
        own = texts[starts[row] : starts[row + 1]][:MAX_PARTS]
        return number(len(own)) + vectors(names[row]) + vectors(own)

    shards = []
    for start in range(0, len(records), GROUP):
        group = range(start, min(start + GROUP, len(records)))
        shown = json.dumps([records[at] for at in group], ensure_ascii=False, separators=(",", ":")).encode()
        shards.append(number(len(shown)) + shown + b"".join(packed(order[at]) for at in group))
    return shards


# -- Write the search of a site into a folder: as a whole, and nothing but its own files.

FOLDER = "headnote"
"""Inside the site."""
INDEX = "index.bin"
MANIFEST = "manifest.json"
UNFINISHED = "unfinished.json"
"""Files of an export that did not end. It is there while one runs."""
NO_ROOM = (ENOSPC, EDQUOT)
VERSION = 1
SCRIPTS = ("search.js", "engine.js", "meaning.js", "shards.js", "stemmer.js", "terms.js", "search.css")


class Exported(NamedTuple):
    """What an export wrote."""

    folder: Path
    """Where its files are."""
    pages: int
    """How many documents can be found."""
    chunks: int
    """How many they have."""
    files: int
    """How many there are."""
    bytes: int
    """Of all files together."""
    changed: int
    """Files that were not there before."""
    removed: int
    """Files of an earlier export that are no longer needed."""


def export_site(store: Store, models: Models, site: Path, base_url: str = "", *, check: bool = False) -> Exported:
    """Write shards and script into the folder of a built site. With `check`, only say what would change."""
    if os.path.exists(site) and not os.path.isdir(site):
        raise SettingsError("a file, not a folder", path=str(site), remedy="name the folder of the built site")
    if models.instant is None:
        remedy = "index with an embedder that has the instant model, such as --embedder instant"
        raise IndexFailure("the index has no vectors of the instant model", path=store.place, remedy=remedy)
    with store.reading() as reader:
        contents = _contents(reader, models.instant.name, site, base_url)
        pages, chunks = len(reader.document_paths()), reader.chunk_count()
    folder = site / FOLDER
    before = _listed(folder)
    changed = [name for name, data in contents.items() if _read(folder / name) != data]
    stale = sorted(before - contents.keys())
    if not check:
        _write(folder, contents, changed, stale)
    size = sum(map(len, contents.values()))
    return Exported(folder, pages, chunks, len(contents), size, len(changed), len(stale))


def _contents(reader: Reader, model: str, site: Path, base_url: str) -> dict[str, bytes]:
    """Name → content of every file. Folders of shards are named by what is in them, so that a browser may keep them."""
    every = {chunk.id: chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)}
    if not every:
        raise IndexFailure("there is nothing to export", path=str(site), remedy="index a folder with documents first")
    parts = reader.parts(model, list(every))
    if not parts.chunks:
        raise IndexFailure(
            "no passage has its vectors", path=str(site), remedy="run headnote index, or get the pack again"
        )
    matrix = mixed(parts)
    clusters = clusters_of(matrix)
    chunks = [every[parts.chunks[row]] for row in clusters.order]
    words = words_of(chunks)
    vocabulary, first_pieces = vocabulary_shards()
    pages = Pages(reader, site, base_url)
    records = {chunk: pages.record(every[chunk]) for chunk in parts.chunks}
    add_links(records, reader, [chunk.id for chunk in chunks])
    details = detail_shards([records[chunk.id] for chunk in chunks], parts, clusters.order)
    ends = list(accumulate(clusters.sizes))
    members = [clusters.order[end - size : end] for end, size in zip(ends, clusters.sizes, strict=True)]
    found: dict[str, bytes] = {}
    index = {
        "version": VERSION,
        "chunks": len(chunks),
        "average": words.average,
        "sizes": clusters.sizes,
        "group": GROUP,
        "rows": ROWS,
        "first_terms": words.first_terms,
        "first_pieces": first_pieces,
        "words": _add(found, "words", words.shards),
        "pieces": _add(found, "pieces", vocabulary),
        "model": _add(found, "model", row_shards()),
        "centres": _add(found, "centres", [vectors(clusters.centres)]),
        "clusters": _add(found, "clusters", [vectors(matrix[rows]) for rows in members]),
        "details": _add(found, "details", details),
    }
    found |= {script: (files_of_package() / script).read_bytes() for script in SCRIPTS}
    found[INDEX] = packed(json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode())
    return found | {MANIFEST: json.dumps({"version": VERSION, "files": sorted(found)}, indent=0).encode()}


def files_of_package() -> Path:
    return Path(str(files("headnote.extra.export"))) / "static"


def _add(files: dict[str, bytes], kind: str, shards: Sequence[bytes]) -> str:
    """Adds shards of one kind; returns their folder, which is named by what is in them."""
    digest = sha256()
    for shard in shards:
        digest.update(sha256(shard).digest())
    folder = f"{kind}-{digest.hexdigest()[:12]}"
    files.update({f"{folder}/{at}.bin": packed(shard) for at, shard in enumerate(shards)})
    return folder


def _listed(folder: Path) -> set[str]:
    """The files of the export before, and of one that did not end: only these may be deleted."""
    return {name for listing in (MANIFEST, UNFINISHED) for name in _names(folder / listing)}


def _names(listing: Path) -> Iterator[str]:
    try:
        listed = json.loads(listing.read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for name in listed:
        if isinstance(name, str) and ".." not in name and not name.startswith(("/", "\\")):
            yield name


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _write(folder: Path, contents: Mapping[str, bytes], changed: Sequence[str], stale: Sequence[str]) -> None:
    """What takes room and time happens aside: shards, which nothing names yet, and copies of what names them. Whoever
    is interrupted, or has no room, keeps the search of before; whoever reads meanwhile has the old one or the new."""
    named = [name for name in (*SCRIPTS, INDEX, MANIFEST) if name in changed]
    try:
        with _undone_on_failure(folder, changed, stale):
            for name in changed:
                aside = folder / _aside(name)
                aside.parent.mkdir(parents=True, exist_ok=True)
                aside.write_bytes(contents[name])
                if name not in named:
                    aside.replace(folder / name)
        _publish(folder, named)
        _remove(folder, [*stale, UNFINISHED])
    except OSError as error:
        remedy = "make room on the disk" if error.errno in NO_ROOM else "check the permissions of the folder"
        raise UnwritableIndex(f"cannot be written: {error.strerror}", path=str(folder), remedy=remedy) from error


@contextmanager
def _undone_on_failure(folder: Path, changed: Sequence[str], stale: Sequence[str]) -> Iterator[None]:
    """Takes back the files and folders that were not there before. A list of them is kept until all is done: after a
    power cut, the next export removes them."""
    new = [name for name in changed if not (folder / name).exists()] + [_aside(name) for name in changed]
    new += sorted({*_names(folder / UNFINISHED)} - {*_names(folder / MANIFEST)})
    new_folders = [one for one in (folder, *folder.parents) if not os.path.exists(one)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / UNFINISHED).write_text(json.dumps({"files": [*new, *stale]}), encoding="utf-8")
        yield
    except BaseException:
        _remove(folder, [*new, UNFINISHED])
        for one in new_folders:
            with suppress(OSError):
                one.rmdir()
        raise


def _publish(folder: Path, names: Sequence[str]) -> None:
    """Renames need no room and hardly any time: who interrupts them gets them all the same."""
    try:
        for name in names:
            with suppress(FileNotFoundError):  # it has its name already
                (folder / _aside(name)).replace(folder / name)
    except KeyboardInterrupt:
        _publish(folder, names)
        raise


def _aside(name: str) -> str:
    above, slash, own = name.rpartition("/")
    return f"{above}{slash}.{own}.new"


def _remove(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        with suppress(FileNotFoundError, NotADirectoryError):
            (folder / name).unlink()
    for left in {(folder / name).parent for name in names} - {folder}:
        with suppress(OSError):
            left.rmdir()  # unless somebody has put a file there
