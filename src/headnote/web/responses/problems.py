"""Why a request failed."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct):
    """What went wrong."""

    code: str
    message: str
    remedy: str = ""


class Failure(msgspec.Struct):
    """The body of every error."""

    error: Problem
