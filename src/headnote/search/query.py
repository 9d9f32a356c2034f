"""A search and its options, checked when it is built."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

from headnote.arguments import check_types
from headnote.errors import SettingsError
from headnote.search.contexts import NO_CONTEXTS, Contexts
from headnote.store.filters import Filter

Mode = Literal["hybrid", "semantic", "keyword"]
MODES: tuple[Mode, ...] = get_args(Mode)
Fusion = Literal["weighted", "rrf"]
FUSIONS: tuple[str, ...] = get_args(Fusion)
Expand = Literal["none", "neighbours", "section", "linked"]
EXPANSIONS: tuple[str, ...] = get_args(Expand)


EVERYTHING = Filter()
HITS = 10
"""Of a search, unless somebody says otherwise."""


LONGEST_QUERY = 10_000
"""Characters, on every surface. The work that a query makes grows with them."""


def check_length(text: str) -> None:
    """Raise if a query is longer than any that is read."""
    if len(text) > LONGEST_QUERY:
        remedy = f"give the {LONGEST_QUERY:,} that say most"
        raise SettingsError(f"the query has {len(text):,} characters", remedy=remedy)


@dataclass(frozen=True, slots=True)
class Query:
    """One search."""

    text: str
    """The words that are looked for. If there are none, the filter says which documents are listed."""
    limit: int = HITS
    """Hits at most."""
    mode: Mode = "hybrid"
    fusion: Fusion = "weighted"
    """How two rankings become one: by weighted scores, or by reciprocal ranks."""
    only: Filter = EVERYTHING
    """The chunks that are searched."""
    per_document: int = 0
    """Hits of one document at most; 0 for any number."""
    min_score: float | None = None
    """Hits that score less are left out. If None, there are no hits unless the best one is relevant."""
    budget: int = 0
    """Tokens of all hits together; 0 for any number. The first hit always fits."""
    recency_days: float = 0.0
    """Half-life of the bonus for recent files, in days; 0 for none."""
    recency_steps: bool = False
    """A bonus in steps instead: for the last week, and a smaller one for the last month."""
    expand: Expand = "none"
    """What comes with a hit: the chunks around it, its whole section, or what it links to."""
    phrases: tuple[str, ...] = ()
    """What the filter demands word by word. A passage that has it is relevant, whatever its score."""

    contexts: Contexts = NO_CONTEXTS
    """What is said about folders and documents."""

    @property
    def is_list(self) -> bool:
        """Whether there is nothing to rank by."""
        return not self.text.strip() and not self.only.passes_all

    @property
    def has_recency(self) -> bool:
        return bool(self.recency_days or self.recency_steps)

    def __post_init__(self) -> None:
        check_types(
            query=(self.text, str),
            limit=(self.limit, Integral),
            per_document=(self.per_document, Integral),
            min_score=(self.min_score, Real | None),
            budget=(self.budget, Integral),
            recency_days=(self.recency_days, Real),
            recency_steps=(self.recency_steps, bool),
        )
        check_length(self.text)
        if self.mode not in MODES:
            raise SettingsError(f"unknown mode {self.mode!r}", remedy=f"use {', '.join(MODES)}")
        if self.fusion not in FUSIONS:
            raise SettingsError(f"unknown fusion {self.fusion!r}", remedy=f"use {', '.join(FUSIONS)}")
        if self.expand not in EXPANSIONS:
            raise SettingsError(f"unknown expansion {self.expand!r}", remedy=f"use {', '.join(EXPANSIONS)}")
        if self.recency_days and self.recency_steps:
            raise SettingsError("recency in days and in steps", remedy="choose one of them")
        if self.limit < 1:
            raise SettingsError(f"limit {self.limit} is too small", remedy="give 1 or more")
        for name in ("per_document", "budget", "recency_days", "min_score"):
            number = getattr(self, name) or 0
            if number < 0 or math.isnan(number):
                raise SettingsError(f"{name} {number} is not 0 or more", remedy="leave it out, or give more")
