"""Every extra is documented and complete, and the remedies name the right one."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from artefacts import run

from headnote.extras import SEARCH, install

HEAVY = {
    *("apsw", "haystack", "langchain_core", "llama_index", "matplotlib", "mcp", "numpy", "onnxruntime", "pydantic"),
    *("click", "rich", "starlette", "Stemmer", "tokenizers", "uvicorn", "watchfiles"),
}
"""Packages that chunking alone must not load."""

PROJECT_OF_PACKAGE = {"Stemmer": "pystemmer", "lance": "pylance", "markdown_it": "markdown-it-py"}
"""Where the name to import is not the name to install."""

MENTIONED = re.compile(r"(?:(?:headnote-md|\s-e \"?\.|\"\.)\[|\binstall\([\"'])(?P<extras>[a-z0-9,-]+)[\]\"']")
"""Extras in a command of the documentation, and in the code that makes a remedy."""


@pytest.fixture(scope="module")
def extras(repository: Path) -> dict[str, set[str]]:
    """Name → projects it brings."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        name: {normal(re.split(r"[\[<>=!~; ]", requirement)[0]) for requirement in requirements}
        for name, requirements in project["optional-dependencies"].items()
    }


def normal(name: str) -> str:
    """A name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Loading(NamedTuple):
    """A call of `extras.load`: what it loads, and what it says if that is not there."""

    place: str
    package: str
    remedy: str


def loadings(source: Path) -> Iterator[Loading]:
    for file in sorted(source.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        # Other functions are called `load`, too: ours is imported, except where it is at home.
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "headnote.extras"
            for alias in node.names
        } | {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and file.name == "extras.py"}
        constants = {"SEARCH": SEARCH} | imported_constants(source, tree) | constants_of(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load" in names:
                yield as_loading(f"{file.name}:{node.lineno}", node, constants)


def constants_of(tree: ast.Module) -> dict[str, Any]:
    return {
        target.id: value_of(node.value, {})
        for node in tree.body
        if isinstance(node, ast.Assign) and (isinstance(node.value, ast.Constant) or is_remedy(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_remedy(expression: ast.expr) -> bool:
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return names == {install.__name__}


def value_of(expression: ast.expr, constants: dict[str, Any]) -> Any:
    """What the expression is: a constant, its name, or a remedy that is made of extras."""
    return eval(ast.unparse(expression), {install.__name__: install, **constants})


def imported_constants(sources: Path, tree: ast.Module) -> dict[str, Any]:
    """A remedy may be a constant of another module."""
    constants: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("headnote"):
            module = sources / node.module.replace(".", "/")
            file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
            if not file.exists():  # compiled: it has only functions
                continue
            known = constants_of(ast.parse(file.read_text(encoding="utf-8")))
            constants |= {alias.name: known[alias.name] for alias in node.names if alias.name in known}
    return constants


def as_loading(place: str, call: ast.Call, constants: dict[str, Any]) -> Loading:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    remedy = value_of(given[2], constants) if len(given) == 3 else SEARCH
    return Loading(place, value_of(given[0], constants).partition(".")[0], remedy)


def test_every_extra_is_described(repository: Path, extras: dict[str, set[str]]) -> None:
    page = (repository / "docs" / "install.md").read_text(encoding="utf-8")
    assert [name for name in extras if f"| `{name}` |" not in page] == []


def test_every_extra_that_is_mentioned_exists(repository: Path, extras: dict[str, set[str]]) -> None:
    mentioned: dict[str, str] = {}
    for file in [*(repository / "src").rglob("*.py"), *(repository / "docs").rglob("*.md"), repository / "README.md"]:
        for match in MENTIONED.finditer(file.read_text(encoding="utf-8")):
            mentioned |= dict.fromkeys(match["extras"].split(","), file.name)
    assert {"search", "mcp", "langchain", "llama-index", "haystack"} <= mentioned.keys()
    assert {name: file for name, file in mentioned.items() if name not in extras} == {}


def test_a_missing_package_names_the_extra_that_brings_it(repository: Path, extras: dict[str, set[str]]) -> None:
    imports = list(loadings(repository / "src"))
    assert {"apsw", "numpy", "onnxruntime", "watchfiles"} <= {one.package for one in imports}
    for one in imports:
        named = re.findall(r'pip install "headnote-md\[([a-z0-9,-]+)\]"', one.remedy)
        assert named, one
        project = PROJECT_OF_PACKAGE.get(one.package, normal(one.package))
        assert any(project in extras[extra] for extra in named[0].split(",")), one


def test_chunks_cost_nothing_that_is_heavy() -> None:
    code = "import sys, headnote; headnote.chunk('# A\\n\\ntext'); print(*sys.modules)"
    loaded = set(run(sys.executable, "-c", code).split())
    assert "headnote.chunking.chunker" in loaded
    assert loaded & HEAVY == set()
