"""What an index was made with. It is written down in the index and holds until somebody says otherwise.

Two things are kept apart: what file and environment said, and what flags said. Commands that only use an index obey
both as they were, and say where the file differs by now. `headnote index` applies the latest word: file and environment
as they are; above them the flags of before, unless the file says something new about the same setting; above all of
them new flags.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from headnote.chunking.aliases import translate
from headnote.chunking.settings import is_path_of_tokenizer
from headnote.config.chunking import LoadedSettings, override, said_by_flags, said_outside, settled
from headnote.config.entries import Meant, Said
from headnote.config.index import INDEX, IndexSettings
from headnote.config.tables import LoadedTable
from headnote.store.damage import decoding, signed, unsigned
from headnote.tokens import NAMES as COUNTERS

How = Literal["keep", "apply", "anew"]
"""What was kept holds; or file and environment are applied as they are now; or flags of before are forgotten, too."""

KEPT = "kept in the index"
"""How the origin of such a setting begins."""

_WHERE = ("store", "schema")
"""They say where the index is, so it cannot say it itself."""
_ABOUT_ONE_THING = (
    {"size", "target_tokens", "max_tokens", "min_tokens"},
    {"overlap", "overlap_tokens"},
    {"oversized", "keep_whole"},
)
"""Settings that replace each other."""


class Choice(NamedTuple):
    """The settings of an index, and why they are what they are."""

    chunking: LoadedSettings
    of_index: LoadedTable[IndexSettings]
    made_with: str
    """To be written down."""
    differing: tuple[str, ...] = ()
    """What file and environment say by now, and is not obeyed."""

    @property
    def has_flags(self) -> bool:
        """Whether anything but file and environment has a say."""
        return bool(_read(self.made_with).flags)

    @property
    def origins(self) -> dict[str, str]:
        return self.chunking.origins | self.of_index.origins


class _Kept(NamedTuple):
    """What was said when an index was made."""

    outside: Said
    """By file and environment."""
    flags: Said


def choose(
    flags: Mapping[str, Any],
    start: Path,
    made_with: str = "",
    how: How = "keep",
    environment: Mapping[str, str] | None = None,
) -> Choice:
    """What holds for an index of `start` that was made with something; with nothing, if it is new."""
    given = said_by_flags({name: value for name, value in flags.items() if name not in INDEX.checks})
    given = _from_anywhere(given) | INDEX.understood(INDEX.given(flags))
    now = _outside(start, os.environ if environment is None else environment, given)
    kept = _read(made_with) if made_with and how != "anew" else _Kept(now, {})
    if how == "apply":
        kept = _Kept(now, _not_replaced(kept, now))
    before = {name: _as_kept(meant, now.get(name)) for name, meant in kept.outside.items()}
    before |= {name: now[name] for name in _WHERE if name in now}
    flags_before = {name: _as_kept(meant) for name, meant in kept.flags.items()}
    choice = _settled([before, flags_before, given], _written(kept.outside, override(kept.flags, given)))
    return choice._replace(differing=tuple(_differences(kept, now, given, choice)))


def _from_anywhere(given: Said) -> Said:
    """A file that is named from here is found from elsewhere, too."""
    counter = _value(given, "counter")
    if isinstance(counter, str) and counter not in COUNTERS and is_path_of_tokenizer(counter):
        return given | {"counter": given["counter"]._replace(value=str(Path(counter).absolute()))}
    return given


def _outside(start: Path, environment: Mapping[str, str], given: Said) -> Said:
    entries = INDEX.outside(start, environment)
    # A store that a flag replaces need not make sense.
    for name in (name for name in _WHERE if name in given):
        entries.pop(name, None)
    return said_outside(start, environment, given.get("preset")) | INDEX.understood(entries)


def _not_replaced(kept: _Kept, now: Said) -> Said:
    """Flags about which file and environment say nothing new."""
    new = {name for name, meant in now.items() if meant.value != _value(kept.outside, name)}
    for names in _ABOUT_ONE_THING:
        new |= names if names & new else set()
    return {name: meant for name, meant in kept.flags.items() if name not in new}


def _settled(layers: list[Said], made_with: str) -> Choice:
    chunking = [{name: meant for name, meant in said.items() if name not in INDEX.checks} for said in layers]
    of_index: Said = {}
    for said in layers:
        of_index |= {name: meant for name, meant in said.items() if name in INDEX.checks}
    return Choice(settled(chunking), INDEX.settled(IndexSettings, of_index), made_with)


def _as_kept(meant: Meant, now: Meant | None = None) -> Meant:
    """Where somebody says the same now, it stands there to be seen."""
    return now if now and now.value == meant.value else meant._replace(origin=f"{KEPT} ({meant.origin})")


# Differences


def _differences(kept: _Kept, now: Said, given: Said, choice: Choice) -> Iterator[str]:
    for name in sorted({*kept.outside, *now} - {*given, *_WHERE}):
        if _value(now, name) == _value(kept.outside, name):
            continue
        if name in now:
            holding = _holding(choice, name)
            if now[name].value != holding:
                yield f"{now[name].origin} says {name} {_text(now[name].value)}, not {_text(holding)}"
        elif name not in kept.flags:
            meant = kept.outside[name]
            yield f"{meant.origin} does not say {name} {_text(meant.value)} any more"


def _holding(choice: Choice, name: str) -> Any:
    if name == "preset":
        return choice.chunking.preset
    home = choice.of_index.settings if name in INDEX.checks else choice.chunking.settings
    return getattr(home, name, "as before")


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | frozenset):
        return ", ".join(sorted(map(str, value))) or "nothing"
    return str(value)


# As text


def _written(outside: Said, flags: Said) -> str:
    return signed({"outside": _plain(outside), "flags": _plain(flags)})


def _plain(said: Said) -> dict[str, list[Any]]:
    """What can be written. A counter that is a function cannot: whoever opens the index gives it again."""
    writable = {name: meant for name, meant in said.items() if name not in _WHERE and not callable(meant.value)}
    return {name: [_plain_value(meant.value), meant.origin] for name, meant in writable.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


@decoding
def check_made_with(made_with: str) -> None:
    """Raises unless it can be what was written down."""
    if made_with:
        _read(made_with)


def _read(made_with: str) -> _Kept:
    kept = unsigned(made_with)
    return _Kept(_said(kept["outside"]), _said(kept["flags"]))


def _said(written: Mapping[str, list[Any]]) -> Said:
    return {name: Meant(_read_value(name, value), origin) for name, (value, origin) in written.items()}


def _read_value(name: str, value: Any) -> Any:
    if name == "preset":
        return value
    if name in INDEX.checks:
        return INDEX.checks[name](value)
    return translate({name: value})[name]


def _value(said: Said, name: str) -> Any:
    return said[name].value if name in said else None
