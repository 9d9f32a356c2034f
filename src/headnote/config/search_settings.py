"""`[search]`: the defaults of a search."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headnote.config.tables import Check, LoadedTable, SettingEntry, Table, choice, count
from headnote.errors import SettingsError, shown
from headnote.search.query import EXPANSIONS, FUSIONS, HITS, MODES, Expand, Fusion, Mode, read_recency
from headnote.search.ranking import RECENCY_OF_PRESET


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The defaults of a search."""

    limit: int | None = None
    """Maximum number of hits. By default 10; an agent gets 5."""
    mode: Mode = "hybrid"
    """`hybrid` searches by keyword and by meaning, `keyword` and `semantic` by one of them."""
    fusion: Fusion = "weighted"
    """How `hybrid` merges its two rankings: `weighted` adds scores, `rrf` adds reciprocal ranks."""
    recency: str = ""
    """A boost for recent files: its half-life in days, `steps`, or `0` for none. By default the preset decides:
    `ragdocs` uses steps, the others none."""
    min_score: float | None = None
    """Minimum score of a hit. By default there are no hits unless the best one is relevant."""
    per_document: int = 0
    """Maximum number of hits per document; 0 for no limit."""
    expand: Expand = "none"
    """Text to add around each hit: `none`, `neighbours`, `section` or `linked`."""
    budget: int = 0
    """Maximum tokens of all hits together; 0 for no limit."""


def load_search_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[SearchSettings]:
    """The settings from `[search]` in the file, from variables such as `HEADNOTE_SEARCH_LIMIT`, and from flags."""
    return SEARCH.load(SearchSettings, flags, start, os.environ if environment is None else environment)


def in_effect(loaded: LoadedTable[SearchSettings], preset: str) -> LoadedTable[SearchSettings]:
    """What a search in an index with this preset does where nobody says anything, its recency among it."""
    settings = replace(loaded.settings, limit=loaded.settings.limit or HITS)
    recency = RECENCY_OF_PRESET.get(preset)
    if settings.recency or recency is None:
        return LoadedTable(settings, loaded.origins)
    return LoadedTable(replace(settings, recency=recency), {**loaded.origins, "recency": f"preset {preset}"})


def packed_search_settings(
    stored: Mapping[str, Any], place: str, environment: Mapping[str, str] | None = None
) -> SearchSettings:
    """The settings that came with a pack, below those of the environment. No file is read: it belongs to something
    else."""
    variables = SEARCH.variable_entries(os.environ if environment is None else environment)
    entries = {name: SettingEntry(name, value, place) for name, value in stored.items()}
    return SEARCH.resolve(SearchSettings, SEARCH.values(entries | variables)).settings


def _recency(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SettingsError(f"{shown(value)} is not a number of days", remedy="give days, or steps")
    text = str(value).strip()
    read_recency(text)
    return text


def _score(value: Any) -> float:
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0 <= score < math.inf:
        raise SettingsError(f"{shown(value)} is not a score", remedy="give a number, 0 or more, such as 0.3")
    return score


SEARCH = Table(
    "search",
    {
        "limit": count(1),
        "mode": choice(MODES),
        "fusion": choice(FUSIONS),
        "recency": Check("days, or `steps`", _recency),
        "min_score": Check("a number, 0 or more", _score),
        "per_document": count(0),
        "expand": choice(EXPANSIONS),
        "budget": count(0),
    },
    prefix="HEADNOTE_SEARCH_",
)
