"""Entries of the manifest that carry a hash: a byte that turned over must not look like another folder or setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from headnote.store.damage import Damaged

ROOTS = "roots"
"""The entry that says whose the index is."""
MADE_WITH = "made_with"
"""The entry that says which settings hold for this index, until somebody says otherwise."""
SITES = "sites"
"""The entry that says with which sites its links were resolved."""


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
