"""What a test needs besides Python, told by its folder, its fixtures and its code: nobody marks tests by hand.

The tests of the README's command need none of it. `.ci/run` runs the others as well.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

TESTS = Path(__file__).parent

NEEDS = {
    "browser": "drives a browser",
    "postgres": "needs a PostgreSQL server",
    "process": "starts a program or a worker",
    "corpus": "reads the large corpora beside the working copy",
    "slow": "takes long, and is worth it where nobody waits",
}

SLOW_FOLDERS = {"packages", "scale", "workshop"}
"""Packages are built and installed, clusters started, models trained."""

STARTERS = {"subprocess", "multiprocessing", "pty", "ProcessPoolExecutor", "StdioServerParameters"}
"""Whoever names one of these modules or classes starts a process."""
STARTING_NAMES = {"fork", "forkpty", "posix_spawn", "execv"}
"""The same, as functions of `os`."""


def needs_of(item: pytest.Item) -> Iterator[str]:
    """The marks of a test."""
    fixtures = set(getattr(item, "fixturenames", ()))
    callspec = getattr(item, "callspec", None)
    parameters: dict[str, Any] = callspec.params if callspec else {}
    folder = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
    if folder == "browser" or "browser" in fixtures:
        yield "browser"
    if "postgres" in parameters.values() or any(name.startswith("postgres") for name in fixtures):
        yield "postgres"
    if "shared" in fixtures or parameters.get("corpus", "own") != "own":
        yield "corpus"
    if folder in SLOW_FOLDERS:
        yield "slow"
    if "processes" in fixtures or any(starts_a_process(function) for function in functions_of(item)):
        yield "process"


def functions_of(item: pytest.Item) -> Iterator[Callable[..., Any]]:
    """The test, and the fixtures that it asks for."""
    if isinstance(item, pytest.Function):
        yield item.function
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            yield from (definition.func for definition in definitions)


def starts_a_process(function: Callable[..., Any], known: dict[object, bool] = {}) -> bool:  # noqa: B006
    """Whether it names what starts one, itself or in a helper of the tests that it names."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or not is_ours(function.__code__):
        return False
    if function not in known:
        known[function] = False  # Helpers may call each other.
        known[function] = any(is_starter(thing, known) for thing in named_things(function))
    return known[function]


def named_things(function: FunctionType) -> Iterator[object]:
    """The globals that its code names, and what stands in its closure."""
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    for code in codes_of(function.__code__):
        for name in code.co_names:
            if name in STARTING_NAMES:
                yield subprocess
            if name in function.__globals__:
                yield function.__globals__[name]


def codes_of(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def is_starter(thing: object, known: dict[object, bool]) -> bool:
    if isinstance(thing, type) and is_ours_by_module(thing):
        return any(starts_a_process(value, known) for value in vars(thing).values() if isinstance(value, FunctionType))
    return getattr(thing, "__name__", "") in STARTERS or (callable(thing) and starts_a_process(thing, known))


def is_ours(code: CodeType) -> bool:
    return Path(code.co_filename).is_relative_to(TESTS.parent) and "site-packages" not in code.co_filename


def is_ours_by_module(thing: type) -> bool:
    module = sys.modules.get(thing.__module__)
    return Path(getattr(module, "__file__", None) or "/").is_relative_to(TESTS)
