"""The walks of CONTRIBUTING.md are true: each change is made in a copy of the package, and every surface has it. So is
the glossary: what it names exists."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headnote.links.sites.detection import _MAKERS
from headnote.sources.discover import SITE_MARKS

MAX_FILES = 3
WALK = re.compile(r"^### (?P<title>Add .*)\n(?P<text>(?:(?!^##).*\n)*)", re.MULTILINE)
CHANGE = re.compile(
    r"^\*\*`(?P<file>[^`\n]+)`\*\*: (?P<about>(?:[^\n]+\n)+)\n```diff\n(?P<diff>(?:(?!```)[^\n]*\n)+)```$", re.MULTILINE
)

FIELD, RULE, OPTION = "Add a field to a hit", "Add a link rule of a site generator", "Add a search option"

ASK_FOR_FIELD = """
import contextlib, io, json
from starlette.testclient import TestClient
from headnote import Index
from headnote.api.keeper import Served
from headnote.cli.main import main
from headnote.mcp_server.replies import hits_reply
from headnote.web.app import make_app

found = {}
with Index.open("notes", embedder="none") as index:
    index.update()
    hit = index.search("gauge")[0]
    found["python"] = getattr(hit, "words", None)
    found["mcp"] = hits_reply("gauge", [hit], 1000).data["hits"][0].get("words")
    client = TestClient(make_app(Served(index)), base_url="http://127.0.0.1")
    found["http"] = client.get("/api/search", params={"q": "gauge"}).json()["hits"][0].get("words")
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    (schema,) = (one for one in schemas.values() if {"score", "snippet"} <= one.get("properties", {}).keys())
    found["openapi"] = "words" in schema["properties"]
with contextlib.redirect_stdout(io.StringIO()) as printed:
    main(["search", "gauge", "notes", "--mode", "keyword", "--json"])
found["json"] = json.loads(printed.getvalue())["hits"][0].get("words")
print(json.dumps(found))
"""
ASK_FOR_LINK = """
import json
from headnote import Index, check_links

with Index.open("book", embedder="none") as index:
    index.update()
    found = {"index": [link.resolved for link in index.links("src/index.md")]}
found["check"] = [finding.target for finding in check_links("book").findings]
print(json.dumps(found))
"""
ASK_FOR_OPTION = """
import contextlib, io, json
from pathlib import Path
from starlette.testclient import TestClient
from headnote import Index, SettingsError
from headnote.api.keeper import Served
from headnote.cli.main import main
from headnote.web.app import make_app

found = {}
with Index.open("notes", embedder="none") as index:
    index.update()
    try:
        found["python"] = [len(index.search("gauge", min_length=least)) for least in (1, 1000)]
    except TypeError:
        found["python"] = None
    client = TestClient(make_app(Served(index)), base_url="http://127.0.0.1")
    answers = [client.get("/api/search", params={"q": "gauge", "min_length": least}) for least in (1, 1000)]
    found["http"] = [len(answer.json().get("hits", "refused")) for answer in answers]
    parameters = client.get("/api/openapi.json").json()["paths"]["/api/search"]["get"]["parameters"]
    found["openapi"] = "min_length" in [parameter["name"] for parameter in parameters]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    found["flag"] = [main(["search", "gauge", "notes", "--min-length", least]) for least in ("1", "1000", "-1")]
Path("notes/headnote.toml").write_text("[search]\\nmin_length = 1000\\n")
try:
    with Index.open("notes", embedder="none") as index:
        found["setting"] = len(index.search("gauge"))
except SettingsError:
    found["setting"] = None
