"""Settings from where people write them: defaults < file < environment < flags, and where each came from.

The file is the nearest `headnote.toml`, or `pyproject.toml` with a table `[tool.headnote]`, in the folder asked about
or above it. Its keys stand at the top or in a table `[chunking]`. Variables are `HEADNOTE_` and the name of a setting.
A preset is chosen like any other setting; what is said about single settings, anywhere, counts more than the preset.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from headnote.chunking.aliases import KNOWN_NAMES, find_name, plain_name, translate
from headnote.chunking.budgets import BUDGETS, vary
from headnote.chunking.presets import differences, find_preset
from headnote.chunking.settings import FIELD_NAMES, Settings, is_path_of_tokenizer, nearest, shown
from headnote.embedding.registry import DEFAULT as DEFAULT_EMBEDDER
from headnote.errors import SettingsError
from headnote.index.store.opening import check_target
from headnote.sources.discover import MAX_BYTES
from headnote.tokens import NAMES as COUNTERS

OWN_FILE = "headnote.toml"
PROJECT_FILE = "pyproject.toml"
VARIABLE_PREFIX = "HEADNOTE_"

# They have our prefix but belong to the tests of this project, or say where a service is and what key it takes.
_NO_SETTINGS = {
    *("HEADNOTE_FUZZ", "HEADNOTE_PACKAGING", "HEADNOTE_SHARED", "HEADNOTE_ARTEFACTS", "HEADNOTE_CHROMIUM"),
    *("HEADNOTE_EMBEDDING_URL", "HEADNOTE_EMBEDDING_KEY"),
    *("HEADNOTE_CHAT_URL", "HEADNOTE_CHAT_KEY", "HEADNOTE_CHAT_MODEL", "HEADNOTE_TOKEN"),
}

_VARIABLES_OF_PRESET = {"mdvdb": ("MDVDB_CHUNK_MAX_TOKENS", "MDVDB_CHUNK_OVERLAP_TOKENS")}

_NAMES = (*KNOWN_NAMES, "preset")


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, and why they are what they are."""

    preset: str
    settings: Settings
    origins: dict[str, str]
    """`preset` and every setting → `default`, `preset blocks`, `headnote.toml:3`, `HEADNOTE_MAX_TOKENS`, `--size` …"""


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What belongs to an index, and is not about chunks."""

    include: tuple[str, ...] = ()
    """Globs; if there are any, a file must fit one of them."""
    exclude: tuple[str, ...] = ()
    """Globs of what is left out, whatever else is said."""
    max_file_bytes: int = MAX_BYTES
    """Larger files are left out and reported."""
    embedder: str = DEFAULT_EMBEDDER
    """What makes vectors: minilm, none, openai:MODEL, sentence-transformers:MODEL."""
    store: str = field(default="sqlite", repr=False)
    """Where the index is kept: sqlite for a file below the folder, or the URL of a database, which may hold a
    password."""


INDEX_NAMES = tuple(one.name for one in fields(IndexSettings))


class LoadedIndexSettings(NamedTuple):
    """Those in force, and who said so."""

    settings: IndexSettings
    origins: dict[str, str]


class _Entry(NamedTuple):
    """One setting as somebody wrote it."""

    name: str
    value: Any
    path: str
    """File, variable or flag."""
    line: int | None = None

    @property
    def place(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class _Meant(NamedTuple):
    """The value of one of our settings, and who said so."""

    value: Any
    origin: str


_Layer = list[_Entry]


def load_settings(
    preset: str | None,
    flags: Mapping[str, Any],
    start: Path,
    environment: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """What holds for documents in `start`. A flag that is None or an empty list was not given."""
    environment = os.environ if environment is None else environment
    layers = [_read_file(start), _read_variables(environment), _read_flags({**flags, "preset": preset})]
    chosen = _choose_preset(layers)
    others = [[entry for entry in layer if entry.name != "preset"] for layer in layers]
    # Those of another program are weaker than those which can only be meant for this one.
    others.insert(1, _read_other_variables(chosen.value, environment))
    said: dict[str, _Meant] = {}
    for layer in others:
        said = _override(said, _understand(layer))
    settings = _apply(chosen.value, said)
    return LoadedSettings(chosen.value, settings, _origins(chosen, settings, said))


def load_index_settings(
    flags: Mapping[str, Any], start: Path, environment: Mapping[str, str] | None = None
) -> LoadedIndexSettings:
    """The table `[index]` of the file, the variables and flags of the same names."""
    environment = os.environ if environment is None else environment
    said: dict[str, _Entry] = {}
    if found := _nearest_file(start):
        file, text, table, table_path = found
        inner = table.get("index", {})
        for name, value in inner.items() if isinstance(inner, dict) else ():
            line = _line_of(text, name, (*table_path, "index"))
            said[name] = _Entry(name, value, _displayed(file), line)
    for name in INDEX_NAMES:
        variable = _variable_of(name)
        if environment.get(variable, "").strip():
            said[name] = _Entry(name, environment[variable].strip(), variable)
        if flags.get(name) not in (None, [], ()):
            said[name] = _Entry(name, flags[name], "--" + name.replace("_", "-"))
    values = {name: _index_value(entry) for name, entry in said.items()}
    origins = {name: said[name].place if name in said else "default" for name in INDEX_NAMES}
    return LoadedIndexSettings(IndexSettings(**values), origins)


def settings_file(start: Path) -> str | None:
    """The file that has a say about documents in `start`, as people are shown it."""
    found = _nearest_file(start)
    return _displayed(found[0]) if found else None


def _index_value(entry: _Entry) -> Any:
    with _blaming(entry):
        if entry.name not in INDEX_NAMES:
            raise SettingsError(f"unknown setting {entry.name}", remedy=nearest(entry.name, INDEX_NAMES))
        value = entry.value
        if entry.name == "max_file_bytes":
            number = _whole_number(value) if isinstance(value, str) else value
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise SettingsError(f"{shown(value)} is no size of a file", remedy="write bytes, such as 10000000")
            return number
        if entry.name == "embedder":
            if not isinstance(value, str):
                raise SettingsError(f"{shown(value)} is no embedder", remedy="write its name, such as minilm")
            return value
        if entry.name == "store":
            if not isinstance(value, str):
                raise SettingsError("store must be a text", remedy="write sqlite, or the URL of a database")
            check_target(value)
            return value
        globs = value.split(",") if isinstance(value, str) else value
        if not isinstance(globs, list | tuple) or not all(isinstance(glob, str) for glob in globs):
            raise SettingsError(f"{entry.name} must be a list of globs", remedy='write ["docs/**"]')
        return tuple(glob.strip() for glob in globs if glob.strip())


def _choose_preset(layers: list[_Layer]) -> _Meant:
    for layer in reversed(layers):
        for entry in layer:
            if entry.name == "preset":
                with _blaming(entry):
                    find_preset(entry.value)
                return _Meant(entry.value, entry.place)
    return _Meant("default", "default")


def _override(weaker: dict[str, _Meant], stronger: dict[str, _Meant]) -> dict[str, _Meant]:
    """Basic and advanced names speak of the same things, so the stronger of either replaces the weaker of both."""
    replaced: set[str] = set()
    if "size" in stronger:
        replaced |= {"target_tokens", "max_tokens", "min_tokens"}
    if "overlap" in stronger or "overlap_tokens" in stronger:
        replaced |= {"overlap", "overlap_tokens"}
    return {name: meant for name, meant in weaker.items() if name not in replaced} | stronger


def _understand(layer: _Layer) -> dict[str, _Meant]:
    """What the entries of one layer mean in our names; the first that makes no sense is refused with its place."""
    said: dict[str, _Meant] = {}
    for entry in layer:
        with _blaming(entry):
            meaning = translate({entry.name: entry.value})
        said |= {name: _Meant(value, entry.place) for name, value in meaning.items()}
    try:
        translate({entry.name: entry.value for entry in layer})
    except SettingsError as error:
        raise SettingsError(error.message, path=_common_path(layer), remedy=error.remedy) from None
    return said


def _common_path(layer: _Layer) -> str:
    paths = {entry.path for entry in layer}
    return paths.pop() if len(paths) == 1 else ""


def _apply(preset: str, said: Mapping[str, _Meant]) -> Settings:
    try:
        return vary(find_preset(preset), {name: meant.value for name, meant in said.items()})
    except SettingsError as error:
        # Each value was good by itself, so what is wrong is how the sizes go together.
        given = [f"{name} from {said[name].origin}" for name in (*BUDGETS, "size", "overlap") if name in said]
        raise SettingsError("; ".join([error.message, *given]), remedy=error.remedy) from None


def _origins(preset: _Meant, settings: Settings, said: Mapping[str, _Meant]) -> dict[str, str]:
    base = find_preset(preset.value)
    of_preset = differences(preset.value)
    origins = {"preset": preset.origin}
    for name in FIELD_NAMES:
        if name in said:
            origins[name] = said[name].origin
        elif getattr(settings, name) != getattr(base, name):
            origins[name] = _origin_of_change(name, said)
        else:
            origins[name] = f"preset {preset.value}" if name in of_preset else "default"
    return origins


def _origin_of_change(name: str, said: Mapping[str, _Meant]) -> str:
    """Why a setting differs from its preset although nobody named it."""
    causes = {"overlap_tokens": ("overlap", "size"), "keep_whole": ("oversized",)}.get(name, ("size",))
    direct = next((said[cause].origin for cause in causes if cause in said), None)
    return direct or "follows " + next(cause for cause in ("max_tokens", "counter", *BUDGETS) if cause in said)


@contextmanager
def _blaming(entry: _Entry) -> Iterator[None]:
    """What goes wrong inside is the fault of this entry and reported with its place."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=error.remedy) from None


