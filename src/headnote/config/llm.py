"""`[llm]`: which model answers questions, and where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from headnote.config.checks import text
from headnote.config.tables import LoadedTable, Table


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Which model answers questions, and where."""

    model: str = ""
    """Its name. Without one, answers quote the passages."""
    url: str = ""
    """Address of the service up to `/v1`; by default the one in the environment."""
    key: str = field(default="", repr=False)
    """Its API key. Put it in `HEADNOTE_CHAT_KEY` rather than in a file that others read."""


def load_chat_settings(start: Path, environment: Mapping[str, str] | None = None) -> LoadedTable[ChatSettings]:
    """The settings from `[llm]` in the file and from the variables `HEADNOTE_CHAT_MODEL`, `_URL` and `_KEY`.

    A key goes only to the address from the same source. Otherwise a file that came with somebody's documents could send
    the key in the environment to an address of its own.
    """
    environment = os.environ if environment is None else environment
    loaded = LLM.load(ChatSettings, {}, start, environment)
    if _is_from_file(loaded, "url"):
        # Without the variable, the key is the one in the file, or none.
        return LLM.load(ChatSettings, {}, start, {**environment, LLM.variable_of("key"): ""})
    if loaded.settings.url and _is_from_file(loaded, "key"):
        return LoadedTable(replace(loaded.settings, key=""), {**loaded.origins, "key": "default"})
    return loaded


def _is_from_file(loaded: LoadedTable[ChatSettings], name: str) -> bool:
    return loaded.origins[name] not in ("default", LLM.variable_of(name))


def chat_environment(settings: ChatSettings, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment, with variables set to these settings."""
    values = {"model": settings.model, "url": settings.url, "key": settings.key}
    return {
        **(os.environ if environment is None else environment),
        **{LLM.variable_of(name): value for name, value in values.items()},
    }


LLM = Table("llm", {"model": text, "url": text, "key": text}, prefix="HEADNOTE_CHAT_")
