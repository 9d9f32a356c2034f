"""The settings an index was made with. They are stored in the index and apply until they are changed.

The index stores two layers: ambient values, from file and environment, and flags. What may only read it applies both as
stored, and says where the file differs by now. Every update follows the file: what came from it is what it says now.
`headnote index` takes variables of the environment anew, too. Stored flags are stronger than all that, and last until
other flags are given or `--forget-flags` drops them. What a folder may not decide by itself counts only after
`headnote trust FOLDER`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from headnote.chunking.aliases import translate
from headnote.chunking.settings import Settings, is_path_of_tokenizer
from headnote.config.chunk_settings import (
    ROOTS,
    TABLE,
    LoadedSettings,
    ambient_values,
    flag_values,
    leads_out,
    outward_settings,
    override,
    resolve,
    variable_values,
)
from headnote.config.folder_settings import INDEX, SEARCH, IndexSettings
from headnote.config.roots import RootEntry, outward_roots, read_roots, tree_of
from headnote.config.server_settings import LLM, SERVER
from headnote.config.tables import LoadedTable, SettingsFile, SettingValue, Values, nearest_file
from headnote.config.trust import digest_of, is_trusted, trust
from headnote.sources.tree import Tree
from headnote.store.integrity import decoding, signed, unsigned
from headnote.store.opening import EMBEDDED
from headnote.tokens import NAMES as COUNTERS

GATED = (INDEX, SEARCH, LLM, SERVER)
"""Tables whose checks say what needs trust."""


class OutwardSetting(NamedTuple):
    """A setting that leads out of the folder."""

    table: str
    """In which it stands."""
    name: str
    """As written."""
    value: Any
    """As written, or of a root the folder that it means."""
    place: str
    """Where it stands: `headnote.toml:3`, or in the index."""

    @property
    def setting(self) -> str:
        """`index.embedder`, `llm.url`, `roots.notes`."""
        return f"{self.table}.{self.name}"


def outward_settings_of(file: SettingsFile, start: Path) -> Iterator[OutwardSetting]:
    """All that a file says about the folder `start` and that needs trust."""
    layers = {TABLE: outward_settings(file)} | {table.name: table.outward(file) for table in GATED}
    if file.is_in(start):  # roots in a file above are not about this folder
        layers[ROOTS] = outward_roots(file)
    for table, entries in layers.items():
        yield from (OutwardSetting(table, entry.name, entry.value, entry.place) for entry in entries)


def withheld_of_file(
    start: Path, environment: Mapping[str, str] | None = None, given: Collection[str] = ()
) -> list[OutwardSetting]:
    """What the nearest file says to no effect, unless the environment or flags (`given`) say it in its place."""
    file = nearest_file(start)
    outward = list(outward_settings_of(file, start)) if file else []
    if file is None or not outward or file.is_trusted:
        return []
    variables = os.environ if environment is None else environment
    said = {(table.name, name) for table in GATED for name in table.variable_entries(variables)}
    said |= {(INDEX.name if name in INDEX.checks else TABLE, name) for name in given}
    return [one for one in outward if (one.table, one.name) not in said]


def trust_note(withheld: Sequence[OutwardSetting], folder: Path) -> str:
    """One line about all of them; empty if there are none."""
    listed = ", ".join(f"{one.setting} ({one.place})" for one in withheld)
    return f"not used: {listed}; if you trust it: headnote trust {folder}" if withheld else ""


# -- The settings an index was made with. They are stored in the index and apply until they are changed.

Configure = Literal["keep", "follow", "apply", "anew"]
"""Apply the stored settings; or those of the file as they are now; or file and environment; or these without the stored
flags."""

KEPT = "kept in the index"
"""The start of the origin of a stored setting."""

PACKED = "stored in the pack"
"""The origin of a setting that came with a pack."""

_LOCATION = ("store", "schema")
"""Where the index is. It cannot store that itself."""


class Choice(NamedTuple):
    """The settings of an index, and where each comes from."""

    chunking: LoadedSettings
    of_index: LoadedTable[IndexSettings]
    stored_settings: str
    """The text to store in the index."""
    differing: tuple[str, ...] = ()
    """Where file and environment differ by now, one line each; the index does not follow them."""
    followed: tuple[str, ...] = ()
    """Where the file has changed and the index follows it, one line each."""
    outlived: tuple[str, ...] = ()
    """Where the file has changed and a stored flag is stronger, one line each."""
    roots: tuple[RootEntry, ...] = ()
    """The folders of an index that has several, as the file names them now."""
    settings_of: Mapping[str, Settings] = MappingProxyType({})
    """Name of a root → the settings of its chunks, where it has some of its own."""
    withheld: tuple[OutwardSetting, ...] = ()
    """What file and index say that does not count until the user trusts the folder."""
    given: tuple[OutwardSetting, ...] = ()
    """Flags and variables that need trust, and have it because the user gives them now."""

    def tree(self, folder: Path) -> Tree:
        """The folders of the documents; `folder` is the one that the index belongs to."""
        return tree_of(folder, self.of_index.settings, self.roots)

    @property
    def has_flags(self) -> bool:
        """Whether flags are stored."""
        return bool(_parse(self.stored_settings).flags)

    @property
    def origins(self) -> dict[str, str]:
        return self.chunking.origins | self.of_index.origins


class _Stored(NamedTuple):
    """The layers an index was made with."""

    ambient: Values
    """From file and environment."""
    flags: Values


def choose(
    flags: Mapping[str, Any],
    start: Path,
    stored_settings: str = "",
    configure: Configure = "keep",
    environment: Mapping[str, str] | None = None,
) -> Choice:
    """The settings for an index of `start`. `stored_settings` is the text stored in it; empty for a new index."""
    environment = os.environ if environment is None else environment
    new_flags = flag_values({name: value for name, value in flags.items() if name not in INDEX.checks})
    new_flags = _with_absolute_counter(new_flags) | INDEX.values(INDEX.flag_entries(flags))
    kept = _parse(stored_settings) if stored_settings and configure != "anew" else None
    # Which variables count depends on the preset, and that may be a stored flag.
    flags_in_force = {**(kept.flags if kept else {}), **new_flags}
    now, file = (_ambient(start, variables, flags_in_force) for variables in (environment, {}))
    before = kept or _Stored(now, {})
    stored = before._replace(ambient=_ambient_of(configure, before.ambient, file, now))
    ambient = {name: _with_origin(value, now.get(name), file.get(name)) for name, value in stored.ambient.items()}
    # An index that lies in the folder may have come with it. One in a database is where the user said.
    from_folder = _value({**now, **new_flags}, "store") in (None, *EMBEDDED)
    outward = partial(_outward, folder=start) if from_folder else _none
    follows = {one.name for one in outward(stored.ambient) if not _is_known(one, now, start)}
    ambient = {name: one for name, one in ambient.items() if name not in follows}
    ambient |= {name: now[name] for name in follows if name in now}
    ambient |= {name: now[name] for name in _LOCATION if name in now}
    foreign = [one for one in outward(stored.flags) if one.name not in new_flags and not _is_known(one, now, start)]
    unusable = {one.name for one in foreign}
    old_flags = {name: _with_origin(value) for name, value in stored.flags.items() if name not in unusable}
    choice = _resolve([ambient, old_flags, new_flags], _text(stored.ambient, override(stored.flags, new_flags)))
    withheld = withheld_of_file(start, environment, new_flags)
    silent = {*stored.flags, *new_flags, *(one.name for one in withheld)}
    choice = choice._replace(
        followed=tuple(_changes(before.ambient, stored.ambient, silent)),
        outlived=tuple(_outlived(before.ambient, file, stored.flags, {*new_flags})),
    )
    roots = tuple(read_roots(start))
    # From weak to strong: file, root, environment, flags. A variable wins over the file, also over the table of a root.
    layers = [ambient, {}, variable_values(environment), old_flags, new_flags]
    own = {root.name: _chunking([*layers[:1], values, *layers[2:]]) for root, values in roots if values}
    differing = tuple(_differences(stored, now, new_flags, choice, follows))
    return choice._replace(
        differing=differing,
        roots=roots,
        settings_of=own,
        withheld=(*withheld, *foreign),
        given=tuple(outward(_variables(environment) | new_flags)),
    )


def _chunking(layers: list[Values]) -> Settings:
    """The settings of chunks that these layers make."""
    return resolve({name: one for name, one in layer.items() if name not in INDEX.checks} for layer in layers).settings


def _with_absolute_counter(flags: Values) -> Values:
    """Make the path of a tokenizer absolute, so that it is valid from other folders."""
    counter = _value(flags, "counter")
    if isinstance(counter, str) and counter not in COUNTERS and is_path_of_tokenizer(counter):
        return flags | {"counter": flags["counter"]._replace(value=str(Path(counter).absolute()))}
    return flags


def _ambient(start: Path, environment: Mapping[str, str], flags: Values) -> Values:
    entries = INDEX.ambient_entries(start, environment)
    # A location that a flag overrides need not be valid.
    for name in (name for name in _LOCATION if name in flags):
        entries.pop(name, None)
    return ambient_values(start, environment, flags.get("preset")) | INDEX.values(entries)


def _variables(environment: Mapping[str, str]) -> Values:
    """The settings that variables of the environment say."""
    entries = INDEX.variable_entries(environment)
    of_index = INDEX.values({name: entry for name, entry in entries.items() if name not in _LOCATION})
    return variable_values(environment) | of_index


def _ambient_of(configure: Configure, stored: Values, file: Values, now: Values) -> Values:
    """The values to apply below the flags. What is the same stays as it is stored, with the place where it was."""
    if configure == "keep":
        return stored
    # A variable is set in one shell and not in another: an index that followed it would go back and forth.
    variables = {name: value for name, value in stored.items() if value.origin.isidentifier()}
    new = override(file, variables) if configure == "follow" else now
    return {name: stored[name] if _value(stored, name) == value.value else value for name, value in new.items()}


def _resolve(layers: list[Values], stored_settings: str) -> Choice:
    chunking = [{name: value for name, value in layer.items() if name not in INDEX.checks} for layer in layers]
    of_index: Values = {}
    for layer in layers:
        of_index |= {name: value for name, value in layer.items() if name in INDEX.checks}
    return Choice(resolve(chunking), INDEX.resolve(of_index), stored_settings)


def _with_origin(stored: SettingValue, *now: SettingValue | None) -> SettingValue:
    """The stored value. If the file or a variable has the same value now, that is its origin."""
    same = (value for value in now if value and value.value == stored.value)
    return next(same, stored._replace(origin=f"{KEPT} ({stored.origin})"))


# What the index of a stranger may not say


def _outward(values: Values, folder: Path) -> list[OutwardSetting]:
    """The values that count only with the user's consent."""
    return [
        OutwardSetting(INDEX.name if name in INDEX.checks else TABLE, name, one.value, KEPT)
        for name, one in values.items()
        if (INDEX.checks[name].needs_trust(one.value) if name in INDEX.checks else _is_outside(name, one.value, folder))
    ]


