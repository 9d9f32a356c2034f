"""Why a search has no hits, in one line: a filter that nothing passes, a model that cannot help, or no good passage.

Every surface says it in these words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain

from headnote.embedding.registry import Models, short_name
from headnote.errors import shown
from headnote.search.query import Query
from headnote.search.ranking import model_for
from headnote.search.spelling import WordReading, read_words, spelt_out
from headnote.store.filters import (
    All,
    DatedAt,
    Either,
    FieldExists,
    FieldIs,
    Filter,
    HasPhrase,
    HasTag,
    HasWord,
    InPath,
    Not,
    Requirement,
    TitleHas,
    conditions,
    folded,
    folded_tag,
    leaves,
)
from headnote.store.interface import Reader

NEAREST = 3
"""Tags that are suggested in place of an unknown one."""
MAX_UNKNOWN = 3
"""Words that are named because no document has them."""


def why_empty(reader: Reader, models: Models, query: Query, score_helps: bool) -> str:
    """Why this search finds nothing. `score_helps` tells whether it finds something with a minimum score of 0."""
    if not reader.chunk_count():
        return "the index has no documents yet"
    return (
        next(_excluding(reader, query.only), "")
        or (_without_meaning(reader, models, query) if query.mode == "semantic" else "")
        or _not_relevant(reader, query, score_helps)
    )


# -- filters


def _excluding(reader: Reader, only: Filter) -> Iterator[str]:
    """The filters that nothing passes, each by itself, then all of them together."""
    # A tag is misspelt most easily.
    chosen = sorted(conditions(only.chosen), key=lambda part: not isinstance(part, HasTag))
    for part in (*chosen, *conditions(only.must)):
        if not reader.has_any(Filter(part)):
            yield _unsatisfied(reader, part)
    if not reader.has_any(only):
        yield f"no passage passes all filters together: {', '.join(_filters(only))}"


def _unknown_tag(reader: Reader, tag: str) -> str:
    from difflib import get_close_matches  # late: only mistakes need it

    tags = reader.tags()
    near = get_close_matches(folded_tag(tag), tags, n=NEAREST, cutoff=0.6)
    # The last part of a nested tag is a name of its own.
    near += [known for known in tags if known.rpartition("/")[2] == folded_tag(tag) and known not in near]
    if near:
        return f"no document has the tag {tag!r}; the nearest are {', '.join(near[:NEAREST])}"
    return f"no document has the tag {tag!r}" + ("" if tags else ", or any other tag")


def _filters(only: Filter) -> Iterator[str]:
    for part in conditions(only.chosen):
        match part:
            case InPath(globs):
                yield f"path {_either(globs)}"
            case HasTag(tag):
                yield f"tag {tag!r}"
            case FieldIs(field, _, values):
                yield f"{field}={values[0]}"
            case _:
                yield written(part)
    yield from map(written, conditions(only.must))


# -- what the languages of queries and filters ask for


def _unsatisfied(reader: Reader, part: Requirement) -> str:
    if isinstance(part, HasTag) and part.tag:
        return _unknown_tag(reader, part.tag)
    if isinstance(part, HasPhrase):
        return f"no passage has {written(part)}; without the quotes, its words are looked for"
    if isinstance(part, TitleHas):
        return f"no document has {part.words!r} in its title"
    if isinstance(part, InPath):
        return f"no document matches path {_either(part.globs)}"
    if isinstance(part, DatedAt):
        changed = "has changed" if part.sign == ">=" else "was last changed"
        return f"no document {changed} {written(part)}"
    if isinstance(part, FieldIs) and part.sign == "=" and part.is_text and len(part.values) == 1:
        return f"no document has {part.field}={part.values[0]} in its frontmatter"
    unknown = next(unknown_fields(reader, Filter(part)), "")
    if unknown:
        return unknown
    if isinstance(part, FieldIs):
        return f"no document has {written(part)} in its frontmatter"
    return f"no passage satisfies {written(part)}"


def unknown_fields(reader: Reader, only: Filter) -> Iterator[str]:
    """A remark for each field that no document has: it may be misspelt."""
    parts = chain(leaves(only.chosen), leaves(only.must))
    for field in dict.fromkeys(part.field for part in parts if isinstance(part, FieldIs | FieldExists)):
        if reader.has_any(Filter(FieldExists(field))):
            continue
        from difflib import get_close_matches  # late: only mistakes need it

        near = get_close_matches(folded(field), reader.field_names(), n=NEAREST, cutoff=0.7)
        yield f"no document has the field {field!r}" + (f"; the nearest are {', '.join(near)}" if near else "")


def written(requirement: Requirement) -> str:
    """A requirement as people would write it."""
    match requirement:
        case All(parts) | Either(parts):
            word = " and " if isinstance(requirement, All) else " or "
            return f"({word.join(map(written, parts))})"
        case Not(part):
            return f"not {written(part)}"
        case HasPhrase(phrase):
            return f'"{phrase}"'
        case HasWord(word):
            return word
        case TitleHas(words):
            return f"title:{words}"
        case InPath(globs):
            return f"path:{globs[0]}"
        case HasTag(tag):
            return f"tag:{tag}" if tag else "a tag"
        case DatedAt(sign, time_ns):
            word = "since" if sign == ">=" else "before"
            return f"{word} {datetime.fromtimestamp(time_ns / 1e9).astimezone():%Y-%m-%d %H:%M}"
        case FieldExists(field):
            return f"{field} exists"
        case FieldIs(field, sign, values):
            return f"{field} in ({', '.join(values)})" if len(values) > 1 else f"{field} {sign} {values[0]}"


def _either(globs: Sequence[str]) -> str:
    return " or ".join(map(repr, globs))


# -- meaning and words


def _without_meaning(reader: Reader, models: Models, query: Query) -> str:
    """Why a search by meaning alone cannot answer; empty if it can."""
    model = model_for(reader, models, query.only)
    if model is None:
        return "the index has no vectors, so it cannot search by meaning; search by words, or index with an embedder"
    if not model.embed_query(query.text).any():
        name = short_name(model.name)
        return f"the model {name} cannot read {shown(query.text)}, so it cannot search by meaning; search by words"
    return ""


def _not_relevant(reader: Reader, query: Query, score_helps: bool) -> str:
    """What else can be tried."""
    if not query.text.strip():
        return "the query is empty: say what to look for"
    words = read_words(reader, query.text, reader.chunk_count(), query.literal)
    corrected = spelt_out(query.text, words, ())
    if corrected != query.text:
        tries = [f"try {corrected!r}"]
    else:
        tries = [
            _unknown_words(words, query.text),
            "try fewer or other words" if len(words) > 1 else "try another word",
        ]
    if score_helps:
        is_default = query.min_score is None
        tries.append(
            "a minimum score of 0 shows the nearest passages anyway" if is_default else "lower the minimum score"
        )
    return f"nothing relevant for {shown(query.text)}: {'; '.join(filter(None, tries))}"


def _unknown_words(words: Sequence[WordReading], text: str) -> str:
    written = [_as_written(word.typed, text) for word in words if word.kind == "unknown"]
    # The parts of a name such as 1984-05 are words of their own: the whole of it says enough.
    wholes = [word for word in written if not any(word != other and word in other for other in written)]
    unknown = wholes[:MAX_UNKNOWN]
    return f"no document has {' or '.join(map(shown, unknown))}" if unknown else ""


def _as_written(word: str, text: str) -> str:
    """A word of the query as it stands there: the term of a name has none of the signs between its parts, or others."""
    if word in text:
        return word
    found = re.search(r"[\W_]?".join(filter(str.isalnum, word)), text, re.IGNORECASE)
    return found[0] if found and found[0] else word
