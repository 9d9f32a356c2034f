"""Without any extra, every public name and every command is there; what needs an extra says so when it is used."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from headnote.cli.doctor import PACKAGES
from headnote.cli.main import COMMANDS
from headnote.extras import install

WITHOUT_EXTRAS = """
import sys

class WithoutExtras:
    '''Finds what another finder finds, except packages that only an extra installs.'''

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, fullname, *arguments):
        name = fullname.partition(".")[0]
        is_allowed = name in ALLOWED or name.startswith("_sysconfigdata")
        return self.finder.find_spec(fullname, *arguments) if is_allowed else None

ALLOWED = {allowed!r} | sys.stdlib_module_names
sys.meta_path[:] = map(WithoutExtras, sys.meta_path)
"""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required_by(requirements: list[str]) -> set[str]:
    """The projects that requirements bring without extras, with those that they bring in turn."""
    names: set[str] = set()
    pending = list(map(Requirement, requirements))
    while pending:
        requirement = pending.pop()
        name = normal(requirement.name)
        if name in names or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        names.add(name)
        try:
            pending += map(Requirement, requires(name) or [])
        except PackageNotFoundError:
            continue  # for another Python or another system
    return names


@pytest.fixture(scope="module")
def dependencies(repository: Path) -> list[str]:
    dependencies: list[str] = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    return dependencies


@pytest.fixture(scope="module")
def base(dependencies: list[str]) -> set[str]:
    """What `pip install` alone installs here."""
    return required_by(dependencies)


@pytest.fixture(scope="module")
def prelude(base: set[str]) -> str:
    assert {"click", "pyyaml", "rich"} <= base
    assert {"apsw", "numpy", "mcp", "starlette"}.isdisjoint(base)
    modules = {
        module for module, projects in packages_distributions().items() if any(normal(one) in base for one in projects)
    }
    return WITHOUT_EXTRAS.format(allowed={"headnote", *modules})


def run(prelude: str, code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", prelude + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL)


def test_the_packages_of_extras_are_hidden(prelude: str, tmp_path: Path) -> None:
    code = "from importlib.util import find_spec\nprint(*map(find_spec, sys.argv[1:]))"
    result = run(prelude, code, "apsw", "numpy", "Stemmer", "mcp", "starlette", cwd=tmp_path)
    assert set(result.stdout.split()) == {"None"}


# Names

NAMES = """
import inspect, json, pydoc
import headnote
from headnote import *

for name in headnote.__all__:
    assert hasattr(headnote, name), name
    assert name in globals(), name
members = [name for name, _ in inspect.getmembers(headnote)]
page = pydoc.plain(pydoc.render_doc(headnote))
for name in set(headnote.__all__) - {"__version__"}:
    assert pydoc.render_doc(getattr(headnote, name)), name
print(json.dumps({"dir": dir(headnote), "all": headnote.__all__, "members": members, "page": page}))
"""


def test_every_public_name_is_there(prelude: str, tmp_path: Path) -> None:
    result = run(prelude, NAMES, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert sorted(found["all"]) == sorted(found["dir"]) == sorted(found["members"])
    assert [name for name in found["all"] if name not in found["page"]] == ["__version__"]


USES = """
import os, sys
import headnote
uses = {
    "Index.open": lambda: headnote.Index.open("."),
    "Index.open, words alone": lambda: headnote.Index.open(".", embedder="none"),
    "Index.open, in PostgreSQL": lambda: headnote.Index.open(".", store="postgresql://nobody@localhost/nothing"),
    "count_tokens, with a tokenizer": lambda: headnote.count_tokens("a", "tokenizer.json"),
    "LangChain": lambda: __import__("headnote.integrations.langchain"),
    "LlamaIndex": lambda: __import__("headnote.integrations.llama_index"),
    "Haystack": lambda: __import__("headnote.integrations.haystack"),
}
for name, use in uses.items():
    try:
        use()
    except (headnote.MissingExtra, headnote.SettingsError) as error:
        assert isinstance(error, (ImportError, headnote.SettingsError))
        print(f"{name}: {error.remedy}")
assert headnote.chunk_file("a.md") and list(headnote.chunk_files(".")) and headnote.parse("# A")
print(sorted(os.listdir(".")))
"""


def test_what_needs_an_extra_says_so_when_it_is_used(prelude: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext\n", encoding="utf-8")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    result = run(prelude, USES, cwd=tmp_path)
    assert result.stderr == ""
    *lines, files = result.stdout.splitlines()
    assert dict(line.split(": ", 1) for line in lines) == {
        "Index.open": f"run: {install('search')}",
        "Index.open, words alone": f"run: {install('search')}",
        "Index.open, in PostgreSQL": f"run: {install('postgres')}",
        "count_tokens, with a tokenizer": f"run: {install('tokenizers')}",
        "LangChain": f"run: {install('langchain')}",
        "LlamaIndex": f"run: {install('llama-index')}",
        "Haystack": f"run: {install('haystack')}",
    }
    assert files == "['a.md', 'tokenizer.json']", "nothing is left behind by an attempt"


MODULES = """
import pkgutil, headnote
for module in pkgutil.walk_packages(headnote.__path__, "headnote."):
    print(module.name)