def _is_outside(name: str, value: Any, folder: Path) -> bool:
    return name == "counter" and leads_out(value, folder)


def _none(_: Values) -> list[OutwardSetting]:
    return []


def _is_known(flag: OutwardSetting, now: Values, folder: Path) -> bool:
    """Whether file or environment say the same now, or the user gave this flag, or agreed to it."""
    return _value(now, flag.name) == flag.value or is_trusted(folder.resolve(), digest_of(flag.value), flag.name)


def kept_outward(stored_settings: str, folder: Path) -> list[OutwardSetting]:
    """The stored flags that need trust."""
    return _outward(_parse(stored_settings).flags, folder) if stored_settings else []


def remember_flags(choice: Choice, folder: Path) -> None:
    """Remember, outside the folder, that flags and variables are the user's own, so that the index may keep them."""
    for flag in choice.given:
        trust(folder.resolve(), digest_of(flag.value), flag.name)


# Settings that travel


def portable(choice: Choice, embedder: str) -> str:
    """The text to store in an index that others open: how chunks were cut, and which of our models made the vectors.
    Globs, stores, services and the paths of tokenizers are nobody else's business."""
    stored = _parse(choice.stored_settings)
    values = override(stored.ambient, stored.flags)
    kept = {name: value._replace(origin=PACKED) for name, value in values.items() if name not in INDEX.checks}
    if _value(kept, "counter") not in COUNTERS:
        kept.pop("counter", None)
    return _text({}, kept | {"embedder": SettingValue(embedder, PACKED)})


