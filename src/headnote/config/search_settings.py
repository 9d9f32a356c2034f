"""`[search]`: the defaults of a search."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from headnote.arguments import expect
from headnote.config.tables import Check, LoadedTable, SettingEntry, Table, choice, count
from headnote.search.query import HITS, OPTIONS, SearchOption, SearchSettings, read_recency
from headnote.search.ranking import RECENCY_OF_PRESET


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
    return SEARCH.resolve(SEARCH.values(entries | variables)).settings


def _recency(value: Any) -> str:
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    expect(is_text, value, "a number of days", "give days, or steps")
    text = str(value).strip()
    read_recency(text)
    return text


def _score(value: Any) -> float:
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    expect(0 <= score < math.inf, value, "a score", "give a number, 0 or more, such as 0.3")
    return score


def _check(option: SearchOption) -> Check:
    if option.name == "recency":
        return Check("days, or `steps`", _recency)
    if option.words:
        return choice(option.words)
    least = option.least or 0
    return count(least) if option.kind is int else Check(f"a number, {least} or more", _score)


SEARCH = Table(
    "search",
    SearchSettings,
    checks={one.name: _check(OPTIONS[one.name]) for one in fields(SearchSettings)},
    prefix="HEADNOTE_SEARCH_",
)
load_search_settings = SEARCH.load