"""


def test_tools_that_walk_over_the_modules_reach_the_last(prelude: str, tmp_path: Path) -> None:
    result = run(prelude, MODULES, cwd=tmp_path)
    assert result.stderr == ""
    assert {"headnote.integrations.langchain", "headnote.web"} <= set(result.stdout.split())


# Commands

COMMAND = "from headnote.cli.main import main\nsys.exit(main(sys.argv[1:]))"

WORKING: dict[str, list[str]] = {
    "chunk": ["a.md"],
    "outline": ["a.md"],
    "config": [],
    "presets": [],
    "completion": ["zsh"],
    "trust": ["."],
    "lint": [".", "--only", "page"],
    "mv": ["a.md", "b.md", "--dry-run"],
    "uninstall": ["."],
}
NEEDING: dict[str, tuple[list[str], str]] = {
    "search": (["text"], "search"),
    "ask": (["text?"], "search"),
    "grep": (["text"], "search"),
    "install": ([], "search,mcp"),
    "index": ([], "search"),
    "links": (["a.md"], "search"),
    "related": (["a.md"], "search"),
    "read": (["a.md"], "search"),
    "context": (["a.md", "what it is"], "search"),
    "pack": ([".", "-o", "docs.headnote"], "search"),
    "export": ([".", "--out", "site"], "search"),
    "eval": (["questions.jsonl"], "search"),
    "mcp": ([], "search,mcp"),
    "serve": ([], "search,server"),
    "open": ([], "search,server"),
    "bulk": ([".", "--out", "out"], "bulk"),
}
"""Command → arguments, and the extras it needs: all of them, so that one attempt is enough."""


def test_every_command_is_tried() -> None:
    assert {*WORKING, *NEEDING, "status", "doctor"} == set(COMMANDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# A\n\ntext\n", encoding="utf-8")
    question = {"question": "What is in there?", "gold": [{"path": "a.md", "lines": [3, 3]}]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    return tmp_path


HELPS = """
from headnote.cli.main import main
for command in sys.argv[1:]:
    assert main([*command.split(), "--help"]) == 0, command
"""


def test_every_command_has_its_help(prelude: str, folder: Path) -> None:
    commands = ["", *COMMANDS]
    result = run(prelude, HELPS, *commands, cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    assert [one for one in commands if f"Usage: headnote {one}" not in result.stdout] == []


@pytest.mark.parametrize("command", WORKING)
def test_a_command_that_needs_no_extra_works(command: str, prelude: str, folder: Path) -> None:
    result = run(prelude, COMMAND, command, *WORKING[command], cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


@pytest.mark.parametrize("command", NEEDING)
def test_a_command_that_needs_an_extra_is_one_line_with_the_remedy(command: str, prelude: str, folder: Path) -> None:
    arguments, extra = NEEDING[command]
    before = sorted(folder.iterdir())
    result = run(prelude, COMMAND, command, *arguments, cwd=folder)
    assert (result.returncode, result.stdout) == (2, "")
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.endswith(f"(run: {install(extra)})")
    assert sorted(folder.iterdir()) == before, "nothing is left behind by an attempt"


def test_status_says_that_there_is_no_index(prelude: str, folder: Path) -> None:
    result = run(prelude, COMMAND, "status", cwd=folder)
    assert result.returncode == 2
    assert "no index here" in result.stderr


SYSTEMS = {
    "Windows, x86-64": {"sys_platform": "win32", "platform_machine": "AMD64"},
    "Windows, arm64": {"sys_platform": "win32", "platform_machine": "ARM64"},
    "macOS": {"sys_platform": "darwin", "platform_machine": "arm64"},
    "Linux with glibc or musl": {"sys_platform": "linux", "platform_machine": "x86_64"},
    "Linux on 32 bits": {"sys_platform": "linux", "platform_machine": "armv7l"},
}


def test_the_native_tokenizer_is_required_where_it_surely_has_a_wheel(dependencies: list[str]) -> None:
    [tokenizer] = [one for one in map(Requirement, dependencies) if one.name == "toktok-rs"]
    assert tokenizer.marker is not None
    implementation = {"platform_python_implementation": "CPython"}
    found = [name for name, system in SYSTEMS.items() if tokenizer.marker.evaluate(implementation | system)]
    assert found == ["Windows, x86-64", "macOS"]
    assert not tokenizer.marker.evaluate({"platform_python_implementation": "PyPy"})


def test_the_doctor_names_the_extra_of_every_package(prelude: str, base: set[str], folder: Path) -> None:
    result = run(prelude, COMMAND, "doctor", "--json", cwd=folder)
    assert (result.returncode, result.stderr) == (1, "")
    findings = json.loads(result.stdout)["findings"]
    packages = {
        finding["text"]: finding["state"]
        for finding in findings
        if finding["what"] == "packages" and finding["state"] != "ok"
    }
    assert packages == {
        f"{package.name} is missing: {install(package.extra)} installs it": "wrong" if package.is_required else "note"
        for package in PACKAGES
        if normal(package.name) not in base
    }
