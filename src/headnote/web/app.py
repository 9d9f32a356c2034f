"""The application: routes from the table of endpoints, the static page, and the guard around them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from headnote.api.keeper import Served
from headnote.errors import HeadnoteError
from headnote.web.ask_stream import AskLimiter
from headnote.web.conversion import Refused, encoded, on_headnote_error, on_http_error, on_refusal, on_unexpected
from headnote.web.endpoints import folder_name
from headnote.web.page_files import QUICK, PageFiles, page, picture, respond, squeezed, takes_gzip
from headnote.web.requests import AskRequest, from_body, from_query
from headnote.web.routes import ENDPOINTS, Endpoint, openapi
from headnote.web.security import Guard, read_body

MAX_CONCURRENT = 4
"""Requests in progress. More of them take turns at one core, and all are late; fewer would wait for a slow one."""
MAX_CONCURRENT_HEAVY = 2
"""Maximum concurrent requests of each endpoint that may take seconds, so that others need not wait for them."""

Handler = Callable[[Request], Awaitable[Response]]


def make_app(served: Served, guard: Guard | None = None) -> ASGIApp:
    """The page and the API over one index."""
    guard = guard or Guard()
    light = anyio.CapacityLimiter(MAX_CONCURRENT)
    routes: list[Route] = []
    for row in ENDPOINTS:
        limiter = anyio.CapacityLimiter(MAX_CONCURRENT_HEAVY) if row.heavy else light
        routes.append(Route(row.address, _handler(row, served, limiter, guard), methods=[row.method]))
    routes += [
        Route("/api/ask", _ask(served), methods=["POST"]),
        Route("/api/openapi.json", _openapi, methods=["GET"]),
        Route("/files/{path:path}", partial(_file, served=served, limiter=light), methods=["GET"]),
        Route("/", partial(_index_page, page=page(), folder=folder_name(served.index)), methods=["GET"]),
        Route("/static/{digest}/{path:path}", partial(_page_file, page=page()), methods=["GET"]),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HeadnoteError: on_headnote_error,
            Refused: on_refusal,
            HTTPException: on_http_error,
            Exception: on_unexpected,
        },
    )
    app.router.redirect_slashes = False
    return guard.around(app)


def _handler(row: Endpoint, served: Served, limiter: anyio.CapacityLimiter, guard: Guard) -> Handler:
    async def answer(request: Request) -> Response:
        parameters = await _parameters(request, row.takes)
        if row.local and not guard.is_local(request.scope):
            return respond(encoded(row.gives()), None, "application/json")
        # In a thread: the event loop must not wait for the disk or for a long text.
        work = partial(_work, row, served, parameters, takes_gzip(request))
        return await anyio.to_thread.run_sync(work, limiter=limiter)

    return answer


def _work(row: Endpoint, served: Served, parameters: msgspec.Struct, gzip: bool) -> Response:
    body = encoded(row.run(served, parameters))
    return respond(body, squeezed(body, QUICK) if gzip else None, "application/json")


async def _parameters(request: Request, shape: type[msgspec.Struct]) -> msgspec.Struct:
    if request.method == "POST":
        body = await read_body(request)
        return await anyio.to_thread.run_sync(partial(from_body, body, shape))
    return from_query(request.query_params.multi_items(), shape)


def _ask(served: Served) -> Handler:
    limiter = AskLimiter()

    async def answer(request: Request) -> Response:
        return limiter.respond(served, from_body(await read_body(request), AskRequest))

    return answer


async def _openapi(request: Request) -> Response:
    body = encoded(openapi())
    return respond(body, squeezed(body, QUICK) if takes_gzip(request) else None, "application/json")


async def _file(request: Request, served: Served, limiter: anyio.CapacityLimiter) -> Response:
    find = partial(picture, served.index, request.path_params["path"])
    return await anyio.to_thread.run_sync(find, limiter=limiter)


async def _index_page(request: Request, page: PageFiles, folder: str) -> Response:
    return page.respond_index(request, folder)


async def _page_file(request: Request, page: PageFiles) -> Response:
    # In a thread: the first time, the file is compressed.
    find = partial(page.respond_file, request, request.path_params["digest"], request.path_params["path"])
    return await anyio.to_thread.run_sync(find)
