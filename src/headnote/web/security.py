"""Who may send requests, and how: host names, origins, the token, headers, limits. Every request and response passes.

The threats: a page of another site that reaches this server through the browser (by DNS rebinding, a form or a script),
others on the network, and clients that send or read too slowly, or too much.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qs

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headnote.config.server_settings import host_name
from headnote.web.conversion import Refused, failure
from headnote.web.requests import MAX_BODY_BYTES

BODY_SECONDS = 20.0
"""Until a body must have arrived."""
SEND_SECONDS = 30.0
"""Until a client must have taken a piece of the response."""

DRAINED_BYTES = 64_000_000
DRAINED_SECONDS = 10.0
"""How much of an unread body is drained, and for how long."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
DIAGRAM_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts allow-same-origin"
)
"""The policy of the frame that draws diagrams: it may style what it draws, and neither load nor send anything."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""A proxy may send any of them; a browser on this machine sends none."""
OPEN_ADDRESS = "/api/health"
"""Needs no token: it says only that the server runs."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules of one server."""

    names: frozenset[str] = frozenset({"localhost"})
    """Its names, besides numeric addresses. Any other may be one that an attacker points here."""
    loopback_only: bool = True
    """Whether only loopback addresses are its own."""
    token: str = ""
    cookie: str = "headnote"
    allowed: frozenset[str] = frozenset()
    """Names, some with a port, under which its page is reached by https: a proxy in front of it ends the encryption."""

    def around(self, app: ASGIApp) -> ASGIApp:
        return _Guarded(app, self)

    def check(self, scope: Scope) -> None:
        """Raise `Refused` for requests that must not be answered."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_ours(host):
            raise Refused(
                403,
                "wrong_host",
                f"this server does not serve the host {host[:200]!r}",
                "use its address, or start it with --allow-host",
            )
        self._check_origin(scope, headers, host)
        if self.token and scope["path"] != OPEN_ADDRESS and not self._knows_token(headers):
            raise Refused(
                401,
                "token_wanted",
                "this server requires its token",
                "open the address it printed, or send it as Bearer",
            )

    def is_local(self, scope: Scope) -> bool:
        """Whether the reader is on this machine. A proxy here is, too, and those behind it are not: without a token,
        the request must also name the server as only this machine can, and bear no sign of a proxy."""
        client = scope.get("client")
        if not client or not _is_loopback(client[0]):
            return False
        if self.token:
            return True
        headers = Headers(scope=scope)
        return _is_loopback(host_name(headers.get("host", "")) or "") and not any(
            map(headers.__contains__, PROXY_HEADERS)
        )

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        if name in self.names or name in map(host_name, self.allowed):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self.loopback_only

    def _check_origin(self, scope: Scope, headers: Headers, host: str) -> None:
        """Pages of other sites may link here, and no more."""
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{host}" and not self._is_secure_page(origin, host):
            raise Refused(
                403,
                "wrong_origin",
                "pages of other sites may not use this server",
                "behind a proxy, start it with --allow-host and the name in the address of the page",
            )
        site = headers.get("sec-fetch-site", "none")
        opened = headers.get("sec-fetch-mode") == "navigate" and scope["path"] == "/" and scope["method"] == "GET"
        if site not in ("none", "same-origin") and not opened:
            raise Refused(403, "wrong_origin", "pages of other sites may not use this server")

    def _is_secure_page(self, origin: str, host: str) -> bool:
        """Whether an origin is that of our page behind a proxy. The proxy may pass on its name as `Host`, or not; which
        names are ours is only for those to say who start the server."""
        scheme, _, name = origin.lower().partition("://")
        return scheme == "https" and (
            name in self.allowed or (name == host.lower() and host_name(host) in self.allowed)
        )

    def _knows_token(self, headers: Headers) -> bool:
        scheme, _, candidate = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(candidate.strip()):
            return True
        return any(map(self.is_token, self._cookies(headers)))

    def _cookies(self, headers: Headers) -> Iterator[str]:
        """All of our name. Others on this machine set cookies, too, of any form, and some of the same name for a path:
        the browser sends them all, ours not always first."""
        for line in headers.getlist("cookie"):
            for pair in line.split(";"):
                name, _, value = pair.partition("=")
                if name.strip() == self.cookie:
                    yield value.strip().strip('"')

    def is_token(self, candidate: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(candidate.encode("utf-8", "replace"), self.token.encode("utf-8"))

    def token_in(self, scope: Scope) -> str | None:
        """The token in the address that opens the page."""
        if not self.token or scope["path"] != "/" or scope["method"] != "GET":
            return None
        candidate = parse_qs(scope["query_string"][:1000].decode("latin-1")).get("token", [""])[0]
        return candidate if candidate and self.is_token(candidate) else None


class _Guarded:
    """An application behind its guard."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive)
        receive = body.receive
        guarded_send = _guarded_send(send, str(scope["path"]), body)
        try:
            token = self._guard.token_in(scope)
            if token is not None:
                # Redirect once: from then on the token is in no address, no history and no log.
                response = RedirectResponse("/", 303)
                response.set_cookie(self._guard.cookie, token, httponly=True, samesite="strict", path="/")
                await response(scope, receive, guarded_send)
                return
            self._guard.check(scope)
        except Refused as refused:
            await failure(refused.status, refused.problem)(scope, receive, guarded_send)
            return
        # A client that has disconnected gets nothing.
        with suppress(ClientDisconnect):
            await self._app(scope, receive, guarded_send)


