"""The table of search options, and what is made of it: each surface has every option, with its bounds and words."""

from __future__ import annotations

import asyncio
import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import msgspec
import pytest

import headnote
from headnote import SettingsError
from headnote.cli.ask import ask_command
from headnote.cli.search import search_command
from headnote.config import SearchSettings
from headnote.config.folder_settings import SEARCH
from headnote.mcp_server.server import ASK_OPTIONS, SEARCH_OPTIONS, make_server
from headnote.search.query import FILTERS, OPTIONS, Query, SearchArguments, SearchOption
from headnote.web.requests import AskRequest, SearchRequest

WRITTEN = {"recency"}
"""What people write for two arguments."""
ARGUMENTS = {name: option for name, option in OPTIONS.items() if name not in WRITTEN}
PARAMETERS = msgspec.json.schema(SearchRequest)["$defs"]["SearchRequest"]["properties"]
FLAGS = {option.name: option for option in search_command.params if isinstance(option, click.Option)}


def bounds_of(schema: dict[str, Any]) -> tuple[Any, Any]:
    """Minimum and maximum in a JSON schema, of whichever type has some."""
    kinds = [schema, *schema.get("anyOf", [])]
    return tuple(next((kind[key] for kind in kinds if key in kind), None) for key in ("minimum", "maximum"))  # type: ignore[return-value]


def words_of(schema: dict[str, Any]) -> set[str]:
    return {word for kind in (schema, *schema.get("anyOf", [])) for word in kind.get("enum", []) if word is not None}


@pytest.fixture(scope="module")
def arguments_of_agents() -> dict[str, Any]:
    server = make_server(lambda: pytest.fail("nothing is asked"))
    [search] = [tool for tool in asyncio.run(server.list_tools()) if tool.name == "search"]
    properties: dict[str, Any] = search.input_schema["properties"]
    return properties


# Python


def test_the_arguments_of_search_are_those_of_the_table_in_its_order() -> None:
    own = list(inspect.signature(headnote.Index.search).parameters)
    assert own == ["self", "query", *ARGUMENTS]
    hints = get_type_hints(headnote.Index.search)
    for name, option in ARGUMENTS.items():
        assert hints[name] in (option.kind, option.kind | None), name


def test_type_checkers_know_the_same_arguments() -> None:
    hints = get_type_hints(headnote.Index.search)
    assert get_type_hints(SearchArguments) == {name: hints[name] for name in ARGUMENTS}
    others = {"limit", "mode"}
    assert get_type_hints(headnote.SearchOptions) == {name: hints[name] for name in ARGUMENTS if name not in others}
    assert not SearchArguments.__required_keys__


def test_the_docstring_of_search_says_what_the_table_says() -> None:
    text = inspect.getdoc(headnote.Index.search) or ""
    entries = re.findall(r"^    (\w+): (.*?)(?=\n    \w+: |\Z)", text.partition("Args:\n")[2], re.MULTILINE | re.DOTALL)
    said = {name: " ".join(words.split()) for name, words in entries}
    assert said == {"query": said["query"], **{name: option.help for name, option in ARGUMENTS.items()}}


def test_a_query_has_every_option_that_is_no_filter() -> None:
    own = {one.name: one.default for one in fields(Query)}
    ranked = {name: option.default for name, option in ARGUMENTS.items() if name not in FILTERS}
    assert {name: own[name] for name in ranked} == ranked
    assert own.keys() - ranked.keys() == {"text", "only", "phrases", "contexts"}


@pytest.mark.parametrize(
    "option", [one for one in ARGUMENTS.values() if one.least is not None], ids=lambda one: one.name
)
def test_a_query_keeps_the_bounds(option: SearchOption) -> None:
    least: Any = option.least
    Query("tide", **{option.name: least})
    with pytest.raises(SettingsError, match=rf"^{option.name} must be {least} or more, not {least - 1}"):
        Query("tide", **{option.name: least - 1})


# `[search]`


