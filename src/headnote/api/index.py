"""`Index`: open a folder, update its index, search it and read from it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from headnote.api.folders import Access, AnyPath, Asked, check_adoption, check_folder, home_of, open_folder
from headnote.api.indexed_folder import IndexedFolder
from headnote.api.reading import document_outline, passage, section
from headnote.api.reports import DocumentView, Drift, Passages, Status
from headnote.arguments import check_types, strings
from headnote.chunking.masking import unmasked
from headnote.chunking.settings import ChunkOptions
from headnote.config import ChatSettings, Choice, Configure, chat_environment, load_chat_settings, load_search_settings
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models
from headnote.errors import SettingsError
from headnote.extra.packs.format import PackInfo, is_pack
from headnote.index.plan import FilesRead, Report, ignore_progress, never
from headnote.index.update import plan_update
from headnote.model import Answer, FoundWord, Hit, Matches, Passage, ReadQuery, Related, SearchPage, Turn
from headnote.model.results import Watcher
from headnote.search.language import understood
from headnote.search.no_results import unknown_fields
from headnote.search.query import (
    DATES,
    Expand,
    Fusion,
    Mode,
    Query,
    SearchOptions,
    other_phrasings,
    read_filter,
    with_settings,
)
from headnote.search.ranking import RECENCY_OF_PRESET
from headnote.sources.repository import SkippedFile
from headnote.sources.tree import left_out_hint
from headnote.store.filters import Filter, all_of
from headnote.store.opening import open_store
from headnote.store.rows import DocumentSummary, LinkRow, StoredChunk

if TYPE_CHECKING:
    from headnote.answer.chat import Chat
    from headnote.extra.export.writing import Exported
    from headnote.links.graph import Graph, Neighbourhood
    from headnote.markdown.headings import OutlineEntry


class Index(IndexedFolder):
    """A folder that can be searched. Create one with `Index.open`; many threads may share it."""

    pack_info: PackInfo | None
    """What a pack says about itself; None for the index of a folder."""

    def __repr__(self) -> str:
        return f"<Index of {str(self.root)!r}>"

    @classmethod
    def open(
        cls,
        root: AnyPath | Sequence[AnyPath] = ".",
        *,
        create: bool = True,
        preset: str | None = None,
        embedder: str | Embedder | Models | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        formats: Sequence[str] = (),
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
        `headnote.toml`, then from the defaults. The next update stores the settings you give. Every update follows
        `headnote.toml` if that has changed; until then, `choice.differing` lists where it disagrees with the index.

        Args:
            root: The folder of the documents. Several folders are one index, which is in a folder of its own; a folder
                whose `headnote.toml` has a table `[roots]` is the home of an index of those.
            create: Whether to make an index if there is none; otherwise that raises `MissingIndex`.
            preset: Named settings of chunks.
            embedder: What makes vectors: a name, an embedder of your own, or an instant and a deep one.
            include: Globs; if there are any, a file must match one of them.
            exclude: Globs of files to leave out.
            formats: What is read besides Markdown: `html`, `notebook`, `rst`.
            max_file_bytes: Larger files are skipped and reported.
            store: Where the index is: `sqlite`, a file in `.headnote` inside the folder, or the URL of a database.
            schema: The schema of the database.
            adopt: Says that the folder has moved: an index opened from another one raises `ForeignIndex` otherwise.
            read_only: Write nothing, ever. An index whose schema you name can then be opened from any folder.
            configure: What to do where the file disagrees with the index: `keep` it until the next update, `follow` the
                file now, `apply` file and environment, as `headnote index` does, or `anew`, without earlier flags.
            without_deep: Whether to leave the deep model out.
            **settings: Single settings of chunks, which override the preset.
        """
        check_types(root=(root, str | os.PathLike | list | tuple))
        check_adoption(adopt, read_only)
        folder = Path(root) if isinstance(root, str | os.PathLike) else home_of(root)
        flags: dict[str, Any] = {**settings, "preset": preset, "include": include, "exclude": exclude}
        flags |= {"formats": formats, "max_file_bytes": max_file_bytes, "store": store, "schema": schema}
        if is_pack(folder):
            return cls._open_as_root(folder, flags | {"embedder": embedder, "adopt": adopt}, without_deep)
        check_folder(folder)
        flags["embedder"] = embedder if isinstance(embedder, str) else None
        search_settings = load_search_settings({}, folder).settings
        load_chat_settings(folder)  # report errors in [llm] now, not with the first question
        how: Access = {"create": create, "adopt": adopt, "read_only": read_only, "configure": configure}
        opened = open_folder(folder, flags, embedder, **how, without_deep=without_deep)
        asked = Asked(flags, embedder, configure, without_deep)
        return cls(folder, *opened, search_settings=search_settings, adopt=adopt, read_only=read_only, asked=asked)

    @classmethod
    def open_pack(cls, file: AnyPath, *, key: AnyPath | None = None, without_deep: bool = False) -> Index:
        """Open a pack: a file that `pack` has made, here or on another machine.

        It answers as the index of the folder does. What needs the folder, such as `update`, raises an error. Nothing is
        written, and all that is read of it is compared with its checksums.

        Args:
            file: The pack.
            key: A file with public keys as `ssh-keygen` writes them: the pack must be signed with one of these.
            without_deep: Whether to leave the deep model out.
        """
        check_types(file=(file, str | os.PathLike), key=(key, str | os.PathLike | None))
        from headnote.extra.packs.unpacking import open_packed

        opened = open_packed(Path(file), without_deep=without_deep, key=Path(key) if key is not None else None)
        return cls(
            Path(file),
            opened.store,
            opened.choice,
            opened.models,
            search_settings=opened.search_settings,
            read_only=True,
            pack=opened.info,
            contexts=opened.contexts,
        )

    @classmethod
    def _open_as_root(cls, file: AnyPath, given: Mapping[str, Any], without_deep: bool) -> Index:
        if named := [name for name, value in given.items() if value]:
            remedy = f"leave out {named[0]}"
            raise SettingsError(f"a pack has its settings inside, {named[0]} too", path=str(file), remedy=remedy)
        return cls.open_pack(file, without_deep=without_deep)

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
        should_stop: Callable[[], bool] = never,
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
            should_stop: Stop embedding as soon as it returns True; the rest is left for later.
        """
        check_types(workers=(workers, Integral | None), wait=(wait, Real))
        if not wait >= 0:
            raise SettingsError(f"wait must be 0 or more, not {wait}", remedy="give seconds")
        check_types(on_progress=(on_progress, Callable), should_stop=(should_stop, Callable))
        self._settle()
        task = self._task(rebuild=rebuild, workers=workers, wait=wait, remove_missing=remove)
        report = self._update_documents(task, on_progress)
        return self._update_vectors(report, task, on_progress, should_stop) if vectors else report

    def take_settings(self) -> None:
        """Take the settings as they are by now: another process may have stored others since the index was opened, and
        the file may have changed. What is stored, only an update changes."""
        self._take_settings("keep")

    def pack(
        self,
        file: AnyPath,
        *,
        name: str = "",
        version: str = "",
        description: str = "",
        licence: str = "",
        deep: bool = False,
        times: bool = False,
        sign: AnyPath | None = None,
    ) -> PackInfo:
        """Write the index into one file that can be passed on, and opened with `open_pack` without the folder.

        It contains the text of the documents, their words, links and settings of chunks, what is said about folders,
        and the vectors of the instant model. Paths of this machine, files that are ignored, keys and addresses of
        services are not in it. The same documents and settings give the same bytes.

        Args:
            file: The file to write; a pack of that name is replaced.
            name: Of the pack; by default that of the folder.
            version: Of the documents, as you count them.
            description: In a sentence.
            licence: Of the documents.
            deep: Whether the vectors of the deep model go with it. Readers need the same model.
            times: Whether it says when files were changed, for `since` and `recency_days`. Copies of a folder differ in
                that.
            sign: The key to sign it with, as `ssh-keygen` makes it.
        """
        from headnote.extra.packs.making import PackOptions, make_pack

        check_types(file=(file, str | os.PathLike), sign=(sign, str | os.PathLike | None))
        texts = {"name": name, "version": version, "description": description, "licence": licence}
        check_types(**{argument: (text, str) for argument, text in texts.items()})
        self._require_folder()
        options = PackOptions(
            name=name or self.root.resolve().name,
            version=version,
            description=description,
            licence=licence,
            deep=deep,
            times=times,
            key=Path(sign) if sign is not None else None,
        )
        return make_pack(self._pack_source(), Path(file), options)

    def export(self, site: AnyPath, *, base_url: str = "", check: bool = False) -> Exported:
        """Write a search for a site without a server: a script, and shards of which a browser loads what a query needs.

        They go into the folder `headnote` inside the site. Files of an earlier export that are no longer needed are
        removed, and no others.

        Args:
            site: The folder of the built site. Pages that are found there tell how their addresses are written.
            base_url: What comes before every address, if the site is not at the top of what `site` contains.
            check: Whether to write nothing, and only say what would change.
        """
        from headnote.extra.export.writing import export_site

        check_types(site=(site, str | os.PathLike), base_url=(base_url, str))
        return export_site(self._store, self.models, Path(site), base_url, check=check)

    def plan(self, *, rebuild: bool = False) -> Report:
        """What `update` would do now. Nothing is written."""
        self._require_folder()
        return plan_update(self._store, self._task(rebuild=rebuild), self._model)

    def drift(self) -> Drift:
        """How the folder differs from the index, by file size and time. No file is read. Of a pack, nothing differs."""
        return self._drift()

    def left_out(self) -> list[SkippedFile]:
        """Files and folders that one might miss, and why they are not in the index: as the last update of this object
        found, or as the folder is now. A pack knows of none, and a folder that is still being read tells at the end."""
        return self._files_left_out()

    def watch(self, stop: threading.Event, *, debounce_ms: int = 300, **options: Any) -> Iterator[Report]:
        """Update now, and again whenever files change, until `stop` is set. `options` are those of `update`."""
        return self._watch(partial(self.update, **options), stop, debounce_ms)

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
        return self._files_read()

    @property
    def lacks_vectors(self) -> bool:
        """Whether the deep model has vectors to make. It is cheaper to tell than how many, which `status` says."""
        return self._lacks_vectors()

    def status(self) -> Status:
        """The size and the settings of the index."""
        return self._status()

    # Searching

    def search(
        self,
        query: str,
        limit: int | None = None,
        mode: Mode | None = None,
        *,
        path: str | Sequence[str] | None = None,
        roots: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | str | Sequence[str] | None = None,
        since: datetime | float | str | None = None,
        before: datetime | float | str | None = None,
        between: str | None = None,
        per_document: int | None = None,
        min_score: float | None = None,
        budget: int | None = None,
        recency_days: float | None = None,
        recency_steps: bool | None = None,
        expand: Expand | None = None,
        fusion: Fusion | None = None,
        literal: bool = False,
        queries: str | Sequence[str] | None = None,
        passage: str | None = None,
    ) -> list[Hit]:
        """The chunks that answer a query, best first; none if nothing is relevant.

        By meaning, the deep model answers if it has vectors of everything that is searched, else the instant one.
        Arguments you leave out come from the environment, then from `[search]` in `headnote.toml`, then from the
        defaults. An index that was never updated has no hits, and shows an `UnreadIndex` warning.

        Args:
            query: What to look for. `"a phrase"`, `-word`, `title:`, `path:`, `tag:` and `OR` are operators.
            limit: Maximum number of hits. By default 10; an agent gets 5.
            mode: `hybrid` searches by keyword and by meaning, `keyword` and `semantic` by one of them.
            path: Globs of documents; one must match.
            roots: Names of folders, if the index has several; globs then count from there.
            tags: Tags that the document must all have, in its frontmatter or anywhere in its text.
            where: Frontmatter field → value, `a.b` being field `b` in `a`; or conditions such as `version >= 2`.
            since: Only documents changed since then: a time, a date, or `7d` ago.
            before: Only documents changed before then, and not later.
            between: Only documents last changed in a year, month, day or range: `2026-03`, `2026-03-01..2026-04`.
            per_document: Maximum number of hits per document; 0 for no limit.
            min_score: Minimum score of a hit; 0 shows the nearest in any case. By default the best must be relevant.
            budget: Maximum tokens of all hits together; 0 for no limit.
            recency_days: Half-life of the bonus for recent files, in days; 0 for none.
            recency_steps: A bonus in steps instead, for the last week and month: the default of the preset `ragdocs`.
            expand: Text to add around hits: `none`, `neighbours`, `section`, `linked`; `auto` joins hits of a section.
            fusion: How `hybrid` merges its two rankings: `weighted` adds scores, `rrf` adds reciprocal ranks.
            literal: Whether the query is ordinary text as it is typed: without operators, and no word is corrected.
            queries: Other phrasings of the query, as ordinary text; at most 5. Hits answer all of them.
            passage: A made-up answer; finds passages like it, by meaning only.
        """
        dates = SearchOptions(since=since, before=before, between=between)
        filters = SearchOptions(path=path, roots=roots, tags=tags, where=where, **dates)
        lengths = SearchOptions(per_document=per_document, min_score=min_score, budget=budget, expand=expand)
        ranking = SearchOptions(recency_days=recency_days, recency_steps=recency_steps, fusion=fusion)
        words = SearchOptions(literal=literal, queries=queries, passage=passage)
        options: SearchOptions = {**filters, **lengths, **ranking, **words}
        return self._placed(self._engine.search(self._query(query, limit, mode, **options)))

    def _placed(self, hits: Sequence[Hit]) -> list[Hit]:
        """Hits that say which root they are from, and what is said about them. Without any, a warning may be due."""
        if not hits:
            self._warn_if_unread()
        contexts = self._contexts
        if not self.tree.is_named and not contexts:
            return list(hits)
        return [replace(hit, root=self.tree.root_of(hit.path), about=contexts.about(hit.path)) for hit in hits]

    @property
    def contexts(self) -> Mapping[str, str]:
        """Path of a folder or document → what the settings file, or the pack, says about it now; empty for the whole
        index."""
        return self._contexts.sentences

    def unused_contexts(self) -> list[str]:
        """Paths in `contexts` that no document has, and no folder of one."""
        return self._contexts.unused(self.documents())

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
        nearest in meaning and at least 0.3 near, or far nearer than all other documents. So a search by meaning has an
        end. A filter narrows what is found. `min_score` takes the place of that 0.3: with 0, all of
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
        return replace(page, hits=tuple(self._placed(page.hits)))

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
        that cannot help, or nothing relevant and what to try; and what is left out of the index.

        Args:
            query: As in `search`.
            limit: As in `search`.
            mode: As in `search`.
            can_set_score: Whether those who read it can set `min_score`; without that it is not offered.
            **options: The other options of `search`.
        """
        asked = self._query(query, limit, mode, **options)
        if why := self.why_no_documents():
            return why
        hint = left_out_hint(self.left_out())
        return "; ".join(filter(None, (self._engine.why_empty(asked, can_set_score), hint)))

    def understand(
        self, query: str, *, literal: bool = False, where: Mapping[str, Any] | str | Sequence[str] | None = None
    ) -> ReadQuery:
        """How a search understands a query and its conditions on the frontmatter.

        Args:
            query: As in `search`.
            literal: As in `search`.
            where: As in `search`.
        """
        check_types(query=(query, str), literal=(literal, bool))
        record = understood(query, literal).record
        conditions = () if isinstance(where, Mapping) else strings("where", where)
        with self._store.reading() as reader:
            notes = tuple(unknown_fields(reader, read_filter(None, None, where, None)))
        return replace(record, filters=(*record.filters, *conditions), notes=(*record.notes, *notes))

    def grep(
        self,
        pattern: str | Sequence[str],
        *,
        literal: bool = False,
        ignore_case: bool = False,
        words: bool = False,
        path: str | Sequence[str] | None = None,
        roots: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | str | Sequence[str] | None = None,
        since: datetime | float | str | None = None,
        before: datetime | float | str | None = None,
        between: str | None = None,
        lines: bool = True,
        budget: int = 0,
        seconds: float = 10.0,
    ) -> Matches:
        """Every line that a pattern matches, by document, with counts: what is there, not what is near.

        The text is that of the index, character for character.

        Args:
            pattern: A regular expression as Python writes them, which matches within a line; of several, one must
                match.
            literal: Whether it is ordinary text.
            ignore_case: Whether `a` matches `A`.
            words: Whether it matches whole words only.
            path: As in `search`, like the six below.
            roots: Names of folders, where the index has several.
            tags: Tags that the document must all have.
            where: Conditions on the frontmatter.
            since: Only documents changed since then.
            before: Only documents last changed before then.
            between: Only documents last changed in a year, a month or a day, or from one to another.
            lines: Whether to return the lines, or only to count them.
            budget: Maximum tokens of counts and lines together; 0 for no limit. The lines that do not fit are counted,
                and a long one is cut around its first match.
            seconds: What it may take. A pattern that takes longer is ended, and raises `SettingsError`.
        """
        from headnote.search.occurrences import LinePattern, find_occurrences

        check_types(literal=(literal, bool), ignore_case=(ignore_case, bool), words=(words, bool), lines=(lines, bool))
        check_types(budget=(budget, Integral), seconds=(seconds, Real))
        if budget < 0 or not seconds > 0:
            raise SettingsError(f"budget {budget} and {seconds} seconds make no sense", remedy="give more")
        asked = LinePattern(strings("pattern", pattern), literal=literal, ignore_case=ignore_case, words=words)
        dates = SearchOptions(since=since, before=before, between=between)
        only = self._filter(SearchOptions(path=path, roots=roots, tags=tags, where=where, **dates))
        with self._store.reading() as reader:
            matches = find_occurrences(reader, asked, only, budget if lines else None, seconds)
        if not matches.searched:
            self._warn_if_unread()
        return matches

    def related(
        self, path: str = "", line: int | None = None, limit: int = 10, *, unlinked: bool = False, linked: bool = False
    ) -> list[Related]:
        """Passages of other documents that are near a document or one of its passages, best first, one of each.

        They are compared by their stored vectors and by rare words that both have; without vectors, by words alone.

        Args:
            path: The document; `path:line` and `path#heading` name a passage of it. Without one, and with `unlinked`,
                all documents are compared.
            line: A line of the passage.
            limit: Maximum number of passages.
            unlinked: Suggest links to make: documents that are near and not linked in either direction, and documents
                that are named without a link. Each comes with its place and the link to write.
            linked: Whether to show documents, too, that this one links to already.
        """
        check_types(path=(path, str), line=(line, Integral | None), limit=(limit, Integral))
        check_types(unlinked=(unlinked, bool), linked=(linked, bool))
        if limit < 1:
            raise SettingsError(f"limit {limit} is too small", remedy="give 1 or more")
        if not path and not unlinked:
            raise SettingsError("no document is given", remedy="name one, or ask for unlinked ones of all")
        return self._related(path, line, limit, unlinked, linked)

    def why_no_documents(self) -> str:
        """What was looked for in a folder without documents, and what is there, in one line; empty if it has some."""
        return self._why_no_documents()

    def _query(self, text: str, limit: int | None, mode: Mode | None, **options: Unpack[SearchOptions]) -> Query:
        """A search with the settings of the index in place of what is None."""
        only = self._filter(options)
        check_types(query=(text, str))
        queries = other_phrasings(text, options.get("queries"))
        asked = understood(text, bool(options.get("literal")))
        if asked.must is not None and self._engine.is_name(text):
            asked = understood(text, literal=True)
        usual = asdict(self.search_settings)
        usual["recency"] = usual["recency"] or RECENCY_OF_PRESET.get(self.choice.chunking.preset, "0")
        return Query(
            text=asked.words,
            only=only._replace(must=all_of([only.must, asked.must])),
            phrases=asked.phrases,
            contexts=self._contexts,
            **with_settings({"limit": limit, "mode": mode, **options, "queries": queries}, usual),
        )

    def _filter(self, options: SearchOptions) -> Filter:
        """Which documents are searched."""
        self._check_times(options)
        path, roots = options.get("path"), strings("roots", options.get("roots"))
        return read_filter(
            path=self.tree.globs(roots, strings("path", path)) if roots else path,
            tags=options.get("tags"),
            where=options.get("where"),
            since=options.get("since"),
            before=options.get("before"),
            between=options.get("between"),
        )

    def _check_times(self, options: SearchOptions) -> None:
        """Raise if a search asks when files were changed, and nobody knows."""
        if self.pack_info is None or self.pack_info.times:
            return
        if any(options.get(name) for name in (*DATES, "recency_days", "recency_steps")):
            remedy = "leave that out, or ask for a pack that was made with --times"
            raise SettingsError("the pack does not say when files were changed", path=str(self.root), remedy=remedy)

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
        from headnote.answer.answering import NOTHING_TO_QUOTE, answer_from, can_be_quoted, merged, searches_for
        from headnote.answer.chat import Chat, find_chat
        from headnote.answer.prompt import read_passages

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
            check_types(**{f"{name}.question": (turn.question, str), f"{name}.answer": (turn.answer, str)})
        if not question.strip():
            raise SettingsError("the question is empty", remedy="say what you want to know")
        chat = (
            find_chat(chat_environment(self.chat_settings), model) if model is None or isinstance(model, str) else model
        )
        hits = merged([self.search(text, limit, **filters) for text in searches_for(question, history)], limit)
        asks_for_any = filters.get("min_score") is not None or self.search_settings.min_score is not None
        is_weak = chat is None and not asks_for_any and bool(hits) and not can_be_quoted(hits)
        with self._store.reading() as reader:
            passages = read_passages(reader, [] if is_weak else hits)
        answer = answer_from(question, passages, chat, self.embedder, budget, stream, history)
        if is_weak:
            return replace(answer, note=NOTHING_TO_QUOTE.format(score=hits[0].score))
        return answer if hits else replace(answer, note=self.why_empty(question, limit, can_set_score=False, **filters))

    def suggested_questions(self, limit: int = 6) -> list[str]:
        """Questions that this folder can answer, made from its own headings.

        Args:
            limit: How many at most.
        """
        from headnote.answer.suggestions import suggested_questions

        check_types(limit=(limit, Integral))
        if limit < 1:
            raise SettingsError(f"limit {limit} is too small", remedy="give at least 1")
        with self._store.reading() as reader:
            return [suggestion.question for suggestion in suggested_questions(reader, limit)]

    # Reading. A path may also be absolute, begin with the name of the root, lack its suffix or be in another case, or
    # be a name of the document, as in a wikilink, an alias or its title, if that leaves no doubt.

    def documents(self) -> list[str]:
        """Paths of all documents, sorted."""
        with self._store.reading() as reader:
            return reader.document_paths()

    def contents(self) -> list[DocumentSummary]:
        """All documents with their titles, by path."""
        with self._store.reading() as reader:
            return reader.summaries()

    def headings(self) -> Mapping[str, Sequence[tuple[str, int, bool]]]:
        """The headings of all documents, by path: text, first line of the chunk that it stands in, and whether the
        chunk begins with it."""
        with self._store.reading() as reader:
            return reader.headings()

    def document(self, path: str) -> DocumentView:
        """A document with everything known about it, read at one moment."""
        check_types(path=(path, str))
        return self._library.view(path)

    def web_address(self, path: str) -> str:
        """Where a document is on the web: as the configuration of MkDocs, Hugo, Docusaurus or Astro says it, which
        must name the address of the site. Empty if it does not, or leaves open which of several addresses is meant."""
        check_types(path=(path, str))
        return self._library.web_address(path)

    def chunk(self, key: str) -> StoredChunk:
        """A chunk by its key, or by its id, as in hits."""
        check_types(key=(key, str))
        return self._library.chunk(key)

    def outline(self, path: str) -> list[OutlineEntry]:
        """The headings of a document, each with the lines of everything below it."""
        check_types(path=(path, str))
        return document_outline(self._library.row(path))

    def section(self, path: str, heading: str) -> Passage:
        """The lines under a heading, found by its text or anchor, ignoring case."""
        check_types(heading=(heading, str), path=(path, str))
        return section(self._library.row(path), heading)

    def read(self, path: str, start_line: int = 1, end_line: int | None = None, *, comments: bool = True) -> Passage:
        """Lines of a document as indexed, both ends included.

        Args:
            path: Of the document, relative to the root; without lines also `path:first-last` or `path#heading`.
            start_line: The first one, from 1.
            end_line: The last one; None for the end of the document.
            comments: Whether to show comments, too, if they are no text of the index.
        """
        check_types(path=(path, str), start_line=(start_line, Integral), end_line=(end_line, Integral | None))
        if (start_line, end_line) == (1, None):
            row, start_line, end_line = self._library.part(path)
        else:
            row = self._library.row(path)
        return passage(row if comments else row._replace(text=unmasked(row.masked)), start_line, end_line)

    def read_many(self, places: str | Sequence[str], *, budget: int | None = None) -> Passages:
        """Several documents or sections, each once, in this order, until the budget is spent.

        Args:
            places: Each is a path, a glob such as `guide/**`, `path:first-last` or `path#heading`.
            budget: Maximum tokens of all of them, in cl100k; None for no limit. The passage that does not fit is
                cut between two lines. The rest is in `left_out`, with the place to read it by.

        Raises if none of the places names anything; those that do not are in `problems`.
        """
        check_types(places=(places, str | Sequence), budget=(budget, Integral | None))
        if budget is not None and budget < 1:
            raise SettingsError(f"budget {budget} is too small", remedy="give at least 1, or None for no limit")
        wanted = [places] if isinstance(places, str) else list(places)
        for place in wanted:
            check_types(places=(place, str))
        return self._library.read_many(wanted, budget)

    def found_words(self, path: str, query: str) -> list[FoundWord]:
        """The words of a document that a query finds, with their lines: those that are marked in hits."""
        check_types(path=(path, str), query=(query, str))
        return self._library.found_words(path, query)

    def links(self, path: str) -> list[LinkRow]:
        """The links of a document, with their targets."""
        check_types(path=(path, str))
        return self._library.links(path)

    def backlinks(self, path: str) -> list[LinkRow]:
        """The links that lead to a document."""
        check_types(path=(path, str))
        return self._library.backlinks(path)

    def broken_links(self) -> list[LinkRow]:
        """Links to documents, sections and other files inside the root that do not exist. Raises `UnreadIndex` if not
        all files are read: until then, nobody can tell."""
        return self._library.broken_links()

    def orphans(self) -> list[str]:
        """Documents without a link to or from another document. Raises `UnreadIndex` as `broken_links` does."""
        return self._library.orphans()

    def attachment(self, path: str) -> bytes | None:
        """The content of a file inside the root that is not a document, such as a picture. None if it is missing,
        ignored or outside the root. A pack has none."""
        check_types(path=(path, str))
        return None if self.pack_info else self.tree.attachment(path)

    def file(self, path: str) -> Path:
        """The file of a document on this machine."""
        check_types(path=(path, str))
        return self.tree.file(path)

    def graph(self, *, arranged: bool = False) -> Graph:
        """Which documents link to which, and the broken links. While the folder is read for the first time, no link is
        resolved, and none is called broken.

        Args:
            arranged: Whether each document with links gets its spot in a picture. Spots are kept beside the index: when
                the folder changes, documents stay about where they were, and new ones appear beside their neighbours.
        """
        check_types(arranged=(arranged, bool))
        graph = self._library.graph()
        return replace(graph, spots=self._arrangement.spots(graph)) if arranged else graph

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
        return self._library.neighbourhood(path, depth, limit)


def open_pack(file: AnyPath, *, key: AnyPath | None = None, without_deep: bool = False) -> Index:
    """Open a pack: a file that `Index.pack` or `headnote pack` has made. See `Index.open_pack`."""
    return Index.open_pack(file, key=key, without_deep=without_deep)


@contextmanager
def temporary_index(root: Path, choice: Choice, models: Models = Models()) -> Iterator[Index]:  # noqa: B008  immutable
    """An index of the folder that is gone afterwards: nothing is written below the root."""
    from tempfile import TemporaryDirectory  # late: a search needs none

    with TemporaryDirectory(prefix="headnote-") as place, Index(root, open_store(Path(place)), choice, models) as index:
        yield index