class _Body:
    """The body of a request, and whether all of it was read."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._receive = receive
        self._waits_for_us = "expect" in headers
        self.is_complete = "transfer-encoding" not in headers and headers.get("content-length", "0") == "0"

    async def receive(self) -> Message:
        message = await self._receive()
        self._waits_for_us = False
        self.is_complete = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Read the rest and drop it.

        Most clients read the response after they have sent everything: if the connection closed before, they would not
        learn why. Clients that send `Expect` are waiting for us, so there is nothing to read.
        """
        size = 0
        with anyio.move_on_after(DRAINED_SECONDS):
            while not self.is_complete and not self._waits_for_us and size < DRAINED_BYTES:
                size += len((await self.receive()).get("body", b""))


def _guarded_send(send: Send, path: str, body: _Body) -> Send:
    """`send` with our headers and a time limit."""

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            if not body.is_complete:  # nearly all are; a clock for nothing would be a fiftieth of a search
                await body.drain()
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store" if path.startswith("/api/") else "no-cache")
        try:
            with anyio.fail_after(SEND_SECONDS):
                await send(message)
        except TimeoutError:
            raise ClientDisconnect from None

    return answer


async def read_body(request: Request, largest: int = MAX_BODY_BYTES, seconds: float = BODY_SECONDS) -> bytes:
    """The body of a request, if it is JSON, small enough, and arrives in time."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        # A form of another site cannot send JSON without a preflight request.
        raise Refused(415, "not_json", "the body must be JSON", "send Content-Type: application/json")
    declared = request.headers.get("content-length", "0")
    if not declared.isascii() or not declared.isdigit() or int(declared[:20]) > largest:
        raise _too_large(largest)
    parts: list[bytes] = []
    size = 0
    try:
        with anyio.fail_after(seconds):
            async for part in request.stream():
                size += len(part)
                if size > largest:
                    raise _too_large(largest)
                parts.append(part)
    except TimeoutError:
        raise Refused(408, "too_slow", f"the body did not arrive within {seconds:g} seconds") from None
    except ClientDisconnect:
        raise Refused(400, "broken_off", "the body is incomplete") from None
    return b"".join(parts)


def _too_large(largest: int) -> Refused:
    return Refused(413, "too_large", f"the body has more than {largest:,} bytes", "send less")


def _is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
