"""The functions of the API: about the folder that is served (its documents, what each holds, how they are linked,
searches in it, and its state), and about a text of the request, which is cut into chunks or asked a question."""

from __future__ import annotations

import re
import time
from typing import Literal

from headnote import __version__
from headnote.api import DocumentView, Index, unknown_document
from headnote.api.keeper import Served
from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.chunker import Pass, chunk_document, read_document
from headnote.chunking.passes.peers import PEERS
from headnote.chunking.presets import STANDS_FOR, describe_settings, find_preset, plain_settings, presets
from headnote.chunking.records import cut_blocks, line_ends
from headnote.chunking.settings import Settings
from headnote.config.server_settings import editor_address, template_of
from headnote.embedding.registry import Models, get_models
from headnote.errors import MissingSource, SettingsError
from headnote.formats.kinds import open_document
from headnote.lines import count_lines
from headnote.links.graph import Neighbourhood
from headnote.markdown.headings import find_heading
from headnote.markdown.shown_headings import shown_heading
from headnote.model import Passage
from headnote.rendering.page import page_of
from headnote.rendering.text import direction_of
from headnote.search.query import SearchArguments
from headnote.search.readable import readable_lines, sentence_with
from headnote.search.single_text import (
    Range,
    SearchableText,
    best_passage,
    is_relevant,
    passage_count,
    place_of,
    range_of_lines,
    searchable,
)
from headnote.search.snippets import excerpt
from headnote.search.spelling import corrected_query
from headnote.tokens import NAMES as COUNTERS
from headnote.web import requests, responses
from headnote.web.conversion import (
    block_answers,
    chunk_answer,
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
MAX_SENTENCES = 40
"""Links to a document that are shown in their sentences."""
LINES_AROUND = 12
"""Before and after a link: most sentences end on their line."""
PREVIEWED = 4000
"""Characters of a document that its preview is made from."""


def documents(served: Served, _: requests.Nothing) -> responses.DocumentsAnswer:
    """All documents, by path."""
    return responses.DocumentsAnswer([document_item(one) for one in served.index.contents()])


def headings(served: Served, _: requests.Nothing) -> responses.HeadingsAnswer:
    """The headings of all documents, to find them while somebody types."""
    return responses.HeadingsAnswer(
        {
            path: [[shown, line, is_first] for text, line, is_first in placed if (shown := shown_heading(text))]
            for path, placed in served.index.headings().items()
        }
    )


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
        heading=shown_heading(section.heading.text) if section else "",
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
        direction=direction_of(page.document),
        links=link_answers(view.links, view.broken),
        backlinks=_with_sentences(served, link_answers(view.backlinks, view.broken)),
    )


def _with_sentences(served: Served, backlinks: list[responses.LinkAnswer]) -> list[responses.LinkAnswer]:
    """The links to a document; the first ones with the sentences that they stand in."""
    texts: dict[str, list[str]] = {}
    for link in backlinks[:MAX_SENTENCES]:
        if link.path not in texts:
            texts[link.path] = served.index.read(link.path).text.splitlines()
        lines = texts[link.path]
        if link.line <= len(lines):
            near = max(0, link.line - 1 - LINES_AROUND)
            link.sentence = sentence_with(link.text, lines[near : link.line + LINES_AROUND], link.line - 1 - near)
    return backlinks


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
    return {"links": link_answers(view.links, view.broken), "backlinks": link_answers(view.backlinks, view.broken)}


def graph(served: Served, _: requests.Nothing) -> responses.GraphAnswer:
    """Which documents link to which, and which links are broken."""
    whole = served.index.graph(arranged=True)
    return responses.GraphAnswer(
        whole.nodes, whole.edges, whole.orphans, [link_answer(link, True) for link in whole.broken], whole.spots
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
    index, left_out = served.index.status().without_folders(), served.index.left_out()
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
        left_out=[responses.LeftOutAnswer(*one[:2]) for one in left_out[:MAX_LEFT_OUT]],
        left_out_count=len(left_out),
        withheld=[one.setting for one in index.withheld],
        read_only=served.index.read_only,
        page=page().digest,
    )


# -- A text of the request: cut into chunks with any settings, and asked a question.

MAX_CHUNKS = 20_000
"""Chunks of a text that is searched, and passages. Indexing so many takes about two seconds."""


