"""`headnote mcp`: the index as tools for an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headnote.cli.opening import StoreUrl
from headnote.extras import load


def mcp_command(
    root: Annotated[
        Path, typer.Argument(metavar="[ROOT]", help="Folder to search.", show_default=False, readable=False)
    ] = Path(),
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on loopback instead of stdio.")] = False,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, metavar="N", help="Port for --http.")] = 8765,
    embedder: Annotated[str | None, typer.Option("--embedder", metavar="NAME", help="What makes vectors.")] = None,
    store: StoreUrl = None,
) -> None:
    """Serve the index to coding agents (Model Context Protocol), and keep it fresh meanwhile.

    Search by words works at once; vectors fill in behind.
    """
    from headnote.api import Index
    from headnote.keeper import kept_fresh

    load("mcp", "the MCP server", "pip install 'headnote[mcp]'")
    from headnote.mcp_server.server import make_server

    with Index.open(root, embedder=embedder, store=store) as index:
        index.update(vectors=False)
        with kept_fresh(index) as keeper:
            server = make_server(index, lambda: keeper.problem)
            if http:
                server.run("streamable-http", host="127.0.0.1", port=port)
            else:
                server.run("stdio")
