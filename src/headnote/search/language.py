"""The language of queries: words, "exact phrases", -exclusions, title: path: tag: and OR.

Whatever only looks like an operator is ordinary text, since people paste error messages and commands: `--flag`, `-1`,
`a - b`, `http://x`, `12:30`, a field that is none, a quote that is still open. So are the quotes and dashes of a
sentence, and a query with more operators than people write, and a note says so. No query is an error, unless it is
longer than any that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from headnote.model import ReadQuery
from headnote.search.query import check_length
from headnote.store.filters import (
    HasPhrase,
    HasTag,
    HasWord,
    InPath,
    Not,
    Requirement,
    TitleHas,
    all_of,
    either_of,
    folded_tag,
    leaves,
)
from headnote.words.phrases import words_in
from headnote.words.terms import terms

MAX_DEPTH = 20
"""Parentheses inside parentheses."""
MAX_CONDITIONS = 32
"""Phrases, exclusions, fields and alternatives of a query. Each may look at every document; nobody types so many."""
MAX_PHRASES = 8
"""A phrase is looked for in the text of every passage that has its words. More of them are pasted: data, code."""
MAX_REQUIRED_WORDS = 200
"""Words and terms of all conditions together: a quoted paragraph."""
MAX_WORDS_BESIDE = 4
"""Words beside quotes and dashes. With more of them, a query is a sentence, which has quotes and dashes of its own."""

# No quote is looked for beyond the next one, so that many of them take no more than linear time.
_QUOTED = r'"[^"]*"|“[^“”]*”'
_TOKEN = re.compile(
    rf"""
    (?P<minus>-?)
    (?: (?P<phrase>{_QUOTED}) (?=[\s),.;:!?]|\Z)
      | (?P<field>title|path|tag):(?P<value>(?:{_QUOTED})(?=[\s)]|\Z)|[^\s"“]\S*)
      | (?P<open>\()
    )
    | (?P<or>OR)(?=\s)
    | \S+
    """,
    re.VERBOSE,
)
_FLAG = re.compile(r"-(?:[A-Za-z]$|[^\W\d_][^=:]*[=:])")
"""One letter, or a name with a value: an option of a command."""
_WORD = re.compile(r"-[^\W\d_]")
_PIECE = re.compile(r"\S+")
_PUNCTUATED = re.compile(r"\w[\w)'’\"”`]*[:;.!?：；。！？]$")
"""A word at the end of a sentence, or before what it announces: `failed:`."""
_FIELDS = ("title", "path", "tag")
_WILD = re.compile(r"[*?\[\\]")

TokenKind = Literal["word", "phrase", "title", "path", "tag", "open", "close", "or"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query."""

    kind: TokenKind
    start: int
    end: int
    value: str
    is_excluded: bool = False
    is_quoted: bool = False


class QueryNode(NamedTuple):
    """A token, a group in parentheses, or alternatives."""

    tokens: tuple[Token, ...] = ()
    """The one token; of a group or of alternatives, what they are cut from the query with."""
    parts: tuple[QueryNode, ...] = ()
    is_either: bool = False
    is_excluded: bool = False


class Understood(NamedTuple):
    """A query in its parts."""

    words: str
    """The text that is searched by words and by meaning: the whole query, if it has no operators."""
    must: Requirement | None = None
    """What a passage must satisfy."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    """The phrases, those that are one of several alternatives, and those of a sentence, which no passage must have."""
    notes: tuple[str, ...] = ()
    """Remarks for whoever wrote the query."""

    @property
    def record(self) -> ReadQuery:
        # Quotes of a sentence are among its words.
        quotes = re.finditer(_QUOTED, self.words) if self.quoted and self.must else ()
        words = _without(self.words, [match.span() for match in quotes])
        return ReadQuery(" ".join(words.split()), self.phrases, self.excluded, self.filters, self.notes)


@lru_cache(maxsize=256)
def understood(query: str, literal: bool = False) -> Understood:
    """The parts of a query; `literal` takes all of it for ordinary text."""
    check_length(query)
    if literal:
        return Understood(query)
    tokens = _without_lone(list(_tokens(query)))
    if not _has_operators(tokens):
        return Understood(query)
    if _is_sentence(tokens):
        quoted = dict.fromkeys(token.value for token in tokens if token.kind == "phrase")
        return Understood(query, quoted=tuple(quoted)[:MAX_PHRASES], notes=(f"a sentence, not operators: {_AS_TEXT}",))
    if _depth(tokens) > MAX_DEPTH:
        return Understood(query, notes=(f"more than {MAX_DEPTH} parentheses inside each other: {_AS_TEXT}",))
    nodes = _sequence(iter(tokens))
    must = all_of(map(_must, nodes))
    if excess := _excess(must):
        return Understood(query, notes=(f"{excess}: {_AS_TEXT}",))
    cut = sorted(span for node in nodes for span in _cut(query, node))
    words = _without(query, cut)
    return Understood(
        words=words if terms(words) else "",
        must=must,
        phrases=tuple(dict.fromkeys(_phrases(nodes, of_alternatives=False))),
        excluded=tuple(dict.fromkeys(_written(query, node).removeprefix("-") for node in nodes if _excludes(node))),
        filters=tuple(dict.fromkeys(_written(query, node) for node in nodes if _filters(node))),
        quoted=tuple(dict.fromkeys(_phrases(nodes, of_alternatives=True))),
    )


def _without(query: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, last = [], 0
    for start, end in spans:
        kept.append(query[last:start])
        last = max(last, end)
    return "".join([*kept, query[last:]])


_AS_TEXT = "the query is taken as ordinary text"


def _excess(must: Requirement | None) -> str:
    """What the query has too much of; empty for what people type."""
    conditions = list(leaves(must))
    if len(conditions) > MAX_CONDITIONS:
        return f"more than {MAX_CONDITIONS} operators"
    if sum(isinstance(condition, HasPhrase) for condition in conditions) > MAX_PHRASES:
        return f"more than {MAX_PHRASES} phrases"
    if sum(map(_required_words, conditions)) > MAX_REQUIRED_WORDS:
        return f"more than {MAX_REQUIRED_WORDS} words behind operators"
    return ""


def _required_words(condition: Requirement) -> int:
    match condition:
        case HasPhrase(text) | HasWord(text) | TitleHas(text):
            return max(len(words_in(text)), len(terms(text)))
    return 1


# -- tokens


def _tokens(query: str) -> Iterator[Token]:
    at, depth = 0, 0
    while at < len(query):
        if query[at].isspace():
            at += 1
            continue
        if query[at] == ")" and depth:
            yield Token("close", at, at + 1, ")")
            at, depth = at + 1, depth - 1
            continue
        token = _token(query, at, depth)
        depth += token.kind == "open"
        yield token
        at = token.end


def _token(query: str, at: int, depth: int) -> Token:
    match = _TOKEN.match(query, at)
    assert match is not None
    is_excluded = match["minus"] == "-"
    if match["phrase"] and words_in(match["phrase"]):
        return Token("phrase", at, match.end(), match["phrase"][1:-1], is_excluded, is_quoted=True)
    if match["field"] and (field := _field(match, depth, is_excluded)):
        return field
    if match["open"]:
        return Token("open", at, match.end(), "(", is_excluded)
    if match["or"]:
        return Token("or", at, match.end(), "OR")
    return _word(query, at, depth)


def _field(match: re.Match[str], depth: int, is_excluded: bool) -> Token | None:
    """The field; None if it has no value and is a word."""
    is_quoted = match["value"][0] in '"“'
    written = match["value"] if is_quoted else _outside(match["value"], depth)
    value = written[1:-1] if is_quoted else written
    kind: TokenKind = "title" if match["field"] == "title" else "path" if match["field"] == "path" else "tag"
    asks = {"title": bool(words_in(value)), "path": bool(value.strip()), "tag": bool(folded_tag(value))}
    if not asks[kind]:
        return None
    return Token(kind, match.start(), match.start("value") + len(written), value, is_excluded, is_quoted)


def _word(query: str, at: int, depth: int) -> Token:
    match = _PIECE.match(query, at)
    assert match is not None
    text = _outside(match[0], depth) or match[0]
    is_excluded = bool(_WORD.match(text)) and not _FLAG.match(text) and bool(terms(text[1:]))
    return Token("word", at, at + len(text), text[1:] if is_excluded else text, is_excluded)


def _outside(text: str, depth: int) -> str:
    """The text without parentheses at its end that it does not open itself."""
    closing = len(text) - len(text.rstrip(")"))
    surplus = min(depth, closing, text.count(")") - text.count("("))
    return text[: len(text) - surplus] if surplus > 0 else text


def _without_lone(tokens: list[Token]) -> list[Token]:
    """Parentheses without a partner, and OR without two sides, are words."""
    opened: list[int] = []
    alone: set[int] = set()
    for number, token in enumerate(tokens):
        if token.kind == "open":
            opened.append(number)
        elif token.kind == "close":
            opened.pop()
    alone.update(opened)
    for number, token in enumerate(tokens):
        before = tokens[number - 1].kind if number else "or"
        after = tokens[number + 1].kind if number + 1 < len(tokens) else "or"
        if token.kind == "or" and (before in ("or", "open") or after in ("or", "close")):
            alone.add(number)
    return [replace(token, kind="word") if number in alone else token for number, token in enumerate(tokens)]


def _has_operators(tokens: Sequence[Token]) -> bool:
    return any(token.is_excluded or token.kind not in ("word", "open", "close") for token in tokens)


def _is_sentence(tokens: Sequence[Token]) -> bool:
    """Whether its quotes and dashes are those of a text: of a question, or of an error message. Nobody writes a field
    by chance."""
    if any(token.kind in _FIELDS for token in tokens):
        return False
    words = [token for token in tokens if token.kind == "word" and not token.is_excluded and terms(token.value)]
    has_end = any(_PUNCTUATED.search(token.value) for token in words if token != tokens[-1])
    return len(words) > MAX_WORDS_BESIDE or has_end


def _depth(tokens: Sequence[Token]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (token.kind == "open") - (token.kind == "close")
        deepest = max(deepest, depth)
    return deepest


# -- tree


def _sequence(tokens: Iterator[Token]) -> tuple[QueryNode, ...]:
    """Up to the parenthesis that ends the group. OR binds what stands beside it."""
    runs: list[list[QueryNode]] = []
    joints: list[list[Token]] = []
    joins: Token | None = None
    for token in tokens:
        if token.kind == "close":
            break
        if token.kind == "or":
            joins = token
            continue
        parts = _sequence(tokens) if token.kind == "open" else ()
        node = QueryNode((token,), parts, is_excluded=token.is_excluded)
        if joins is None:
            runs.append([node])
            joints.append([])
        else:
            runs[-1].append(node)
            joints[-1].append(joins)
            joins = None
    return tuple(map(_joined, runs, joints))


def _joined(run: Sequence[QueryNode], joints: Sequence[Token]) -> QueryNode:
    return QueryNode(tuple(joints), tuple(run), is_either=True) if joints else run[0]


def _excludes(node: QueryNode) -> bool:
    """Whether it excludes anything: a group that is only opened does not."""
    return node.is_excluded and _must(node) is not None


def _must(node: QueryNode) -> Requirement | None:
    """The requirement of a node, besides its words, which a passage may lack."""
    if node.is_excluded:
        part = _strict(node)
        return Not(part) if part is not None else None
    if node.is_either:
        parts = [_must(part) for part in node.parts]
        # A word beside another condition is one of the conditions.
        return either_of(filter(None, map(_strict, node.parts))) if any(parts) else None
    if node.parts:
        return all_of(map(_must, node.parts))
    return None if _token_of(node).kind in ("word", "open") else _strict(node)


def _strict(node: QueryNode) -> Requirement | None:
    """The same with words that must be there; without its exclusion, which is not a condition of its parts."""
    if node.is_either:
        return either_of(filter(None, map(_with_exclusion, node.parts)))
    if node.parts:
        return all_of(map(_with_exclusion, node.parts))
    return _condition(_token_of(node))


def _with_exclusion(node: QueryNode) -> Requirement | None:
    part = _strict(node)
    return Not(part) if part is not None and node.is_excluded else part


def _condition(token: Token) -> Requirement | None:
    match token.kind:
        case "phrase":
            return HasPhrase(token.value)
        case "title":
            return TitleHas(token.value, token.is_quoted)
        case "tag":
            return HasTag(folded_tag(token.value))
        case "path":
            return InPath(path_globs(token.value))
    return HasWord(token.value) if terms(token.value) else None


def path_globs(text: str) -> tuple[str, ...]:
    """A glob as a filter takes it; what has no wildcard is also the beginning of a path."""
    return (text,) if _WILD.search(text) else (text, f"/{text.removeprefix('./').removeprefix('/')}*")


def _token_of(node: QueryNode) -> Token:
    return node.tokens[0]


# -- what people see


def _cut(query: str, node: QueryNode) -> Iterator[tuple[int, int]]:
    """The parts of the query that are not looked for as words."""
    kind = _token_of(node).kind
    if node.is_excluded or kind in _FIELDS:
        yield _extent(query, node)
        return
    if node.is_either:
        yield from ((token.start, token.end) for token in node.tokens)
    for part in node.parts:
        yield from _cut(query, part)


def _filters(node: QueryNode) -> bool:
    """Whether it is a condition that is neither a phrase nor an exclusion."""
    if node.is_excluded or _must(node) is None:
        return False
    return bool(node.parts) or _token_of(node).kind != "phrase"


def _phrases(nodes: Sequence[QueryNode], of_alternatives: bool) -> Iterator[str]:
    for node in nodes:
        if node.is_excluded or (node.is_either and not of_alternatives):
            continue
        if node.parts:
            yield from _phrases(node.parts, of_alternatives)
        elif _token_of(node).kind == "phrase":
            yield " ".join(_token_of(node).value.split())


def _written(query: str, node: QueryNode) -> str:
    start, end = _extent(query, node)
    return query[start:end]


def _extent(query: str, node: QueryNode) -> tuple[int, int]:
    """Where a node begins and ends in the query, its parentheses included."""
    spans = [*((token.start, token.end) for token in node.tokens), *(_extent(query, part) for part in node.parts)]
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    return start, query.index(")", end) + 1 if _token_of(node).kind == "open" else end
