"""Text of variables and flags → the values that settings take."""

from __future__ import annotations

import re

from headnote.chunking.settings import shown
from headnote.errors import SettingsError

_MEANING_OF_SWITCH = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
_DIGITS = re.compile(r"[+-]?[0-9]+")


def is_whole_number(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None


def whole_number(text: str) -> int:
    try:
        if is_whole_number(text):
            return int(text)
    except ValueError:  # more digits than Python agrees to read
        pass
    raise SettingsError(f"{shown(text)} is not a whole number", remedy="write digits only, such as 512")


def switch(text: str) -> bool:
    if text.lower() in _MEANING_OF_SWITCH:
        return _MEANING_OF_SWITCH[text.lower()]
    raise SettingsError(f"{shown(text)} is neither true nor false", remedy="write true or false")