@decoding
def choice_of(stored_settings: str) -> Choice:
    """The settings in such a text, whatever file and environment say here."""
    layers = _parse(stored_settings) if stored_settings else _Stored({}, {})
    settings = {name: value for layer in layers for name, value in layer.items()}
    harmless = {name: value for name, value in settings.items() if name not in INDEX.checks or name == "embedder"}
    if _value(harmless, "counter") not in COUNTERS:
        harmless.pop("counter", None)
    return _resolve([harmless], _text({}, harmless))


# Differences


def _differences(stored: _Stored, now: Values, flags: Values, choice: Choice, follows: set[str]) -> Iterator[str]:
    """`follows` are settings that are never kept."""
    for name in sorted({*stored.ambient, *now} - {*flags, *_LOCATION}):
        if _value(now, name) == _value(stored.ambient, name):
            continue
        if name in now:
            applied = _applied(choice, name)
            if name not in stored.flags and now[name].value != applied:
                yield f"{now[name].origin} says {name} {_shown(now[name].value)}, not {_shown(applied)}"
        elif name not in stored.flags and name not in follows:
            value = stored.ambient[name]
            yield f"{value.origin} no longer says {name} {_shown(value.value)}"


def _changes(before: Values, after: Values, flags: set[str]) -> Iterator[str]:
    """What is new between two layers, but for settings that flags decide."""
    for name in sorted({*before, *after} - flags):
        old, new = before.get(name), after.get(name)
        if new is None and old is not None:
            yield f"{old.origin} no longer says {name} {_shown(old.value)}"
        elif new is not None and new.value != _value(before, name):
            yield f"{new.origin} says {name} {_shown(new.value)}" + (f", not {_shown(old.value)}" if old else "")


