"""`headnote mcp`: the index as tools for coding agents."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import click

from headnote.api import Index, is_pack
from headnote.api.keeper import keep_fresh
from headnote.cli import options
from headnote.cli.access import IndexCommand, NamedIndex, answer_on_one_core, first_read_refusal, open_for_server
from headnote.cli.command import without_collector
from headnote.cli.standby import commands_answered
from headnote.cli.terminal import write_error
from headnote.config import load_server_settings, read_contexts
from headnote.config.server_settings import allowed_names
from headnote.errors import HeadnoteError
from headnote.extras import install, load
from headnote.processes import ending_by_sigterm
from headnote.search.ranking import NO_CONTEXTS


@click.command(
    "mcp",
    cls=IndexCommand,
    examples=[
        ("what an agent starts, with a folder as its knowledge", "headnote mcp docs"),
        ("a pack that somebody made", "headnote mcp --pack docs.headnote"),
        ("one server for several agents", "headnote mcp docs --http --port 8765"),
        ("for ChatGPT, behind a tunnel", "headnote mcp docs --connector --http --allow-host docs.example"),
    ],
)
@options.roots("Folder to serve; the current one by default.")
@options.pack
@click.option("--http", is_flag=True, help="Serve streamable HTTP on loopback instead of stdio.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, metavar="N", help="Port for --http.")
@options.allow_host
@click.option("--connector", is_flag=True, help="Only search and fetch, in JSON, as connectors of ChatGPT want them.")
@options.embedder
@options.read_only
@options.place
def mcp_command(
    named: NamedIndex,
    http: bool,
    port: int,
    allow_host: tuple[str, ...],
    connector: bool,
    embedder: str | None,
    read_only: bool,
) -> None:
    """Serve the index to coding agents over MCP.

    The server keeps the index up to date while it runs. Search works at once; the vectors of the deep model follow in
    the background.
    """
    with without_collector():
        load("mcp", "the MCP server", install("search", "mcp"))
        # Only after the check: these modules need the extra.
        from headnote.mcp_server.connector import make_connector
        from headnote.mcp_server.server import accepted_hosts, make_server, mended_stdin

    answer_on_one_core()
    root = named.root
    hosts = accepted_hosts(allowed_names(load_server_settings({"allow_host": allow_host}, root).settings.allow_host))
    open_index = partial(open_for_server, root, embedder, read_only, named.place)
    refusal = None if read_only else first_read_refusal(root, named.place)
    if refusal is not None and http:
        raise refusal
    if refusal is not None:
        open_index = partial(_refuse, refusal)  # a client shows what tools reply, and hardly why a server has ended
    commands = nullcontext() if read_only or is_pack(root) else commands_answered(root)
    with ending_by_sigterm(), commands, keep_fresh(open_index if http else _reporting(open_index)) as keeper:
        # Sentences of a pack may be those of a stranger: they come as data, with hits and status, not as instructions.
        make = make_connector if connector else make_server
        server = make(keeper.served, NO_CONTEXTS if is_pack(root) else read_contexts(root))
        if http:
            keeper.open()
            # Without sessions, clients survive a restart of the server.
            listening: dict[str, Any] = {"host": "127.0.0.1", "port": port, "transport_security": hosts}
            server.run("streamable-http", **listening, stateless_http=True)
        else:
            with mended_stdin():
                server.run("stdio")


def _refuse(refusal: HeadnoteError) -> Index:
    raise refusal


def _reporting(open_index: Callable[[], Index]) -> Callable[[], Index]:
    """Write why an index cannot be opened, once: agents are told with every call, people read the log of the client."""
    told: set[str] = set()

    def report() -> Index:
        try:
            return open_index()
        except HeadnoteError as error:
            if str(error) not in told:
                told.add(str(error))
                write_error(str(error))
            raise

    return report
