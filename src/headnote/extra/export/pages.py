"""What is shown of a chunk, and what tells its exact place among the hits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headnote.extra.export.shards import number, vectors
from headnote.formats.kinds import open_document
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import naming_of, read_sites, site_of
from headnote.search.readable import readable_lines
from headnote.store.integrity import decoding
from headnote.store.interface import Reader
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
        """Of a document, from the top of the site: the first of its addresses that the site has."""
        name, inside = ("", path) if "" in self._sites else path.split("/", 1)
        own = {inside: self._naming[path]}
        known = Addresses(site_of(inside, self._sites[name]), lambda: own).of(inside)
        forms = [form for address in known or [inside.rpartition(".")[0]] for form in _forms(f"{name}/{address}")]
        found = next((form for form, file in forms if (self._site / file).is_file()), forms[0][0])
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
