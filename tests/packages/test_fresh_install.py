"""The first minutes with the packages: installed in a fresh environment, used in a folder that is not the clone."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from artefacts import MODELS, Environment, Packages, clean, needs_pypi, run

from headnote import __version__
from headnote.extras import DISTRIBUTION

QUERY = "why does a gauge go silent"
ANSWER = "troubleshooting.md"

pytestmark = needs_pypi


@pytest.fixture
def docs(repository: Path, tmp_path: Path) -> Path:
    shutil.copytree(repository / "examples" / "handbook", tmp_path / "docs", ignore=shutil.ignore_patterns(".headnote"))
    return tmp_path / "docs"


def with_extras(packages: Packages, *extras: str, also: tuple[str, ...] = ()) -> Environment:
    return packages.environment("-".join([*extras, *also]), f"{DISTRIBUTION}[{','.join(extras)}]", *also)


def first_hit(command: str | Path, *arguments: str | Path, docs: Path) -> dict[str, Any]:
    """Of a search from the folder above the documents."""
    answer = json.loads(run(command, *arguments, "search", QUERY, docs.name, "--json", cwd=docs.parent))
    hit: dict[str, Any] = answer["hits"][0]
    return hit


@pytest.mark.parametrize("name", ["headnote", "headnote-md"])
def test_search(name: str, packages: Packages, docs: Path) -> None:
    environment = with_extras(packages, "search")
    assert run(environment.program(name), "--version").split() == ["headnote", __version__]
    hit = first_hit(environment.program(name), docs=docs)
    assert hit["path"] == ANSWER
    assert hit["why"]["semantic_rank"] is not None, "the model inside the wheel took no part"


def test_search_in_python(packages: Packages, docs: Path) -> None:
    code = f"""
import headnote
with headnote.Index.open("docs") as index:
    index.update()
    print(headnote.__file__)
    print(index.search({QUERY!r})[0].path)
"""
    environment = with_extras(packages, "search")
    place, path = run(environment.python, "-c", code, cwd=docs.parent).splitlines()
    assert Path(place).is_relative_to(environment.folder)
    assert path == ANSWER


def test_an_agent(packages: Packages, docs: Path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    environment = with_extras(packages, "search", "mcp")
    server = StdioServerParameters(
        command=str(environment.command), args=["mcp", "docs"], cwd=str(docs.parent), env=clean()
    )

    async def ask() -> None:
        async with Client(stdio_client(server)) as client:
            assert {"search", "read"} <= {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("search", {"query": QUERY})
            assert ANSWER in "".join(getattr(part, "text", "") for part in result.content)

    asyncio.run(ask())


@contextmanager
def serving(environment: Environment, docs: Path) -> Iterator[str]:
    """The address of a running server."""
    command = [str(environment.command), "serve", "docs", "--port", "0", "--json"]
    process = subprocess.Popen(command, cwd=docs.parent, stdout=subprocess.PIPE, text=True, env=clean())
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"]
    finally:
        process.kill()
        process.communicate()


def test_the_page(packages: Packages, docs: Path) -> None:
    with serving(with_extras(packages, "search", "server"), docs) as address:
        page = fetch(address).decode()
        assert "<title>" in page
        assets = re.findall(r'(?:src|href)="([^"#?:]+\.(?:css|js|svg))', page)
        assert {Path(asset).suffix for asset in assets} == {".css", ".js", ".svg"}
        assert all(fetch(urljoin(address, asset)) for asset in assets)
        # The server may still read the folder.
        deadline = time.monotonic() + 60
        while not (hits := json.loads(fetch(f"{address}api/search?q=gauge+silent"))["hits"]):
            assert time.monotonic() < deadline, "the folder was never read"
            time.sleep(0.2)
        assert hits[0]["path"] == ANSWER


def fetch(address: str) -> bytes:
    with urlopen(address, timeout=60) as response:
        body: bytes = response.read()
    return body


@pytest.mark.parametrize("model", MODELS)
def test_a_model_from_its_package(model: str, packages: Packages, docs: Path) -> None:
    environment = with_extras(packages, "search", "deep", also=(f"{DISTRIBUTION}-{model}",))
    run(environment.command, "index", "docs", "--embedder", model, cwd=docs.parent)
    status = run(environment.command, "status", "docs", cwd=docs.parent)
    assert model in status
    assert "pip install" not in status
    assert first_hit(environment.command, docs=docs)["path"] == ANSWER


def test_the_sdist(packages: Packages, docs: Path) -> None:
    environment = packages.environment("sdist", f"{DISTRIBUTION}[search] @ {packages.sdist.as_uri()}")
    assert first_hit(environment.command, docs=docs)["path"] == ANSWER


# -- without an environment of one's own


def uv(packages: Packages, tmp_path: Path, *arguments: str) -> list[str]:
    """A command of uv that finds nothing but the packages."""
    cache = ("--cache-dir", str(tmp_path / "cache"), "--python", sys.executable)
    return [
        sys.executable,
        "-m",
        "uv",
        *arguments,
        "--no-index",
        "--find-links",
        str(packages.house),
        *cache,
        "--quiet",
    ]


@pytest.mark.parametrize(
    "words",
    [
        # The commands of the documentation: `uv tool run` is uvx.
        [f"{DISTRIBUTION}[search]"],
        ["--from", f"{DISTRIBUTION}[search]", "headnote"],
    ],
)
def test_uvx(words: list[str], packages: Packages, docs: Path, tmp_path: Path) -> None:
    assert first_hit(*uv(packages, tmp_path, "tool", "run"), *words, docs=docs)["path"] == ANSWER


def test_uv_tool_install(packages: Packages, docs: Path, tmp_path: Path) -> None:
    folders = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    run(*uv(packages, tmp_path, "tool", "install"), f"{DISTRIBUTION}[search]", variables=folders)
    for name in ("headnote", DISTRIBUTION):
        command = shutil.which(name, path=tmp_path / "bin")
        assert command is not None
        assert first_hit(command, docs=docs)["path"] == ANSWER
