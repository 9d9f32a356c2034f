"""What a test needs besides Python, told by its folder, its fixtures and its code: nobody marks tests by hand.

The tests of the README's command need none of it. `.ci/run` runs the others as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import pytest

TESTS = Path(__file__).parent
HELPERS = tuple(str(TESTS.parent / folder) for folder in ("tests", "bench", "website"))
"""Folders of what tests call, besides the package itself."""

NEEDS = {
    "browser": "drives a browser",
    "postgres": "needs a PostgreSQL server",
    "process": "starts a program or a worker",
    "corpus": "reads the large corpora beside the working copy",
    "slow": "takes long, and is worth it where nobody waits",
}

SLOW = {
    "packages": "builds and installs packages",
    "scale": "starts clusters",
    "workshop": "trains models",
    "test_web_openapi": "sends thousands of requests",
    "test_site": "builds the site of the documentation",
    "test_hostile_packs": "forges a pack in hundreds of ways",
    "test_index_damage": "damages an index byte by byte",
    "test_index_equals_fresh": "changes a folder at random, many times",
    "test_differential": "asks other parsers about thousands of documents",
    "test_growth": "counts the work on hundreds of hostile texts; tests/laws has the most telling ones",
    "test_gpu": "loads torch",
}
"""Folders and files. The laws of other presets than the default one belong to it, too: they are the same laws."""

STARTERS = {
    *("subprocess", "multiprocessing", "pty", "ProcessPoolExecutor", "StdioServerParameters"),
    *("fork", "forkpty", "posix_spawn", "execv"),
}
"""Code that has one of these names starts a process."""

CORPORA = {
    *("kubernetes-en", "kubernetes-ja", "react.dev", "astro-en", "rust-book", "fastapi-en", "foam", "public-apis"),
    *("vite-docs", "mkdocs-material-docs", "dbt-docs", "uv-docs", "poetry-docs"),
}


def needs_of(item: pytest.Item) -> Iterator[str]:
    """The marks of a test."""
    fixtures = set(getattr(item, "fixturenames", ()))
    callspec = getattr(item, "callspec", None)
    parameters: str = callspec.id if callspec else ""
    preset = callspec.params.get("preset", "default") if callspec else "default"
    folder = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
    names = frozenset[str]().union(*map(names_in, functions_of(item)))
    if folder == "browser" or any(name.startswith("playwright") for name in names):
        yield "browser"
    if any("postgres" in word for word in (item.path.stem, parameters, *fixtures)):
        yield "postgres"
    if "shared" in fixtures or any(corpus in parameters for corpus in CORPORA):
        yield "corpus"
    if {folder, item.path.stem} & SLOW.keys() or (folder == "laws" and preset != "default"):
        yield "slow"
    if "processes" in fixtures or names & STARTERS:
        yield "process"


def functions_of(item: pytest.Item) -> Iterator[Callable[..., Any]]:
    """The test, and the fixtures that it asks for."""
    if isinstance(item, pytest.Function):
        yield item.function
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            yield from (definition.func for definition in definitions)


@cache
def names_in(function: Callable[..., Any]) -> frozenset[str]:
    """The names in its code, and in that of the helpers that it names."""
    names: set[str] = set()
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        one = getattr(one, "__wrapped__", one)
        if isinstance(one, FunctionType):
            here = {name for code in codes_of(one.__code__) for name in code.co_names}
            names |= here
            new = set(helpers_among(here, one)) - seen
            waiting += new
            seen |= new
    return frozenset(names)


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """Of a function, and of those inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def helpers_among(names: set[str], function: FunctionType) -> Iterator[Callable[..., Any]]:
    """The functions of the tests that these names stand for in the code of a function."""
    enclosed = [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
    things = [*enclosed, *(function.__globals__[name] for name in names if name in function.__globals__)]
    modules = [thing for thing in things if isinstance(thing, ModuleType)]
    things += [vars(module)[name] for module in modules for name in names if name in vars(module)]
    classes = [thing for thing in things if isinstance(thing, type) and is_helper(thing.__module__)]
    things += [value for one in classes for value in vars(one).values()]
    for thing in things:
        found = getattr(thing, "__wrapped__", thing)
        if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(HELPERS):
            yield found


@cache
def is_helper(module: str) -> bool:
    return str(getattr(sys.modules.get(module), "__file__", "")).startswith(HELPERS)
