"""A small folder, and clients of an application over its index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.testclient import TestClient

from headnote.api.keeper import Served
from headnote.web.app import make_app
from headnote.web.security import Guard
from headnote.web.workers import make_server, open_socket

ADDRESS = "http://127.0.0.1:8377"

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16

FILES: dict[str, str | bytes] = {
    "tides.md": """\
---
title: Tides
tags: [water, moon]
status: draft
---

# Tides

The tide rises twice a day. See [the harbour](places/harbour.md#walls) and [[moon|the moon]].

## Spring tides

Spring tides are higher; neap tides are lower.

![a gauge](places/gauge.png)

| Place | Range |
|-------|------:|
| Quay  | 4 m   |
""",
    "places/harbour.md": "# Harbour\n\nBoats wait here for the tide.\n\n## Walls\n\nThe wall is [high](../tides.md).\n",
    "moon.md": "# Moon\n\nThe moon pulls the water. See [nothing](gone.md).\n",
    "alone.md": "# Alone\n\nNobody links here: a lighthouse keeper's diary.\n",
    "places/gauge.png": PNG,
    "places/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "private/secret.png": PNG,
    ".gitignore": "private/\n",
    ".hidden.png": PNG,
    "notes.csv": "a,b\n",
}


def write_files(root: Path) -> Path:
    for name, content in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def client_of(served: Served, guard: Guard | None = None) -> TestClient:
    """A client that gets the same responses as any program, also for unexpected failures."""
    return TestClient(make_app(served, guard), ADDRESS, raise_server_exceptions=False, follow_redirects=False)


def json_of(client: TestClient, address: str, **parameters: Any) -> Any:
    response = client.get(address, params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


@contextmanager
def listening(served: Served, patience: int = 30, guard: Guard | None = None) -> Iterator[int]:
    """The application behind a real server; its port."""
    with open_socket("127.0.0.1", 0) as opened:
        server = make_server(make_app(served, guard), lambda: None)
        server.config.timeout_keep_alive = patience
        thread = Thread(target=server.run, args=([opened],), daemon=True)
        thread.start()
        try:
            yield opened.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(60)
