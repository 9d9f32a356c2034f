"""Which package may import which: right may import left, never back, and there are no cycles. A name is that of one
thing, and a file is worth opening."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import headnote
from headnote.cli.main import COMMANDS

PACKAGE = "headnote"

# Packages of one layer may import each other, as long as they form no cycle.
LAYERS: list[set[str]] = [
    {"errors", "extras", "arguments", "lines", "processes", "whole_files"},
    {"model"},
    {"markdown", "formats", "tokens", "chunking", "words"},
    {"sources", "services", "embedding", "store"},
    {"links", "index"},
    {"search", "answer"},
    {"config", "api", "extra", "integrations"},
    {"rendering", "web", "mcp_server", "cli", "__main__"},
]
RANK = {package: rank for rank, packages in enumerate(LAYERS) for package in packages}
SURFACES = LAYERS[-1]

REST = "*"
"""Stands for the modules of a package that its inner layers do not name."""

# Packages that contain packages. Sub-packages of one inner layer must not import each other.
INNER_LAYERS: dict[str, list[set[str]]] = {
    "markdown": [{"rules"}, {REST}],
    "chunking": [{REST}, {"splitting"}, {"passes"}, {"chunker"}],
    "store": [{REST}, {"sqlite", "postgres"}, {"opening"}],
    "links": [{"sites"}, {REST}, {"checking"}],
    "extra": [{"evaluate", "scale", "packs", "export", "agents"}],
    "web": [{REST}, {"endpoints"}, {"routes"}, {"app"}, {"workers"}],
}

NAMED_TWICE = {
    "HeadnoteSplitter": "users of LangChain and Haystack import the same name from the module of their framework",
    "HeadnoteRetriever": "the same, also for LlamaIndex",
}
"""Classes that several modules define, and why."""

MAX_MODULES, MAX_SCRIPTS = 300, 75
"""Files of Python and of the page. Whoever needs one more looks first for two that are one idea."""

MIN_LINES = 40
"""Lines of a file that needs no reason. An `__init__` is there for its package."""
SHORT = {
    "__main__.py": "Python looks for it by this name",
}
"""Shorter files, and why each is one."""

HEAVY = {"numpy", "rich", "click", "yaml", "msgspec", "toktok", "sqlite3", "pydantic"}

Imports = dict[str, set[str]]
"""Module → modules of the package it imports, anywhere in it: a lazy import is still a dependency."""


def modules_below(source: Path) -> dict[str, Path]:
    """Dotted name → file, for every module of the package in `source`."""
    modules = {}
    for file in sorted((source / PACKAGE).rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return modules


def read_imports(source: Path) -> Imports:
    modules = modules_below(source)
    assert modules, f"no modules of {PACKAGE} in {source}"
    return {
        name: set(imported_modules(ast.parse(file.read_text(encoding="utf-8")), modules)) & modules.keys()
        for name, file in modules.items()
    }


def imported_modules(tree: ast.Module, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the direction"
            # `from package import module` depends on the module, `from package import name` on the package.
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else str(node.module) for name in inner)


def package_of(module: str) -> str:
    """The part of the name that says which layer; empty for the package itself."""
    return module.partition(".")[2].partition(".")[0]


def wrong_way_imports(imports: Imports) -> list[str]:
    return [
        f"{module} imports {target}"
        for module, targets in sorted(imports.items())
        for target in sorted(targets)
        if not allowed(package_of(module), package_of(target))
    ]


def allowed(importer: str, target: str) -> bool:
    if importer == target:
        return True
    if importer == "":
        # The package itself offers what the packages have, but never starts a surface.
        return target not in SURFACES
    if target == "":
        # Only a surface stands outside and uses the public names as anyone would.
        return importer in SURFACES
    return RANK[target] <= RANK[importer]


def packages_without_layer(imports: Imports) -> set[str]:
    return {package_of(module) for module in imports} - {""} - RANK.keys()


def find_cycle(imports: Imports) -> list[str]:
    """The modules of one cycle, the first again at the end; empty if there is none."""
    finished: set[str] = set()

    def visit(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in finished:
            return []
        for target in sorted(imports.get(module, ())):
            if cycle := visit(target, [*trail, module]):
                return cycle
        finished.add(module)
        return []

    return next((cycle for module in sorted(imports) if (cycle := visit(module, []))), [])


def part_of(module: str) -> str:
    """The module or sub-package directly inside its package; empty for the package itself."""
    return ".".join(module.split(".")[2:3])


def subpackages(imports: Imports) -> set[tuple[str, str]]:
    """(package, sub-package) for every package inside a package."""
    return {(package_of(module), part_of(module)) for module in imports if module.count(".") > 2}


def subpackages_without_layer(imports: Imports) -> set[str]:
    return {
        f"{package}.{part}"
        for package, part in subpackages(imports)
        if part not in set().union(*INNER_LAYERS.get(package, []))
    }


def inner_rank(package: str, part: str) -> int:
    """The package itself comes last: its `__init__` may offer whatever is inside."""
    layers = INNER_LAYERS[package]
    if part == "":
        return len(layers)
    name = part if any(part in parts for parts in layers) else REST
    return next(rank for rank, parts in enumerate(layers) if name in parts)


def wrong_way_inside(imports: Imports) -> list[str]:
    """Imports against the inner layers."""
    packages = subpackages(imports)
    return [
        f"{module} imports {target}"
        for module, targets in sorted(imports.items())
        for target in sorted(targets)
        if (package := package_of(module)) == package_of(target)
        and package in INNER_LAYERS
        and not allowed_inside(package, part_of(module), part_of(target), packages)
    ]


def allowed_inside(package: str, importer: str, target: str, packages: set[tuple[str, str]]) -> bool:
    if importer == target:
        return True
    importer_rank, target_rank = inner_rank(package, importer), inner_rank(package, target)
    # Modules of one layer are neighbours, sub-packages of one layer are strangers.
    return target_rank < importer_rank or (target_rank == importer_rank and (package, target) not in packages)


def between_packages(imports: Imports) -> Imports:
    packages: Imports = {}
    for module, targets in imports.items():
        package = package_of(module)
        if package:
            packages.setdefault(package, set()).update({package_of(target) for target in targets} - {package, ""})
    return packages


@pytest.fixture(scope="module")
def imports(repository: Path) -> Imports:
    return read_imports(repository / "src")


def test_every_package_has_its_layer(imports: Imports) -> None:
    assert packages_without_layer(imports) == set()


def test_imports_go_one_way(imports: Imports) -> None:
    assert wrong_way_imports(imports) == []


def test_every_subpackage_has_its_layer(imports: Imports) -> None:
    assert subpackages_without_layer(imports) == set()


def test_every_inner_layer_names_what_exists(imports: Imports) -> None:
    parts = {(package_of(module), part_of(module)) for module in imports}
    declared = {(package, part) for package, layers in INNER_LAYERS.items() for part in set().union(*layers) - {REST}}
    assert declared - parts == set()


def test_imports_go_one_way_inside_packages(imports: Imports) -> None:
    assert wrong_way_inside(imports) == []


def test_no_cycle_between_modules_or_packages(imports: Imports) -> None:
    assert find_cycle(imports) == []
    assert find_cycle(between_packages(imports)) == []


def test_functions_fit_a_screen(repository: Path) -> None:
    too_long = [
        f"{module}.{node.name}: {lines} lines"
        for module, file in modules_below(repository / "src").items()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) >= 60
    ]
    assert too_long == []


def files_below(source: Path) -> dict[str, Path]:
    """Path inside the package → file, without those that only say that a folder is a package."""
    package = source / PACKAGE
    files = (file for file in sorted(package.rglob("*.py")) if file.name != "__init__.py")
    return {file.relative_to(package).as_posix(): file for file in files}


def file_names_used_twice(source: Path) -> dict[str, list[str]]:
    """A command has the name of its subject, and the two databases have the same files."""
    places: dict[str, list[str]] = {}
    files = files_below(source)
    for path, file in files.items():
        is_command = path == f"cli/{file.name}" and file.stem in COMMANDS
        if is_command or (path == f"store/postgres/{file.name}" and f"store/sqlite/{file.name}" in files):
            continue
        places.setdefault(file.name, []).append(path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def class_names_used_twice(source: Path) -> dict[str, list[str]]:
    """Wherever they are defined, also inside a function."""
    places: dict[str, list[str]] = {}
    for path, file in files_below(source).items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def short_files(source: Path) -> set[str]:
    files = files_below(source).items()
    return {path for path, file in files if len(file.read_text(encoding="utf-8").splitlines()) < MIN_LINES}


def test_no_file_name_is_used_twice(repository: Path) -> None:
    assert file_names_used_twice(repository / "src") == {}


def test_no_class_name_is_used_twice(repository: Path) -> None:
    assert class_names_used_twice(repository / "src").keys() == NAMED_TWICE.keys()


def test_the_house_stays_one_that_can_be_looked_over(repository: Path) -> None:
    package = repository / "src" / PACKAGE
    scripts = [file for file in package.rglob("*.js") if "vendor" not in file.parts]
    assert 0 < len(list(package.rglob("*.py"))) <= MAX_MODULES
    assert 0 < len(scripts) <= MAX_SCRIPTS


def test_a_short_file_has_a_reason(repository: Path) -> None:
    assert short_files(repository / "src") == SHORT.keys()


@pytest.mark.parametrize(
    "use",
    [
        "import headnote; headnote.parse('# A')",
        "import headnote.sources.files",
    ],
)
def test_the_library_starts_light(use: str) -> None:
    assert modules_loaded_by(use) & HEAVY == set()


def test_help_needs_neither_scanner_nor_rich() -> None:
    loaded = modules_loaded_by("from headnote.cli.main import main; main(['--help'])")
    assert "click" in loaded
    assert loaded & {"rich", "numpy", "yaml", "headnote.api", "headnote.markdown"} == set()


def test_a_command_comes_without_the_others() -> None:
    loaded = modules_loaded_by("from headnote.cli.main import main; main(['outline', '--help'])")
    assert "headnote.cli.outline" in loaded
    assert loaded & {"headnote.cli.search", "headnote.cli.serve", "pydantic"} == set()


def modules_loaded_by(code: str) -> set[str]:
    report = "import sys; sys.stderr.write(' '.join(sys.modules))"
    command = [sys.executable, "-c", f"{code}\n{report}"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(result.stderr.split())


def test_the_version_comes_without_the_scanner() -> None:
    assert "headnote.markdown" not in modules_loaded_by("import headnote; headnote.__version__")
    assert headnote.__version__


# The checks themselves, on small trees that break each rule.


def write_tree(folder: Path, files: dict[str, str]) -> Imports:
    """The imports of a package made of these files: path without suffix → code."""
    for name, code in files.items():
        file = folder / PACKAGE / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(code), encoding="utf-8")
    return read_imports(folder)


def test_a_wrong_way_import_is_seen(tmp_path: Path) -> None:
    imports = write_tree(
        tmp_path, {"model": "", "cli": "", "markdown": "import headnote.cli", "config": "", "errors": ""}
    )
    assert wrong_way_imports(imports) == ["headnote.markdown imports headnote.cli"]


def test_a_lazy_wrong_way_import_is_seen(tmp_path: Path) -> None:
    lazy = """
        def late():
            from headnote.config import load
            return load
    """
    imports = write_tree(tmp_path, {"search": lazy, "config": "def load(): ..."})
    assert wrong_way_imports(imports) == ["headnote.search imports headnote.config"]


def test_a_package_may_not_import_the_package_itself(tmp_path: Path) -> None:
    imports = write_tree(tmp_path, {"__init__": "parse = 1", "model": "from headnote import parse"})
    assert wrong_way_imports(imports) == ["headnote.model imports headnote"]


def test_a_cycle_inside_a_package_is_seen(tmp_path: Path) -> None:
    imports = write_tree(
        tmp_path,
        {
            "markdown/a": "from headnote.markdown import b",
            "markdown/b": "from headnote.markdown.c import name",
            "markdown/c": "import headnote.markdown.a",
        },
    )
    assert wrong_way_imports(imports) == []
    a, b, c = (f"headnote.markdown.{name}" for name in "abc")
    assert find_cycle(imports) == [a, b, c, a]


def test_a_cycle_between_neighbouring_packages_is_seen(tmp_path: Path) -> None:
    imports = write_tree(
        tmp_path,
        {
            "embedding/a": "import headnote.index.a",
            "embedding/b": "",
            "index/a": "",
            "index/b": "import headnote.embedding.b",
        },
    )
    assert find_cycle(imports) == []
    assert find_cycle(between_packages(imports)) == ["embedding", "index", "embedding"]


def test_a_package_nobody_placed_is_seen(tmp_path: Path) -> None:
    assert packages_without_layer(write_tree(tmp_path, {"helpers": "", "model": ""})) == {"helpers"}


def test_a_relative_import_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="hide the direction"):
        write_tree(tmp_path, {"__init__": "", "model": "from . import errors", "errors": ""})


def test_a_subpackage_nobody_placed_is_seen(tmp_path: Path) -> None:
    imports = write_tree(tmp_path, {"markdown/rules/code": "", "search/helpers/a": "", "search/b": ""})
    assert subpackages_without_layer(imports) == {"search.helpers"}


@pytest.mark.parametrize(
    ("importer", "target"),
    [
        ("markdown.rules.code", "markdown.scanner"),
        ("chunking.draft", "chunking.passes.merge"),
        ("chunking.passes.merge", "chunking.chunker"),
        ("store.rows", "store.sqlite.store"),
        ("store.rows", "store.opening"),
        ("store.sqlite.store", "store.opening"),
        ("store.sqlite.store", "store.postgres.store"),
        ("store.postgres.store", "store.sqlite.store"),
        ("links.sites.addresses", "links.resolving"),
        ("links.resolving", "links"),
    ],
)
def test_a_wrong_way_import_inside_a_package_is_seen(tmp_path: Path, importer: str, target: str) -> None:
    files = {importer.replace(".", "/"): f"import headnote.{target}"}
    files[target.replace(".", "/") if "." in target else f"{target}/__init__"] = ""
    imports = write_tree(tmp_path, files)
    assert wrong_way_imports(imports) == []
    assert wrong_way_inside(imports) == [f"headnote.{importer} imports headnote.{target}"]


def test_a_file_name_used_twice_is_seen(tmp_path: Path) -> None:
    names = ("cli/index", "api/index", "cli/words", "search/words", "store/sqlite/sql", "store/postgres/sql")
    write_tree(tmp_path, dict.fromkeys(names, ""))
    assert file_names_used_twice(tmp_path) == {"words.py": ["cli/words.py", "search/words.py"]}


def test_a_file_name_of_both_databases_is_that_of_nothing_else(tmp_path: Path) -> None:
    both, one = ("store/sqlite/sql", "store/postgres/sql"), "store/postgres/target"
    write_tree(tmp_path, dict.fromkeys((*both, one, "search/sql", "search/target"), ""))
    assert file_names_used_twice(tmp_path) == {
        "sql.py": ["search/sql.py", "store/sqlite/sql.py"],
        "target.py": ["search/target.py", "store/postgres/target.py"],
    }


def test_a_class_name_used_twice_is_seen(tmp_path: Path) -> None:
    hidden = """
        def make():
            class Row: ...
            return Row
    """
    write_tree(tmp_path, {"store/a": "class Row: ...", "web/b": hidden, "web/c": "class Column: ..."})
    assert class_names_used_twice(tmp_path) == {"Row": ["store/a.py", "web/b.py"]}


def test_a_short_file_is_seen(tmp_path: Path) -> None:
    write_tree(tmp_path, {"web/__init__": "", "web/a": "b = 1\n" * (MIN_LINES - 1), "web/c": "d = 1\n" * MIN_LINES})
    assert short_files(tmp_path) == {"web/a.py"}
