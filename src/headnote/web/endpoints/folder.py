"""The folder that is served: its documents, what each holds, how they are linked, searches in it, and its state."""

from __future__ import annotations

import re
import time
from typing import Literal

from headnote import __version__
from headnote.api import DocumentView, Index, unknown_document
from headnote.api.keeper import Served
from headnote.chunking.describe import plain_settings
from headnote.chunking.records import line_ends
from headnote.config.server_settings import editor_address, template_of
from headnote.errors import MissingSource, SettingsError
from headnote.formats.kinds import open_document
from headnote.lines import count_lines
from headnote.links.graph import Neighbourhood
from headnote.markdown.headings import find_heading
from headnote.model import Passage
from headnote.rendering.page import page_of
from headnote.search.query import SearchArguments
from headnote.search.readable import readable_lines
from headnote.search.snippets import excerpt
from headnote.search.spelling import corrected_query
from headnote.web import requests, responses
from headnote.web.conversion import (
    chunk_item,
    document_item,
    facet_answer,
    heading_answers,
    hit_answer,
    link_answer,
    link_answers,
)
from headnote.web.page_files import page

MAX_FOUND = 5000
"""Words of a document that are named one by one."""
PREVIEWED = 4000
"""Characters of a document that its preview is made from."""


def documents(served: Served, _: requests.Nothing) -> responses.DocumentsAnswer:
    """All documents, by path."""
    return responses.DocumentsAnswer([document_item(one) for one in served.index.contents()])


def outline(served: Served, request: requests.PathRequest) -> responses.OutlineAnswer:
    """The headings of a document."""
    view = _document(served, request.path)
    return responses.OutlineAnswer(view.document.path, heading_answers(view.document.text, view.headings))


def read(served: Served, request: requests.ReadRequest) -> Passage:
    """Lines of a document: by number, under a heading, or those of a chunk."""
    if request.chunk:
        chunk = served.index.chunk(request.chunk)
        return Passage(chunk.path, chunk.row.start_line, chunk.row.end_line, chunk.text)
    if not request.path:
        raise SettingsError("neither path nor chunk is given", remedy="name a document or the key of a chunk")
    path = _meant(served, request.path)
    if request.heading:
        return served.index.section(path, request.heading)
    return served.index.read(path, request.start_line, request.end_line)


def found(served: Served, request: requests.FoundRequest) -> responses.FoundAnswer:
    """The words of a document that a query finds, line by line."""
    path = _meant(served, request.path)
    words = served.index.found_words(path, request.q)
    return responses.FoundAnswer(path, words[:MAX_FOUND], len(words))


def editor(served: Served, request: requests.PathRequest) -> responses.EditorAnswer:
    """The address that opens a document in the editor of this machine."""
    path = _document(served, request.path).document.path
    template = template_of(served.editor)
    if not template or served.index.pack_info is not None:
        return responses.EditorAnswer()
    file = str(served.index.file(path).resolve())
    return responses.EditorAnswer(template.partition(":")[0], editor_address(template, file))


def preview(served: Served, request: requests.PreviewRequest) -> responses.PreviewAnswer:
    """The beginning of a document, or of a section of it, as a reader sees it."""
    row = _document(served, request.path).document
    document = open_document(row.text, row.path, row.mdx)
    section = find_heading(document.outline, request.fragment) if request.fragment else None
    blocks = [block for block in document.blocks if block.kind != "frontmatter"]
    start = section.start if section else blocks[0].start if blocks else len(row.text)
    end = min(section.end if section else len(row.text), start + PREVIEWED)
    first_line = 1 + line_ends(row.text, 0, start)
    readable = readable_lines(row.text[start:end], row.mdx)
    in_document = (line._replace(number=first_line + line.number) for line in readable)
    return responses.PreviewAnswer(
        path=row.path,
        title=row.title,
        heading=section.heading.text if section else "",
        lines=excerpt(in_document, frozenset()).lines,
    )


