"""The index of a folder as a program sees it: `headnote.Index`."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.arguments import check_types
from headnote.chunking.settings import Settings, shown
from headnote.config import (
    ChatSettings,
    Choice,
    Configure,
    IndexSettings,
    SearchSettings,
    chat_environment,
    check_made_with,
    choose,
    load_chat_settings,
    load_index_settings,
    load_search_settings,
)
from headnote.embedding.base import Embedder
from headnote.embedding.registry import get_embedder
from headnote.errors import MissingIndex, MissingSource, NotAFile, SettingsError
from headnote.index.graph import Graph, graph_of
from headnote.index.manifest import manifest_of, needs_rebuild
from headnote.index.ownership import claim_index, roots_in
from headnote.index.plan import plan_reading
from headnote.index.sites.model import read_sites
from headnote.index.task import Report, Task, Watcher, ignore_progress
from headnote.index.update import Scope, plan_update, update_documents
from headnote.index.vectors import sweep, update_vectors
from headnote.model import Answer, Hit, Passage
from headnote.search.engine import Engine
from headnote.search.filter_parsing import read_filter, read_recency
from headnote.search.query import Expand, Fusion, Mode, Query
from headnote.search.ranking import STEPPED_PRESETS
from headnote.sources.attachments import read_attachment
from headnote.sources.discover import discover
from headnote.sources.listing import Listing
from headnote.sources.watch import watch
from headnote.store.base import Reader, Store
from headnote.store.damage import MADE_WITH
from headnote.store.opening import names_schema, open_store, repair_store, schema_of
from headnote.store.rows import DocumentRow, DocumentSummary, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.answer.chat import Chat
    from headnote.index.linking import LinkCheck
    from headnote.markdown.outline import OutlineEntry

AnyPath = str | os.PathLike[str]

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")


class Status(NamedTuple):
    """What there is to say about an index."""

    root: str
    documents: int
    chunks: int
    links: int
    pending: int
    """Texts that wait for a vector of the model in use."""
    model: str
    """Name of the model whose vectors are wanted; `none` if there are to be none."""
    settings: Settings
    index_settings: IndexSettings
    bytes_on_disk: int
    updated: float | None
    """When the last update ended, in seconds since 1970."""
    generation: int
    roots: tuple[str, ...] = ()
    """Folders and addresses that the index belongs to."""
    schema: str = ""
    """Of the database that holds it; empty for a file."""


class Drift(NamedTuple):
    """Files that look other than they did when they were indexed."""

    new: list[str]
    changed: list[str]
    gone: list[str]
    rebuild: str
    """Why the next update reads everything again; empty if it does not."""

    @property
    def is_empty(self) -> bool:
        return not (self.new or self.changed or self.gone or self.rebuild)


class DocumentView(NamedTuple):
    """A document with all that an index knows of it."""

    document: DocumentRow
    headings: list[OutlineEntry]
    chunks: list[StoredChunk]
    links: list[LinkRow]
    backlinks: list[LinkRow]
    broken: frozenset[LinkRow]
    """Those of both that lead nowhere."""


class Index:
    """A folder that can be searched. Open it with `Index.open`; it can be used from many threads."""

    def __init__(
        self,
        root: Path,
        store: Store,
        choice: Choice,
        embedder: Embedder,
        *,
        search_settings: SearchSettings = SearchSettings(),  # noqa: B008  immutable
        adopts: bool = False,
        read_only: bool = False,
    ) -> None:
        self.root = root
        self.choice = choice
        self.settings = choice.chunking.settings
        self.index_settings = choice.of_index.settings
        self.embedder = embedder
        self.read_only = read_only
        self._store = store
        self._engine = Engine(store, embedder)
        self.search_settings = search_settings
        self._adopts = adopts

    @classmethod
    def open(
        cls,
        root: AnyPath = ".",
        *,
        create: bool = True,
        preset: str | None = None,
        embedder: str | Embedder | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        max_file_bytes: int | None = None,
        store: str | None = None,
        schema: str | None = None,
        adopt: bool = False,
        read_only: bool = False,
        configure: Configure = "keep",
        words_only: bool = False,
        **settings: Any,
    ) -> Index:
        """The index of a folder, kept in `.headnote` below it and made if there is none; or kept in PostgreSQL, if
        `store` is the URL of a database.

        What is not given is as it was when the index was made; for a new one it is taken from the environment, then
        from `headnote.toml`, then from the defaults. What is given is kept in the index by the next update. Where
        `headnote.toml` says something else by now, `choice.differing` tells, and `configure="apply"` applies it, as
        `headnote index` does; `"anew"` forgets what was given before, too.

        With `create=False`, a folder without an index raises `MissingIndex`. An index belongs to the folder it was
        made from. Another one raises `ForeignIndex`; with `adopt=True` it takes the index over, because the folder has
        moved. `schema` names the schema of the database. With `read_only=True` nothing is written, whatever is called;
        whoever names the schema, too, may stand in any folder. With `words_only=True` the embedder is not loaded now,
        and remains the one of the index.
        """
        check_types(root=(root, str | os.PathLike))
        if adopt and read_only:
            raise SettingsError("adopt and read_only do not go together", remedy="leave one of them out")
        folder = Path(root)
        check_folder(folder)
        flags: dict[str, Any] = {**settings, "preset": preset, "include": include, "exclude": exclude}
        flags |= {"max_file_bytes": max_file_bytes, "store": store, "schema": schema}
        flags["embedder"] = embedder if isinstance(embedder, str) else None
        search_settings = load_search_settings({}, folder).settings
        load_chat_settings(folder)  # what is wrong there is said now, not when a question is asked
        target = load_index_settings(flags, folder).settings.target
        known = _existing_store(folder, target, read_only, must_exist=read_only or not create)
        with closed_on_error(known):
            choice = choose(flags, folder, _made_with(known), configure)
            # Before the folder is touched: an embedder that cannot be had must not leave an empty index behind.
            found = _embedder(embedder, "none" if words_only else choice.of_index.settings.embedder)
            kept = known or open_store(folder, target)
        with closed_on_error(kept):
            if not (read_only and names_schema(target)):
                claim_index(kept, folder, adopt)
        return cls(folder, kept, choice, found, search_settings=search_settings, adopts=adopt, read_only=read_only)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- keeping it true

    def update(
        self,
        *,
        vectors: bool = True,
        rebuild: bool = False,
        workers: int | None = None,
        wait: float = 10.0,
        remove: bool = True,
        on_progress: Watcher = ignore_progress,
    ) -> Report:
        """Bring the index up to date with the folder, and say what was done.

        Search by words is true as soon as the documents are written; vectors follow. Whatever interrupts this, what
        was finished stays. With `remove=False` nothing is taken out of the index, also if its file is gone.
        """
        check_types(workers=(workers, Integral | None), wait=(wait, Real), on_progress=(on_progress, Callable))
        task = self._task(rebuild, workers, wait, remove)
        report = update_documents(self._store, task, self._model, on_progress)
        if vectors:
            report.embedded, report.others = update_vectors(self._store, self.embedder, wait, on_progress)
            if remove and (not report.plan.is_empty or report.embedded):
                sweep(self._store, [self._model], wait)
        return report

    def plan(self, *, rebuild: bool = False) -> Report:
        """What `update` would do now; nothing is written."""
        return plan_update(self._store, self._task(rebuild, None, 0.0), self._model)

    def drift(self) -> Drift:
        """How the folder looks other than the index, by size and time alone: no file is read."""
        listing = self._listing()
        with self._store.reading() as reader:
            stored = Scope(self._store, self._task(False, None, 0.0)).files(reader)
            non_texts = reader.non_texts()
            reason = needs_rebuild(reader.manifest(), manifest_of(self.settings, self._model))
        reading = plan_reading(listing.files, listing.skipped, stored, non_texts=non_texts)
        other = [file.path for file in reading.read]
        return Drift(
            [path for path in other if path not in stored],
            [path for path in other if path in stored],
            reading.gone,
            reason,
        )

    def watch(self, stop: threading.Event, *, debounce_ms: int = 300, **options: Any) -> Iterator[Report]:
        """Updates whenever files change, until `stop` is set. The first update comes at once."""
        chosen = self.index_settings
        # Before the first update, which may take minutes: what changes meanwhile must not be missed.
        before = self._listing()
        changes = watch(
            self.root,
            stop=stop,
            include=chosen.include,
            exclude=chosen.exclude,
            max_bytes=chosen.max_file_bytes,
            since=before,
            debounce_ms=debounce_ms,
        )
        yield self.update(**options)
        for _ in changes:
            yield self.update(**options)

    def check(self) -> list[str]:
        """Every invariant that does not hold, one line each."""
        return self._store.check()

    def repair(self) -> list[str]:
        """Make anew what is derived or damaged, and say what was done; what is missing then comes with the next
        update. Vectors that are sound stay."""
        return self._store.repair()

    def check_writing(self) -> None:
        """Raises what an update would meet now: another writer at work, or a folder that cannot be written."""
        with self._store.writing(wait=0.0):
            pass

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write into it, too."""
        return self._store.is_shared

    @property
    def chat_settings(self) -> ChatSettings:
        """Which model answers questions, as file and environment say it now."""
        return load_chat_settings(self.root).settings

    @property
    def generation(self) -> int:
        """Raised by every update, and cheap to ask for."""
        return self._store.generation()

    def status(self) -> Status:
        with self._store.reading() as reader:
            counts, roots = reader.counts(), roots_in(reader.manifest())
        # By its name: to tell how many dimensions it has, a model may have to be loaded or a service asked.
        pending = 0 if self._model == "none" else counts.pending.get(self._model, counts.chunks)
        updated = counts.updated_ns / 1e9 if counts.updated_ns else None
        return Status(
            str(self.root),
            counts.documents,
            counts.chunks,
            counts.links,
            pending,
            self._model,
            self.settings,
            self.index_settings,
            counts.bytes_on_disk,
            updated,
            counts.generation,
            tuple(roots),
            schema_of(self.root, self.index_settings.target),
        )

    # -- asking it

    def search(
        self,
        query: str,
        limit: int | None = None,
        mode: Mode | None = None,
        *,
        path: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        since: datetime | float | str | None = None,
        per_document: int | None = None,
        min_score: float | None = None,
        budget: int | None = None,
        recency_days: float | None = None,
        recency_steps: bool | None = None,
        expand: Expand | None = None,
        fusion: Fusion | None = None,
    ) -> list[Hit]:
        """The chunks that answer a query, best first.

        `hybrid` looks by words and by meaning, `keyword` and `semantic` by one of them. Chunks that have no vector yet
        are found by their words. Filters: globs of `path`, all of `tags`, fields of the frontmatter in `where`, files
        changed `since` a time, or `7d` ago. `budget` is in tokens, `recency_days` the half-life of a small bonus for
        what is new; `recency_steps` gives it in steps, as the preset `ragdocs` does by itself. `expand` brings what
        stands around a hit (`neighbours`, `section`) or what it links to (`linked`). `fusion="rrf"` ranks by reciprocal
        ranks instead of scores: then a score tells the place among all, 1 for what is first in every way of looking.
        If nothing is relevant there are no hits; with a `min_score` of 0 there are, however far they are from it.
        What is not given is taken from the environment, then from the table `[search]` of `headnote.toml`, then from
        the defaults: 10 hits, `hybrid`, `weighted`.
        """
        only = read_filter(path, tags, where, since)
        usual = self.search_settings
        return self._engine.search(
            Query(
                text=query,
                limit=usual.limit if limit is None else limit,
                mode=usual.mode if mode is None else mode,
                fusion=usual.fusion if fusion is None else fusion,
                only=only,
                per_document=usual.per_document if per_document is None else per_document,
                min_score=usual.min_score if min_score is None else min_score,
                budget=usual.budget if budget is None else budget,
                expand=usual.expand if expand is None else expand,
                **self._recency(recency_days, recency_steps),
            )
        )

    def _recency(self, days: float | None, steps: bool | None) -> dict[str, Any]:
        """The bonus that is asked for, else the one of the settings, else the one of the preset."""
        if days is not None or steps is not None:
            return {"recency_days": 0.0 if days is None else days, "recency_steps": False if steps is None else steps}
        if self.search_settings.recency:
            return read_recency(self.search_settings.recency)
        return {"recency_steps": self.choice.chunking.preset in STEPPED_PRESETS}

    def ask(
        self,
        question: str,
        *,
        limit: int = 6,
        budget: int = 4000,
        stream: Callable[[str], object] | None = None,
        model: str | Chat | None = None,
        **filters: Any,
    ) -> Answer:
        """An answer to a question, from the passages found for it, with citations that were checked.

        `model` is asked at the service that the environment or `[llm]` in `headnote.toml` names; if it is not given,
        the model named there. Without any, or with an empty name, the passages themselves are the answer. `stream` is
        told the text piece by piece, as far as its citations hold. `budget` is what a prompt may have in tokens, and
        the filters are those of `search`.
        """
        from headnote.answer.answering import answer_from
        from headnote.answer.chat import Chat, find_chat
        from headnote.answer.passages import read_passages

        check_types(
            question=(question, str),
            budget=(budget, Integral),
            stream=(stream, Callable | None),
            model=(model, str | Chat | None),
        )
        if not question.strip():
            raise SettingsError("the question is empty", remedy="say what you want to know")
        chat = (
            find_chat(chat_environment(self.chat_settings), model) if model is None or isinstance(model, str) else model
        )
        hits = self.search(question, limit, **filters)
        with self._store.reading() as reader:
            passages = read_passages(reader, hits)
        return answer_from(question, passages, chat, self.embedder, budget, stream)

    def documents(self) -> list[str]:
        """Paths of all documents, sorted."""
        with self._store.reading() as reader:
            return reader.document_paths()

    def contents(self) -> list[DocumentSummary]:
        """All documents with their titles, by path."""
        with self._store.reading() as reader:
            return reader.summaries()

    def document(self, path: str) -> DocumentView:
        """A document with all that is known of it, as it was at one moment."""
        check_types(path=(path, str))
        with self._store.reading() as reader:
            document = reader.document(path)
            if document is None:
                raise self._missing(path)
            chunks, links, backlinks = reader.chunks_of(path), reader.links_from(path), reader.links_to(path)
            known = set(reader.document_paths())
            check = self._link_check(reader, known)
        headings = _outline(document)
        broken = frozenset(link for link in {*links, *backlinks} if check.is_broken(link))
        return DocumentView(document, headings, chunks, links, backlinks, broken)

    def chunk(self, key: str) -> StoredChunk:
        """A chunk by its key, or by its id, as hits have them."""
        from headnote.chunking.records import paths_in_id

        check_types(key=(key, str))
        with self._store.reading() as reader:
            for path in paths_in_id(key):
                for chunk in reader.chunks_of(path):
                    if key in (chunk.key, chunk.chunk_id):
                        return chunk
        raise MissingSource("no such chunk in the index", path=key, remedy="search again: its text has changed")

    def outline(self, path: str) -> list[OutlineEntry]:
        """The headings of a document, each with the lines of all that stands below it."""
        check_types(path=(path, str))
        with self._store.reading() as reader:
            document = reader.document(path)
        if document is None:
            raise self._missing(path)
        return _outline(document)

    def section(self, path: str, heading: str) -> Passage:
        """The lines under a heading, found by its text or its anchor; case does not matter."""
        from headnote.markdown.outline import find_heading

        check_types(heading=(heading, str))
        entries = self.outline(path)
        entry = find_heading(entries, heading)
        if entry is None:
            known = ", ".join(entry.heading.text for entry in entries[:8]) or "none"
            raise MissingSource(f"no heading {shown(heading)}", path=path, remedy=f"it has: {known}")
        return self.read(path, entry.start_line, entry.end_line)

    def read(self, path: str, start_line: int = 1, end_line: int | None = None) -> Passage:
        """Lines of a document as they were indexed, both ends included."""
        check_types(path=(path, str), start_line=(start_line, Integral), end_line=(end_line, Integral | None))
        if start_line < 1 or (end_line is not None and end_line < start_line):
            raise SettingsError(
                f"lines {start_line} to {end_line} are no range", remedy="count from 1, first line first"
            )
        with self._store.reading() as reader:
            document = reader.document(path)
        if document is None:
            raise self._missing(path)
        lines = _LINE.findall(document.text)
        if start_line > max(len(lines), 1):
            raise SettingsError(
                f"line {start_line} is past the end", path=path, remedy=f"the document has {len(lines)} lines"
            )
        chosen = lines[start_line - 1 : end_line]
        return Passage(path, start_line, start_line + max(len(chosen) - 1, 0), "".join(chosen))

    def links(self, path: str) -> list[LinkRow]:
        """The links of a document, with where they lead."""
        return self._links(path, incoming=False)

    def backlinks(self, path: str) -> list[LinkRow]:
        """The links that lead to a document."""
        return self._links(path, incoming=True)

    def broken_links(self) -> list[LinkRow]:
        """Links to documents, sections and other files below the root that are not there."""
        with self._store.reading() as reader:
            links, documents = reader.links(), set(reader.document_paths())
            check = self._link_check(reader, documents)
        return sorted(filter(check.is_broken, links), key=lambda link: (link.path, link.line))

    def orphans(self) -> list[str]:
        """Documents that no other document links to and that link to none."""
        with self._store.reading() as reader:
            return reader.orphans()

    def attachment(self, path: str) -> bytes | None:
        """The content of a file below the root that is no document, such as a picture; None if it is not there, is
        ignored, or lies outside."""
        check_types(path=(path, str))
        return read_attachment(self.root, path, self.index_settings.exclude)

    def graph(self) -> Graph:
        """Which documents lead to which, and what leads nowhere."""
        with self._store.reading() as reader:
            documents, links = reader.summaries(), reader.links()
        return graph_of(documents, links, self.broken_links())

    def _link_check(self, reader: Reader, documents: Collection[str]) -> LinkCheck:
        from headnote.index.linking import LinkCheck

        return LinkCheck(self.root, documents, read_sites(reader.manifest()))

    def _links(self, path: str, incoming: bool) -> list[LinkRow]:
        check_types(path=(path, str))
        with self._store.reading() as reader:
            if reader.document(path) is None:
                raise self._missing(path)
            return reader.links_to(path) if incoming else reader.links_from(path)

    def _missing(self, path: str) -> MissingSource:
        return MissingSource("not in the index", path=path, remedy=f"see headnote status {self.root}")

    @property
    def _model(self) -> str:
        return self.embedder.name

    def _listing(self) -> Listing:
        chosen = self.index_settings
        return discover(self.root, include=chosen.include, exclude=chosen.exclude, max_bytes=chosen.max_file_bytes)

    def _task(self, rebuild: bool, workers: int | None, wait: float, removes: bool = True) -> Task:
        chosen = self.index_settings
        return Task(
            str(self.root),
            self.settings,
            chosen.include,
            chosen.exclude,
            chosen.max_file_bytes,
            workers,
            rebuild,
            wait,
            removes,
            self.choice.made_with,
            self._adopts,
        )


