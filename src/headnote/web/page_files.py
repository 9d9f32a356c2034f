"""The files of the page, under addresses that change with them, so that browsers keep each for ever;
pictures of documents; and bodies as gzip.

They are read once. A package that is upgraded under a running server does not mix its new page with the old program.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import mimetypes
import posixpath
import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from headnote.api import Index
from headnote.web.conversion import Refused
from headnote.web.security import DIAGRAM_POLICY

# -- Bodies as gzip, for clients that take it.
#
# Compressing tells the size of a secret to those who can choose what stands beside it and see the length. There is
# nothing to tell here: the token is in no body, and the guard refuses requests that other sites make. Streams are left
# alone, because their pieces would wait in the compressor, and so are pictures, which are compressed already.


MIN_COMPRESSED_BYTES = 1000
"""A smaller body fits into one packet anyway."""
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
    if len(body) < MIN_COMPRESSED_BYTES:
        return None
    smaller = gzip.compress(body, level, mtime=0)
    return smaller if len(smaller) < len(body) else None


def respond(body: bytes, gzipped: bytes | None, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """A response with the smaller of two bodies. Caches are told that others get another one."""
    response = Response(gzipped if gzipped is not None else body, media_type=media_type, headers=headers)
    if gzipped is not None:
        response.headers["Content-Encoding"] = "gzip"
    if len(body) >= MIN_COMPRESSED_BYTES:
        response.headers["Vary"] = "Accept-Encoding"
    return response


# -- The files of the page, under addresses that change with them, so that browsers keep each for ever


FIRST_STYLES = ("base", "controls", "shell", "markdown")
"""Stylesheets that others build on, in this order; the rest follow by name."""
STYLES = "css/page.css"
"""All stylesheets in one file."""
FIRST_MODULES = ("js/main.js", "js/search/search-view.js")
"""What the first view runs. The modules that these import are loaded along with them, not one after the other."""
BUNDLE = "js/bundle/main.js"
"""All modules as one file, which a released package has beside them. Workers and frames load theirs as they are."""
TRANSLATIONS = "texts/"
"""A table for each language besides English. Its name is the code of the language."""
FRAMES = {"frames/diagram.html": DIAGRAM_POLICY}
"""Pages that the page shows inside itself, each with a policy of its own."""
FOREVER = {"Cache-Control": "max-age=31536000, immutable"}
_PACKED = ("image/png", "font/woff2")
_IMPORT = re.compile(r'^(?:import|export|\})[^"\n]*"(\.{1,2}/[^"]+)"', re.MULTILINE)
_DIGEST = re.compile(r"[0-9a-f]{16}")

# Some systems register other types, and browsers refuse modules with those.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("text/javascript", ".mjs")
mimetypes.add_type("text/css", ".css")
mimetypes.add_type("text/markdown", ".md")
mimetypes.add_type("font/woff2", ".woff2")


class PageFile:
    """One file."""

    def __init__(self, path: str, body: bytes) -> None:
        self.body = body
        self.media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"

    @cached_property
    def gzipped(self) -> bytes | None:
        return None if self.media_type in _PACKED else squeezed(self.body, THOROUGH)

    def respond(self, request: Request, headers: dict[str, str]) -> Response:
        return respond(self.body, self.gzipped if takes_gzip(request) else None, self.media_type, headers)


class PageFiles:
    """All files, and the digest that stands for them."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        self._contents = {**contents, STYLES: _joined_styles(contents)}
        self.digest = _digest(self._contents)
        self._files = {path: PageFile(path, body) for path, body in self._contents.items() if path != "index.html"}

    def index(self, folder: str) -> PageFile:
        """The page itself: it names the digest, so it alone is asked for at every visit. It names the folder, too, so
        that nothing moves when the first answer arrives."""
        base = f"/static/{self.digest}"
        page = self._contents["index.html"].decode("utf-8").replace("{static}", base)
        preload = [f'<link rel="modulepreload" href="{base}/{path}">' for path in self._first_modules]
        if BUNDLE in self._contents:
            page, preload = page.replace(f"{base}/{FIRST_MODULES[0]}", f"{base}/{BUNDLE}"), []
        page = page.replace("<!-- modules -->", "\n  ".join(preload)).replace("{languages}", " ".join(self.languages))
        return PageFile("index.html", page.replace("{folder}", html.escape(folder)).encode("utf-8", "replace"))

    @property
    def languages(self) -> list[str]:
        """The codes of the languages of the page."""
        translations = [path for path in self._contents if path.startswith(TRANSLATIONS)]
        return ["en", *sorted(posixpath.basename(path).partition(".")[0] for path in translations)]

    def respond_index(self, request: Request, folder: str) -> Response:
        index = self.index(folder)
        tag = f'W/"{hashlib.sha256(index.body).hexdigest()[:16]}"'
        headers = {"Cache-Control": "no-cache", "ETag": tag}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return index.respond(request, headers)

    def respond_file(self, request: Request, digest: str, path: str) -> Response:
        if digest != self.digest and _DIGEST.fullmatch(digest):
            raise Refused(410, "page_outdated", "this page belongs to another version of headnote", "reload it")
        file = self._files.get(path) if digest == self.digest else None
        if file is None:
            raise Refused(404, "not_found", "no such file of the page")
        policy = {"Content-Security-Policy": FRAMES[path]} if path in FRAMES else {}
        return file.respond(request, {**FOREVER, **policy})

    @cached_property
    def _first_modules(self) -> list[str]:
        """The first modules and all that they import, in the order in which they are met."""
        found: list[str] = []
        waiting = list(FIRST_MODULES)
        while waiting:
            path = waiting.pop(0)
            if path not in found and path in self._contents:
                found.append(path)
                waiting += _imports(path, self._contents[path].decode("utf-8"))
        return found


@cache
def page() -> PageFiles:
    """The page of this package."""
    root = Path(str(files("headnote.web") / "static"))
    return PageFiles(
        {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    )


def _digest(contents: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for path, body in sorted(contents.items()):
        whole.update(f"{path}\0{len(body)}\0".encode())
        whole.update(body)
    return whole.hexdigest()[:16]


def _joined_styles(contents: dict[str, bytes]) -> bytes:
    names = {path: path[4:-4] for path in contents if path.startswith("css/") and path.endswith(".css")}

    def order(path: str) -> tuple[int, str]:
        name = names[path]
        return (FIRST_STYLES.index(name) if name in FIRST_STYLES else len(FIRST_STYLES), name)

    return b"\n".join(contents[path] for path in sorted(names, key=order))


def _imports(path: str, script: str) -> Iterator[str]:
    """What a module imports before it runs; what it imports when asked to is left out."""
    for target in _IMPORT.findall(script):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


# -- `/files/…`: the pictures of documents, and no other file of the folder.


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
