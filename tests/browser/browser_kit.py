"""Tools to use the page as a person would: a server, a browser, and a watch on errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from serving import NO_BROWSER, fetch, find_browser

playwright: Any = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser to use")
for _package in ("starlette", "uvicorn", "nh3"):
    pytest.importorskip(_package, reason="the server of the page is not installed")

expect = playwright.expect

WIDE = {"width": 1400, "height": 900}
PHONE = {"width": 360, "height": 740}
PATIENCE = 60_000
"""Milliseconds until something that should appear is taken for missing."""

expect.set_options(timeout=PATIENCE)


def browser_path() -> str:
    """Path of a browser on this machine; skips the test if there is none."""
    if not (path := find_browser()):
        pytest.skip(NO_BROWSER)
    return path


@dataclass
class Server:
    """A running `headnote serve`."""

    address: str
    folder: Path

    def wait_until_read(self) -> None:
        """However long it takes: tests are about what comes then, and a page searches again when more is read."""
        while not fetch(f"{self.address}/api/health")["ready"] or self._is_filling():
            time.sleep(0.2)

    def wait_for(self, path: str) -> None:
        """Until it has noticed a new document: a page would ask for one that is not there, and say so in its log."""
        while path not in {document["path"] for document in fetch(f"{self.address}/api/documents")["documents"]}:
            time.sleep(0.2)

    def _is_filling(self) -> bool:
        status = fetch(f"{self.address}/api/status")
        return any(status[name] for name in ("busy", "progress", "files_read", "pending"))


class Serving:
    """A `headnote serve` that a test stops and starts, at the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.ready: dict[str, Any] = {}
        """What it said when it was ready."""
        self._process: subprocess.Popen[str] | None = None

    @property
    def server(self) -> Server:
        return Server(str(self.ready["address"]).partition("?")[0].rstrip("/"), self.folder)

    def start(self, *options: str, folder: Path | None = None, **environment: str) -> Server:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADNOTE_")}
        # At first the port is chosen by the system: many may be served at once.
        command = [sys.executable, "-m", "headnote", "serve", str(folder or self.folder), "--json"]
        command += ["--port", str(self.port), "--embedder", "hashing", *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**clean, **environment})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"headnote serve ended with {self._process.wait()} before it was ready"
        self.ready = json.loads(line)
        self.port = urlsplit(self.ready["address"]).port or 0
        return self.server

    def stop(self) -> None:
        """As Ctrl-C does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=20)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Serve a folder on loopback, without a model, once it is read."""
    serving = Serving(folder)
    try:
        server = serving.start()
        server.wait_until_read()
        yield server
    finally:
        serving.stop()


def copy_example(name: str, to: Path) -> Path:
    """A copy of a folder of `examples/`, without an index."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    return shutil.copytree(examples / name, to / name, ignore=shutil.ignore_patterns(".headnote"))


@dataclass
class Visit:
    """A page in the browser, and its errors."""

    page: Any
    address: str
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Requests that left the origin."""
    dialogs: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._check_origin)
        self.page.on("dialog", self._close_dialog)

    def go(self, route: str = "") -> None:
        """Open a view, or go there from where the page is."""
        self.page.goto(f"{self.address}/{route}")

    def check_clean(self) -> None:
        assert self.errors == []
        assert self.strangers == []
        assert self.dialogs == []

    def _check_origin(self, request: Any) -> None:
        if not request.url.startswith((self.address + "/", "data:", "blob:")):
            self.strangers.append(request.url)

    def _close_dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@contextmanager
def visiting(browser: Any, server: Server, **options: Any) -> Iterator[Visit]:
    """A fresh page that remembers nothing. Whatever went wrong on it fails the test at the end."""
    context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
    context.set_default_timeout(PATIENCE)
    visit = Visit(context.new_page(), server.address)
    visit.watch()
    try:
        yield visit
        visit.check_clean()
    finally:
        # The status is polled: a request that a test answers itself may be on its way.
        visit.page.unroute_all(behavior="ignoreErrors")
        context.close()


def expect_address(page: Any, *parts: str) -> None:
    """Wait for an address that has these parts: the driver hears of it a moment after the page has written it."""
    for part in parts:
        expect(page).to_have_url(re.compile(re.escape(part)))


COLOURS = ("color-contrast", "link-in-text-block")
"""Rules of axe-core about what changes with the theme."""


def faults(page: Any, *rules: str) -> list[str]:
    """What axe-core finds serious or critical, one line each; by all its rules, or by these."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations: Sequence[dict[str, Any]] = page.evaluate(
        """(rules) => axe.run(document, {resultTypes: ["violations"], ...(rules.length ? {runOnly: rules} : {})})
          .then((result) => result.violations)""",
        rules,
    )
    return [
        f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def overflow(page: Any) -> list[str]:
    """Elements that make the page wider than the window."""
    elements: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => `${element.tagName}.${element.className}`)"""
    )
    return elements


FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Until the page is drawn with what has just changed, and again with what follows from it."""


def take_picture(page: Any, name: str) -> None:
    """For people to look at, where HEADNOTE_ARTEFACTS names a folder."""
    if folder := os.environ.get("HEADNOTE_ARTEFACTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def flaws(page: Any, name: str) -> list[str]:
    """What is wrong in light, in dark and on a phone, with a picture of each. The page is left as it was, in light.

    One page for all: of what axe judges only colours depend on the theme, and nothing on the width.
    """
    found = faults(page) + overflow(page)
    take_picture(page, f"{name}-light")
    show_theme(page, "dark")
    found += faults(page, *COLOURS)
    take_picture(page, f"{name}-dark")
    show_theme(page, "light")
    wide = page.viewport_size
    page.set_viewport_size(PHONE)
    page.evaluate(FRAMES)
    found += [f"on a phone: {element}" for element in overflow(page)]
    take_picture(page, f"{name}-phone")
    page.set_viewport_size(wide)
    page.evaluate(FRAMES)
    return found


def show_theme(page: Any, theme: str) -> None:
    """As if the system had changed it."""
    page.emulate_media(color_scheme=theme)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    page.evaluate(FRAMES)
