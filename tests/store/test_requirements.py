"""Both stores select the passages that a plain reading of a filter selects."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from store_samples import entry, put

from headnote.search.language import understood
from headnote.search.query import read_filter
from headnote.store.filters import Filter, HasPhrase, HasTag, HasWord, Not, Requirement
from headnote.store.interface import Store
from headnote.store.keyword_fields import chunk_has_phrase, terms_of
from headnote.words.terms import terms

pytest_plugins = ("store_fixtures",)

FIELDS = ("status", "version", "date", "Team Name", "owner.name")
WORDS = ("draft", "Final", "on hold", "rock and roll", "O'Neil", 'say "hi"', "a (b)", "x;DROP TABLE chunks;--", "%s ?")
DAYS = [datetime.date(2024, 1, day) for day in range(1, 6)]


def test_random_filters_select_what_a_plain_reading_selects(store: Store) -> None:
    chance = random.Random(17)
    documents = {f"{number}.md": _frontmatter(chance) for number in range(60)}
    put(store, *(entry(path, f"---\n{yaml.safe_dump(data)}---\n\nText.\n") for path, data in documents.items()))
    with store.reading() as reader:
        for _ in range(300):
            text, holds = _filter(chance, 3)
            only = read_filter(None, None, text, None)
            found = {chunk.path for chunk in reader.chunks(reader.passing(only).tolist())}
            assert found == {path for path, data in documents.items() if holds(data)}, text
            assert reader.has_any(only) == bool(found)


def _frontmatter(chance: random.Random) -> dict[str, Any]:
    makers: list[Callable[[], Any]] = [
        lambda: chance.choice(WORDS),
        lambda: chance.randrange(-3, 12),
        lambda: chance.choice((0.5, 2.0, 9.75)),
        lambda: chance.choice(DAYS),
        lambda: None,
        lambda: [chance.choice(WORDS), chance.randrange(5)],
    ]
    data: dict[str, Any] = {}
    for field in FIELDS:
        if chance.random() < 0.7:
            value = chance.choice(makers)()
            data.update({"owner": {"name": value}} if field == "owner.name" else {field: value})
    return data


Reading = tuple[str, Callable[[dict[str, Any]], bool]]


def _filter(chance: random.Random, depth: int) -> Reading:
    """A filter as text, and what it means."""
    kind = chance.choice(("and", "or", "not", "leaf", "leaf")) if depth else "leaf"
    if kind == "leaf":
        return _leaf(chance)
    text, holds = _filter(chance, depth - 1)
    if kind == "not":
        return f"not ({text})", lambda data: not holds(data)
    other_text, other = _filter(chance, depth - 1)
    if kind == "and":
        return f"({text}) and ({other_text})", lambda data: holds(data) and other(data)
    return f"({text}) OR ({other_text})", lambda data: holds(data) or other(data)


def _leaf(chance: random.Random) -> Reading:
    field = chance.choice(FIELDS)
    kind = chance.choice(("sign", "sign", "sign", "in", "exists", "missing"))
    if kind in ("exists", "missing"):
        wanted = kind == "exists"
        return f"{field.upper()} {kind}", lambda data: wanted == any(v is not None for v in _values(data, field))
    literals = [_literal(chance) for _ in range(1 if kind == "sign" else 3)]
    if kind == "in":
        text = f"{field} in ({', '.join(text for text, _ in literals)})"
        return text, lambda data: any(_compares(v, "=", other) for v in _values(data, field) for _, other in literals)
    sign = chance.choice(("=", "!=", "<", "<=", ">", ">="))
    ((text, other),) = literals
    if sign == "!=":
        return f"{field} != {text}", lambda data: not any(_compares(v, "=", other) for v in _values(data, field))
    return f"{field}{sign}{text}", lambda data: any(_compares(v, sign, other) for v in _values(data, field))


def _literal(chance: random.Random) -> tuple[str, Any]:
    word = chance.choice(WORDS)
    day = chance.choice(DAYS)
    number = chance.choice((-2, 0, 2, 9.75, 10))
    quoted = word.replace("\\", "\\\\").replace('"', '\\"')
    return chance.choice([(f'"{quoted}"', word), (day.isoformat(), day), (str(number), number)])


def _values(data: dict[str, Any], field: str) -> list[Any]:
    value = data.get("owner", {"name": ()})["name"] if field == "owner.name" else data.get(field, ())
    return list(value) if isinstance(value, list | tuple) else [value]


def _compares(value: Any, sign: str, other: Any) -> bool:
    if value is None:
        return False
    if isinstance(other, str):
        one, two = (str(v).casefold() for v in (value, other))
        return _ordered(one, sign, two)
    is_date = isinstance(other, datetime.date)
    if is_date != isinstance(value, datetime.date) or isinstance(value, str):
        return False
    return _ordered(value, sign, other)


def _ordered(one: Any, sign: str, two: Any) -> bool:
    return bool({"=": one == two, "<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[sign])


# -- kinds of values


@pytest.mark.parametrize(
    ("value", "condition", "holds"),
    [
        ("10", "v > 9", True),
        ('"10"', "v > 9", True),
        ("1.10.0", "v >= 1.9", True),
        ("v1.10", "v >= 1.9", True),
        ("1.10.0-rc1", "v < 1.10.0", True),
        ("1.10.0", "v = 1.10", True),
        ("2.0", "v = 2", True),
        ("2.0", 'v = "2"', False),
        ("2024-05-17", "v >= 2024", True),
        ("2024-05-17", "v = 2024", True),
        ("2024-05-17", "v = 2024-05", True),
        ("2024-05-17", "v < 2024-05", False),
        ("2024-05-17T23:30:00", "v = 2024-05-17", True),
        ("2024-05-17T23:30:00", "v > 2024-05-17", False),
        ("2024-05-17T23:30:00", "v >= 2024-05-17T23:30", True),
        ('"2024-05-17T23:30:00-02:00"', "v = 2024-05-18", True),
        ("2024-13-45", "v > 2024-01-01", False),
        ("true", "v = TRUE", True),
        ("draft", "v < 5", False),
        ("Straße", "v = STRASSE", True),
        ("[1, 5]", "v = 5", True),
        ("[1, 5]", "v != 5", False),
        ("[]", "v missing", True),
        ("", "v missing", True),
        ("", "v =", True),
        ("{w: 1}", "v exists", True),
        ("{w: 1}", "v.w = 1", True),
        ("1e400", "v > 5", True),
        ("2999-01-01", "v > today", True),
        ("2020-01-01", "v < 7d", True),
        ("7d", "v = 7d", True),
    ],
)
def test_values_compare_as_what_they_are(store: Store, value: str, condition: str, holds: bool) -> None:
    put(store, entry("a.md", f"---\nv: {value}\nother: 1\n---\nText.\n"))
    with store.reading() as reader:
        assert reader.has_any(read_filter(None, None, condition, None)) is holds


def test_tags_are_those_of_the_frontmatter_and_of_the_text(store: Store) -> None:
    put(
        store,
        entry("a.md", "---\ntags: [Area/Net]\n---\n# A\n\nText.\n"),
        entry("b.md", "# B\n\nText #area here.\n"),
        entry("c.md", "# C\n\nText.\n"),
    )
    with store.reading() as reader:

        def selected(where: str) -> set[str]:
            only = read_filter(None, None, where, None)
            return {chunk.path for chunk in reader.chunks(reader.passing(only).tolist())}

        assert selected("tags = area") == {"a.md", "b.md"}
        assert selected("tag in (area/net, nothing)") == {"a.md"}
        assert selected("tags not in (area/net)") == {"b.md", "c.md"}
        assert selected("tags exists") == {"a.md", "b.md"}
        assert selected("tags missing") == {"c.md"}


# -- words and phrases

TEXTS = [
    "See [the guide](guide/the-manual.md) now, or **the big** guide.",
    "The guide's first step. Don't stop; foo.bar_baz, FooBar and foo-bar.",
    "THE\nGUIDE now\n\nsecond paragraph of the guide",
    "Die Häuser sind groß und die Straße ist lang, und das ist nicht alles, was man sieht.",
    "猫の手も借りたい、猫のしっぽ。 Kubernetesのクラスタ",
    "a [[Note|shown name]] and <b>bold</b> text, 1.29.3 and v2",
    "Café con leche, naïve. e\u0301tude",
]
PHRASES = [
    *(
        "the guide",
        "the guide now",
        "THE Guide",
        "guide s first",
        "first step",
        "don't stop",
        "don stop",
        "t stop",
        "don",
        "foo bar",
        "foo.bar",
    ),
    *("foobar", "bar_baz", "guide now", "paragraph of the guide", "die häuser", "häuser sind", "straße ist", "猫の手"),
    *(
        "のし",
        "kubernetesのクラスタ",
        "a shown name",
        "bold text",
        "and bold text",
        "1.29.3",
        "29.3",
        "café con",
        "cafe",
    ),
    *("étude", "the manual", "nothing", "guides", "zweites kapitel", "chapter two", "of the"),
]


def test_a_phrase_selects_all_passages_that_have_it(store: Store) -> None:
    put(
        store,
        *(entry(f"{n}.md", f"# Chapter Two\n\n{text}\n\n## Zweites Kapitel\n\nx\n") for n, text in enumerate(TEXTS)),
    )
    with store.reading() as reader:
        chunks = reader.chunks(reader.passing(Filter()).tolist())
        for phrase in PHRASES:
            expected = {chunk.id for chunk in chunks if chunk_has_phrase(chunk, phrase)}
            assert _selected(reader.passing, HasPhrase(phrase)) == expected, phrase
            assert _selected(reader.passing, Not(HasPhrase(phrase))) == {chunk.id for chunk in chunks} - expected


@pytest.mark.parametrize(
    ("phrase", "texts"),
    [
        ("the guide now", {0, 2}),
        ("the big guide", {0}),
        ("don't stop", {1}),
        ("don", set()),
        ("the guide first", set()),
        ("second paragraph", {2}),
        ("foo bar", {1}),
        ("guides", set()),
        ("猫の手", {4}),
        ("a shown name", {5}),
        ("bold text", {5}),
        ("étude", {6}),
        ("cafe", set()),
    ],
)
def test_a_phrase_is_what_a_reader_sees_word_by_word(store: Store, phrase: str, texts: set[int]) -> None:
    put(store, *(entry(f"{number}.md", text) for number, text in enumerate(TEXTS)))
    with store.reading() as reader:
        ids = reader.passing(Filter(must=HasPhrase(phrase))).tolist()
        assert {chunk.path for chunk in reader.chunks(ids)} == {f"{number}.md" for number in texts}


def test_a_word_is_meant_in_all_its_forms(store: Store) -> None:
    put(store, *(entry(f"{number}.md", text) for number, text in enumerate(TEXTS)))
    with store.reading() as reader:
        chunks = reader.chunks(reader.passing(Filter()).tolist())
        for word in ("guide", "guides", "stopping", "foo-bar", "猫", "nothing", "step"):
            expected = {chunk.id for chunk in chunks if set(terms(word)) <= terms_of(chunk)}
            assert _selected(reader.passing, HasWord(word)) == expected, word
        assert _selected(reader.passing, HasWord("Haus")) == {chunk.id for chunk in chunks if chunk.path == "3.md"}


def _selected(passing: Callable[[Filter], Any], must: Requirement) -> set[int]:
    return set(passing(Filter(must=must)).tolist())


def test_operators_of_a_query_select_documents(store: Store) -> None:
    put(
        store,
        entry("guide/install.md", "---\ntitle: Installing pumps\n---\nText.\n"),
        entry("guide/deep/run.md", "---\ntitle: Running a pump\n---\nText #wet.\n"),
        entry("notes/guide.md", "---\ntitle: Notes\n---\nText.\n"),
    )
    expected = {
        "title:pump": {"guide/install.md", "guide/deep/run.md"},
        'title:"a pump"': {"guide/deep/run.md"},
        "path:guide/": {"guide/install.md", "guide/deep/run.md"},
        "path:guide/inst": {"guide/install.md"},
        "path:*.md": {"guide/install.md", "guide/deep/run.md", "notes/guide.md"},
        "path:guide/ -tag:wet": {"guide/install.md"},
        "tag:wet OR title:notes": {"guide/deep/run.md", "notes/guide.md"},
        "-path:guide/": {"notes/guide.md"},
    }
    with store.reading() as reader:
        for query, paths in expected.items():
            ids = reader.passing(Filter(must=understood(query).must)).tolist()
            assert {chunk.path for chunk in reader.chunks(ids)} == paths, query


def test_any_text_is_safe(store: Store) -> None:
    put(store, entry("a.md", "---\nk: v\n---\nText.\n"))
    with store.reading() as reader:
        for text in ("'; DROP TABLE chunks; --", '"', "%", "%s", "?", "\\", "\x00", "\ud800", "*" * 50):
            for must in (HasWord(text), HasPhrase(text), HasTag(text), understood(f"title:{text} path:{text}").must):
                reader.has_any(Filter(must=must))
        assert reader.chunk_count() == 1
