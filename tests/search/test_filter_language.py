"""The language of filters: what it means, and what is said when it cannot be understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.errors import FilterError, SettingsError
from headnote.search.filter_language import MAX_CONDITIONS, quoted_condition, read_requirement
from headnote.search.query import read_conditions, read_filter
from headnote.store.filters import All, Either, FieldExists, FieldIs, Filter, HasTag, Not, Requirement, conditions


def _is(field: str, value: str) -> FieldIs:
    return FieldIs(field, "=", (value,))


DRAFT = _is("status", "draft")


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("version >= 2", FieldIs("version", ">=", ("2",))),
        ("version≥2", FieldIs("version", ">=", ("2",))),
        ("status = draft", DRAFT),
        ("status==draft", DRAFT),
        ("status != draft", Not(DRAFT)),
        ("status <> draft", Not(DRAFT)),
        ("status = in progress", FieldIs("status", "=", ("in progress",))),
        ("due date < 2024-01-31", FieldIs("due date", "<", ("2024-01-31",))),
        ("'due, date' missing", Not(FieldExists("due, date"))),
        ("owner.name exists", FieldExists("owner.name")),
        ("status in (draft, final)", FieldIs("status", "=", ("draft", "final"))),
        ("status not in (draft)", Not(DRAFT)),
        ("tags in (a, #b)", Either((HasTag("a"), HasTag("b")))),
        ("Tag = A/B", HasTag("a/b")),
        ("a = 1 and b = 2 or c = 3", Either((All((_is("a", "1"), _is("b", "2"))), _is("c", "3")))),
        ("a = 1 AND (b = 2 OR NOT c = 3)", All((_is("a", "1"), Either((_is("b", "2"), Not(_is("c", "3"))))))),
        ("url = http://x/?a=b", FieldIs("url", "=", ("http://x/?a=b",))),
        ("call = f(x)", FieldIs("call", "=", ("f(x)",))),
        (r'quote = "say \"hi\" and go"', FieldIs("quote", "=", ('say "hi" and go',), is_text=True)),
        ("empty =", FieldIs("empty", "=", ("",))),
        ("in = 3", FieldIs("in", "=", ("3",))),
    ],
)
def test_what_filters_mean(text: str, requirement: object) -> None:
    assert read_requirement(text) == requirement


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "expected a field"),
        ("draft", 5, "expected a comparison after draft, at the end"),
        ("=x", 0, "expected a field, at '=x', character 1"),
        ("version >= ", 11, "expected a value after >=, at the end"),
        ("a = 1 and", 9, "expected a field, at the end"),
        ("(a = 1", 6, "expected ), at the end"),
        ("a = 1)", 5, "expected and, or, or the end of the filter, at ')', character 6"),
        ("a in b", 5, "expected ( after in, at 'b'"),
        ("a in (b", 7, "expected , or ), at the end"),
        ("a in (,b)", 6, "expected a value"),
        ("tags > 3", 5, "tags have no order for >"),
        ('a = "x" y', 8, "expected and, or"),
        ("status: draft", 13, "expected a comparison after status: draft"),
        ("rock and roll = 1", 17, ""),
    ],
)
def test_errors_say_where_and_what_was_expected(text: str, position: int, message: str) -> None:
    if not message:
        assert read_requirement(text) == FieldIs("rock and roll", "=", ("1",))
        return
    with pytest.raises(FilterError) as error:
        read_requirement(text, "--where")
    assert error.value.position == position
    assert str(error.value).startswith(f"--where: {message}")
    assert error.value.remedy


def test_too_much_is_refused() -> None:
    with pytest.raises(FilterError, match="inside each other"):
        read_requirement("not " * 1000 + "a = 1")
    with pytest.raises(FilterError, match="inside each other"):
        read_requirement("(" * 1000 + "a = 1" + ")" * 1000)
    with pytest.raises(FilterError, match="conditions"):
        read_requirement(" and ".join(f"a{number} > 1" for number in range(MAX_CONDITIONS + 1)))
    read_requirement(f"a in ({', '.join(map(str, range(5000)))})")


def requirement_or_error(text: str) -> Requirement | FilterError:
    try:
        return read_requirement(text)
    except FilterError as error:
        return error


@given(st.text(max_size=80) | st.text("ab1=<>!()\"', andornot", max_size=60))
def test_any_text_is_a_filter_or_an_error_of_ours(text: str) -> None:
    outcome = requirement_or_error(text)
    assert outcome.remedy if isinstance(outcome, FilterError) else conditions(outcome)


@given(st.text(min_size=1, max_size=20).filter(str.strip), st.text(max_size=20))
def test_a_value_can_be_written_whatever_characters_it_has(field: str, value: str) -> None:
    requirement = read_requirement(quoted_condition(field, value))
    if field.strip().lower() not in ("tag", "tags"):
        assert requirement == FieldIs(field, "=", (value,), is_text=quoted_condition(field, value).endswith('"'))


@given(st.from_regex(r"[a-z][a-z_.-]{0,8}", fullmatch=True), st.from_regex(r"[a-zA-Z:/?&.-]{1,9}", fullmatch=True))
def test_a_key_and_a_value_mean_what_they_always_did(key: str, value: str) -> None:
    if key not in ("tag", "tags", "not"):
        assert read_conditions([f"{key}={value}"]) == Filter(FieldIs(key, "=", (value,), is_text=True))


def test_conditions_of_several_filters_must_all_hold() -> None:
    only = read_filter(None, None, ["status=draft", "version >= 2", "a = b and c missing"], None)
    assert only == Filter(
        chosen=All((FieldIs("a", "=", ("b",), is_text=True), FieldIs("status", "=", ("draft",), is_text=True))),
        must=All((FieldIs("version", ">=", ("2",)), Not(FieldExists("c")))),
    )
    with pytest.raises(SettingsError, match="a is given twice"):
        read_filter(None, None, ["a=1x", "a=2x"], None)
    with pytest.raises(SettingsError, match="where is of type int"):
        read_filter(None, None, 5, None)  # type: ignore[arg-type]
