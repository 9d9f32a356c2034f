"""ARCHITECTURE.md agrees with the code: its layers, every path in its trees, every function in its two flows. So do the
paths of docs/design-notes.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from test_architecture import LAYERS

MAX_LINES = 220
MAX_WORDS = 1_900
"""A page that says more is not read before the first change."""
MAX_FILES_IN_A_FLOW = 25

FENCE = re.compile(r"^```text (?P<name>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LAYER = re.compile(r"(?P<number>\d)  (?P<packages>.+)")
BRANCH = re.compile(r"(?P<indent>(?:  )*)(?P<name>[\w./-]+)  +(?P<about>\S.*)")
STEP = re.compile(r"^(?P<number>\d+)\. `(?P<file>[\w/]+\.py)`: (?P<names>`[\w.]+`(?:, `[\w.]+`)*) – \S", re.MULTILINE)
FLOW = re.compile(r"^## A .* becomes .*\n", re.MULTILINE)
NAMED_PATH = re.compile(r"(?<![\w/])(?:[\w-]+/)*[\w-]+(?:\.(?:py|js|css|html)\b|/(?![\w*]))")


class Step(NamedTuple):
    """A line of a flow."""

    number: int
    file: str
    names: list[str]


def fence(page: str, name: str) -> str:
    """The text of the one fence with this name."""
    (body,) = (found["body"] for found in FENCE.finditer(page) if found["name"] == name)
    return body


def layers_drawn(page: str) -> list[set[str]]:
    rows = [LAYER.fullmatch(line) for line in fence(page, "layers").splitlines()]
    assert all(rows), "a layer is its number, two blanks and its packages"
    assert [int(row["number"]) for row in rows if row] == list(range(1, len(rows) + 1))
    return [set(row["packages"].split(", ")) for row in rows if row]


def branches(tree: str) -> Iterator[tuple[str, str]]:
    """Each path of a tree, and what is said about it. What is further in lies below what is above it."""
    above: list[str] = []
    for line in filter(None, tree.splitlines()):
        branch = BRANCH.fullmatch(line)
        assert branch, f"not a path and what it is: {line!r}"
        above = above[: len(branch["indent"]) // 2]
        path = "".join(above) + branch["name"]
        above.append(branch["name"])
        yield path, branch["about"]


def unknown_branches(tree: str, root: Path) -> list[str]:
    """Paths that do not exist, and files in what is said about a path that do not lie beside or below it."""
    unknown = []
    for path, about in branches(tree):
        place = root / path
        is_there = place.is_dir() if path.endswith("/") else place.is_file()
        folders = (place, place.parent, root, root.parent.parent)
        wrong = [name for name in NAMED_PATH.findall(about) if not any((folder / name).exists() for folder in folders)]
        unknown += [*([] if is_there else [path]), *(f"{path}: {name}" for name in wrong)]
    return unknown


def unnamed_packages(tree: str, package: Path) -> set[str]:
    """Packages, packages in packages and modules at the top that the tree leaves out."""
    inits = [file.parent.relative_to(package) for file in package.rglob("__init__.py")]
    packages = {f"{folder.as_posix()}/" for folder in inits if folder.parts}
    modules = {file.name for file in package.glob("*.py") if not file.name.startswith("__")}
    return (packages | modules) - {path for path, _ in branches(tree)}


def flows(page: str) -> list[list[Step]]:
    _, *texts = FLOW.split(page)
    texts = [text.partition("\n## ")[0] for text in texts]
    for text in texts:
        lines = re.findall(r"^\d+\. .*$", text, re.MULTILINE)
        assert len(lines) == len(STEP.findall(text)), f"not a file, its functions and what they do, among {lines}"
    return [
        [Step(int(step["number"]), step["file"], re.findall(r"[\w.]+", step["names"])) for step in STEP.finditer(text)]
        for text in texts
    ]


def defined_names(file: Path) -> set[str]:
    """The functions and classes of a module, and the methods as `Class.method`."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return found


def unknown_steps(steps: list[Step], package: Path) -> list[str]:
    unknown = []
    for step in steps:
        file = package / step.file
        known = defined_names(file) if file.is_file() else set()
        unknown += [f"{step.file}: {name}" for name in step.names if name not in known]
    return unknown


def unknown_paths(page: str, repository: Path) -> list[str]:
    """Paths in code spans outside of fences that lead nowhere, from the package, its page or the root."""
    prose = FENCE.sub("", page)
    package = repository / "src" / "headnote"
    roots = (package, package / "web" / "static", package / "web" / "static" / "js", repository)
    spans = [span for span in re.findall(r"`([^`\n]+)`", prose) if NAMED_PATH.fullmatch(span)]
    return [span for span in spans if not any((root / span).exists() for root in roots)]


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "ARCHITECTURE.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def package(repository: Path) -> Path:
    return repository / "src" / "headnote"


