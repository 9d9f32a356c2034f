"""`/files/…`: the pictures of documents, and no other file of the folder."""

from __future__ import annotations

from starlette.responses import Response

from headnote.api import Index
from headnote.web.failures import Refused

TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
# An SVG is a document itself: it may draw, and nothing more.
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def picture(index: Index, path: str) -> Response:
    """The picture at a path below the root."""
    kind = TYPES.get(path[path.rfind(".") :].lower()) if "." in path else None
    data = index.attachment(path) if kind else None
    if kind is None or data is None:
        raise Refused(404, "not_found", "no such picture", "the picture must be below the root and not ignored")
    headers = {"Content-Security-Policy": SVG_POLICY} if kind == TYPES[".svg"] else {}
    return Response(data, media_type=kind, headers={**headers, "Cache-Control": "private, max-age=60"})