# Flags and variables


def _read_flags(flags: Mapping[str, Any]) -> _Layer:
    given = {name: value for name, value in flags.items() if value is not None and value not in ([], ())}
    return [_from_text(_Entry(name, value, "--" + name.replace("_", "-"))) for name, value in given.items()]


def _read_variables(environment: Mapping[str, str]) -> _Layer:
    layer = []
    for variable, text in sorted(environment.items()):
        # A variable that is set to nothing is the usual way to take it back.
        if not variable.startswith(VARIABLE_PREFIX) or variable in _NO_SETTINGS or not text.strip():
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        if name in INDEX_NAMES:
            continue
        layer.append(_from_text(_Entry(name, text, variable), _variable_of))
    return layer


def _variable_of(name: str) -> str:
    return VARIABLE_PREFIX + name.upper()


def _read_other_variables(preset: str, environment: Mapping[str, str]) -> _Layer:
    variables = [name for name in _VARIABLES_OF_PRESET.get(preset, ()) if environment.get(name, "").strip()]
    return [_from_text(_Entry(variable, environment[variable], variable)) for variable in variables]


def _from_text(entry: _Entry, spelled: Callable[[str], str] = str) -> _Entry:
    """The entry with text turned into what its setting takes."""
    field = _known(entry, spelled)
    name = "preset" if field == "preset" else entry.name
    if not isinstance(entry.value, str):
        return entry._replace(name=name)
    with _blaming(entry):
        return entry._replace(name=name, value=_parse(field, entry.value.strip()))


