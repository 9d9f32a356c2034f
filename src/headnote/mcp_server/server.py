"""The server: each tool asks the index and answers with text. No logic of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from headnote import __version__
from headnote.api import Index
from headnote.errors import HeadnoteError
from headnote.mcp_server.text import (
    answer_text,
    documents_text,
    hits_text,
    links_text,
    outline_text,
    passage_text,
    status_text,
)
from headnote.model import Passage
from headnote.search.query import Mode
from headnote.search.written import read_since

INSTRUCTIONS = """\
Searches a folder of Markdown. Begin with `search`; every result names its place as path:first-last line.
Use `read` for more lines around a place or for a whole chunk, `ask` for an answer with citations, `outline` for the
headings of a long document or the list of documents, `links` for what a document refers to.
Cite places as [path:first-last]."""

BUDGET = 2000
"""Tokens of an answer, if the agent does not say."""

Result = TypeVar("Result")

Budget = Annotated[int, Field(description="Most tokens of the answer.", ge=100, le=20_000)]


def make_server(index: Index, problem: Callable[[], str] = str) -> MCPServer:
    """The tools over one index. `problem` says why it may not be up to date; nothing if it is."""
    server = MCPServer("headnote", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    _add_search(server, index)
    _add_reading(server, index)

    @server.tool(description="How large the index is, and whether it is up to date.")
    def status() -> str:
        return _asked(lambda: status_text(index.status(), problem()))

    @server.resource("headnote://document/{+path}", mime_type="text/markdown", description="A document, whole.")
    def document(path: str) -> str:
        return _asked(lambda: index.read(path).text)

    return server


def _add_search(server: MCPServer, index: Index) -> None:
    @server.tool(description="Find passages by meaning and by words. Ask in plain language or with exact names.")
    def search(
        query: Annotated[str, Field(description="What to look for.", max_length=10_000)],
        limit: Annotated[int, Field(description="Most passages.", ge=1, le=50)] = 5,
        path: Annotated[list[str] | None, Field(description="Only below these globs, such as docs/**.")] = None,
        tags: Annotated[list[str] | None, Field(description="Only with all of these tags.")] = None,
        where: Annotated[dict[str, str] | None, Field(description="Only with these frontmatter fields.")] = None,
        since: Annotated[str, Field(description="Only files changed since: a date, or 12h, 7d, 2w, 1y.")] = "",
        mode: Annotated[Mode, Field(description="By words, by meaning, or both.")] = "hybrid",
        budget: Budget = BUDGET,
    ) -> str:
        def run() -> str:
            changed = read_since(since, place="since") if since else None
            filters: dict[str, Any] = {"path": path or (), "tags": tags or (), "where": where, "since": changed}
            return hits_text(index.search(query, limit, mode, **filters), budget)

        return _asked(run)

    @server.tool(description="Answer a question from the documents, with citations that were checked.")
    def ask(
        question: Annotated[str, Field(description="What you want to know.", max_length=10_000)],
        limit: Annotated[int, Field(description="Most passages to answer from.", ge=1, le=50)] = 6,
        path: Annotated[list[str] | None, Field(description="Only below these globs, such as docs/**.")] = None,
        tags: Annotated[list[str] | None, Field(description="Only with all of these tags.")] = None,
        budget: Budget = BUDGET,
    ) -> str:
        return _asked(lambda: answer_text(index.ask(question, limit=limit, path=path or (), tags=tags or ()), budget))


def _add_reading(server: MCPServer, index: Index) -> None:
    @server.tool(description="Headings of a document with their lines; without a path, the list of documents.")
    def outline(
        path: Annotated[str, Field(description="Document, as search names it.")] = "", budget: Budget = BUDGET
    ) -> str:
        if not path:
            return _asked(lambda: documents_text(index.documents(), budget))
        return _asked(lambda: outline_text(path, index.outline(path), budget))

    @server.tool(description="Lines of a document: by numbers, by heading, by chunk, or all from the beginning.")
    def read(
        path: Annotated[str, Field(description="Document, as search names it; not with a whole key.")] = "",
        start_line: Annotated[int, Field(description="First line, from 1.", ge=1)] = 1,
        end_line: Annotated[int | None, Field(description="Last line, included.", ge=1)] = None,
        heading: Annotated[str, Field(description="Read the section under this heading instead.")] = "",
        chunk: Annotated[str, Field(description="Read this chunk instead: what search shows, such as #1f00-0.")] = "",
        budget: Budget = BUDGET,
    ) -> str:
        def run() -> str:
            if chunk:
                found = index.chunk(path + chunk if chunk.startswith("#") else chunk)
                return passage_text(Passage(found.path, found.row.start_line, found.row.end_line, found.text), budget)
            if heading:
                return passage_text(index.section(path, heading), budget)
            return passage_text(index.read(path, start_line, end_line), budget)

        return _asked(run)

    @server.tool(description="What a document links to, and which documents link to it.")
    def links(path: Annotated[str, Field(description="Document, as search names it.")], budget: Budget = BUDGET) -> str:
        return _asked(lambda: links_text(path, index.links(path), index.backlinks(path), budget))


def _asked(run: Callable[[], Result]) -> Result:
    """What is foreseen to go wrong is said in one line."""
    try:
        return run()
    except HeadnoteError as error:
        raise ToolError(str(error)) from None