print(json.dumps(found))
"""


class Change(NamedTuple):
    """What a walk does in one file."""

    file: str
    about: str
    diff: str


def walks_in(page: str) -> dict[str, list[Change]]:
    """Title → changes, one for each file."""
    return {
        walk["title"]: [Change(**found.groupdict()) for found in CHANGE.finditer(walk["text"])]
        for walk in WALK.finditer(page)
    }


def applied(text: str, diff: str) -> str:
    """The text with a change. What a hunk keeps and takes away must be there, once."""
    for hunk in re.split(r"^@@\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        assert text.count(old) == 1, f"{text.count(old)} places have\n{old}"
        text = text.replace(old, new)
    return text


def copied_package(repository: Path, folder: Path) -> Path:
    """Modules are copied, so that they can be changed. The data beside them is large, and only linked."""
    package = repository / "src" / "headnote"
    for file in package.rglob("*.py"):
        copy = folder / "headnote" / file.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    for data in (*package.rglob("data"), *package.rglob("static")):
        place = folder / "headnote" / data.relative_to(package)
        if data.is_dir() and place.parent.is_dir() and not place.exists():
            place.symlink_to(data, target_is_directory=True)
    return folder


def asked(package: Path, question: str, folder: Path) -> dict[str, Any]:
    """What a program prints that uses this package."""
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", question]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
        node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def walks(page: str) -> dict[str, list[Change]]:
    return walks_in(page)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "notes/gauge.md": "# Gauge\n\nA gauge measures the tide.\n",
        "book/book.toml": "[book]\nflat = true\n",
        "book/src/index.md": "# Book\n\n[deep](/deep.html) [gone](/gone.html)\n",
        "book/src/part/deep.md": "# Deep\n",
    }
    for name, text in files.items():
        file = tmp_path / "folder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "folder"


def test_every_walk_is_short_and_whole(page: str, walks: dict[str, list[Change]]) -> None:
    assert list(walks) == [FIELD, RULE, OPTION]
    for title, changes in walks.items():
        files = [change.file for change in changes]
        assert 1 <= len(files) <= MAX_FILES, title
        assert len(set(files)) == len(files), title
    assert sum(len(changes) for changes in walks.values()) == page.count("```diff")


def test_what_walks_name_is_where_they_say(walks: dict[str, list[Change]], repository: Path) -> None:
    for change in (change for changes in walks.values() for change in changes):
        known = names_in(repository / change.file)
        named = re.findall(r"`(\w*[A-Z_]\w*)`", change.about)
        assert named, change.file
        assert set(named) <= known, change.file


@pytest.mark.parametrize(
    ("title", "question", "before", "after"),
    [
        pytest.param(
            FIELD,
            ASK_FOR_FIELD,
            {"python": None, "json": None, "http": None, "openapi": False, "mcp": None},
            {"python": 7, "json": 7, "http": 7, "openapi": True, "mcp": 7},
            id="field",
        ),
        pytest.param(
            RULE,
            ASK_FOR_LINK,
            {"index": [None, None], "check": ["/deep.html", "/gone.html"]},
            {"index": ["src/part/deep.md", None], "check": ["/gone.html"]},
            id="rule",
        ),
        pytest.param(
            OPTION,
            ASK_FOR_OPTION,
            {"python": None, "http": [7, 7], "openapi": False, "flag": [2, 2, 2], "setting": None},
            {"python": [1, 0], "http": [1, 0], "openapi": True, "flag": [0, 1, 2], "setting": 0},
            id="option",
        ),
    ],
)
def test_a_walk_leads_where_it_says(
    title: str,
    question: str,
    before: dict[str, Any],
    after: dict[str, Any],
    walks: dict[str, list[Change]],
    repository: Path,
    tmp_path: Path,
    folder: Path,
) -> None:
    package = copied_package(repository, tmp_path / "package")
    assert asked(package, question, folder) == before
    for change in walks[title]:
        file = tmp_path / "package" / Path(change.file).relative_to("src")
        file.write_text(applied(file.read_text(encoding="utf-8"), change.diff), encoding="utf-8")
    assert asked(package, question, folder) == after


def test_every_configuration_of_a_site_is_read() -> None:
    assert [name for name in SITE_MARKS if not any(pattern.fullmatch(name) for pattern, _ in _MAKERS)] == []


# The glossary


def glossary(page: str) -> Iterator[tuple[str, str]]:
    """Word and meaning of each row."""
    for row in page.partition("## Glossary\n")[2].splitlines():
        if row.startswith("| **"):
            word, _, meaning = row.strip("| ").partition(" | ")
            yield word, meaning


def test_the_glossary_names_what_exists(page: str, repository: Path) -> None:
    defined = {
        node.name
        for file in (repository / "src" / "headnote").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    rows = dict(glossary(page))
    assert len(rows) > 15
    named = {name for meaning in rows.values() for name in re.findall(r"`([A-Z]\w+)", meaning)}
    assert len(named) >= 8
    assert named - defined == set()


# The checks themselves


def test_a_change_is_applied() -> None:
    assert applied("a\nb\nc\nd\n", " a\n-b\n+B\n@@\n c\n+C\n") == "a\nB\nc\nC\nd\n"


@pytest.mark.parametrize("diff", [" gone\n+b\n", " a\n+b\n"])
def test_a_change_at_no_place_or_at_two_is_refused(diff: str) -> None:
    with pytest.raises(AssertionError, match="places have"):
        applied("a\nc\na\n", diff)
