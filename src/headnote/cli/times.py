"""Times as people write and read them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from headnote.cli.terminal import counted
from headnote.errors import SettingsError

_AGO = re.compile(r"([0-9]{1,6})\s*([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}
_SIZES = {"year": 31_536_000, "month": 2_592_000, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def read_since(text: str, now: datetime | None = None) -> datetime:
    """`7d`, `12h`, `2w`, `1y`, or a date with or without a time; without a zone it is meant here."""
    now = now or datetime.now().astimezone()
    if ago := _AGO.fullmatch(text.strip().lower()):
        try:
            return now - int(ago[1]) * _UNITS[ago[2]]
        except OverflowError:
            return datetime.fromtimestamp(0, now.tzinfo)
    try:
        found = datetime.fromisoformat(text.strip())
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError):
        raise SettingsError(
            f"{text!r} is no time", path="--since", remedy="write a date such as 2026-03-01, or 7d, 12h, 2w, 1y"
        ) from None


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
