"""The language of queries: what is an operator, and what only looks like one."""

from __future__ import annotations

import re

import pytest
from effort import stop_of_endless_work
from hypothesis import example, given
from hypothesis import strategies as st

from headnote import ReadQuery, SettingsError
from headnote.search import query as queries
from headnote.search.language import MAX_CONDITIONS, MAX_DEPTH, MAX_PHRASES, MAX_REQUIRED_WORDS, Understood, understood
from headnote.store.filters import Either, HasPhrase, HasTag, HasWord, InPath, Not, TitleHas


@pytest.mark.parametrize(
    "query",
    [
        "plain words",
        "http://example.org/a?b=c",
        "C++ or C#",
        "-1",
        "-1.5 degrees",
        "foo:bar",
        "std::vector",
        "--dry-run --flag=x",
        "kubectl get pods -o yaml -n kube",
        "-Dfoo=bar -Xlog:gc",
        "a - b",
        "meeting at 12:30",
        r"C:\Users\me",
        '"unclosed quote',
        'say"hi" 12" pipe',
        '{"a": "b"}',
        '""',
        '"!!"',
        "title:",
        "tag: x",
        "Title:x",
        "tag:#",
        "OR",
        "this OR",
        "OR that",
        "true or false",
        "()",
        "((((",
        "f(x) (see below)",
        "-",
        "--",
        "->",
        "-->",
        "x -foo:bar",
    ],
)
def test_what_only_looks_like_an_operator_is_ordinary_text(query: str) -> None:
    assert understood(query) == Understood(query)


@pytest.mark.parametrize(
    ("query", "words", "must"),
    [
        ("text -torque", "text", Not(HasWord("torque"))),
        ('"exact phrase" more', '"exact phrase" more', HasPhrase("exact phrase")),
        ("“curly quotes”", "“curly quotes”", HasPhrase("curly quotes")),
        ('not found "my-cluster".', 'not found "my-cluster".', HasPhrase("my-cluster")),
        ("how do I run all of the tests tag:howto -slow", "how do I run all of the tests", None),
        ('-"two words" x', "x", Not(HasPhrase("two words"))),
        ("-tag:Area/Net x", "x", Not(HasTag("area/net"))),
        ("title:setup", "", TitleHas("setup")),
        ('title:"first steps" x', "x", TitleHas("first steps", is_phrase=True)),
        ("path:guide/ x", "x", InPath(("guide/", "/guide/*"))),
        ("path:*.mdx x", "x", InPath(("*.mdx",))),
        ("tag:a OR tag:b", "", Either((HasTag("a"), HasTag("b")))),
        ("x (tag:a OR tag:b)", "x (  )", Either((HasTag("a"), HasTag("b")))),
        ("cat OR dog", "cat  dog", None),
        ("cat OR tag:dog", "cat", Either((HasWord("cat"), HasTag("dog")))),
        ("-torque", "", Not(HasWord("torque"))),
        ("-(a tag:b) c", "c", None),
    ],
)
def test_operators(query: str, words: str, must: object) -> None:
    read = understood(query)
    assert read.words.strip() == words
    if must is not None:
        assert read.must == must


@pytest.mark.parametrize(
    "query",
    [
        '"uv sync -U" update also pyproject.toml package version',
        'not found: "my-cluster".',
        'why does it say "invalid hook call" when I use two copies?',
        "tar -xzf fails on every archive that I download",
        "TypeError: -foo is not a function",
        '错误： "无法连接" 怎么办',
        'Should I take "pip install" OR "uv add" in a container',
    ],
)
def test_the_quotes_and_dashes_of_a_sentence_are_ordinary_text(query: str) -> None:
    read = understood(query)
    assert read._replace(notes=(), quoted=()) == Understood(query)
    assert read.record == ReadQuery(query, notes=("a sentence, not operators: the query is taken as ordinary text",))


def test_what_a_sentence_quotes_is_known() -> None:
    assert understood('why does it say "invalid hook call" when I start').quoted == ("invalid hook call",)


@pytest.mark.parametrize("query", ["tighten bolts by hand -torque", '"by hand" tighten the bolts?'])
def test_a_few_words_leave_operators_what_they_are(query: str) -> None:
    assert understood(query).must


def test_what_people_are_told() -> None:
    read = understood('red "big red bus" -blue -tag:draft title:bus tag:a OR tag:b').record
    assert read == ReadQuery(
        "red",
        ("big red bus",),
        ("blue", "tag:draft"),
        ("title:bus", "tag:a OR tag:b"),
        (),
    )