def _known(entry: _Entry, spelled: Callable[[str], str] = str) -> str:
    plain = plain_name(entry.name)
    if plain == "preset":
        return plain
    try:
        return find_name(plain)
    except SettingsError as error:
        remedy = nearest(plain, _NAMES, spelled=spelled)
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=remedy) from None


def _parse(field: str, text: str) -> Any:
    if field in _WHOLE_NUMBERS:
        return _whole_number(text)
    if field in _SWITCHES:
        return _switch(text)
    if field == "mdx":
        return None if text.lower() == "auto" else _switch(text)
    if field in ("size", "overlap") and re.fullmatch(r"[+-]?[0-9]+", text):
        return _whole_number(text)
    if field == "oversized" and "=" in text:
        return dict(_pair(part) for part in text.split(","))
    return text


_WHOLE_NUMBERS = {field.name for field in fields(Settings) if type(field.default) is int}
_SWITCHES = {field.name for field in fields(Settings) if type(field.default) is bool}
_MEANING_OF_SWITCH = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)


def _whole_number(text: str) -> int:
    try:
        if re.fullmatch(r"[+-]?[0-9]+", text):
            return int(text)
    except ValueError:  # more digits than Python agrees to read
        pass
    raise SettingsError(f"{shown(text)} is not a whole number", remedy="write digits only, such as 512")


