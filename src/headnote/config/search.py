"""`[search]`: what holds for a search where whoever asks does not say."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headnote.chunking.settings import shown
from headnote.config.checks import choice, count
from headnote.config.tables import LoadedTable, Table
from headnote.errors import SettingsError
from headnote.search.filter_parsing import read_recency
from headnote.search.query import EXPANSIONS, FUSIONS, MODES, Expand, Fusion, Mode


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What holds for a search where whoever asks does not say."""

    limit: int = 10
    """Hits at most."""
    mode: Mode = "hybrid"
    """`hybrid` looks by words and by meaning, `keyword` and `semantic` by one of them."""
    fusion: Fusion = "weighted"
    """How two rankings become one: `weighted` adds up scores, `rrf` reciprocal ranks."""
    recency: str = ""
    """A small bonus for what is new: its half-life in days, `steps`, or `0` for none. If it is not given, the preset
    decides: `ragdocs` has steps, others have none."""
    min_score: float | None = None
    """Hits with less are left out. If it is not given, either the best one is relevant or there are none."""
    per_document: int = 0
    """Hits of one document at most; 0 for any number."""
    expand: Expand = "none"
    """What comes with a hit: `none`, `neighbours`, `section` or `linked`."""
    budget: int = 0
    """Tokens that all hits together may have; 0 for any number."""


def load_search_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedTable[SearchSettings]:
    """The table `[search]` of the file, variables such as `HEADNOTE_SEARCH_LIMIT`, and flags."""
    return SEARCH.load(SearchSettings, flags, start, os.environ if environment is None else environment)


def _recency(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SettingsError(f"{shown(value)} is no number of days", remedy="give days, or steps")
    written = str(value).strip()
    read_recency(written)
    return written


def _score(value: Any) -> float:
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0 <= score < math.inf:
        raise SettingsError(f"{shown(value)} is no score", remedy="give a number, 0 or more, such as 0.3")
    return score


SEARCH = Table(
    "search",
    {
        "limit": count(1),
        "mode": choice(MODES),
        "fusion": choice(FUSIONS),
        "recency": _recency,
        "min_score": _score,
        "per_document": count(0),
        "expand": choice(EXPANSIONS),
        "budget": count(0),
    },
    prefix="HEADNOTE_SEARCH_",
)
