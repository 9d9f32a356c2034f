"""What stands everywhere says little about one page.

Passages that stand in hundreds of documents, such as a line below every note, say nothing about the query. To know all
of them, every text would have to be read. But where they matter, several of the first hits have the same one: then, and
only then, the index is asked how many documents have its words.

A word that nearly all documents of a folder have is the name of what they are about, a product or a subject. In a
question it says where to look, and not what for. Nor does the version behind it, which people add to be exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from headnote.extras import np
from headnote.model import file_name
from headnote.search.spelling import WordReading, content_terms, languages_in, rarity
from headnote.store.caching import Folders
from headnote.store.interface import Reader
from headnote.store.rows import StoredChunk
from headnote.words.languages import language_of
from headnote.words.name_keys import asks_for_version
from headnote.words.terms import other_forms, terms, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- Passages

LOOKED_AT = 10
"""First hits that tell whether anything repeats. A later page looks at the same ones."""
TIMES = 3
"""Documents among them that have the same passage."""
EVERYWHERE = 100
"""Documents of the index that must have a passage before it counts less: a phrase that a few dozen pages share may be
what someone asks about."""
MIN_WORDS = 3
"""Minimum words of a passage: anything shorter is a word that many documents have."""
COMPARED_TERMS = 8
"""Terms of a passage that are compared, from its beginning: so many do not stand together by chance."""

BEGINNING = 12
"""Characters that are compared first, since most searches show nothing twice."""

_ADDRESS = re.compile(r"(?<=\])\([^()\s]*+\)|(?<=\])\[[^\[\]\s]*+\]|https?://\S++")
"""Addresses of links, which differ even where the rest is the same."""
_WORD = re.compile(r"[^\W_]+")


def said_everywhere(
    reader: Reader, texts: Iterable[tuple[str, str]], asked: frozenset[str] | None = None
) -> frozenset[str]:
    """Return the passages of these texts that stand in hundreds of documents. Each text comes with the path of its
    document. A passage without any of the `asked` terms does not matter."""
    paragraphs = [(path, paragraph) for path, text in texts for paragraph in _paragraphs(text)]
    begun = _repeated((path, paragraph[:BEGINNING]) for path, paragraph in paragraphs)
    alike = [(path, _words(paragraph)) for path, paragraph in paragraphs if paragraph[:BEGINNING] in begun]
    repeated = _repeated((path, " ".join(words)) for path, words in alike if len(words) >= MIN_WORDS)
    if asked is not None:
        repeated = {passage for passage in repeated if not asked.isdisjoint(terms(passage))}
    return frozenset(passage for passage in repeated if _is_everywhere(reader, passage))


def _repeated(passages: Iterable[tuple[str, str]]) -> set[str]:
    documents = Counter(passage for _, passage in set(passages))
    return {passage for passage, count in documents.items() if count >= TIMES}


def common_share(text: str, everywhere: Set[str]) -> float:
    """The share of a text that such passages are, by words."""
    sizes = {True: 0, False: 0}
    for words in map(_words, _paragraphs(text)):
        sizes[" ".join(words) in everywhere] += len(words)
    return sizes[True] / (sum(sizes.values()) or 1)


def own_shares(reader: Reader, chunks: Sequence[int], everywhere: Set[str], asked: frozenset[str]) -> dict[int, float]:
    """Chunk → the share of its text that is its own, for chunks that have terms of the query in shared passages
    alone."""
    common = asked & set(terms("\n".join(everywhere)))
    having = reader.terms_in(chunks, list(asked))
    doubtful = [chunk for chunk, found in having.items() if not common.isdisjoint(found)]
    return {
        chunk.id: 1 - share
        for chunk in reader.chunks(doubtful)
        if (share := common_share(chunk.text, everywhere)) and asked.isdisjoint(_own_terms(chunk, everywhere))
    }


def _own_terms(chunk: StoredChunk, everywhere: Set[str]) -> set[str]:
    names = chunk.document.title, *chunk.row.heading_path, *chunk.document.aliases, file_name(chunk.path)
    own = (paragraph for paragraph in _paragraphs(chunk.text) if " ".join(_words(paragraph)) not in everywhere)
    language = language_of(chunk.source)
    return {term for text in (*names, *own) for term in terms(text, language)}


def _paragraphs(text: str) -> list[str]:
    return [paragraph.strip() for paragraph in text.replace("\r\n", "\n").split("\n\n")]


def _words(paragraph: str) -> list[str]:
    return _WORD.findall(_ADDRESS.sub("", paragraph).casefold())


def _is_everywhere(reader: Reader, passage: str) -> bool:
    languages = languages_in(reader)
    forms = other_forms(passage, languages)
    having: set[int] | None = None
    for term in content_terms(passage, languages)[:COMPARED_TERMS]:
        chunks = set(reader.having([term, *forms.get(term, ())]).tolist())
        having = chunks if having is None else having & chunks
    return len(set(reader.owners(sorted(having or ())).documents.tolist())) >= EVERYWHERE


# -- Words
#
# Measured on what people asked on GitHub, with the name of the project behind it, and on all other kinds of questions:
# docs/design-notes.md.

MIN_OTHERS = 3
"""Words of the query besides the names, which some document has. A shorter query may be the name of a page: `React
Compiler`."""
MIN_DOCUMENTS = 8
"""Of a folder, below which words stand in most of them by chance."""
OF_FOLDER = 0.9
"""Minimum share of the documents of a folder that have a word which names it."""
IN_FOLDER = 0.5
"""Minimum share of the documents with the word that are in that folder."""
TIMES_AS_OFTEN = 4
"""How many times as often its documents have the word as those elsewhere do: *render* in a reference is a word that all
pages use."""
OUTSIDE_FACTOR = 0.7
"""Of the score of what is in none of the folders that a query names."""


class FolderNames(NamedTuple):
    """The words of a query that name folders."""

    words: frozenset[str] = frozenset()
    """As they were typed."""
    weights: Mapping[str, float] = {}
    """Term → how much it counts: as rare as it is in its folder, beside how rare it is everywhere."""
    folders: tuple[str, ...] = ()
    """Those that are named, such as `a/b/`. Not the root, which is around everything."""

    def without(self, text: str) -> str:
        """The query without these words: a model would look for pages that name what all are about."""
        kept = [piece for piece in text.split() if not (words := words_of(piece)) or not self.words.issuperset(words)]
        return " ".join(kept) if self.words else text

    def less(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Terms with how much they count, less for these."""
        return {term: share * weight for term, share in shares.items() if (weight := self.weights.get(term, 1.0))}

    def leaves_out(self, path: str) -> bool:
        """Whether a document is elsewhere."""
        return bool(self.folders) and not path.startswith(self.folders)