def _outlived(before: Values, file: Values, flags: Values, replaced: set[str]) -> Iterator[str]:
    """Where the file says something new about settings of stored flags."""
    for name in sorted((flags.keys() & file.keys()) - replaced):
        said, flag = file[name], flags[name]
        if said.value not in (_value(before, name), flag.value):
            kept = f"{flag.origin} {_shown(flag.value)} stays"
            yield f"{said.origin} says {name} {_shown(said.value)}, and {kept}"


def _applied(choice: Choice, name: str) -> Any:
    if name == "preset":
        return choice.chunking.preset
    home = choice.of_index.settings if name in INDEX.checks else choice.chunking.settings
    return getattr(home, name, "as before")


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple | frozenset):
        return ", ".join(sorted(map(str, value))) or "nothing"
    return str(value)


# The stored text


def _text(ambient: Values, flags: Values) -> str:
    return signed({"outside": _plain(ambient), "flags": _plain(flags)})


def _plain(values: Values) -> dict[str, list[Any]]:
    """The values that JSON can hold. A counter that is a function is left out: the caller passes it every time."""
    storable = {name: value for name, value in values.items() if name not in _LOCATION and not callable(value.value)}
    return {name: [_plain_value(value.value), value.origin] for name, value in storable.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


@decoding
def check_stored_settings(stored_settings: str) -> None:
    """Raise if the stored text is damaged."""
    if stored_settings:
        _parse(stored_settings)


def _parse(stored_settings: str) -> _Stored:
    layers = unsigned(stored_settings)
    return _Stored(_parse_values(layers["outside"]), _parse_values(layers["flags"]))


def _parse_values(plain: Mapping[str, list[Any]]) -> Values:
    return {name: SettingValue(_parse_value(name, value), origin) for name, (value, origin) in plain.items()}


def _parse_value(name: str, value: Any) -> Any:
    if name == "preset":
        return value
    if name in INDEX.checks:
        return INDEX.checks[name](value)
    return translate({name: value})[name]


def _value(values: Values, name: str) -> Any:
    return values[name].value if name in values else None
