"""The page of a released package, whose modules are one file."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from browser_kit import Serving, Visit, copy_example, expect, visiting

pytest_plugins = ["browser_fixtures"]

VIEWS = {
    "#/search?q=gauge": ".hit",
    "#/document?path=installing.md": ".code-copy",
    "#/playground": ".pane-band",
    "#/graph": "canvas[data-layout=done]",
    "#/ask": ".starter",
    "#/status": ".figures",
}


@pytest.fixture(scope="module")
def build(repository: Path) -> ModuleType:
    pytest.importorskip("hatchling")
    specification = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on the path: nothing to bundle the page with")
    command = [npm, "exec", "--yes", f"--package={module.BUNDLER}", "--", "esbuild", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.skip(f"npm cannot fetch {module.BUNDLER}: {result.stderr.strip()[-200:]}")
    return module


@pytest.fixture(scope="module")
def installed(build: ModuleType, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, unpacked as pip would, made of a copy: a build writes beside its sources."""
    folder = tmp_path_factory.mktemp("bundled")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    environment = {**os.environ, build.BUNDLE_SWITCH: "1"}
    subprocess.run([*command, str(repository)], env=environment, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def bundled(browser: Any, installed: Path, tmp_path: Path) -> Iterator[Visit]:
    serving = Serving(copy_example("handbook", tmp_path))
    try:
        server = serving.start(PYTHONPATH=str(installed))
        server.wait_until_read()
        with visiting(browser, server) as visit:
            yield visit
    finally:
        serving.stop()


def test_the_bundle_is_one_small_file(build: ModuleType, installed: Path) -> None:
    static = installed / build.STATIC
    sources = sum(file.stat().st_size for file in static.glob("js/**/*.js") if file != static / build.BUNDLE)
    assert (static / build.BUNDLE).stat().st_size < sources * 0.6


def test_the_page_works_with_one_request_for_all_its_modules(bundled: Visit) -> None:
    asked: list[str] = []
    bundled.page.on("request", lambda request: asked.append(request.url.partition("/static/")[2].partition("/")[2]))
    for address, seen in VIEWS.items():
        bundled.go(address)
        expect(bundled.page.locator(f"#main > :not([hidden]) {seen}").first).to_be_visible()
    scripts = {path for path in asked if path.startswith("js/")}
    workers = {"js/drawing/code-worker.js", "js/graph/layout.js", "js/core/assets.js"}
    assert scripts - workers == {"js/bundle/main.js", "js/shell/early.js"}
    assert scripts & workers
