"""Passages that stand in hundreds of documents, such as a line below every note: what is found for them says nothing
about the query.

To know all of them, every text would have to be read. But where they matter, several of the first hits have the same
one: then, and only then, the index is asked how many documents have its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set

from headnote.model import file_name
from headnote.search.spelling import content_terms, languages_in
from headnote.store.interface import Reader
from headnote.store.rows import StoredChunk
from headnote.words.languages import language_of
from headnote.words.terms import other_forms, terms

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
