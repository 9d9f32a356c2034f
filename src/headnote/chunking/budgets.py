"""From some sizes that were given to four that go together.

| `size` | target, max, min, overlap of the preset | `default` | `blocks` |
|---|---|---|---|
| `small` | half | 192, 256, 48, 0 | 375, 500, 100, 40 |
| `medium` | as they are | 384, 512, 96, 0 | 750, 1000, 200, 80 |
| `large` | twice | 768, 1024, 192, 0 | 1500, 2000, 400, 160 |

| `overlap` | of max | at max 512 | at max 1000 |
|---|---|---|---|
| `none` | 0 | 0 | 0 |
| `low` | 1/16 | 32 | 62 |
| `medium` | 1/8 | 64 | 125 |
| `high` | 1/4 | 128 | 250 |

Sizes that were given are taken as they are, and refused if they contradict each other. The others follow: they keep
the preset's value where that fits under what was given, and are lowered where it does not. With a counter of another
unit the preset's numbers mean nothing: then they follow max in proportion, and max itself, if it was not given, is
converted at four characters a token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from headnote.chunking.settings import BLOCK_KINDS, Settings
from headnote.errors import SettingsError
from headnote.tokens import CounterLike

SIZES = {"small": Fraction(1, 2), "medium": Fraction(1), "large": Fraction(2)}
OVERLAPS = {"none": Fraction(0), "low": Fraction(1, 16), "medium": Fraction(1, 8), "high": Fraction(1, 4)}

# By whether it is the counter of characters: how many of them its unit is worth, roughly.
_CHARACTERS = {True: Fraction(1), False: Fraction(4)}

BUDGETS = ("target_tokens", "max_tokens", "min_tokens", "overlap_tokens")


def vary(base: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings that differ from the base by these changes, which are under our names (see `aliases.translate`)."""
    values = {name: value for name, value in changes.items() if name not in ("size", "overlap")}
    if isinstance(values.get("oversized"), Mapping):
        values |= _apply_oversized(base, values["oversized"], values.get("keep_whole"))
    if not changes.keys().isdisjoint((*BUDGETS, "counter", "size", "overlap")):
        values |= _budgets(base, changes)
    return replace(base, **values)


def _budgets(base: Settings, changes: Mapping[str, Any]) -> dict[str, int]:
    conversion = _conversion(base.counter, changes.get("counter", base.counter))
    scale = SIZES[changes.get("size", "medium")] * (conversion or 1)
    largest: int = changes.get("max_tokens", max(1, int(base.max_tokens * scale)))
    if "max_tokens" in changes and conversion != 1:
        scale = Fraction(largest, base.max_tokens)
    lowered = largest < int(base.max_tokens * scale)

    target = changes.get("target_tokens")
    if target is None:
        # Where the preset has no goal of its own, only a ceiling, the ceiling remains the goal.
        own = largest if base.target_tokens == base.max_tokens else int(base.target_tokens * scale)
        target = min(max(own, changes.get("min_tokens", 0), 1), largest)
    smallest = changes.get("min_tokens")
    if smallest is None:
        smallest = min(int(base.min_tokens * scale), target, largest // 4 if lowered else largest)
    overlap = changes.get("overlap_tokens")
    if overlap is None and "overlap" in changes:
        overlap = int(largest * OVERLAPS[changes["overlap"]])
    elif overlap is None:
        overlap = min(int(base.overlap_tokens * scale), largest // 8 if lowered else largest - 1)
    return {"target_tokens": target, "max_tokens": largest, "min_tokens": smallest, "overlap_tokens": overlap}


def _conversion(before: CounterLike, after: CounterLike) -> Fraction | None:
    """How many units of one counter make one of the other; None if nobody can tell."""
    if before == after:
        return Fraction(1)
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    return _CHARACTERS[before == "chars"] / _CHARACTERS[after == "chars"]


def _apply_oversized(base: Settings, by_kind: Mapping[str, str], given: frozenset[str] | None) -> dict[str, Any]:
    """A mapping of kinds becomes the two fields, on top of what the base says about all kinds."""
    split = {kind for kind, policy in by_kind.items() if policy == "split"}
    if contradictions := sorted(split & (given or frozenset())):
        raise SettingsError(
            f"keep_whole and oversized disagree about {contradictions[0]}", remedy="name that kind in one of them"
        )
    kept = (base.keep_whole if given is None else given) | (by_kind.keys() - split)
    if base.oversized == "keep" and split:
        # Only these are to be cut: all others are named instead.
        return {"oversized": "split", "keep_whole": frozenset(BLOCK_KINDS) - split}
    return {"oversized": base.oversized, "keep_whole": kept - split}
