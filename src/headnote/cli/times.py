"""Times as people read them."""

from __future__ import annotations

from datetime import datetime

from headnote.cli.terminal import counted

_SIZES = {"year": 31_536_000, "month": 2_592_000, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def ago(seconds: float) -> str:
    """`3 minutes ago`."""
    if seconds < 1:
        return "just now"
    unit = next(unit for unit, size in _SIZES.items() if seconds >= size)
    return f"{counted(int(seconds / _SIZES[unit]), unit)} ago"


def moment(seconds: float) -> str:
    """Seconds since 1970 as a date and a time of day, here."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    """`0.3 s`, `42 s`, `3 min 5 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
