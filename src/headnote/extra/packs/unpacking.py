"""Open a pack, which may come from a stranger."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from headnote.config import (
    Choice,
    RootEntry,
    SearchSettings,
    choice_of,
    packed_contexts,
    packed_roots,
    packed_search_settings,
)
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models, get_models, short_name
from headnote.errors import EmbeddingError, SettingsError
from headnote.extra.packs.format import Container, PackInfo, damaged, read_container, read_info
from headnote.extra.packs.packed import PackedStore, VerifiedBytes
from headnote.extra.packs.signing import check_signature
from headnote.search.ranking import Contexts
from headnote.store.integrity import STORED_SETTINGS, Damaged

PACKED_MODELS = ("instant", "deep", "minilm", "quality")
"""Models that run on every machine. A pack that names another one could make its reader call a service."""

_MAX_PATH = 4096
"""Characters, as systems have it. Each folder above is a group of its own, with all above in its name."""
_FROM_THE_TOP = re.compile(r"[/\\]|[A-Za-z]:")
_SLASH = re.compile(r"[/\\]")


class OpenedPack(NamedTuple):
    """What an `Index` of a pack is made of."""

    store: PackedStore
    choice: Choice
    models: Models
    search_settings: SearchSettings
    contexts: Contexts
    info: PackInfo


def open_packed(file: Path, *, without_deep: bool = False, key: Path | None = None) -> OpenedPack:
    """The index of a pack. With `key`, only if this key has signed it."""
    container = read_container(file)
    if key is not None:
        check_signature(container.signed, container.signature, key, file)
    info = read_info(container)
    store = PackedStore(file, _verified(container))
    try:
        choice = _choice(store, file, packed_roots(info.roots, file))
        models = _models(info, file, without_deep)
        search_settings = packed_search_settings(info.search, str(file))
        return OpenedPack(store, choice, models, search_settings, packed_contexts(info.contexts), info)
    except SettingsError as error:
        store.close()
        raise damaged(file, error.message) from None
    except BaseException:
        store.close()
        raise


def verify_pack(file: str | os.PathLike[str], key: str | os.PathLike[str] | None = None) -> PackInfo:
    """Check every byte of a pack and its index; with `key`, that a public key in this file has signed it."""
    file = Path(file)
    container = read_container(file)
    info = read_info(container)
    with closing(_verified(container)) as data:
        data.check_all()
    if key is not None:
        check_signature(container.signed, container.signature, Path(key), file)
    with closing(open_packed(file, without_deep=True).store) as store:
        complaints = store.check()
    if complaints:
        raise damaged(file, complaints[0])
    return info


def _verified(container: Container) -> VerifiedBytes:
    return VerifiedBytes(
        container.file, container.database, container.block, container.digests, partial(damaged, container.file)
    )


def _choice(store: PackedStore, file: Path, roots: Sequence[RootEntry]) -> Choice:
    prefixes = tuple(entry.root.prefix for entry in roots) or ""
    with store.reading() as reader:
        for path in reader.document_paths():
            if _leads_out(path) or not path.startswith(prefixes):
                raise damaged(file, f"{path!r:.60} leads out of it")
            if len(path) > _MAX_PATH:
                raise damaged(file, f"{path!r:.60} is longer than paths are")
        try:
            return choice_of(reader.manifest().get(STORED_SETTINGS, ""))._replace(roots=tuple(roots))
        except (Damaged, SettingsError) as error:
            raise damaged(file, f"its settings cannot be read: {error}") from None


def _leads_out(path: str) -> bool:
    # All paths of a pack are looked at whenever it is opened: few have two dots at all.
    return bool(_FROM_THE_TOP.match(path)) or (".." in path and ".." in _SLASH.split(path))


def _models(info: PackInfo, file: Path, without_deep: bool) -> Models:
    """The models of this machine that have made the vectors of the pack."""
    instant, deep = (_model(info, names, file, without_deep) for names in (PACKED_MODELS[:1], PACKED_MODELS[1:]))
    if unknown := [name for name in info.models if short_name(name) not in PACKED_MODELS]:
        raise damaged(file, f"{unknown[0]!r:.60} is not a model of a pack")
    return Models(instant, deep)


def _model(info: PackInfo, names: Sequence[str], file: Path, without_deep: bool) -> Embedder | None:
    """The one of these models that the pack has vectors of, if it is here in the same version."""
    name = next((name for name in info.models if short_name(name) in names), None)
    is_instant = "instant" in names
    if name is None or (without_deep and not is_instant):
        return None
    models = get_models(short_name(name))
    model = models.instant if is_instant else models.deep
    if model is not None and model.name == name:
        return model
    if without_deep:
        return None
    remedy = "update headnote and its models, or ask for a newer pack"
    raise EmbeddingError(
        f"made with {name}, and here is {model.name if model else 'none'}", path=str(file), remedy=remedy
    )