def document(served: Served, request: requests.PathRequest) -> responses.DocumentAnswer:
    """A document with its headings, chunks, links and metadata, also as HTML."""
    view = _document(served, request.path)
    row = view.document
    page = page_of(view, served.index.document)
    return responses.DocumentAnswer(
        path=row.path,
        title=row.title,
        html=page.draw(0) if page.pieces else "",
        pieces=[responses.PieceItem(one.start_line, one.end_line, one.characters) for one in page.pieces],
        text=row.text,
        lines=count_lines(row.text),
        chunks=[chunk_item(chunk) for chunk in view.chunks],
        headings=heading_answers(row.text, view.headings),
        tags=list(view.tags),
        metadata=row.metadata,
        **_links_of(view),
    )


def piece(served: Served, request: requests.PieceRequest) -> responses.PieceAnswer:
    """A piece of a long document as HTML, by its number in the `pieces` of the document."""
    view = _document(served, request.path)
    page = page_of(view, served.index.document)
    if request.number >= len(page.pieces):
        raise MissingSource(
            f"has {len(page.pieces)} pieces", path=view.document.path, remedy="ask for the document again"
        )
    one = page.pieces[request.number]
    return responses.PieceAnswer(
        path=view.document.path,
        number=request.number,
        start_line=one.start_line,
        end_line=one.end_line,
        html=page.draw(request.number),
    )


def _document(served: Served, path: str) -> DocumentView:
    return served.index.document(_meant(served, path))


def _meant(served: Served, asked: str) -> str:
    """The document that an address names. A name will do, and a path has one spelling. The index understands others,
    among them the folder on this machine, which a client must not be able to guess: the answer is that of a path that
    means nothing."""
    try:
        meant = served.index.read(asked, 1, 1).path
    except MissingSource:
        if not _is_foreign(asked):
            raise
        meant = ""
    if asked != meant and (not meant or "/" in asked or "\\" in asked):
        raise unknown_document(asked, served.index.documents()) from None
    return meant


def _is_foreign(path: str) -> bool:
    """Whether a path may lead out of the folder."""
    steps = re.split(r"[/\\]", path)
    return ".." in steps or (len(steps) > 1 and (steps[0] == "~" or not steps[0] or steps[0].endswith(":")))


def _check_place(served: Served, place: str) -> None:
    """The same for a document, or a place in one: `path:line` or `path#heading`."""
    if not any(_is_address(served, path) for path in {place, place.rpartition(":")[0], place.partition("#")[0]}):
        raise unknown_document(place, served.index.documents())


def _is_address(served: Served, path: str) -> bool:
    try:
        return bool(path and _meant(served, path))
    except MissingSource:
        return False


def links(served: Served, request: requests.PathRequest) -> responses.LinksAnswer:
    """What a document links to, and what links to it."""
    view = _document(served, request.path)
    return responses.LinksAnswer(view.document.path, **_links_of(view))


def _links_of(view: DocumentView) -> dict[str, list[responses.LinkAnswer]]:
    return {
        "links": link_answers(view.links, view.broken),
        "backlinks": link_answers(view.backlinks, view.broken),
    }


def graph(served: Served, _: requests.Nothing) -> responses.GraphAnswer:
    """Which documents link to which, and which links are broken."""
    whole = served.index.graph()
    return responses.GraphAnswer(
        whole.nodes,
        whole.edges,
        whole.orphans,
        [link_answer(link, True) for link in whole.broken],
    )


def neighbourhood(served: Served, request: requests.NeighbourhoodRequest) -> Neighbourhood:
    """A document and those around it, up to two links away."""
    return served.index.neighbourhood(_meant(served, request.path), request.depth, request.limit)


def related(served: Served, request: requests.RelatedRequest) -> responses.RelatedAnswer:
    """Passages of other documents near one that it does not link to yet."""
    _check_place(served, request.path)
    found = served.index.related(request.path, request.line, request.limit, linked=request.linked)
    return responses.RelatedAnswer(found)


