"""`headnote serve` and `headnote open`: the folder as a web page and an HTTP API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headnote.cli import options
from headnote.cli.command import Command
from headnote.cli.opening import answer_on_one_core, open_index
from headnote.cli.terminal import remark, say, write_json
from headnote.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from headnote.config import ServerSettings

NEW_TOKEN = "new"
SHORTEST_TOKEN = 16

port_option = click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Port; if left out, 8377 or the next that is free."
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object when it is ready: its address.")


@click.command("serve", cls=Command)
@options.root
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Address to listen at, 127.0.0.1 if left out; one that others reach needs --token.",
)
@port_option
@click.option("--token", metavar="TOKEN", help="What clients have to send; 'new' makes one. Also in HEADNOTE_TOKEN.")
@click.option("--allow-host", metavar="NAME", multiple=True, help="A name this server goes by; may be repeated.")
@options.embedder
@options.read_only
@options.place
@json_option
def serve_command(
    root: Path,
    host: str | None,
    port: int | None,
    token: str | None,
    allow_host: tuple[str, ...],
    embedder: str | None,
    read_only: bool,
    place: dict[str, Any],
    as_json: bool,
) -> None:
    """Serve the folder as a web page and an HTTP API, and keep its index fresh meanwhile.

    Only this machine can reach it, unless --host or [server] in headnote.toml says otherwise. Ctrl-C ends it.
    """
    settings = _settings(root, host=host, port=port, token=token, allow_host=allow_host)
    _serve(Opening(root, embedder, read_only, place), settings, as_json, lambda _: None)


@click.command("open", cls=Command)
@options.root
@port_option
@options.embedder
@options.read_only
@options.place
@json_option
def open_command(
    root: Path, port: int | None, embedder: str | None, read_only: bool, place: dict[str, Any], as_json: bool
) -> None:
    """Serve the folder, and open it in the browser as soon as it answers."""
    settings = _settings(root, host="127.0.0.1", port=port)
    _serve(Opening(root, embedder, read_only, place), settings, as_json, _browse)


def _settings(root: Path, **flags: Any) -> ServerSettings:
    from headnote.api import check_folder
    from headnote.config import load_server_settings

    check_folder(root)
    return load_server_settings(flags, root).settings


class Opening(NamedTuple):
    """Which index is served."""

    root: Path
    embedder: str | None
    read_only: bool
    place: dict[str, Any]


def _serve(
    opening: Opening,
    settings: ServerSettings,
    as_json: bool,
    also: Callable[[str], None],
) -> None:
    from headnote.keeper import kept_fresh
    from headnote.web import check_packages

    check_packages()
    from headnote.web.app import make_app
    from headnote.web.endpoints import Served, State
    from headnote.web.security import Guard
    from headnote.web.serving import is_loopback, open_socket, run_server

    host = settings.host
    token = _token(host, settings.token, is_loopback(host))
    answer_on_one_core()
    opened = open_index(opening.root, embedder=opening.embedder, read_only=opening.read_only, **opening.place)
    if opened.missing:
        remark(f"by words only: {opened.missing}")
    with opened.index as index, open_socket(host, settings.port) as listening:
        address = _address(host, listening.getsockname()[1])
        names_known = frozenset({"localhost", host.lower(), *(name.lower() for name in settings.allow_host)})
        guard = Guard(names_known, is_loopback(host), token, f"headnote_{listening.getsockname()[1]}")
        with kept_fresh(index) as keeper:
            served = Served(index, lambda: State(keeper.problem, keeper.busy, keeper.progress))

            def ready() -> None:
                entry = f"{address}?token={token}" if token else address
                _announce(opening.root, entry, token, as_json)
                also(entry)

            run_server(make_app(served, guard), listening, ready)


def _token(host: str, token: str, is_local: bool) -> str:
    if token == NEW_TOKEN:
        from secrets import token_urlsafe

        return token_urlsafe(24)
    if not token and not is_local:
        raise SettingsError(
            f"others could read everything at {host}",
            path="--host",
            remedy=f"add --token {NEW_TOKEN}, or stay at 127.0.0.1",
        )
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise SettingsError(
            "the token can be guessed",
            path="--token",
            remedy=f"give {SHORTEST_TOKEN} or more letters and digits, or {NEW_TOKEN}",
        )
    return token


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _announce(root: Path, entry: str, token: str, as_json: bool) -> None:
    if as_json:
        write_json({"address": entry, "root": str(root), "token": token or None})
        sys.stdout.flush()
    else:
        say(f"{root} is served at {entry} (Ctrl-C ends it)")


def _browse(entry: str) -> None:
    import threading
    import webbrowser

    def browse() -> None:
        if not webbrowser.open(entry):
            remark(f"no browser could be started: open {entry}")

    # Some browsers are waited for until they are closed.
    threading.Thread(target=browse, name="headnote browser", daemon=True).start()