def test_an_alternative_is_not_what_every_hit_has() -> None:
    read = understood('"one two" OR "three four"')
    assert read.phrases == ()
    assert read.quoted == ("one two", "three four")
    assert read.filters == ('"one two" OR "three four"',)


def test_a_query_can_be_taken_as_it_is() -> None:
    assert understood('"a b" -c tag:d', literal=True) == Understood('"a b" -c tag:d')


def test_a_finished_word_stays_finished() -> None:
    # The last word counts as the beginning of another one while it is typed.
    assert understood("gate -torque").words == "gate "


@given(st.text(max_size=60) | st.text('ab "“”-:()OR titlepahg*\\', max_size=60))
@example("-(")
@example("word -( (")
def test_no_query_is_an_error(query: str) -> None:
    read = understood(query)
    assert (read.must is None) == (not (read.excluded or read.filters or read.phrases))


@given(st.text("abc .,!?'", max_size=40))
def test_words_alone_are_left_as_they_are(query: str) -> None:
    assert understood(query) == Understood(query)


@given(st.text('abé "-(): tag', max_size=40), st.integers(0, 40))
def test_while_it_is_typed_nothing_is_required_of_an_open_quote(query: str, length: int) -> None:
    typed = re.sub(r'["“”]', "", query)[:length]
    assert HasPhrase not in {type(leaf) for leaf in [understood(f'{typed} "open').must]}


def test_deep_parentheses_are_ordinary_text() -> None:
    deep = "(" * (MAX_DEPTH + 1) + "tag:a" + ")" * (MAX_DEPTH + 1)
    assert understood(deep)._replace(notes=()) == Understood(deep)
    assert understood(deep[1:-1]).must == HasTag("a")


@pytest.mark.parametrize(
    "query",
    [
        "(" * (MAX_DEPTH + 1) + "tag:a" + ")" * (MAX_DEPTH + 1),
        " ".join(f"tag:a{number}" for number in range(MAX_CONDITIONS + 1)),
        " OR ".join(f"-title:a{number}" for number in range(MAX_CONDITIONS + 1)),
        "tag:a OR " + " OR ".join(f"a{number}" for number in range(MAX_CONDITIONS)),
        " ".join(f'"word {number}"' for number in range(MAX_PHRASES + 1)),
        f'"{"word " * (MAX_REQUIRED_WORDS + 1)}"',
        f'"{"語" * (MAX_REQUIRED_WORDS + 1)}"',
        "x -" + "-".join(f"part{number}" for number in range(MAX_REQUIRED_WORDS + 1)),
    ],
)
def test_what_nobody_types_is_ordinary_text_and_said(query: str) -> None:
    read = understood(query)
    assert read._replace(notes=()) == Understood(query)
    (note,) = read.record.notes
    assert re.fullmatch(r"more than \d+ .+: the query is taken as ordinary text", note)


def test_as_much_as_people_type_are_operators() -> None:
    assert understood(" ".join(f"tag:a{number}" for number in range(MAX_CONDITIONS))).must
    assert understood(" ".join(f'"word {number}"' for number in range(MAX_PHRASES))).must
    assert understood(f'"{"word " * MAX_REQUIRED_WORDS}"').must == HasPhrase("word " * MAX_REQUIRED_WORDS)
    assert understood("tag:a " * 1000).must == HasTag("a")


@pytest.mark.parametrize("literal", [False, True])
def test_a_query_has_a_length(literal: bool) -> None:
    understood("x" * queries.MAX_QUERY_CHARS, literal)
    with pytest.raises(SettingsError, match=r"the query has 10,001 characters \(keep the 10,000 that say most\)"):
        understood("x" * (queries.MAX_QUERY_CHARS + 1), literal)


@pytest.mark.parametrize("piece", ["“a ", "title:“a "])
def test_reading_grows_with_the_length(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_QUERY_CHARS", 400_000)
    with stop_of_endless_work():
        understood.__wrapped__(piece * (300_000 // len(piece)))


@pytest.mark.parametrize("piece", ['"', "“", "(", "-", '" ', "tag:a OR ", '"a ', "(a) ", "-(", 'title:"'])
def test_long_queries_are_read(piece: str) -> None:
    query = piece * (10_000 // len(piece))
    read = understood(query)
    assert len(read.words) <= len(query)
    assert read == understood(query)
