"""What frontmatter must have: the rules of `[[schema]]` in the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, get_args

FieldType = Literal["text", "number", "date", "boolean", "list"]
FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)


def _is_date(value: Any) -> bool:
    if isinstance(value, str):
        try:
            datetime.fromisoformat(value.strip())
        except ValueError:
            return False
        return True
    return isinstance(value, date)


_HAS_TYPE: Mapping[FieldType, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "date": _is_date,
    "boolean": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
}


class SchemaRule(NamedTuple):
    """What the frontmatter of some documents must have."""

    path: str = ""
    """Glob of documents; empty for all."""
    required: tuple[str, ...] = ()
    """Fields that must be there, with a value."""
    types: Mapping[str, FieldType] = {}
    """Field → what it must be, where it has a value."""
    values: Mapping[str, tuple[str, ...]] = {}
    """Field → what it may say; each item of a list."""

    def problems(self, metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Field and what is wrong with it."""
        for field in self.required:
            if metadata.get(field) in (None, "", []):
                yield field, f"the field {field} is missing"
        for field, wanted in self.types.items():
            value = metadata.get(field)
            if value is not None and not _HAS_TYPE[wanted](value):
                yield field, f"{field} is {str(value)[:60]!r}, not a {wanted}"
        for field, allowed in self.values.items():
            value = metadata.get(field)
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                if str(one) not in allowed:
                    yield field, f"{field} is {str(one)[:60]!r}, not one of {', '.join(allowed)}"
