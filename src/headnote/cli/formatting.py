"""Numbers, times and settings as people read them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from headnote.embedding.registry import short_name

if TYPE_CHECKING:
    from headnote.api import Drift, Status

_SECONDS = {"year": 31_536_000, "month": 2_592_000, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def deep_missing() -> str:
    """For those who have the default without its package."""
    from headnote.embedding.transformer import install_command  # late: a search says nothing of it

    return f"the deep model would rank better: {install_command('deep')}"


def counted(number: int, unit: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def ago(seconds: float) -> str:
    """`3 minutes ago`."""
    if seconds < 1:
        return "just now"
    unit = next(unit for unit, size in _SECONDS.items() if seconds >= size)
    return f"{counted(int(seconds / _SECONDS[unit]), unit)} ago"


def moment(seconds: float) -> str:
    """Seconds since 1970 as local date and time."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    """`0.3 s`, `42 s`, `3 min 5 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def byte_size(number: int) -> str:
    """`812 bytes`, `3.4 MB`."""
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return counted(number, "byte")


def drift_counts(drift: Drift) -> str:
    """`2 new, 1 changed`."""
    paths = {"new": drift.new, "changed": drift.changed, "gone": drift.gone}
    return ", ".join(f"{len(group):,} {name}" for name, group in paths.items() if group)


def setting_text(value: object) -> str:
    """The value of a setting as one writes it in a file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "auto"
    if isinstance(value, frozenset):
        return ", ".join(sorted(value)) or "none"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value)


def setting_json(value: Any) -> Any:
    """The value of a setting as JSON holds it."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, str | int | float | None) else str(value)


def missing_vectors(status: Status) -> str:
    """Which vectors are to come, and what answers until then; empty if there are all."""
    if not status.pending:
        return ""
    answering = f"{short_name(status.answering)} answers until then" if status.answering else "words alone until then"
    return f"{status.vectors_to_come}, {answering}"
