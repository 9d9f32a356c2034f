"""`headnote serve` and `headnote open`: the folder as a web page and an HTTP API."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from socket import gethostname, socket
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headnote.api import check_folder, is_pack
from headnote.api.keeper import Served, keep_fresh
from headnote.cli import options
from headnote.cli.access import (
    IndexCommand,
    NamedIndex,
    answer_on_one_core,
    ask_before_first_read,
    open_again,
    open_for_server,
)
from headnote.cli.standby import commands_answered
from headnote.cli.terminal import write_json, write_message, write_note
from headnote.config import MAX_WORKERS, ServerSettings, load_server_settings, read_roots
from headnote.config.server_settings import MIN_LENGTH, allowed_names, is_token, kept_token, new_token
from headnote.errors import SettingsError
from headnote.processes import ending_by_sigterm

if TYPE_CHECKING:
    from headnote.web.security import Guard

NEW_TOKEN = "new"
KEPT_TOKENS = ("keep", "renew")

port_option = click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Port; 8377 or the next free one by default."
)
editor_option = click.option(
    "--editor",
    metavar="NAME",
    help="Editor that the page opens documents in: vscode, cursor, obsidian, … or an address with {path} and {line}.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object with the address once the server is ready."
)


@click.command(
    "serve",
    cls=IndexCommand,
    examples=[
        ("a page and an API for this machine", "headnote serve docs"),
        ("several folders as one", "headnote serve docs notes"),
        ("for others in the network, with a token", "headnote serve docs --host 0.0.0.0 --token new"),
        ("for many who search at once, on two cores", "headnote serve docs --workers 2"),
    ],
)
@options.root
@options.pack
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Address to listen on, 127.0.0.1 by default; one that others can reach needs --token.",
)
@port_option
@click.option(
    "--token",
    metavar="TOKEN",
    help="Token that clients must send; 'new' makes one, 'keep' one that stays, 'renew' replaces that. Also read from "
    "HEADNOTE_TOKEN.",
)
@options.allow_host
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    metavar="N",
    help="Processes that answer requests; 1 by default. For many searches at once, take one per core.",
)
@editor_option
@options.embedder
@options.read_only
@options.place
@json_option
def serve_command(
    named: NamedIndex,
    host: str | None,
    port: int | None,
    token: str | None,
    allow_host: tuple[str, ...],
    workers: int | None,
    editor: str | None,
    embedder: str | None,
    read_only: bool,
) -> None:
    """Serve the folder as a web page and an HTTP API.

    The server keeps the index up to date while it runs. Only this machine can reach it unless you set --host or
    [server] in headnote.toml. Ctrl-C stops it.
    """
    flags = {"host": host, "port": port, "token": token, "allow_host": allow_host, "workers": workers, "editor": editor}
    target = ServedAddress(named.root, embedder, read_only, named.place)
    _serve(target, _settings(named.root, **flags), named.as_json, lambda _: None)


@click.command(
    "open",
    cls=IndexCommand,
    examples=[
        ("read and search a folder in the browser", "headnote open docs"),
        ("the index as it is, without writing to the folder", "headnote open docs --read-only"),
    ],
)
@options.root
@options.pack
@port_option
@editor_option
@options.embedder
@options.read_only
@options.place
@json_option
def open_command(
    named: NamedIndex, port: int | None, editor: str | None, embedder: str | None, read_only: bool
) -> None:
    """Serve the folder and open it in the browser."""
    settings = _settings(named.root, host="127.0.0.1", port=port, editor=editor)
    _serve(ServedAddress(named.root, embedder, read_only, named.place), settings, named.as_json, _browse)


def _settings(root: Path, **flags: Any) -> ServerSettings:
    if not is_pack(root):
        check_folder(root)
    return load_server_settings(flags, root).settings


class ServedAddress(NamedTuple):
    """The index to serve."""

    root: Path
    embedder: str | None
    read_only: bool
    place: Mapping[str, Any]


def _serve(target: ServedAddress, settings: ServerSettings, as_json: bool, on_ready: Callable[[str], None]) -> None:
    # Late: these modules need the extra `server`, and the first one checks that it is installed.
    from headnote.web import check_packages

    check_packages()
    if not target.read_only:
        ask_before_first_read(target.root, target.place)
    from headnote.web.security import Guard
    from headnote.web.workers import is_loopback, open_socket, reachable

    host = settings.host
    token = _token(target.root, host, settings.token, is_loopback(host))
    answer_on_one_core()
    with open_socket(host, settings.port) as listening:
        port = listening.getsockname()[1]
        names, allowed = frozenset({"localhost", host.lower()}), allowed_names(settings.allow_host)
        guard = Guard(names, is_loopback(host), token, f"headnote_{port}", allowed)

        def ready() -> None:
            query = f"?token={token}" if token else ""
            entries = [f"{_address(one, port)}{query}" for one in reachable(host)]
            _announce(target.root, entries, token, settings.workers, as_json)
            if not is_loopback(host) and not allowed and not as_json:
                name = gethostname().lower()
                write_note(f"to open it by a name, such as {name}, start it with --allow-host {name}")
            on_ready(entries[0])

        run = _run_in_one_process if settings.workers == 1 else _run_workers
        with nullcontext() if target.read_only or is_pack(target.root) else commands_answered(target.root):
            run(target, settings, guard, listening, ready)


def _run_in_one_process(
    target: ServedAddress, settings: ServerSettings, guard: Guard, listening: socket, ready: Callable[[], None]
) -> None:
    from headnote.web.app import make_app
    from headnote.web.workers import run_server

    with ending_by_sigterm(), keep_fresh(partial(open_for_server, *target)) as keeper:
        served = Served(keeper.open(), keeper.state, settings.editor or _own_editor(target.root))
        run_server(make_app(served, guard), listening, ready)


def _run_workers(
    target: ServedAddress, settings: ServerSettings, guard: Guard, listening: socket, ready: Callable[[], None]
) -> None:
    from headnote.web.workers import ServedIndex, run_workers

    # What is wrong with the index, or to be noted, is said once, here. From then on it exists.
    open_for_server(*target).close()
    service = ServedIndex(
        partial(open_again, *target),
        guard,
        settings.editor or _own_editor(target.root),
        listening,
        target.read_only or is_pack(target.root),
    )
    run_workers(service, settings.workers, ready, write_note)


def _own_editor(root: Path) -> str:
    """The editor that a folder belongs to, if it tells; of several folders, one of them."""
    folders = [Path(entry.root.folder) for entry in read_roots(root)] or [root]
    return "obsidian" if any(os.path.isdir(folder / ".obsidian") for folder in folders) else ""


def _token(root: Path, host: str, token: str, is_local: bool) -> str:
    if token == NEW_TOKEN:
        return new_token()
    if token in KEPT_TOKENS:
        return kept_token(root, renew=token == "renew")
    if not token and not is_local:
        raise SettingsError(
            f"others could read everything on {host}",
            path="--host",
            remedy=f"add --token {NEW_TOKEN} or --token keep, or use 127.0.0.1",
        )
    if token and not is_token(token):
        raise SettingsError(
            "the token is too easy to guess",
            path="--token",
            remedy=f"give {MIN_LENGTH} or more letters and digits, or {NEW_TOKEN}",
        )
    return token


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _announce(root: Path, entries: Sequence[str], token: str, workers: int, as_json: bool) -> None:
    if as_json:
        addresses = {"address": entries[0], "addresses": list(entries)}
        write_json({**addresses, "root": str(root), "token": token or None, "workers": workers})
        sys.stdout.flush()
    else:
        by = f" with {workers} workers" if workers > 1 else ""
        write_message(f"serving {root} at {' and '.join(entries)}{by} (Ctrl-C stops it)")


def _browse(entry: str) -> None:
    def browse() -> None:
        if not webbrowser.open(entry):
            write_note(f"no browser could be started: open {entry}")

    # Some browsers block until they are closed.
    threading.Thread(target=browse, name="headnote browser", daemon=True).start()
