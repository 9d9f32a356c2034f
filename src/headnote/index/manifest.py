"""What an index was made with. When one of these changes, what is stored no longer says what would be stored now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

from headnote.chunking.settings import Settings
from headnote.index.store.damage import Damaged

READER = "6"
"""Raised whenever the same file and settings would give other chunks, links, terms or names than before."""

ROOTS = "roots"
"""The entry that says whose the index is."""
MADE_WITH = "made_with"
"""The entry that says which settings hold for this index, until somebody says otherwise."""
SITES = "sites"
"""The entry that says with which sites its links were resolved."""


def manifest_of(settings: Settings, model: str) -> dict[str, str]:
    """As it is stored beside the index."""
    return {"reader": READER, "settings": settings_text(settings), "model": model}


def signed(value: object) -> str:
    """As JSON behind its hash: a byte that turned over must not look like another folder, or another setting."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return f"{_hash(text)} {text}"


def unsigned(entry: str) -> Any:
    """What was signed. Anything else is damage."""
    if not _is_sound(entry):
        raise Damaged("an entry of the manifest is not what was written")
    return json.loads(entry.partition(" ")[2])


def without_damage(manifest: Mapping[str, str]) -> dict[str, str]:
    """All entries but those that were signed as something else."""
    return {key: entry for key, entry in manifest.items() if key not in (ROOTS, MADE_WITH, SITES) or _is_sound(entry)}


def _is_sound(entry: str) -> bool:
    digest, _, text = entry.partition(" ")
    return digest == _hash(text)


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def settings_text(settings: Settings) -> str:
    """Settings as text: equal if and only if they cut alike. A counter that is a function is known by its name."""
    fields = asdict(settings) | {"counter": _counter_name(settings)}
    return json.dumps(fields, sort_keys=True, default=_plain)


def needs_rebuild(stored: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Why every document must be read again; empty if none must. Another model only needs other vectors,
    and other sites need their links resolved anew."""
    if not stored:
        return "there is no index yet"
    if stored.get("reader") != wanted["reader"]:
        return "another version of headnote made it"
    if stored.get("settings") != wanted["settings"]:
        return "the settings have changed"
    return ""


def _counter_name(settings: Settings) -> str:
    counter = settings.counter
    if isinstance(counter, str):
        return counter
    # A function has a name of its own; of an object that counts, its class is all that outlives the process.
    named = counter if hasattr(counter, "__qualname__") else type(counter)
    return f"{named.__module__}.{named.__qualname__}"


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else str(value)