def _outline(document: DocumentRow) -> list[OutlineEntry]:
    # Not above: whoever only searches need not wait until all that reads Markdown is loaded.
    from headnote.markdown.document import Document

    return Document(document.text, document.path, document.mdx).outline


def repair_index(root: AnyPath, store: str | None = None, schema: str | None = None, adopt: bool = False) -> list[str]:
    """`Index.repair` for an index that may be damaged beyond opening. One of another folder is left alone."""
    folder = Path(root)
    target = load_index_settings({"store": store, "schema": schema}, folder).settings.target
    if schema_of(folder, target):
        with closing(open_store(folder, target, create=False)) as known:
            claim_index(known, folder, adopt)
    return repair_store(folder, target)


def settings_of_index(root: Path, store: str | None = None, schema: str | None = None) -> Choice:
    """What the index of a folder is made with, or would be; nothing is written."""
    flags = {"store": store, "schema": schema}
    target = load_index_settings(flags, root).settings.target
    known = _existing_store(root, target, read_only=True, must_exist=False)
    with closing(known) if known else nullcontext():
        return choose(flags, root, _made_with(known))


def _embedder(given: str | Embedder | None, named: str) -> Embedder:
    """The one that a program gives, or the one of the settings, which know those that are given by name."""
    return get_embedder(named if given is None or isinstance(given, str) else given)


def _existing_store(root: Path, target: str, read_only: bool, must_exist: bool) -> Store | None:
    try:
        return open_store(root, target, create=False, read_only=read_only)
    except MissingIndex:
        if must_exist:
            raise
        return None


def _made_with(store: Store | None) -> str:
    if store is None:
        return ""
    with store.reading() as reader:
        made_with = reader.manifest().get(MADE_WITH, "")
        check_made_with(made_with)  # here, where what is damaged is reported with its place
    return made_with


@contextmanager
def closed_on_error(store: Store | None) -> Iterator[None]:
    """A store that nobody gets is closed."""
    try:
        yield
    except BaseException:
        if store is not None:
            store.close()
        raise


def check_folder(folder: Path) -> None:
    """Raises unless there is such a folder."""
    # Not the methods of Path: in a folder that may not be looked into, those of older Pythons raise.
    if not os.path.exists(folder):  # noqa: PTH110
        raise MissingSource("no such file or folder", path=str(folder), remedy="check the path")
    if not folder.is_dir():
        raise NotAFile("a file, not a folder", path=str(folder), remedy="name the folder it lies in")