def folder_names(reader: Reader, text: str, readings: Iterable[WordReading]) -> FolderNames:
    """Return the words of a query that name folders."""
    known = {reading.term for reading in readings if reading.kind == "known"}
    # A name such as `FastAPI` comes with its parts, which stand wherever it does.
    typed = {word: own for word in words_of(text) if (own := terms(word)) and own[0] in known}
    wholes = {own[0] for own in typed.values()}
    if len(wholes) <= MIN_OTHERS:
        return FolderNames()
    folders = reader.folders()
    spread = reader.spread(wholes)
    named = {term: place for term, counts in spread.items() if (place := _named(folders, counts)) is not None}
    if len(wholes) - len(named) < MIN_OTHERS:
        return FolderNames()
    weights = {term: _weight(folders, spread[term], place) for term, place in named.items()}
    for own in typed.values():
        weights |= {part: weights[own[0]] for part in own[1:] if own[0] in named and part not in wholes}
    words = frozenset(word for word, own in typed.items() if own[0] in named)
    places = sorted({folders.names[place] for place in named.values() if place})
    return _with_versions(FolderNames(words, weights, tuple(places)), text)


def _with_versions(names: FolderNames, text: str) -> FolderNames:
    """The names, each with the version behind it in the query, unless it asks for versions."""
    behind = "|".join(map(re.escape, names.words))
    versions = re.findall(rf"(?<!\w)(?:{behind})\s++(?:version\s++)?(v?[0-9][\w.]*)", text) if behind else []
    uncounted = dict.fromkeys(chain.from_iterable(map(terms, versions)), 0.0)
    with_versions = names._replace(
        words=names.words.union(*map(words_of, versions)), weights={**uncounted, **names.weights}
    )
    return names if asks_for_version(with_versions.without(text)) else with_versions


def _named(folders: Folders, counts: NDArray[np.int64]) -> int | None:
    """The folder that a word names, which so many documents of each have."""
    of_folder, in_folder = counts / np.maximum(folders.sizes, 1), counts / max(counts[0], 1)
    elsewhere = (counts[0] - counts) / np.maximum(folders.sizes[0] - folders.sizes, 1)
    names = (folders.sizes >= MIN_DOCUMENTS) & (of_folder >= OF_FOLDER) & (in_folder >= IN_FOLDER)
    names &= of_folder >= TIMES_AS_OFTEN * elsewhere
    return int(np.argmax(np.where(names, of_folder * in_folder, 0.0))) if names.any() else None


def _weight(folders: Folders, counts: NDArray[np.int64], place: int) -> float:
    inside, everywhere = (rarity({"": int(counts[at])}, int(folders.sizes[at]))[""] for at in (place, 0))
    return min(inside / everywhere, 1.0)
