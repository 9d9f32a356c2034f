"""Values of any kind as text that every database takes, and back, without loss."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from typing import Any

# No database takes half of a surrogate pair as text, which is how Python spells a byte in a file name that is no
# UTF-8; some take no NUL. The escape is a code point that no text may use, and is escaped itself.
_ESCAPE = "\uffff"
_UNSAFE = re.compile("[\0\uffff\ud800-\udfff]")
_ESCAPED = re.compile("\uffff([0-9a-f]{4})")

_TAG = "$headnote"
"""Key of a mapping that stands for something JSON does not have."""
_KINDS: dict[str, Any] = {"datetime": datetime.datetime, "date": datetime.date, "time": datetime.time}


def escaped(text: str) -> str:
    if text.isascii() and "\0" not in text:
        return text
    return _UNSAFE.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)


def unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if _ESCAPE in text else text


def packed(value: Any) -> str:
    """Strings, numbers, dates, None, and lists and mappings of them."""
    return escaped(json.dumps(_tagged(value), ensure_ascii=False, separators=(",", ":")))


def unpacked(text: str) -> Any:
    return json.loads(unescaped(text), object_hook=_untagged)


def packed_strings(strings: Sequence[str]) -> str:
    """The same for strings only, faster."""
    return escaped(json.dumps(strings, ensure_ascii=False, separators=(",", ":"))) if strings else "[]"


def unpacked_strings(text: str) -> tuple[str, ...]:
    if text == "[]":
        return ()
    strings = json.loads(unescaped(text))
    if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
        raise TypeError(f"{text!r:.40} in place of a list of strings")
    return tuple(strings)


def _tagged(value: Any) -> Any:
    if isinstance(value, dict):
        copied = {key: _tagged(item) for key, item in value.items()}
        return {_TAG: ["mapping", list(copied.items())]} if _TAG in copied else copied
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    for kind, type_ in _KINDS.items():  # a datetime is a date too, so it is asked for first
        if isinstance(value, type_):
            return {_TAG: [kind, value.isoformat()]}
    return value


def _untagged(mapping: dict[str, Any]) -> Any:
    if _TAG not in mapping:
        return mapping
    kind, value = mapping[_TAG]
    return dict(value) if kind == "mapping" else _KINDS[kind].fromisoformat(value)
