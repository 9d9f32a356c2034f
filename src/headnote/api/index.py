"""`Index`: open a folder, update its index, search it and read from it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from headnote.api.opening import Access, AnyPath, check_folder, open_folder
from headnote.api.reading import (
    broken_links,
    document_outline,
    document_row,
    document_view,
    find_chunk,
    find_section,
    graph,
    neighbourhood,
    orphans,
    passage,
)
from headnote.api.views import DocumentView, Drift, ModelStatus, Status
from headnote.arguments import check_types
from headnote.chunking.options import ChunkOptions
from headnote.config import (
    ChatSettings,
    Choice,
    Configure,
    SearchSettings,
    chat_environment,
    load_chat_settings,
    load_search_settings,
)
from headnote.embedding.base import Embedder, NoEmbedder
from headnote.embedding.registry import Models
from headnote.errors import SettingsError, UnreadIndex, warn
from headnote.index.graph import Graph, Neighbourhood
from headnote.index.manifest import files_read, manifest_of, needs_rebuild
from headnote.index.ownership import roots_in
from headnote.index.plan import plan_reading
from headnote.index.task import FilesRead, Report, Task, Watcher, ignore_progress, never
from headnote.index.update import Scope, plan_update, update_documents
from headnote.index.vectors import sweep, update_vectors
from headnote.model import Answer, FoundWord, Hit, Passage, SearchPage, Turn
from headnote.search.engine import Engine
from headnote.search.filter_parsing import read_filter, read_recency
from headnote.search.model_choice import model_for
from headnote.search.options import Recency, SearchOptions
from headnote.search.query import Expand, Fusion, Mode, Query
from headnote.search.ranking import STEPPED_PRESETS
from headnote.sources.absence import why_no_documents
from headnote.sources.attachments import read_attachment
from headnote.sources.discover import discover
from headnote.sources.listing import Listing
from headnote.sources.watch import Lookout, watch
from headnote.store.base import Store
from headnote.store.opening import schema_of
from headnote.store.rows import DocumentRow, DocumentSummary, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.answer.chat import Chat
    from headnote.markdown.outline import OutlineEntry

_DEFAULTED = ("limit", "mode", "fusion", "per_document", "min_score", "budget", "expand")
"""Options of a search that `[search]` may set."""


class Index:
    """A folder that can be searched. Create one with `Index.open`; many threads may share it."""

    def __init__(
        self,
        root: Path,
        store: Store,
        choice: Choice,
        models: Models,
        *,
        search_settings: SearchSettings = SearchSettings(),  # noqa: B008  immutable
        adopts: bool = False,
        read_only: bool = False,
    ) -> None:
        self.root = root
        self.choice = choice
        self.settings = choice.chunking.settings
        self.index_settings = choice.of_index.settings
        self.models = Models(*(model if model and model.name != "none" else None for model in models))
        self.embedder = models.deep or models.instant or NoEmbedder()
        self.read_only = read_only or not store.may_write
        self._store = store
        self._engine = Engine(store, self.models)
        self.search_settings = search_settings
        self._adopts = adopts
        self._was_updated = False

    def __repr__(self) -> str:
        return f"<Index of {str(self.root)!r}>"

    @classmethod
    def open(
        cls,
        root: AnyPath = ".",
        *,
        create: bool = True,
        preset: str | None = None,
        embedder: str | Embedder | Models | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        max_file_bytes: int | None = None,
        store: str | None = None,
        schema: str | None = None,
        adopt: bool = False,
        read_only: bool = False,
        configure: Configure = "keep",
        without_deep: bool = False,
        **settings: Unpack[ChunkOptions],
    ) -> Index:
        """Open the index of a folder, or create it.

        Settings you leave out are those the index was made with. A new index takes them from the environment, then from
        `headnote.toml`, then from the defaults. The next update stores the settings you give. `choice.differing` lists
        where `headnote.toml` disagrees with the index.

        Args:
            root: The folder of the documents.
            create: Whether to make an index if there is none; otherwise that raises `MissingIndex`.
            preset: Named settings of chunks.
            embedder: What makes vectors: a name, an embedder of your own, or an instant and a deep one.
            include: Globs; if there are any, a file must match one of them.
            exclude: Globs of files to leave out.
            max_file_bytes: Larger files are skipped and reported.
            store: Where the index is: `sqlite`, a file in `.headnote` inside the folder, or the URL of a database.
            schema: The schema of the database.
            adopt: Says that the folder has moved. An index belongs to the folder it was made from: opening it from
                another one raises `ForeignIndex` otherwise.
            read_only: Write nothing, ever. An index whose schema you name can then be opened from any folder.
            configure: What to do where the file disagrees with the index: `keep` the index as it is, `apply` the file,
                as `headnote index` does, or `anew`, which also drops settings given earlier.
            without_deep: Whether to leave the deep model out.
            **settings: Single settings of chunks, which override the preset.
        """
        check_types(root=(root, str | os.PathLike))
        if adopt and read_only:
            raise SettingsError(
                "adopting an index writes to it, and read_only forbids that",
                remedy="adopt it once without read_only; on the command line, without --no-update or --read-only",
            )
        folder = Path(root)
        check_folder(folder)
        flags: dict[str, Any] = {**settings, "preset": preset, "include": include, "exclude": exclude}
        flags |= {"max_file_bytes": max_file_bytes, "store": store, "schema": schema}
        flags["embedder"] = embedder if isinstance(embedder, str) else None
        search_settings = load_search_settings({}, folder).settings
        load_chat_settings(folder)  # report errors in [llm] now, not with the first question
        how: Access = {"create": create, "adopt": adopt, "read_only": read_only, "configure": configure}
        opened = open_folder(folder, flags, embedder, **how, without_deep=without_deep)
        return cls(folder, *opened, search_settings=search_settings, adopts=adopt, read_only=read_only)

    def close(self) -> None:
        """Close the files or connections of the index."""
        self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Updating

    def update(
        self,
        *,
        vectors: bool = True,
        rebuild: bool = False,
        workers: int | None = None,
        wait: float = 10.0,
        remove: bool = True,
        on_progress: Watcher = ignore_progress,
        gives_way: Callable[[], bool] = never,
    ) -> Report:
        """Bring the index up to date with the folder, and report what was done.

        Search is current as soon as the documents are written, by words and by the instant model. The vectors of the
        deep model follow. An interrupted update keeps what it has finished.

        Args:
            vectors: Whether to make the vectors of the deep model, too, or leave them for later.
            rebuild: Whether to read every file again.
            workers: How many processes read files; one per core by default.
            wait: Seconds to wait for another writer.
            remove: Whether to remove documents whose files are gone.
            on_progress: Receives a `Progress` now and then.
            gives_way: As soon as it returns True, the rest of the vectors is left for later.
        """
        check_types(workers=(workers, Integral | None), wait=(wait, Real))
        check_types(on_progress=(on_progress, Callable), gives_way=(gives_way, Callable))
        self._was_updated = True
        task = self._task(rebuild=rebuild, workers=workers, wait=wait, removes=remove)
        report = update_documents(self._store, task, self._model, on_progress)
        if vectors:
            if self.models.deep:
                report.embedded, report.vectors, report.others = update_vectors(
                    self._store, self.models.deep, wait, on_progress, gives_way
                )
            if remove and (not report.plan.is_empty or report.embedded):
                sweep(self._store, [model.name for model in self.models if model], wait)
        return report

    def plan(self, *, rebuild: bool = False) -> Report:
        """What `update` would do now. Nothing is written."""
        return plan_update(self._store, self._task(rebuild=rebuild), self._model)

    def drift(self) -> Drift:
        """How the folder differs from the index, by file size and time. No file is read."""
        listing = self._listing()
        with self._store.reading() as reader:
            stored = Scope(self._store, self._task()).files(reader)
            non_texts = reader.non_texts()
            reason = needs_rebuild(reader.manifest(), manifest_of(self.settings, self._model))
        reading = plan_reading(listing.files, listing.skipped, stored, non_texts=non_texts)
        paths = [file.path for file in reading.read]
        return Drift(
            new=[path for path in paths if path not in stored],
            changed=[path for path in paths if path in stored],
            gone=reading.gone,
            rebuild=reason,
        )

    def watch(self, stop: threading.Event, *, debounce_ms: int = 300, **options: Any) -> Iterator[Report]:
        """Update now, and again whenever files change, until `stop` is set. `options` are those of `update`."""
        settings = self.index_settings
        changes = watch(
            self.root,
            stop=stop,
            include=settings.include,
            exclude=settings.exclude,
            max_bytes=settings.max_file_bytes,
            # Listed before the first update, which may take minutes: changes in the meantime must not be missed.
            since=self._listing(),
            debounce_ms=debounce_ms,
        )
        yield from self._updates(options)
        for _ in changes:
            yield from self._updates(options)

    def _updates(self, options: Mapping[str, Any]) -> Iterator[Report]:
        """Updates until nothing has changed meanwhile. Deep vectors may take an hour; files that change must not wait
        for them."""
        while True:
            lookout = Lookout(self._listing)
            yield self.update(**options, gives_way=lookout)
            if not lookout.has_seen_changes:
                return

    def check(self) -> list[str]:
        """Check every invariant, and return one line for each that is violated."""
        return self._store.check()

    def repair(self) -> list[str]:
        """Rebuild derived and damaged data, and report what was done. Sound vectors stay; the next update restores the
        rest."""
        return self._store.repair()

    def check_read(self) -> None:
        """Raise `UnreadIndex` if no update has read the folder yet, so that there is nothing to find."""
        if self.generation == 0:
            raise self._unread()

    def _unread(self) -> UnreadIndex:
        remedy = f"call index.update(), or run headnote index {self.root}"
        return UnreadIndex("the index is empty: nothing has been read yet", path=str(self.root), remedy=remedy)

    def check_writing(self) -> None:
        """Raise the error that an update would raise now: another writer is active, or the folder is read-only."""
        with self._store.writing(wait=0.0):
            pass

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write to it."""
        return self._store.is_shared

    @property
    def chat_settings(self) -> ChatSettings:
        """Which model answers questions, from file and environment as they are now."""
        return load_chat_settings(self.root).settings

    @property
    def generation(self) -> int:
        """A number that every update raises. It is cheap to read."""
        return self._store.generation()

    @property
    def files_read(self) -> FilesRead | None:
        """How much of the folder can be searched while it is read for the first time, or after that was interrupted.
        None if all of it was read once: an update that comes later leaves the index complete as it was."""
        with self._store.reading() as reader:
            return files_read(reader.manifest())

    def status(self) -> Status:
        """The size and the settings of the index."""
        with self._store.reading() as reader:
            counts, manifest = reader.counts(), reader.manifest()
            roots, read = roots_in(manifest), files_read(manifest)
            # By name: to tell its dimensions, a model might have to be loaded or a service called.
            pending = {model.name: reader.pending_count(model.name) for model in self.models if model}
            answering = model_for(reader, self.models)
        return Status(
            root=str(self.root),
            documents=counts.documents,
            chunks=counts.chunks,
            links=counts.links,
            pending=pending.get(self._model, 0),
            model=self._model,
            settings=self.settings,
            index_settings=self.index_settings,
            bytes_on_disk=counts.bytes_on_disk,
            updated=counts.updated_ns / 1e9 if counts.updated_ns else None,
            generation=counts.generation,
            roots=tuple(roots),
            schema=schema_of(self.root, self.index_settings.target),
            models=tuple(
                ModelStatus("instant" if model is self.models.instant else "deep", model.name, pending[model.name])
                for model in self.models
                if model
            ),
            answering=answering.name if answering else "",
            files_read=read,
        )

    # Searching

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
        """The chunks that answer a query, best first; none if nothing is relevant.

        By meaning, the deep model answers if it has vectors of everything that is searched, else the instant one.
        Arguments you leave out come from the environment, then from `[search]` in `headnote.toml`, then from the
        defaults. An index that was never updated has no hits, and shows an `UnreadIndex` warning.

        Args:
            query: What to look for, in words or as a question.
            limit: Maximum number of hits; 10 by default.
            mode: `hybrid` searches by keyword and by meaning, `keyword` and `semantic` by one of them.
            path: Globs of documents; one must match.
            tags: Tags that must all be present.
            where: Frontmatter field → value; all must match. `a.b` is field `b` in `a`.
            since: Only files changed since then: a time, a date, or `7d` ago.
            per_document: Maximum number of hits per document; 0 for no limit.
            min_score: Minimum score; with 0, a search by meaning shows the nearest passages, relevant or not.
            budget: Maximum tokens of all hits together; 0 for no limit.
            recency_days: Half-life of a small boost for recent files.
            recency_steps: Whether the boost comes in steps, the default of the preset `ragdocs`.
            expand: Adds the text around a hit, `neighbours` or `section`, or what it links to, `linked`.
            fusion: How two rankings become one: `weighted` adds scores, `rrf` reciprocal ranks; a hit that is first in
                both scores 1.
        """
        options: SearchOptions = {
            "path": path,
            "tags": tags,
            "where": where,
            "since": since,
            "per_document": per_document,
            "min_score": min_score,
            "budget": budget,
            "recency_days": recency_days,
            "recency_steps": recency_steps,
            "expand": expand,
            "fusion": fusion,
        }
        hits = self._engine.search(self._query(query, limit, mode, **options))
        if not hits:
            self._warn_if_unread()
        return hits

    def _warn_if_unread(self) -> None:
        # A program that has called `update` knows about it, and may search while the first batch is being read.
        if not self._was_updated and self.generation == 0:
            warn(self._unread())

    def search_page(
        self,
        query: str,
        limit: int | None = None,
        mode: Mode | None = None,
        *,
        offset: int = 0,
        facets: bool = True,
        **options: Unpack[SearchOptions],
    ) -> SearchPage:
        """A page of the hits of a search, how many passages it finds, and ways to narrow it.

        A passage is found if it has a word of the query, or one that this word stands for, or if it is one of the 200
        nearest in meaning and at least 0.3 near: less near, the best hit of a search would not be relevant. So a search
        by meaning has an end. A filter narrows what is found. `min_score` takes the place of that 0.3: with 0, all of
        the nearest are found; with more, only passages that score so much without a filter.

        Pages of any length make up the same list, and their first hits are those of `search`, as far as they are found.
        Near copies of a hit, and what `per_document` and `budget` leave out, count in `total` and are not shown.

        Args:
            query: As in `search`.
            limit: As in `search`.
            mode: As in `search`.
            offset: How many hits to leave out, because they are on the pages before.
            facets: Whether to count folders, tags and fields.
            **options: The other options of `search`.
        """
        check_types(offset=(offset, Integral))
        if offset < 0:
            raise SettingsError(f"offset {offset} is too small", remedy="give 0 or more")
        page = self._engine.page(self._query(query, limit, mode, **options), offset, facets)
        if not page.total:
            self._warn_if_unread()
        return page

    def why_empty(
        self,
        query: str,
        limit: int | None = None,
        mode: Mode | None = None,
        *,
        can_set_score: bool = True,
        **options: Unpack[SearchOptions],
    ) -> str:
        """Why a search without hits has none, in one line: nothing to search, a filter that nothing passes, a model
        that cannot help, or nothing relevant and what to try.

        Args:
            query: As in `search`.
            limit: As in `search`.
            mode: As in `search`.
            can_set_score: Whether those who read it can set `min_score`; without that it is not offered.
            **options: The other options of `search`.
        """
        asked = self._query(query, limit, mode, **options)
        return self.why_no_documents() or self._engine.why_empty(asked, can_set_score)

    def why_no_documents(self) -> str:
        """What was looked for in a folder without documents, and what is there, in one line; empty if it has some."""
        with self._store.reading() as reader:
            if reader.document_paths():
                return ""
        listing = self._listing()
        return "" if listing.files else why_no_documents(self.root, listing)

    def _query(self, text: str, limit: int | None, mode: Mode | None, **options: Unpack[SearchOptions]) -> Query:
        """A search with the settings of the index in place of what is None."""
        only = read_filter(
            path=options.pop("path", None),
            tags=options.pop("tags", None),
            where=options.pop("where", None),
            since=options.pop("since", None),
        )
        recency = self._recency(options.pop("recency_days", None), options.pop("recency_steps", None))
        given: dict[str, Any] = {"limit": limit, "mode": mode, **options, **recency}
        defaults = {name: getattr(self.search_settings, name) for name in _DEFAULTED if given.get(name) is None}
        return Query(text=text, only=only, **given | defaults)

    def _recency(self, days: float | None, steps: bool | None) -> Recency:
        """The boost of the call, else of the settings, else of the preset."""
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
        history: Sequence[Turn] = (),
        **filters: Any,
    ) -> Answer:
        """Answer a question from the best passages, with checked citations.

        Without a model, the answer quotes the passages.

        Args:
            question: What you want to know.
            limit: Passages to answer from.
            budget: Maximum tokens of the prompt.
            stream: Receives the text piece by piece, as far as its citations are checked.
            model: A model of the service set by the environment or by `[llm]` in `headnote.toml`; by default the one
                named there. An empty name asks none. A `Chat` of your own is asked as it is.
            history: Earlier questions with their answers, oldest first: "And in winter?" is then understood.
            **filters: Those of `search`.
        """
        # Late: only those who ask questions wait for the client of the service.
        from headnote.answer.answering import answer_from
        from headnote.answer.chat import Chat, find_chat
        from headnote.answer.following import merged, searches_for
        from headnote.answer.passages import read_passages

        check_types(
            question=(question, str),
            budget=(budget, Integral),
            stream=(stream, Callable | None),
            model=(model, str | Chat | None),
            history=(history, Sequence),
        )
        for number, turn in enumerate(history):
            name = f"history[{number}]"
            check_types(**{name: (turn, Turn)})
            check_types(**{f"{name}.{field}": (value, str) for field, value in turn._asdict().items()})
        if not question.strip():
            raise SettingsError("the question is empty", remedy="say what you want to know")
        chat = (
            find_chat(chat_environment(self.chat_settings), model) if model is None or isinstance(model, str) else model
        )
        hits = merged([self.search(text, limit, **filters) for text in searches_for(question, history)], limit)
        with self._store.reading() as reader:
            passages = read_passages(reader, hits)
        answer = answer_from(question, passages, chat, self.embedder, budget, stream, history)
        return answer if hits else answer._replace(note=self.why_empty(question, limit, can_set_score=False, **filters))

    def suggested_questions(self, limit: int = 6) -> list[str]:
        """Questions that this folder can answer, made from its own headings.

        Args:
            limit: How many at most.
        """
        from headnote.answer.suggestions import suggested_questions

        check_types(limit=(limit, Integral))
        if limit < 1:
            raise SettingsError(f"limit is {limit}", remedy="give at least 1")
        with self._store.reading() as reader:
            return [suggestion.question for suggestion in suggested_questions(reader, limit)]

    # Reading. A path may also be absolute, begin with the name of the root, lack its suffix or be in another case, if
    # that leaves no doubt.

    def documents(self) -> list[str]:
        """Paths of all documents, sorted."""
        with self._store.reading() as reader:
            return reader.document_paths()

    def contents(self) -> list[DocumentSummary]:
        """All documents with their titles, by path."""
        with self._store.reading() as reader:
            return reader.summaries()

    def document(self, path: str) -> DocumentView:
        """A document with everything known about it, read at one moment."""
        check_types(path=(path, str))
        return document_view(self._store, self.root, path)

    def chunk(self, key: str) -> StoredChunk:
        """A chunk by its key, or by its id, as in hits."""
        check_types(key=(key, str))
        return find_chunk(self._store, key)

    def outline(self, path: str) -> list[OutlineEntry]:
        """The headings of a document, each with the lines of everything below it."""
        return document_outline(self._document_row(path))

    def section(self, path: str, heading: str) -> Passage:
        """The lines under a heading, found by its text or anchor, ignoring case."""
        check_types(heading=(heading, str))
        document = self._document_row(path)
        entry = find_section(document, heading)
        return passage(document, entry.start_line, entry.end_line)

    def read(self, path: str, start_line: int = 1, end_line: int | None = None) -> Passage:
        """Lines of a document as indexed, both ends included."""
        check_types(path=(path, str), start_line=(start_line, Integral), end_line=(end_line, Integral | None))
        if start_line < 1 or (end_line is not None and end_line < start_line):
            raise SettingsError(
                f"lines {start_line} to {end_line} are not a range", remedy="count from 1, first line first"
            )
        return passage(self._document_row(path), start_line, end_line)

    def found_words(self, path: str, query: str) -> list[FoundWord]:
        """The words of a document that a query finds, with their lines: those that are marked in hits."""
        # Late: it loads the Markdown scanner.
        from headnote.search.marking import found_words

        check_types(path=(path, str), query=(query, str))
        with self._store.reading() as reader:
            return found_words(reader, document_row(reader, self.root, path), query)

    def links(self, path: str) -> list[LinkRow]:
        """The links of a document, with their targets."""
        check_types(path=(path, str))
        with self._store.reading() as reader:
            return reader.links_from(document_row(reader, self.root, path).path)

    def backlinks(self, path: str) -> list[LinkRow]:
        """The links that lead to a document."""
        check_types(path=(path, str))
        with self._store.reading() as reader:
            return reader.links_to(document_row(reader, self.root, path).path)

    def broken_links(self) -> list[LinkRow]:
        """Links to documents, sections and other files inside the root that do not exist. Raises `UnreadIndex` if not
        all files are read: until then, nobody can tell."""
        return broken_links(self._store, self.root)

    def orphans(self) -> list[str]:
        """Documents without a link to or from another document. Raises `UnreadIndex` as `broken_links` does."""
        return orphans(self._store, self.root)

    def attachment(self, path: str) -> bytes | None:
        """The content of a file inside the root that is not a document, such as a picture. None if it is missing,
        ignored or outside the root."""
        check_types(path=(path, str))
        return read_attachment(self.root, path, self.index_settings.exclude)

    def graph(self) -> Graph:
        """Which documents link to which, and the broken links. While the folder is read for the first time, no link is
        resolved, and none is called broken."""
        return graph(self._store, self.root)

    def neighbourhood(self, path: str, depth: int = 1, limit: int = 50) -> Neighbourhood:
        """A document, those it links to and those that link to it, and so on.

        Args:
            path: The document in the middle.
            depth: How many links away a document may be.
            limit: Maximum number of documents, this one included; the nearest come first.
        """
        check_types(path=(path, str), depth=(depth, Integral), limit=(limit, Integral))
        if depth < 1 or limit < 1:
            raise SettingsError(
                f"depth {depth} and limit {limit} must be 1 or more", remedy="leave them out, or raise them"
            )
        return neighbourhood(self._store, self.root, path, depth, limit)

    def _document_row(self, path: str) -> DocumentRow:
        check_types(path=(path, str))
        with self._store.reading() as reader:
            return document_row(reader, self.root, path)

    @property
    def _model(self) -> str:
        return self.embedder.name

    def _listing(self) -> Listing:
        settings = self.index_settings
        return discover(
            self.root, include=settings.include, exclude=settings.exclude, max_bytes=settings.max_file_bytes
        )

    def _task(
        self, *, rebuild: bool = False, workers: int | None = None, wait: float = 0.0, removes: bool = True
    ) -> Task:
        settings = self.index_settings
        return Task(
            root=str(self.root),
            settings=self.settings,
            include=settings.include,
            exclude=settings.exclude,
            max_bytes=settings.max_file_bytes,
            workers=workers,
            rebuild=rebuild,
            wait=wait,
            removes=removes,
            made_with=self.choice.made_with,
            adopts=self._adopts,
            instant=self.models.instant,
        )
