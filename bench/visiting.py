"""A headless browser for the benchmarks, and what it loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import BrowserContext, CDPSession, sync_playwright

from serving import find_browser

WINDOW: Any = {"width": 1400, "height": 900}


@contextmanager
def opened_browser() -> Iterator[Callable[[], BrowserContext]]:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield lambda: browser.new_context(viewport=WINDOW)
        browser.close()


class Traffic:
    """What goes over the wire; what the browser takes from its cache does not."""

    def __init__(self, session: CDPSession) -> None:
        self._addresses: dict[str, str] = {}
        self._bytes: dict[str, int] = {}
        session.on("Network.responseReceived", self._received)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")

    def _received(self, event: Any) -> None:
        response = event["response"]
        if not response.get("fromDiskCache") and response["url"].startswith("http"):
            self._addresses[event["requestId"]] = response["url"]

    def _finished(self, event: Any) -> None:
        if event["requestId"] in self._addresses:
            self._bytes[event["requestId"]] = int(event["encodedDataLength"])

    def total(self) -> tuple[int, int, int]:
        """Requests, those of them to the API, and bytes."""
        api = sum("/api/" in address for address in self._addresses.values())
        return len(self._addresses), api, sum(self._bytes.values())
