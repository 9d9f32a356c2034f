"""What is new may count more, within bounds: a factor on the score, never a reason of its own."""

from __future__ import annotations

import math

DAY = 86_400.0

STEPS = ((7, 1.2), (30, 1.1))
"""(days, factor): younger than that many days, this factor."""

STEPPED = frozenset({"ragdocs"})
"""Presets whose users know it so."""


def step_factor(age_seconds: float) -> float:
    """1.2 below seven days, 1.1 below thirty, 1 from then on."""
    return next((factor for days, factor in STEPS if age_seconds < days * DAY), 1.0)


def decay_factor(age_seconds: float, half_life_days: float, most: float = 1.2) -> float:
    """From `most` for what was written just now, half of the rest after each half-life, down to 1."""
    age = max(age_seconds, 0.0) / DAY
    return 1.0 + (most - 1.0) * math.exp2(-age / half_life_days)


def factor(age_seconds: float, half_life_days: float, steps: bool) -> float:
    """The bonus that is asked for; 1 if none is."""
    if steps:
        return step_factor(age_seconds)
    return decay_factor(age_seconds, half_life_days) if half_life_days else 1.0
