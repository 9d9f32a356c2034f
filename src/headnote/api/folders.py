"""Open the store of a folder with the settings that apply to it, and say which of them the user trusts."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from headnote.config import (
    Choice,
    Configure,
    OutwardSetting,
    Trusted,
    check_stored_settings,
    choose,
    kept_outward,
    load_index_settings,
    outward_settings_of,
    read_roots,
    trust_note,
)
from headnote.config.tables import OWN_FILE, PROJECT_FILE, SettingsFile, nearest_file, read_settings_file
from headnote.config.trust import digest_of, distrust, records, trust
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models, get_models, has_instant
from headnote.errors import (
    EmbeddingError,
    MissingExtra,
    MissingIndex,
    MissingSource,
    NotAFile,
    SettingsError,
    UnreadableSource,
    UntrustedSettings,
    UnwritableIndex,
    warn,
)
from headnote.extras import check_numpy
from headnote.index.manifest import claim_index
from headnote.store.integrity import STORED_SETTINGS
from headnote.store.interface import Store
from headnote.store.opening import has_store, names_schema, open_store, repair_store, schema_of

AnyPath = str | os.PathLike[str]


class OpenedStore(NamedTuple):
    """What an `Index` is made of."""

    store: Store
    choice: Choice
    models: Models


class Asked(NamedTuple):
    """What the caller who opened an index asked for; an update asks for it again."""

    flags: Mapping[str, Any]
    embedder: str | Embedder | Models | None
    configure: Configure
    without_deep: bool

    @property
    def has_models(self) -> bool:
        """Whether the models were given themselves, and not by name."""
        return not (self.embedder is None or isinstance(self.embedder, str))


class Access(TypedDict):
    """How a store is opened: what may be done to it, and which settings win."""

    create: bool
    adopt: bool
    read_only: bool
    configure: Configure


def open_folder(
    folder: Path,
    flags: Mapping[str, Any],
    embedder: str | Embedder | Models | None,
    *,
    create: bool,
    adopt: bool,
    read_only: bool,
    configure: Configure,
    without_deep: bool,
) -> OpenedStore:
    """Open the store of a folder, or create it. On an error the store is closed, and no new one is left behind."""
    target = load_index_settings(flags, folder).settings.target
    existing = _existing_store(folder, target, read_only, must_exist=read_only or not create)
    with _closed_on_error(existing):
        # Whoever only reads an index applies what is stored. So does who shares it, until somebody indexes on purpose:
        # folders on several machines need not have the same file.
        stays = read_only or (configure == "follow" and existing is not None and existing.is_shared)
        choice = choose(flags, folder, stored_settings_of(existing), "keep" if stays else configure)
        if note := trust_note(choice.withheld, folder):
            warn(UntrustedSettings(note))
        # Load the embedder before a store is created: if that fails, no empty index may be left behind.
        models = models_of(choice, embedder, without_deep)
        store = existing or open_store(folder, target)
    with _closed_on_error(store):
        if not ((read_only or not store.may_write) and names_schema(target)):
            claim_index(store, folder, adopt)
    return OpenedStore(store, choice, models)


def models_of(choice: Choice, embedder: str | Embedder | Models | None, without_deep: bool) -> Models:
    """The models that were asked for, or those that the settings name."""
    if embedder is None or isinstance(embedder, str):
        name = choice.of_index.settings.embedder
        return instant_alone(name) if without_deep else _models(name)
    return embedder if isinstance(embedder, Models) else get_models(embedder)


def _models(name: str) -> Models:
    models = get_models(name)
    if models.instant:
        check_numpy()
    return models


def instant_alone(name: str) -> Models:
    """The instant one of the models of that name, if there is one that works here."""
    return Models(get_models("instant").instant if has_instant(name) and find_spec("numpy") else None)


def models_at_hand(name: str) -> Models:
    """The models of that name that are installed."""
    try:
        return _models(name)
    except (EmbeddingError, MissingExtra):
        return instant_alone(name)


def repair_index(root: AnyPath, store: str | None = None, schema: str | None = None, adopt: bool = False) -> list[str]:
    """`Index.repair` for an index that may be too damaged to open. The index of another folder is left alone."""
    folder = Path(root)
    target = load_index_settings({"store": store, "schema": schema}, folder).settings.target
    if schema_of(folder, target):
        with closing(open_store(folder, target, create=False)) as existing:
            claim_index(existing, folder, adopt)
    return repair_store(folder, target)


def settings_of_index(root: Path, store: str | None = None, schema: str | None = None) -> Choice:
    """The settings of the index of a folder, or those a new one would have. Nothing is written."""
    flags = {"store": store, "schema": schema}
    target = load_index_settings(flags, root).settings.target
    existing = _existing_store(root, target, read_only=True, must_exist=False)
    with closing(existing) if existing else nullcontext():
        return choose(flags, root, stored_settings_of(existing))


def has_index(root: Path, store: str | None = None, schema: str | None = None) -> bool:
    """Whether a folder has an index, sound or not. Nothing is written."""
    return has_store(root, load_index_settings({"store": store, "schema": schema}, root).settings.target)


def stored_settings(root: Path) -> str:
    """The settings stored in the index that lies in a folder, as text; empty without one."""
    existing = _existing_store(root, "", read_only=True, must_exist=False)
    with closing(existing) if existing else nullcontext():
        return stored_settings_of(existing)


def check_adoption(adopt: bool, read_only: bool) -> None:
    """Raise if both are asked for."""
    if adopt and read_only:
        raise SettingsError(
            "adopting an index writes to it, and read_only forbids that",
            remedy="adopt it once without read_only; on the command line, without --no-update or --read-only",
        )


def check_folder(folder: Path) -> None:
    """Raise unless the folder exists."""
    # Methods of Path raise in a folder without permission, on older Pythons.
    if not os.path.exists(folder):
        raise MissingSource("no such file or folder", path=str(folder), remedy="check the path")
    if not folder.is_dir():
        raise NotAFile("a file, not a folder", path=str(folder), remedy="name the folder that contains it")
    if not os.access(folder, os.X_OK):
        raise UnreadableSource("cannot be read: permission denied", path=str(folder), remedy="check its permissions")


def _existing_store(root: Path, target: str, read_only: bool, must_exist: bool) -> Store | None:
    try:
        return open_store(root, target, create=False, read_only=read_only)
    except MissingIndex:
        if must_exist:
            raise
        return None


def stored_settings_of(store: Store | None) -> str:
    """The settings stored in the index, as text; empty without an index."""
    if store is None:
        return ""
    with store.reading() as reader:
        stored_settings = reader.manifest().get(STORED_SETTINGS, "")
        check_stored_settings(stored_settings)  # inside, where the store adds its place to the error
    return stored_settings


@contextmanager
def _closed_on_error(store: Store | None) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if store is not None:
            store.close()
        raise


# -- The home of several folders that a command or a program names without a file: where their index is.
#
# It is a folder of its own, with a `headnote.toml` that lists them, so that it is an index like any other. The same
# folders have the same home, in whatever order they are named.


HOMES = "HEADNOTE_HOMES"
"""The variable that says where homes are made."""

_NOT_IN_NAMES = re.compile(r"[^\w.+@-]+")
_MAX_SHOWN_CHARS = 60
"""Characters of the name of a home, before its digest."""


def home_of(folders: Sequence[AnyPath], home: AnyPath | None = None) -> Path:
    """The folder that the index of these folders belongs to: the only one itself, or their home, which is made.

    `home` is one that the user chose. It keeps the roots that its file lists.
    """
    real = _real_folders(folders)
    if home is None and len(real) < 2:
        return Path(folders[0]) if folders else Path()
    chosen = place_of_home(folders) if home is None else Path(home)
    if not real:
        return chosen
    if not (chosen / OWN_FILE).exists():
        for folder in folders:
            check_folder(Path(folder))
        _make(chosen, real)
    _trust(chosen, real)
    if {os.path.realpath(entry.root.barred or entry.root.folder) for entry in read_roots(chosen)} != set(real):
        raise SettingsError(
            "lists other folders", path=str(chosen / OWN_FILE), remedy="list them there, or leave them out here"
        )
    return chosen


def place_of_home(folders: Sequence[AnyPath]) -> Path:
    """Where the home of these folders is, or would be; the only one itself."""
    real = _real_folders(folders)
    if len(real) < 2:
        return Path(folders[0]) if folders else Path()
    digest = blake2b("\0".join(real).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return _homes() / f"{'-'.join(names_of(real))[:_MAX_SHOWN_CHARS]}-{digest}"


def names_of(folders: Sequence[str]) -> list[str]:
    """A name for each folder: that of the folder, with that of the one around it where two have the same."""
    names = [_plain(Path(folder).name) for folder in folders]
    for depth in (2, 3, 4):
        taken = Counter(name.casefold() for name in names)
        names = [
            _plain("-".join(Path(folder).parts[-depth:])) if taken[name.casefold()] > 1 else name
            for name, folder in zip(names, folders, strict=True)
        ]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name.casefold()] += 1
        number = seen[name.casefold()]
        unique.append(name if number == 1 else f"{name}-{number}")
    return unique


def _plain(name: str) -> str:
    return _NOT_IN_NAMES.sub("-", name).strip("-.+@ ") or "folder"


def _real_folders(folders: Sequence[AnyPath]) -> list[str]:
    return sorted({os.path.realpath(folder) for folder in folders})


def _homes() -> Path:
    if chosen := os.environ.get(HOMES, "").strip():
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "headnote" / "homes"


def _list_of(folders: Sequence[str]) -> str:
    lines = ["# The folders of this index. headnote made this file; it is yours to change."]
    for name, folder in zip(names_of(folders), folders, strict=True):
        lines += ["", f"[roots.{_text(name)}]", f"path = {_text(folder)}"]
    return "\n".join(lines) + "\n"


def _trust(home: Path, folders: Sequence[str]) -> None:
    """Trust the file if it lists the folders that the user names now, and says nothing else."""
    file = nearest_file(home)
    if file and file.is_in(home) and file.text == _list_of(folders):
        trust(file.path, file.digest)


def _make(home: Path, folders: Sequence[str]) -> None:
    new = home / f"{OWN_FILE}.{os.getpid()}"
    try:
        home.mkdir(parents=True, exist_ok=True)
        new.write_text(_list_of(folders), encoding="utf-8")
        new.replace(home / OWN_FILE)  # whole or not at all: another command may make the same home
    except OSError as error:
        raise UnwritableIndex(
            f"cannot be made: {error.strerror}",
            path=str(home),
            remedy=f"choose another place with --home FOLDER or {HOMES}",
        ) from None


def _text(text: str) -> str:
    """A string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# -- What the user trusts: settings of a folder that lead out of it, in its file or kept by its index.