def ask_text(
    served: Served, request: requests.ChunkRequest, settings: Settings, passes: tuple[Pass, ...], chunks: int
) -> responses.QuestionAnswer:
    """The scores of all chunks, and the place of the passage that answers the question."""
    if chunks > MAX_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MAX_CHUNKS} chunks, and these are {chunks}",
            remedy="raise max_tokens, send less text, or leave the question out",
        )
    models = _models(served)
    searched = searchable(request.text, request.path, settings, models, passes)
    ranking = searched.rank(request.question)
    scores, ranks = [0.0] * chunks, dict[int, int]()
    for rank, (number, score) in enumerate(ranking, 1):
        scores[number], ranks[number] = score, rank
    return responses.QuestionAnswer(
        scores=scores,
        ranks=[ranks.get(number) for number in range(chunks)],
        relevant=is_relevant(ranking),
        model=models.instant.name if models.instant else "",
        passage=_passage(request, searched, ranks, models),
    )


def _models(served: Served) -> Models:
    """The instant model, unless the folder is searched by words alone. Others are too slow to follow a slider."""
    return Models() if served.index.embedder.name == "none" else get_models("instant")


def _check_passages(text: str, path: str) -> None:
    passages = passage_count(text, path)
    if passages > MAX_CHUNKS:
        raise SettingsError(
            f"a question needs less than {MAX_CHUNKS} passages, and this text has {passages}",
            remedy="send less text, choose the lines that answer the question, or leave it out",
        )


def _passage(
    request: requests.ChunkRequest, searched: SearchableText, ranks: dict[int, int], models: Models
) -> responses.PassageAnswer | None:
    text, given = request.text, request.passage
    if given and given.end_line < given.start_line:
        raise SettingsError("the passage ends before it begins", remedy="swap start_line and end_line")
    if given:
        passage: Range | None = range_of_lines(text, given.start_line, given.end_line)
    else:
        _check_passages(text, request.path)
        passage = best_passage(text, request.path, request.question, models)
    if passage is None or passage.start == passage.end:
        return None
    place = place_of(passage, text, searched.chunks, ranks)
    first = 1 + line_ends(text, 0, passage.start)
    return responses.PassageAnswer(
        start=passage.start,
        end=passage.end,
        start_line=first,
        end_line=first + line_ends(text, passage.start, passage.end),
        is_given=given is not None,
        chunks=list(place.chunks),
        whole_in=place.whole_in,
        rank=place.rank,
    )


# -- A text of the request cut into chunks, and the settings for it


MAX_CHARACTERS = 20_000_000
"""Characters of all chunks of a text together, overlap included."""
MAX_CHUNKS_SHOWN = 200_000
"""Chunks of a text, at one character per token."""


def list_presets(_: Served, __: requests.Nothing) -> responses.PresetsAnswer:
    """The presets, every setting of chunks, and other ways to cut that they can be compared with."""
    return responses.PresetsAnswer(
        [
            responses.PresetAnswer(name, STANDS_FOR[name], plain_settings(settings))
            for name, settings in presets().items()
        ],
        describe_settings(),
        [responses.PresetAnswer(name, peer.about, plain_settings(peer.settings)) for name, peer in PEERS.items()],
    )


def chunk(served: Served, request: requests.ChunkRequest) -> responses.ChunkingAnswer:
    """The chunks and blocks of a text in the request, and how they answer a question."""
    began = time.perf_counter()
    peer = PEERS.get(request.preset)
    if peer:
        settings, passes = peer.with_sizes(request.settings), peer.passes
    else:
        settings, passes = with_changes(find_preset(request.preset), translate(request.settings)), ()
    _check_effort(len(request.text), settings)
    document = read_document(request.text, request.path, settings)
    chunks = chunk_document(document, settings, passes=passes)
    return responses.ChunkingAnswer(
        chunks=[chunk_answer(chunk) for chunk in chunks],
        blocks=block_answers(document.blocks, cut_blocks(chunks, document)),
        settings=plain_settings(settings),
        seconds=round(time.perf_counter() - began, 4),
        question=ask_text(served, request, settings, passes, len(chunks)) if request.question.strip() else None,
    )


def _check_effort(length: int, settings: Settings) -> None:
    """Refuse counters that read files of this machine, and settings that make too many chunks to show."""
    if settings.counter not in COUNTERS:
        raise SettingsError(f"unknown counter {str(settings.counter)[:80]!r}", remedy=f"use {', '.join(COUNTERS)}")
    repeated = length * settings.max_tokens / (settings.max_tokens - settings.overlap_tokens)
    if repeated > MAX_CHARACTERS or length / settings.max_tokens > MAX_CHUNKS_SHOWN:
        raise SettingsError(
            "these settings make too many chunks to show",
            remedy="send less text, raise max_tokens or lower overlap_tokens",
        )