def unlinked(served: Served, request: requests.UnlinkedRequest) -> responses.RelatedAnswer:
    """Suggested links, with location and text."""
    if request.path:
        _check_place(served, request.path)
    return responses.RelatedAnswer(served.index.related(request.path, limit=request.limit, unlinked=True))


# -- Search.


def search(served: Served, request: requests.SearchRequest) -> responses.SearchAnswer:
    """Passages that answer a query, best first, page by page."""
    began = time.perf_counter()
    # Asked before the search: what is read meanwhile may be missing from the hits.
    read = served.state().files_read
    arguments = request.arguments()
    page = served.index.search_page(request.q, offset=request.offset, facets=request.facets, **arguments)
    is_empty = page.total == 0
    return responses.SearchAnswer(
        query=request.q,
        answered=corrected_query(request.q, page.hits),
        understood=served.index.understand(request.q, literal=request.literal, where=request.where),
        hits=[hit_answer(hit, request.q, request.literal) for hit in page.hits],
        total=page.total,
        offset=page.offset,
        facets=list(map(facet_answer, page.facets)),
        note=served.index.why_empty(request.q, **arguments) if is_empty else "",
        has_nearest=is_empty and _has_nearest(served, request.q, arguments),
        milliseconds=round((time.perf_counter() - began) * 1000, 2),
        files_read=read,
    )


def _has_nearest(served: Served, query: str, arguments: SearchArguments) -> bool:
    if arguments["min_score"] == 0:
        return False
    anything: SearchArguments = {**arguments, "limit": 1, "min_score": 0.0}
    return bool(served.index.search(query, **anything))


def questions(served: Served, request: requests.QuestionsRequest) -> responses.QuestionsAnswer:
    """Questions that the folder can answer, made from its own headings."""
    return responses.QuestionsAnswer(served.index.suggested_questions(request.limit))


# -- How the server and its index are.


_STAGES: dict[str, Literal["documents", "vectors"]] = {"read": "documents", "embed": "vectors"}

MAX_LEFT_OUT = 100
"""Files that one might miss and that are named: the page asks every few seconds."""


def folder_name(index: Index) -> str:
    """The name of the folder, or of its roots, without where it lies."""
    if index.tree.is_named:
        return ", ".join(index.tree.names)
    return index.root.resolve().name or "/"


def health(served: Served, _: requests.Nothing) -> responses.Health:
    """Whether the server answers, and whether it has read the whole folder."""
    return responses.Health(True, __version__, ready=served.state().files_read is None)


def status(served: Served, _: requests.Nothing) -> responses.StatusAnswer:
    """The size of the index, and whether it is up to date."""
    state = served.state()
    index = served.index.status().without_folders()
    progress = state.progress
    now = None
    if progress:
        now = responses.ProgressAnswer(_STAGES[progress.stage], progress.done, progress.total, progress.seconds_left)
    return responses.StatusAnswer(
        root=folder_name(served.index),
        **{name: getattr(index, name) for name in ("documents", "chunks", "links", "pending", "model")},
        **{name: getattr(index, name) for name in ("bytes_on_disk", "updated", "generation")},
        problem=state.problem,
        elsewhere=state.elsewhere,
        busy=state.busy,
        progress=now,
        settings=plain_settings(index.settings),
        origins=dict(index.origins),
        differing=list(index.differing),
        ask_model=served.index.chat_settings.model or None,
        models=index.models,
        answering=index.answering,
        files_read=state.files_read,
        roots=[responses.RootAnswer(root.name, root.documents, root.problem) for root in index.folders],
        left_out=[responses.LeftOutAnswer(*one[:2]) for one in served.index.left_out()[:MAX_LEFT_OUT]],
        withheld=[one.setting for one in index.withheld],
        page=page().digest,
    )
