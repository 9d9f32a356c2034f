"""The hot modules are compiled when that is asked for, and never otherwise."""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from artefacts import Packages, needs_pypi

GIVEN = os.environ.get("HEADNOTE_COMPILED")
EXTENSIONS = (".so", ".pyd")


@pytest.fixture
def script(repository: Path) -> Iterator[ModuleType]:
    pytest.importorskip("hatchling")
    specification = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    yield module
    del sys.modules[specification.name]


def hot_modules(script: ModuleType, source: Path) -> set[str]:
    files = [file for pattern in script.HOT for file in (source / "headnote").glob(pattern)]
    return {file.relative_to(source).with_suffix("").as_posix() for file in files}


@pytest.fixture
def hook(script: ModuleType, repository: Path, tmp_path: Path) -> Any:
    metadata = SimpleNamespace(core=SimpleNamespace(optional_dependencies={"fast": ["toktok-rs"]}))
    return script.CompileHook(str(repository), {}, None, metadata, str(tmp_path), "wheel")


@pytest.mark.parametrize(("setting", "version"), [("", "standard"), ("0", "standard"), ("1", "editable")])
def test_nothing_is_compiled_unless_asked_or_in_an_editable_install(
    setting: str, version: str, hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADNOTE_COMPILE", setting)
    data: dict[str, Any] = {"pure_python": True, "infer_tag": False, "force_include": {}, "dependencies": []}
    hook.initialize(version, data)
    del data["dependencies"]
    assert data == {"pure_python": True, "infer_tag": False, "force_include": {}}


@pytest.mark.parametrize(
    ("version", "libc", "added"), [("editable", "glibc", 1), ("editable", "", 0), ("standard", "glibc", 0)]
)
def test_an_install_for_this_machine_alone_has_the_native_tokenizer_where_it_has_a_wheel(
    version: str, libc: str, added: int, hook: Any, script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEADNOTE_COMPILE", raising=False)
    monkeypatch.setattr(script, "libc_ver", lambda: (libc, "2.36"))
    data: dict[str, Any] = {"dependencies": []}
    hook.initialize(version, data)
    assert data["dependencies"] == ["toktok-rs"] * added


@pytest.mark.parametrize(("setting", "packages"), [("", []), ("0", []), ("1", ["mypy", "setuptools"])])
def test_a_build_requires_the_compiler_only_when_asked(
    setting: str, packages: list[str], hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADNOTE_COMPILE", setting)
    assert [requirement.rstrip("=>.0123456789") for requirement in hook.dependencies()] == packages


def test_every_pattern_of_hot_modules_names_some(script: ModuleType, repository: Path) -> None:
    folder = repository / "src" / "headnote"
    assert [pattern for pattern in script.HOT if not [*folder.glob(pattern)]] == []


def test_no_hot_module_has_a_cached_property(script: ModuleType, repository: Path) -> None:
    """In a compiled class it is computed each time it is asked for."""
    files = [repository / "src" / f"{name}.py" for name in hot_modules(script, repository / "src")]
    assert [file.name for file in files if "cached_property" in file.read_text(encoding="utf-8")] == []


@needs_pypi
def test_a_normal_build_is_pure(packages: Packages) -> None:
    with zipfile.ZipFile(packages.wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(EXTENSIONS)]


@pytest.mark.skipif(not GIVEN, reason="needs a compiled wheel: set HEADNOTE_COMPILED to the folder that has it")
def test_a_compiled_wheel_has_an_extension_beside_each_hot_module(script: ModuleType, repository: Path) -> None:
    [wheel] = Path(GIVEN or "").glob("*.whl")
    assert not wheel.name.endswith("none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    compiled = {name.partition(".")[0] for name in names if name.endswith(EXTENSIONS)}
    hot = hot_modules(script, repository / "src")
    assert compiled - {"headnote__mypyc"} == hot | {f"headnote/{Path(script.LOOPS).stem}"}
    assert {f"{name}.py" for name in hot} <= {*names}
