"""Some given sizes → four that are consistent.

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

Given sizes are taken as they are, and are an error if they contradict each other. The others keep the preset's value
where it fits. Where it does not, it is lowered: target to max, min to target, and an overlap that is not below max to
an eighth of max. Target rises to a min that is given above it, and with max where it is the max of the preset.

| given | `default` | `mdvdb` | `blocks` |
|---|---|---|---|
| `max_tokens=1024` | 384, 1024, 96, 0 | 1024, 1024, 0, 50 | 750, 1024, 200, 80 |
| `max_tokens=128` | 128, 128, 96, 0 | 128, 128, 0, 50 | 128, 128, 128, 80 |
| `max_tokens=64` | 64, 64, 64, 0 | 64, 64, 0, 50 | 64, 64, 64, 8 |
| `target_tokens=50` | 50, 512, 50, 0 | 50, 512, 0, 50 | 50, 1000, 50, 80 |

With a counter of another unit the preset's numbers mean nothing. They then follow max in proportion, and max itself is
converted at four characters a token if it is not given.
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

# Whether a counter counts characters → how many characters its unit is worth, roughly.
_CHARACTERS = {True: Fraction(1), False: Fraction(4)}

BUDGETS = ("target_tokens", "max_tokens", "min_tokens", "overlap_tokens")


def with_changes(base: Settings, changes: Mapping[str, Any]) -> Settings:
    """The base with these changes, which are under our names (see `aliases.translate`)."""
    values = {name: value for name, value in changes.items() if name not in ("size", "overlap")}
    if isinstance(values.get("oversized"), Mapping):
        values |= _apply_oversized(base, values["oversized"], values.get("keep_whole"))
    if not changes.keys().isdisjoint((*BUDGETS, "counter", "size", "overlap")):
        values |= _budgets(base, changes)
    if "strategy" in values:
        # Whoever names a strategy means all documents.
        values.setdefault("plain_text", "markdown")
    return replace(base, **values)


def _budgets(base: Settings, changes: Mapping[str, Any]) -> dict[str, int]:
    """The four sizes, in the order in which they depend on each other: max, target, then min and overlap."""
    conversion = _conversion(base.counter, changes.get("counter", base.counter))
    scale = SIZES[changes.get("size", "medium")] * (conversion or 1)
    largest: int = changes.get("max_tokens", max(1, int(base.max_tokens * scale)))
    if "max_tokens" in changes and conversion != 1:
        scale = Fraction(largest, base.max_tokens)

    target = changes.get("target_tokens")
    if target is None:
        # A preset whose target is its maximum keeps it so.
        own = largest if base.target_tokens == base.max_tokens else int(base.target_tokens * scale)
        target = min(max(own, changes.get("min_tokens", 0), 1), largest)
    smallest = changes.get("min_tokens", min(int(base.min_tokens * scale), target))
    overlap = changes.get("overlap_tokens")
    if overlap is None and "overlap" in changes:
        overlap = int(largest * OVERLAPS[changes["overlap"]])
    elif overlap is None:
        overlap = int(base.overlap_tokens * scale)
        # One token below max would be allowed, but make nearly every token of a document a chunk of its own.
        overlap = overlap if overlap < largest else int(largest * OVERLAPS["medium"])
    return {"target_tokens": target, "max_tokens": largest, "min_tokens": smallest, "overlap_tokens": overlap}


def cause_of(name: str, base: Settings, changes: Mapping[str, Any]) -> str:
    """Which of the changes determines a size that was not given: the first without which it would be another."""
    if name == "overlap_tokens" and "overlap" in changes:
        return "overlap"
    nearest_first = ("target_tokens", "min_tokens", "max_tokens", "counter", "size")
    suspects = [change for change in nearest_first if change in changes]
    size = _budgets(base, changes)[name]
    for suspect in suspects:
        others = {other: value for other, value in changes.items() if other != suspect}
        if _budgets(base, others)[name] != size:
            return suspect
    return suspects[0]


def _conversion(before: CounterLike, after: CounterLike) -> Fraction | None:
    """How many units of the new counter make one of the old; None if unknown."""
    if before == after:
        return Fraction(1)
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    return _CHARACTERS[before == "chars"] / _CHARACTERS[after == "chars"]


def _apply_oversized(base: Settings, by_kind: Mapping[str, str], given: frozenset[str] | None) -> dict[str, Any]:
    """`oversized` and `keep_whole` for a mapping of kinds. The base decides about kinds it does not name."""
    split = {kind for kind, policy in by_kind.items() if policy == "split"}
    if contradictions := sorted(split & (given or frozenset())):
        raise SettingsError(
            f"keep_whole and oversized disagree about {contradictions[0]}", remedy="name that kind in only one of them"
        )
    whole = (base.keep_whole if given is None else given) | (by_kind.keys() - split)
    if base.oversized == "keep" and split:
        # Only these kinds are split, so all others are named as whole.
        return {"oversized": "split", "keep_whole": frozenset(BLOCK_KINDS) - split}
    return {"oversized": base.oversized, "keep_whole": whole - split}
