"""`[llm]`: which model answers questions, and where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from headnote.config.tables import LoadedTable, Table, nearest_file, text, user_file


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Which model answers questions, and where."""

    model: Annotated[str, text] = ""
    """Its name. Without one, answers quote the passages."""
    url: Annotated[str, text] = ""
    """Address of the service up to `/v1`; by default the one in the environment."""
    key: Annotated[str, text] = field(default="", repr=False)
    """Its API key. Put it in `HEADNOTE_CHAT_KEY` rather than in a file that others read."""


LLM = Table("llm", ChatSettings, prefix="HEADNOTE_CHAT_")


def load_chat_settings(start: Path, environment: Mapping[str, str] | None = None) -> LoadedTable[ChatSettings]:
    """The settings from `[llm]` in the file and from the variables `HEADNOTE_CHAT_MODEL`, `_URL` and `_KEY`.

    A key goes only to the address from the same source: the file of the folder, or the user, who speaks in the
    environment and in a file of their own. Otherwise a file that came with somebody's documents could send the user's
    key to an address of its own.
    """
    variables = LLM.variable_entries(os.environ if environment is None else environment)
    of_folder, of_user = (LLM.file_entries(file) if file else {} for file in (nearest_file(start), user_file()))
    entries = of_user | of_folder | variables
    if "url" in entries:
        source = of_user | variables if "url" in variables or "url" not in of_folder else of_folder
        entries = {name: entry for name, entry in entries.items() if name != "key" or name in source}
        entries |= {"key": source["key"]} if "key" in source else {}
    return LLM.resolve(LLM.values(entries))


def chat_environment(settings: ChatSettings, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment, with variables set to these settings."""
    values = {"model": settings.model, "url": settings.url, "key": settings.key}
    return {
        **(os.environ if environment is None else environment),
        **{LLM.variable_of(name): value for name, value in values.items()},
    }