def test_the_page_is_short(page: str) -> None:
    assert len(page.splitlines()) <= MAX_LINES
    assert len(page.split()) <= MAX_WORDS


def test_the_drawing_shows_the_layers(page: str) -> None:
    assert layers_drawn(page) == [layer - {"__main__"} for layer in LAYERS]


def test_the_tree_is_in_the_order_of_the_layers(page: str) -> None:
    tops = [path.rstrip("/").removesuffix(".py") for path, _ in branches(fence(page, "tree")) if "/" not in path[:-1]]
    ranks = [rank for top in tops for rank, layer in enumerate(LAYERS) if top in layer]
    assert len(ranks) == len(tops)
    assert ranks == sorted(ranks)


def test_every_path_of_the_trees_exists(page: str, package: Path, repository: Path) -> None:
    assert unknown_branches(fence(page, "tree"), package) == []
    assert unknown_branches(fence(page, "repository"), repository) == []


def test_every_package_is_in_the_tree(page: str, package: Path) -> None:
    assert unnamed_packages(fence(page, "tree"), package) == set()


def test_every_path_in_the_text_exists(page: str, repository: Path) -> None:
    assert unknown_paths(page, repository) == []


def test_every_path_in_the_design_notes_exists(repository: Path) -> None:
    notes = (repository / "docs" / "design-notes.md").read_text(encoding="utf-8")
    assert len(re.findall(r"`[\w/]+\.py`", notes)) > 40
    assert unknown_paths(notes, repository) == []


def test_every_function_of_the_flows_exists(page: str, package: Path) -> None:
    rows, hits = flows(page)
    assert unknown_steps(rows, package) == []
    assert unknown_steps(hits, package) == []


def test_the_flows_are_numbered_and_short(page: str) -> None:
    for steps in flows(page):
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert 10 <= len({step.file for step in steps}) <= MAX_FILES_IN_A_FLOW


def test_the_flows_begin_and_end_where_they_say(page: str) -> None:
    rows, hits = flows(page)
    assert [steps[0].file.partition("/")[0] for steps in (rows, hits)] == ["cli", "cli"]
    assert "store/document_writer.py" in {step.file for step in rows}
    assert hits[-1].file == "cli/terminal.py"


# The checks themselves, on a small package with a page that is wrong.


@pytest.fixture
def small_package(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "headnote"
    for name in ("__init__", "errors", "store/__init__", "store/rows", "store/sqlite/__init__", "store/sqlite/tables"):
        file = package / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (package / "store" / "rows.py").write_text("class Row:\n    def of(self): ...\n\n\ndef read(): ...\n")
    return package


TREE = """\
errors.py     what can go wrong

store/        how it is kept; rows.py has its rows
  sqlite/     one file
    tables.py  its tables
"""


def test_a_true_tree_has_no_fault(small_package: Path) -> None:
    assert unknown_branches(TREE, small_package) == []
    assert unnamed_packages(TREE, small_package) == set()


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("store/columns.py  gone", ["store/columns.py"]),
        ("errors/  a file, not a folder", ["errors/"]),
        ("store/  see columns.py", ["store/: columns.py"]),
        ("errors.py  see store/rows.py and store/columns.py", ["errors.py: store/columns.py"]),
    ],
)
def test_a_path_that_leads_nowhere_is_seen(line: str, unknown: list[str], small_package: Path) -> None:
    assert unknown_branches(line, small_package) == unknown


def test_a_package_that_the_tree_leaves_out_is_seen(small_package: Path) -> None:
    assert unnamed_packages("store/  how it is kept\n", small_package) == {"errors.py", "store/sqlite/"}


def test_a_line_without_a_word_about_its_path_is_refused() -> None:
    with pytest.raises(AssertionError, match="not a path"):
        list(branches("errors.py\n"))


def test_a_function_that_is_gone_is_seen(small_package: Path) -> None:
    page = "## A file becomes rows\n\n1. `store/rows.py`: `read`, `Row.of`, `Row.gone` – reads\n2. `a.py`: `b` – c\n"
    (steps,) = flows(page)
    assert unknown_steps(steps, small_package) == ["store/rows.py: Row.gone", "a.py: b"]


def test_a_step_in_another_form_is_refused() -> None:
    with pytest.raises(AssertionError, match="not a file"):
        flows("## A file becomes rows\n\n1. store/rows.py reads\n")


def test_a_path_in_the_text_that_is_gone_is_seen(small_package: Path) -> None:
    repository = small_package.parent.parent
    text = "`store/rows.py`, `src/`, `store/gone.py`, `gone/`, `Row.of`\n"
    assert unknown_paths(text, repository) == ["store/gone.py", "gone/"]


def test_layers_that_are_drawn_are_read() -> None:
    assert layers_drawn("```text layers\n1  errors\n2  model, words\n```\n") == [{"errors"}, {"model", "words"}]
