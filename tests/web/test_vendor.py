"""The libraries of the page that others wrote: complete, unchanged, and with their licences."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

LICENCES = {"MIT", "BSD-3-Clause"}
BUNDLED_LICENCES = LICENCES | {"ISC", "Apache-2.0", "Unlicense", "(MPL-2.0 OR Apache-2.0)", "see below"}


@pytest.fixture(scope="module")
def vendor(repository: Path) -> Path:
    return repository / "src" / "headnote" / "web" / "static" / "vendor"


@pytest.fixture(scope="module")
def record(vendor: Path) -> list[dict[str, Any]]:
    libraries: list[dict[str, Any]] = json.loads((vendor / "vendor.json").read_text(encoding="utf-8"))
    return libraries


def test_every_file_is_the_one_that_was_fetched(vendor: Path, record: list[dict[str, Any]]) -> None:
    recorded = {f"{library['name']}/{path}": digest for library in record for path, digest in library["files"].items()}
    found = {
        file.relative_to(vendor).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in vendor.rglob("*")
        if file.is_file() and file.name != "vendor.json"
    }
    assert found == recorded


def test_every_library_has_version_and_licence(vendor: Path, record: list[dict[str, Any]]) -> None:
    assert {library["name"] for library in record} == {"katex", "mermaid", "highlight"}
    for library in record:
        assert re.fullmatch(r"\d+\.\d+\.\d+", library["version"])
        assert library["licence"] in LICENCES
        assert "Copyright" in (vendor / library["name"] / "LICENSE").read_text(encoding="utf-8")


def test_what_is_bundled_has_its_licence(vendor: Path) -> None:
    notices = (vendor / "mermaid" / "LICENSE-BUNDLED").read_text(encoding="utf-8")
    headings = re.split(r"^# (\S+) \d\S+: (.+)$", notices, flags=re.MULTILINE)[1:]
    names, licences, texts = headings[::3], headings[1::3], headings[2::3]
    assert {"d3-shape", "dompurify", "cytoscape"} <= set(names)
    assert set(licences) <= BUNDLED_LICENCES
    assert all(len(text) > 300 for text in texts), "each with the words of its licence"


def test_the_record_names_no_registry(vendor: Path) -> None:
    assert "://" not in (vendor / "vendor.json").read_text(encoding="utf-8")


def test_imports_stay_inside(vendor: Path) -> None:
    """What a module imports at once is there. What is left out loads on demand, and no diagram asks for it."""
    for module in vendor.rglob("*.mjs"):
        text = module.read_text(encoding="utf-8")
        for target in re.findall(r'(?:from|import)"(\.[^"]+)"', text):
            assert (module.parent / target).is_file(), f"{module.name} imports {target}"
