"""The index that a command line names: may it be read, how it is opened and brought up to date, and what is noted."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from headnote.api import Index, Status, has_index, home_of
from headnote.cli.command import Command
from headnote.cli.formatting import counted, missing_vectors
from headnote.cli.handover import check_answered
from headnote.cli.output import Shape, chosen
from headnote.cli.progress_bar import UpdateBars
from headnote.cli.query_words import HERE, UnderstoodWords, understand
from headnote.cli.terminal import write_message, write_note
from headnote.config import Choice, read_roots, trust_note
from headnote.config.tables import nearest_file
from headnote.errors import EmbeddingError, LockedIndex, MissingExtra, SettingsError, UnwritableIndex
from headnote.extra.packs.format import read_container
from headnote.index.plan import Report
from headnote.sources.discover import has_more_files
from headnote.sources.tree import Tree, left_out_hint

FIRST_WAIT = 10.0
"""Seconds to wait for another writer if the index is still empty."""
A_MOMENT = 200
"""Missing vectors that are made before a query is answered; more than that takes too long."""
PATIENCE = 2.0
"""Seconds to wait for another writer before the index is used as it is."""
MAX_FILES = 20_000
"""Documents of a folder that is read without a question."""
NAMED = "headnote.named"
"""Where a command notes that a folder is among its words."""
_PLACES = ("root", "folders", "home", "pack")
_WORDS = ("words", "places", "path")
_ELSEWHERE = ("store", "schema", "adopt")


class IndexCommand(Command):
    """A command about an index. It receives one `NamedIndex` in place of the parameters that say which, and how to use
    it: those of `options.root`, `options.words`, `options.pack`, `options.place`, `options.no_update`, `output.shape`
    and `options.as_json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if all(parameter.name != "words" for parameter in self.params):
                raise
            message = error.format_message().rstrip(".")
            raise click.UsageError(f"{message}; if it is a word to look for, write -- before the words", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        others = dict(ctx.params)
        named = NamedIndex.taken_from(others)
        return ctx.invoke(self.callback, named, **others) if self.callback else None


@dataclass(frozen=True, slots=True)
class NamedIndex:
    """The index that a command line names, and what the command may do with it."""

    root: Path
    """The folder, the home of several, or a pack."""
    place: Mapping[str, Any] = field(default_factory=dict)
    """Where the index is: keywords of `Index.open`."""
    updates: bool = True
    """Whether it is brought up to date first."""
    shape: Shape = Shape("text")  # noqa: RUF009  immutable
    text: str = ""
    """The words that name no folder."""

    @classmethod
    def taken_from(cls, params: dict[str, Any]) -> NamedIndex:
        """Take what names the index out of the parameters of a command."""
        text, root, note = _named_root(params)
        check_answered(str(root), elsewhere=any(params.get(name) for name in _ELSEWHERE))
        if note:
            write_note(note)
        place: dict[str, Any] = {name: params.pop(name) for name in _ELSEWHERE if name in params}
        as_json = params.pop("as_json", False)
        form = chosen(params.pop("form"), as_json, params.pop("null")) if "form" in params else None
        shape = form or Shape("json" if as_json else "text")
        return cls(root, place, not params.pop("no_update", False), shape, text)

    @property
    def as_json(self) -> bool:
        return self.shape.name == "json"

    def open(self) -> OpenedIndex:
        return open_index(self.root, read_only=not self.updates, **self.place)

    @contextmanager
    def updated(self) -> Iterator[Index]:
        """The index, with its documents brought up to date unless that is forbidden."""
        with self.open().index as index:
            if self.updates:
                refresh(index)
            yield index

    def prepare(self, index: Index) -> None:
        """Bring the documents up to date before a search; if that is forbidden, note how many are missing."""
        if self.updates:
            refresh(index)
        else:
            note_files_read(index)

    def fill(self, opened: OpenedIndex) -> None:
        """Make missing vectors before a search, unless that is forbidden or the model is missing."""
        if self.updates and not opened.missing_embedder:
            fill_vectors(opened.index)


def _named_root(params: dict[str, Any]) -> tuple[str, Path, str]:
    """The words that name no folder; the folder, the home of several, or the pack; and what else they could mean."""
    pack, home, root = (params.pop(name, None) for name in ("pack", "home", "root"))
    if "words" in params:
        words, roots = params.pop("words"), root if pack is None else [chosen_root(root[0] if root else Path(), pack)]
        understood = _understood(words, roots, home)
        return understood.text, home_of(understood.roots, home), understood.note
    if "folders" in params:
        root = home_of(params.pop("folders"), home)
    if root == Path() and pack is None:
        documents = [params.get("path") or "", *params.get("places", ())]
        root = _index_around(next(filter(None, documents), ""), params.get("store"), params.get("schema"))
    return "", chosen_root(root, pack), ""


def _index_around(document: str, store: str | None, schema: str | None) -> Path:
    """The folder with an index that a document lies in, if nobody named a folder and the current one has no index."""
    folders = (Path(), *(folder for folder in Path(document).parents if os.path.isdir(folder)))
    return next((folder for folder in folders if has_index(folder, store, schema)), Path())


def _understood(words: Sequence[str], roots: Sequence[Path], home: Path | None) -> UnderstoodWords:
    understood = UnderstoodWords(" ".join(words), ()) if home and not roots else understand(words, roots)
    click.get_current_context().meta[NAMED] = understood.roots is not HERE
    return understood


def chosen_root(root: Path, pack: Path | None) -> Path:
    """The pack, if one is named. Raises if it is none."""
    if pack is None:
        return root
    if root != Path():
        raise SettingsError(f"both a folder, {root}, and a pack", path="--pack", remedy="leave out one of them")
    read_container(pack)
    return pack


# Opening


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index, with its embedder or the reason there is none."""

    index: Index
    missing_embedder: str
    """Why the embedder cannot be loaded; empty if it can."""

    @property
    def note(self) -> str:
        """What that means for a search, for people; empty if nothing is missing."""
        by = "the instant model answers" if self.index.models.instant else "keyword search only"
        return f"{by}: {self.missing_embedder}" if self.missing_embedder else ""


def open_index(root: Path, *, create: bool = True, **options: Any) -> OpenedIndex:
    """Open an index even if its embedder is missing: words, the instant model, links and statistics work without. One
    that may be created is updated, too, and follows its settings file. A large folder that nobody named is not read
    unasked."""
    if create and not options.get("read_only"):
        ask_before_first_read(root, options)
    opened = _opened(root, {"create": create, "configure": "follow" if create else "keep"} | options)
    note_differences(opened.index.choice)
    note_withheld(opened.index.choice, root)
    return opened


def _opened(root: Path, options: Mapping[str, Any]) -> OpenedIndex:
    try:
        return OpenedIndex(Index.open(root, **options), "")
    except (EmbeddingError, MissingExtra) as error:
        return OpenedIndex(Index.open(root, without_deep=True, **options), str(error))


# May a folder be read that nobody named? Whoever forgets it, or types it wrongly, may stand in a whole home folder.


def ask_before_first_read(root: Path, place: Mapping[str, Any]) -> None:
    """Ask whether to read the current folder, if nobody named it, it has neither an index nor settings, and it is
    large. Without a terminal, or after a no, that is an error. `place` says where the index is."""
    refusal = first_read_refusal(root, place)
    if refusal is None:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        write_note(f"{refusal.message} yet: {refusal.path}")
        if click.confirm("Read all of it?", err=True):
            click.get_current_context().meta[NAMED] = True  # once is enough
            return
    raise refusal


def first_read_refusal(root: Path, place: Mapping[str, Any]) -> SettingsError | None:
    """Why the folder is not read unasked; None if it may be."""
    context = click.get_current_context(silent=True)
    if context is None or _is_named(context) or has_index(root, place.get("store"), place.get("schema")):
        return None
    if nearest_file(root) is not None:
        return None
    real = Path(os.path.realpath(root))
    if (home := _home()) is not None and home.is_relative_to(real):
        what = "is your home folder" if real == home else "contains your home folder"
    elif has_more_files(real, MAX_FILES):
        what = f"has more than {MAX_FILES:,} files"
    else:
        return None
    remedy = f"name a folder, or to read this one: {_line(context)}"
    message = f"no folder is named, and the current one {what}: nothing was read"
    return SettingsError(message, path=str(real), remedy=remedy)


def _is_named(context: click.Context) -> bool:
    sources = map(context.get_parameter_source, _PLACES)
    given = (source not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP) for source in sources)
    return bool(context.meta.get(NAMED)) or any(given)


def _line(context: click.Context) -> str:
    """The same command with the current folder named."""
    values = [context.params[name] for name in _WORDS if context.params.get(name)]
    words = [word for value in values for word in ([value] if isinstance(value, str) else value)]
    takes_words = any(name in context.params for name in _WORDS)
    return shlex.join([*context.command_path.split(), *map(str, words), *(["-r", "."] if takes_words else ["."])])


def _home() -> Path | None:
    try:
        return Path(os.path.realpath(Path.home()))
    except RuntimeError:  # a system without users
        return None


# Servers


def open_for_server(root: Path, embedder: str | None, read_only: bool, place: Mapping[str, Any]) -> Index:
    """Open an index that a server keeps, and note what it does without."""
    opened = open_index(root, embedder=embedder, read_only=read_only, **place)
    try:
        for note in filter(None, (opened.note, opened.index.why_no_documents())):
            write_note(note)
    except BaseException:
        # The server tries again every few seconds.
        opened.index.close()
        raise
    return opened.index


def open_again(root: Path, embedder: str | None, read_only: bool, place: Mapping[str, Any]) -> Index:
    """Open an index as `open_for_server` did, in another process of the same server. All was noted there."""
    return _opened(root, {"embedder": embedder, "read_only": read_only, **place}).index


def note_differences(choice: Choice) -> None:
    """Say where the settings file no longer agrees with the index, and where flags outlive it."""
    if choice.differing:
        write_note(f"the index keeps its settings: {'; '.join(choice.differing)} (headnote index applies the change)")
    if choice.outlived:
        write_note(
            f"the index keeps its flags: {'; '.join(choice.outlived)} (headnote index --forget-flags drops them)"
        )


def note_withheld(choice: Choice, root: Path) -> None:
    """Say which settings need the user's trust."""
    if note := trust_note(choice.withheld, root):
        write_note(note)


def answer_on_one_core() -> None:
    """Call this in servers before numpy is loaded. They answer queries in parallel; spreading the arithmetic of each
    query over all cores doubles the processor time and makes the others wait."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def refresh(index: Index) -> None:
    """Bring the documents up to date, without vectors. An index that is locked or read-only is used as it is, and so is
    a pack. From a shared index nothing is removed: a document without a file here may have one elsewhere."""
    if index.pack_info is not None:
        return  # it never changes
    is_new = index.generation == 0
    try:
        with noted_interruption(index), UpdateBars(at_once=is_new or index.files_read is not None) as bars:
            wait = FIRST_WAIT if is_new else PATIENCE
            report = index.update(vectors=False, wait=wait, remove=not index.is_shared, on_progress=bars)
    except (LockedIndex, UnwritableIndex) as error:
        if index.generation == 0:
            raise
        if not note_files_read(index, error.message):
            write_note(f"the index was not updated: {error}")
    else:
        note_followed(report)
        if report.rebuilt and not is_new and not report.followed:
            write_note(f"all files were read again: {report.rebuilt}", only_on_a_terminal=True)
        note_roots(report, index)
        if report.is_first_read and (hint := left_out_hint(index.left_out())):
            write_note(hint)
        if report.stayed:
            documents = counted(report.stayed, "document")
            write_note(f"{documents} of the shared index have no file here (headnote index removes them)")
        if report.warnings:
            path, warning = report.warnings[0]
            others = f", and {len(report.warnings) - 1:,} more (headnote doctor lists them)"
            write_note(f"{path_from_here(index.root, path)}: {warning}{others if len(report.warnings) > 1 else ''}")


def note_followed(report: Report) -> None:
    """Say what has changed in the settings file that the index follows."""
    if report.followed:
        how = ", all files were read again" if report.rebuilt else ""
        write_note(f"the index follows its settings file{how}: {'; '.join(report.followed)}")


def note_roots(report: Report, index: Index) -> None:
    """Say which of several folders could not be read, and which are elsewhere by now."""
    barred = {root.name for root in index.tree.roots if root.barred}  # said already, with what else needs trust
    for absent in (one for one in report.absent if one.path not in barred):
        write_note(f"could not read {absent.path} ({absent.reason}); its indexed documents are kept")
    for line in report.moved:
        write_note(line)


def note_files_read(index: Index, why: str = "run headnote index to finish") -> bool:
    """Say so if not all files are read yet, and return whether that is so."""
    read = index.files_read
    if read:
        write_note(f"only {read}, so some hits may be missing; {why}")
    return read is not None


@contextmanager
def noted_interruption(index: Index) -> Iterator[None]:
    """Say what was done before Ctrl-C, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        note_interruption(index)
        raise


def note_interruption(index: Index) -> None:
    write_message(f"interrupted: {_after_interruption(index.status())}")


def _after_interruption(status: Status) -> str:
    if status.files_read:
        return f"{status.files_read} and searchable; run the same command to go on"
    if not status.documents:
        return "no file was read yet; run the same command to begin again"
    if status.pending:
        return f"{missing_vectors(status)}; run headnote index to finish"
    return "the index is as it was"


def fill_vectors(index: Index) -> None:
    """Make the missing vectors if that takes only a moment; otherwise say how to make them."""
    if index.pack_info is not None or not index.lacks_vectors:
        return
    status = index.status()
    if status.pending > A_MOMENT:
        write_note(f"{missing_vectors(status)} (headnote index makes them)")
        return
    if status.pending:
        try:
            with noted_interruption(index), UpdateBars() as bars:
                report = index.update(wait=PATIENCE, remove=not index.is_shared, on_progress=bars)
            note_other_workers(report)
        except (LockedIndex, UnwritableIndex) as error:
            write_note(f"{missing_vectors(status)}: {error}")


def note_other_workers(report: Report) -> None:
    """Say who is making the vectors that are still missing."""
    if report.others:
        write_note(f"the other vectors are being made by {' and '.join(report.others)}")


def path_from_here(root: Path, path: str) -> str:
    """A path of the index as seen from the current folder. Of several roots it begins with the name of one: that is
    what commands take, and the file may be anywhere."""
    return path if roots_of(root.absolute()) else str(root / path)


def file_from_here(root: Path, path: str) -> str:
    """The file that a path of the index means, as seen from the current folder."""
    roots = roots_of(root.absolute())
    file = roots.file(path) if roots else root / path
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def document_from_here(index: Index, path: str) -> str:
    """The document at a path from the root or from the current folder; an unknown one is an error."""
    documents = set(index.documents())
    for known in (Path(os.path.normpath(path)).as_posix(), index.tree.path_of(path)):
        if known in documents:
            return known
    return index.document(path).document.path


@lru_cache(maxsize=8)
def roots_of(home: Path) -> Tree | None:
    """The folders of a home; None for a single folder."""
    roots = [entry.root for entry in read_roots(home)]
    return Tree.of_roots(roots) if roots else None