def test_the_settings_of_a_folder_are_options() -> None:
    own = {one.name: one.default for one in fields(SearchSettings)}
    assert list(SEARCH.checks) == list(own)
    # Where nobody says anything, an agent gets fewer hits than others.
    assert own == {name: OPTIONS[name].default for name in own} | {"limit": None}
    settable = {name for name, one in OPTIONS.items() if name not in (*FILTERS, "literal", "queries", "passage")}
    assert own.keys() == settable - {"recency_days", "recency_steps"}


@pytest.mark.parametrize("name", SEARCH.checks)
def test_a_setting_keeps_the_bounds_and_words(name: str) -> None:
    option, check = OPTIONS[name], SEARCH.checks[name]
    assert [check(word) for word in option.words] == list(option.words)
    if option.least is not None:
        assert check(option.least) == option.least
    with pytest.raises(SettingsError):
        check("no such word" if option.least is None else option.least - 1)


def test_the_page_says_what_the_table_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    for name in SEARCH.checks:
        assert f"| {OPTIONS[name].help} |" in page


# Flags


@pytest.mark.parametrize("option", [one for one in OPTIONS.values() if one.flag is not None], ids=lambda one: one.name)
def test_a_flag_keeps_the_bounds_and_words(option: SearchOption) -> None:
    flag = FLAGS[option.name]
    assert tuple(flag.opts) == (option.flags or (option.spelled,))
    assert flag.help == (option.flag or option.help)
    assert getattr(flag.type, "min", None) == option.least
    shell = flag.shell_complete(click.Context(search_command), "") if option.words else []
    assert tuple(item.value for item in shell) == option.words


def test_no_option_lacks_a_flag_by_mistake() -> None:
    assert {name for name, option in OPTIONS.items() if option.flag is None} == {"recency_days", "recency_steps"}


# HTTP


@pytest.mark.parametrize("option", [one for one in OPTIONS.values() if one.http is not None], ids=lambda one: one.name)
def test_a_parameter_keeps_the_bounds_and_words(option: SearchOption) -> None:
    schema = PARAMETERS[option.parameter or option.name]
    assert bounds_of(schema) == (option.least, option.most)
    assert words_of(schema) == set(option.words)
    assert schema["description"] == (option.http or option.help)


def test_a_request_has_the_options_and_a_page() -> None:
    names = {option.parameter or name for name, option in OPTIONS.items() if option.http is not None}
    assert PARAMETERS.keys() == {*names, "q", "offset", "facets"}
    assert {name for name, option in OPTIONS.items() if option.http is None} == {"recency_steps"}


def test_a_request_says_nothing_that_was_not_asked() -> None:
    said = {name: value for name, value in SearchRequest(q="tide").arguments().items() if value not in (None, [])}
    assert said == {"literal": False}


# Agents


def test_agents_have_the_options_that_are_said_to_them(arguments_of_agents: dict[str, Any]) -> None:
    assert {name for name, option in OPTIONS.items() if option.agent} == set(SEARCH_OPTIONS)
    assert list(arguments_of_agents) == ["query", *SEARCH_OPTIONS, "budget", "structured"]
    for name in SEARCH_OPTIONS:
        option, schema = OPTIONS[name], arguments_of_agents[name]
        assert schema["description"] == option.agent
        assert bounds_of(schema) == (option.least, option.most)
        assert words_of(schema) == set(option.words)


def test_words_are_the_types_of_the_arguments() -> None:
    hints = get_type_hints(headnote.Index.search)
    for name, option in ARGUMENTS.items():
        if option.words:
            assert option.words == get_args(get_args(hints[name])[0])


# Questions


def test_a_question_has_the_same_defaults_and_filters_everywhere() -> None:
    own = {name: one.default for name, one in inspect.signature(headnote.Index.ask).parameters.items()}
    wanted = {name: own[name] for name in ("limit", "budget")}
    flags = {option.name: option for option in ask_command.params}
    request = {one.name: one.default for one in msgspec.structs.fields(AskRequest)}
    assert {name: flags[name].default for name in wanted} == wanted
    assert {name: request[name] for name in wanted} == wanted
    for name in ASK_OPTIONS:
        assert flags[name].opts == FLAGS[name].opts
        assert name in request
