"""Bodies as gzip, for clients that take it.

Compressing tells the size of a secret to those who can choose what stands beside it and see the length. There is
nothing to tell here: the token is in no body, and the guard refuses requests that other sites make. Streams are left
alone, because their pieces would wait in the compressor, and so are pictures, which are compressed already.
"""

from __future__ import annotations

import gzip

from starlette.requests import Request
from starlette.responses import Response

SMALLEST = 1000
"""Bytes. Below, a body fits one packet anyway."""
QUICK = 2
"""Level of a body that is made for one request: a third of the time of the usual one, and a few percent larger."""
THOROUGH = 9
"""Level of a file that is compressed once."""


def takes_gzip(request: Request) -> bool:
    for offer in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = offer.replace(" ", "").partition(";")
        if name in ("gzip", "*"):
            return weight not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def squeezed(body: bytes, level: int) -> bytes | None:
    """The body as gzip; None where that does not pay."""
    if len(body) < SMALLEST:
        return None
    smaller = gzip.compress(body, level, mtime=0)
    return smaller if len(smaller) < len(body) else None


def respond(body: bytes, gzipped: bytes | None, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """A response with the smaller of two bodies. Caches are told that others get another one."""
    response = Response(gzipped if gzipped is not None else body, media_type=media_type, headers=headers)
    if gzipped is not None:
        response.headers["Content-Encoding"] = "gzip"
    if len(body) >= SMALLEST:
        response.headers["Vary"] = "Accept-Encoding"
    return response
