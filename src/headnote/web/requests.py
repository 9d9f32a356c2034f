"""What the API takes: one type per request. Query strings and bodies become one of these, or are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from headnote.chunking.aliases import BASIC_NAMES, FIELD_OF_ALIAS, KIND_OF_ALIAS, VALUE_ALIASES
from headnote.chunking.budgets import OVERLAPS, SIZES
from headnote.chunking.passes.peers import PEERS
from headnote.chunking.presets import SettingInfo, describe_settings, presets
from headnote.chunking.settings import BLOCK_KINDS, RANGES
from headnote.errors import SettingsError, nearest
from headnote.search.query import (
    MAX_QUERY_CHARS,
    OPTIONS,
    Between,
    Names,
    SearchArguments,
    SearchOption,
    Since,
    Text,
    Where,
    read_options,
)

# -- JSON Schema of the settings in a request: exactly what the server accepts.


Schema = dict[str, Any]

_KINDS = [*BLOCK_KINDS, *KIND_OF_ALIAS]
_BASIC: dict[str, Schema] = {
    "size": {"anyOf": [{"enum": list(SIZES)}, {"type": "integer", "minimum": 1}]},
    "overlap": {"anyOf": [{"enum": list(OVERLAPS)}, {"type": "integer", "minimum": 0}]},
}


def settings_schema() -> Schema:
    """Our names and those of other systems. The server also accepts other spellings of them."""
    by_name = {info.name: _with_description(info) for info in describe_settings()} | _BASIC
    by_alias = {alias: by_name[name] for alias, name in FIELD_OF_ALIAS.items()}
    return {
        "description": "Changes to the preset. Names from other systems are understood, too.",
        "properties": by_name | by_alias,
        "additionalProperties": False,
    }


def _with_description(info: SettingInfo) -> Schema:
    return {"description": info.description} | _schema_of(info)


def _schema_of(info: SettingInfo) -> Schema:
    if info.name in RANGES:
        least, most = RANGES[info.name]
        return {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})
    if info.name == "keep_whole":
        return {"type": "array", "items": {"enum": _KINDS}}
    if info.name == "mdx":
        return {"type": ["boolean", "null"]}
    if info.type == "boolean":
        return {"type": "boolean"}
    words = [*info.choices, *VALUE_ALIASES.get(info.name, {})]
    if info.name == "oversized":
        return {"anyOf": [{"enum": [*words, True, False]}, _by_kind([*words, True, False])]}
    return {"enum": words}


def _by_kind(values: list[Any]) -> Schema:
    return {"type": "object", "propertyNames": {"enum": _KINDS}, "additionalProperties": {"enum": values}}


assert tuple(_BASIC) == BASIC_NAMES


# -- What the API takes


MAX_ANSWER_CHARS = 8_000
"""Characters of an earlier answer; more of it would not fit beside the passages."""
MAX_BODY_BYTES = 2_000_000
"""Bytes."""
LAST_OFFSET = 1_000
"""Hits before a page. All of them are read and compared with each other; nobody reads so many."""

Query = Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS)]
DocumentPath = Annotated[str, Meta(min_length=1, max_length=4096, description="Document, as search names it.")]
Filters = Annotated[list[Annotated[str, Meta(min_length=1, max_length=1000)]], Meta(max_length=50)]
Condition = Annotated[
    str, Meta(min_length=1, max_length=4000, description="status=draft, version >= 2, tags in (a, b)")
]
Line = Annotated[int, Meta(ge=1, le=2_000_000_000)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]


_DAY = "(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?"
_ZONE = "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"


_SPAN = "((?!0000)[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?)"


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """Takes no parameters."""


Question = Annotated[Query, Meta(description='What to look for: words, "a phrase", -word, title:, path:, tag:, OR.')]
Offset = Annotated[int, Meta(ge=0, le=LAST_OFFSET, description="Skip this many hits.")]
Facets = Annotated[bool, Meta(description="Count folders, tags and fields that narrow the search.")]

_WRITTEN: dict[Any, tuple[Any, Any]] = {
    Names: (Filters, []),
    Where: (Annotated[list[Condition], Meta(max_length=50)], []),
    Since: (Annotated[str, Meta(max_length=40, pattern=f"^(|[0-9]{{1,6}}[hdwy]|{_DAY}([T ]{_CLOCK}{_ZONE}?)?)$")], ""),
    Between: (Annotated[str, Meta(max_length=30, pattern=f"^{_SPAN}?(\\.\\.{_SPAN}?)?$")], ""),
    Text: (Annotated[str, Meta(max_length=MAX_QUERY_CHARS)], ""),
    str: (Annotated[str, Meta(max_length=20, pattern=r"^(steps|[0-9]+(\.[0-9]+)?)?$")], ""),
    bool: (bool, False),
}
"""Kind of option → its type in a request, and its value where it is left out."""


def _field(option: SearchOption) -> tuple[str, Any, Any]:
    """An option as a parameter: its name, type and default."""
    kind, default = _WRITTEN.get(option.kind) or (option.kind | None, None)
    if option.least is not None:
        kind = Annotated[option.kind, Meta(ge=option.least, le=option.most)] | None
    description = Meta(description=option.http or option.help)
    return option.parameter or option.name, Annotated[kind, description], default


_PARAMETERS = {_field(option)[0]: option for option in OPTIONS.values() if option.http is not None}
_LIMIT, *_OTHERS = map(_field, _PARAMETERS.values())
_SearchFields: Any = msgspec.defstruct(
    "_SearchFields", [("q", Question), _LIMIT, ("offset", Offset, 0), ("facets", Facets, False), *_OTHERS]
)


class SearchRequest(_SearchFields, forbid_unknown_fields=True):  # type: ignore[misc, call-arg]  # made of the table
    """The options of a search, and which page of it."""

    def arguments(self) -> SearchArguments:
        """Those of `Index.search`."""
        written = {option.name: getattr(self, name) for name, option in _PARAMETERS.items()}
        return read_options({name: None if value == "" else value for name, value in written.items()})


class PathRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath


class PieceRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath
    number: Annotated[Count, Meta(description="Which piece, from 0.")] = 0


class NeighbourhoodRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath
    depth: Annotated[int, Meta(ge=1, le=2, description="How many links away a document may be.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="Maximum documents, the nearest first.")] = 50


class RelatedRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath
    line: Annotated[Line | None, Meta(description="Near the passage at this line.")] = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 10
    linked: Annotated[bool, Meta(description="Also what the document links to already.")] = False


class UnlinkedRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: Annotated[str, Meta(max_length=4096, description="Document; leave out for the whole folder.")] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 10


class FoundRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath
    q: Annotated[Query, Meta(description="What was looked for.")]


class PreviewRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: DocumentPath
    fragment: Annotated[str, Meta(max_length=1000, description="A section of it, by its anchor.")] = ""


class ReadRequest(msgspec.Struct, forbid_unknown_fields=True):
    path: Annotated[str, Meta(max_length=4096, description="Document, unless a chunk is given.")] = ""
    start_line: Line = 1
    end_line: Line | None = None
    heading: Annotated[str, Meta(max_length=1000, description="Read the section under this heading.")] = ""
    chunk: Annotated[str, Meta(max_length=5000, description="Read a chunk, by the key of a hit.")] = ""


class QuestionsRequest(msgspec.Struct, forbid_unknown_fields=True):
    limit: Annotated[int, Meta(ge=1, le=50)] = 6


class TurnRequest(msgspec.Struct, forbid_unknown_fields=True):
    question: Annotated[str, Meta(max_length=MAX_QUERY_CHARS)]
    answer: Annotated[str, Meta(max_length=MAX_ANSWER_CHARS)]


class AskRequest(msgspec.Struct, forbid_unknown_fields=True):
    question: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    limit: Annotated[int, Meta(ge=1, le=50)] = 6
    budget: Annotated[int, Meta(ge=1, le=200_000)] = 4000
    path: Filters = []
    roots: Filters = []
    tags: Filters = []
    history: Annotated[
        list[TurnRequest], Meta(max_length=8, description="Earlier questions with their answers, oldest first.")
    ] = []


class Lines(msgspec.Struct, forbid_unknown_fields=True):
    """Lines of a text, both included."""

    start_line: Line
    end_line: Line


class ChunkRequest(msgspec.Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(max_length=MAX_BODY_BYTES)]
    path: Annotated[str, Meta(max_length=4096, description="Names the document; .mdx turns MDX on.")] = ""
    preset: Annotated[str, Meta(max_length=100, extra_json_schema={"enum": [*presets(), *PEERS]})] = "default"
    settings: Annotated[dict[str, Any], Meta(max_length=100, extra_json_schema=settings_schema())] = {}
    question: Annotated[
        str, Meta(max_length=MAX_QUERY_CHARS, description="Score the chunks by how they answer it.")
    ] = ""
    passage: Annotated[
        Lines | None, Meta(description="The lines that answer the question; by default those that a search finds.")
    ] = None


Request = TypeVar("Request", bound=msgspec.Struct)


def from_query(pairs: Iterable[tuple[str, str]], shape: type[Request]) -> Request:
    """The parameters of an address as a request."""
    types = _types(shape)
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in types:
            raise SettingsError(f"unknown parameter {name[:80]!r}", remedy=nearest(name[:80], list(types)))
        if get_origin(types[name]) is list:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise SettingsError(f"{name} is given twice", remedy="keep one of them")
        else:
            values[name] = value
    return _checked(lambda: msgspec.convert(values, shape, strict=False))


@cache
def _types(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Finding them out takes a tenth of the time of a search."""
    return get_type_hints(shape)


def from_body(body: bytes, shape: type[Request]) -> Request:
    """A JSON body as a request."""
    return _checked(lambda: msgspec.convert(_whole_numbers(msgspec.json.decode(body)), shape))


def _whole_numbers(value: Any) -> Any:
    """Make whole numbers of 10.0 and the like: JSON does not tell them from 10, and Python does."""
    if isinstance(value, dict):
        return {name: _whole_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _checked(read: Callable[[], Request]) -> Request:
    try:
        return read()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SettingsError(_words(error), remedy="see /api/openapi.json") from None


def _words(error: Exception) -> str:
    """The message of the decoder, with names of fields that people use."""
    if isinstance(error, RecursionError):
        return "the body is nested too deeply"
    words = str(error).replace("`$.", "`").replace(" - at `$`", "")
    # Patterns are for programs.
    return re.sub(r"matching regex '.*'", "of another form", words)