def _switch(text: str) -> bool:
    if text.lower() in _MEANING_OF_SWITCH:
        return _MEANING_OF_SWITCH[text.lower()]
    raise SettingsError(f"{shown(text)} is neither true nor false", remedy="write true or false")


def _pair(text: str) -> tuple[str, str]:
    kind, _, policy = text.partition("=")
    return kind.strip(), policy.strip()


# Files


def _read_file(start: Path) -> _Layer:
    found = _nearest_file(start)
    return _entries(*found) if found else []


def _nearest_file(start: Path) -> tuple[Path, str, dict[str, Any], tuple[str, ...]] | None:
    """The file that speaks of us, its text, what it says, and the table it says it in."""
    for file in _candidates(start):
        table_path = () if file.name == OWN_FILE else ("tool", "headnote")
        text = _read_text(file)
        # The project's file belongs to others as well. Unless it speaks of us, its mistakes are theirs.
        if table_path and "headnote" not in text:
            continue
        table = _find_table(_parse_toml(file, text), table_path)
        if table is not None:
            return file, text, table, table_path
    return None


def _candidates(start: Path) -> Iterator[Path]:
    try:
        start = start.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        start = start.absolute()
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            file = folder / name
            try:
                if file.is_file():
                    yield file
            except OSError:
                # A folder that may not be looked into has nothing to say.
                continue


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingsError(
            f"cannot be read: {error.strerror}", path=_displayed(file), remedy="make it readable or remove it"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", path=_displayed(file), remedy="save it as UTF-8") from None


def _parse_toml(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Only some mistakes have TOML's own error; numbers without end and nesting without end have Python's.
        message, line = _without_position(str(error), text)
        raise SettingsError(
            f"is not valid TOML: {message}", path=_displayed(file), line=line, remedy="correct this line"
        ) from None


def _without_position(message: str, text: str) -> tuple[str, int | None]:
    """The message of the TOML reader, which ends with the position, as message and line."""
    if found := re.search(r" \(at line ([0-9]+), column [0-9]+\)$", message):
        return message[: found.start()], int(found[1])
    if message.endswith(" (at end of document)"):
        return message.removesuffix(" (at end of document)"), text.rstrip().count("\n") + 1
    return message, None


def _find_table(data: dict[str, Any], table_path: tuple[str, ...]) -> dict[str, Any] | None:
    table: Any = data
    for name in table_path:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _entries(file: Path, text: str, table: dict[str, Any], table_path: tuple[str, ...]) -> _Layer:
    path = _displayed(file)
    inner = table.get("chunking")
    if not isinstance(inner, dict):
        inner = {}
    layer = []
    for name, value in table.items():
        if name not in ("chunking", "index") or not isinstance(value, dict):
            layer.append(_Entry(name, value, path, _line_of(text, name, table_path)))
    for name, value in inner.items():
        entry = _Entry(name, value, path, _line_of(text, name, (*table_path, "chunking")))
        if name in table:
            raise SettingsError(
                f"{name} stands at the top and in [chunking]", path=path, line=entry.line, remedy="keep one of them"
            )
        layer.append(entry)
    return [_from_toml(entry, file.parent) for entry in layer]


def _from_toml(entry: _Entry, folder: Path) -> _Entry:
    field = _known(entry)
    if field == "preset":
        return entry._replace(name=field)
    counter = entry.value
    if field == "counter" and isinstance(counter, str) and counter not in COUNTERS and is_path_of_tokenizer(counter):
        # As written there, so seen from there.
        return entry._replace(value=str(folder / counter))
    return entry


def _line_of(text: str, name: str, table_path: tuple[str, ...]) -> int | None:
    """The line where a key stands, by looking: the TOML reader does not tell. None if it is written some other way."""
    key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[=.]""")
    wanted = ".".join(table_path)
    own_header = ".".join((*table_path, name))
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[+([^\[\]]*)\]", line):
            table = re.sub(r"[\s\"']", "", header[1])
            if table == own_header:
                return number
        elif table == wanted and key.match(line):
            return number
    return None


def _displayed(file: Path) -> str:
    """As short as it can be said from where the user stands."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)