class TrustedFolder(NamedTuple):
    """What was allowed to a folder."""

    file: str | None
    """The settings file of which it is; None if the index alone has something to allow."""
    sha256: str
    """Of the content of the file that is trusted; empty without one."""
    settings: tuple[OutwardSetting, ...]
    """What it may say now. None if nothing needs trust; then nothing is recorded."""


def trust_folder(root: AnyPath) -> TrustedFolder:
    """Let the settings file and the index of a folder name services, programs and places outside it."""
    folder = Path(root)
    check_folder(folder)
    file = nearest_file(folder)
    of_file = tuple(outward_settings_of(file, folder)) if file else ()
    if file and of_file:
        trust(file.path, file.digest)
    of_index = tuple(kept_outward(stored_settings(folder), folder))
    for flag in of_index:
        trust(folder.resolve(), digest_of(flag.value), flag.name)
    if file is None or not of_file:
        return TrustedFolder(None, "", of_index)
    return TrustedFolder(file.shown, file.digest, (*of_file, *of_index))


def distrust_folder(root: AnyPath) -> list[Trusted]:
    """Take it back. The folder need not exist any more. What is no longer trusted is returned."""
    folder = Path(os.path.realpath(root))
    paths = {str(folder), str(folder / OWN_FILE), str(folder / PROJECT_FILE)}
    if file := _readable(nearest_file, folder):
        paths.add(str(file.path))
    removed = [record for record in records() if record.path in paths]
    for record in removed:
        distrust(record)
    return removed


def state_of(record: Trusted) -> str:
    """Whether what the user trusted is still there, in a word or two."""
    path = Path(record.path)
    if not os.path.exists(path):
        return "gone"
    file = None if record.setting else _readable(read_settings_file, path)
    return "trusted" if record.setting or (file and file.digest == record.sha256) else "changed since"


def _readable(read: Callable[[Path], SettingsFile | None], path: Path) -> SettingsFile | None:
    """A settings file; None if it cannot be read, which is no reason to keep trusting it."""
    try:
        return read(path)
    except SettingsError:
        return None
