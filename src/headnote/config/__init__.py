"""The settings in effect and where each comes from: defaults < the user's own file < file < environment < flags.

The file is the nearest `headnote.toml`, or `pyproject.toml` with a table `[tool.headnote]`, in the folder or above it.
Settings of chunks stand at its top or in `[chunking]`, all others in a table of their own.
"""

from headnote.config.chunk_settings import LoadedSettings, load_settings
from headnote.config.context_settings import ContextFile, check_sentence, context_path, packed_contexts, read_contexts
from headnote.config.folder_settings import (
    INDEX_NAMES,
    IndexSettings,
    in_effect,
    load_index_settings,
    load_search_settings,
    packed_search_settings,
)
from headnote.config.roots import RootEntry, packed_roots, read_roots
from headnote.config.server_settings import (
    MAX_WORKERS,
    ChatSettings,
    ServerSettings,
    chat_environment,
    load_chat_settings,
    load_server_settings,
)
from headnote.config.stored import (
    KEPT,
    Choice,
    Configure,
    OutwardSetting,
    check_stored_settings,
    choice_of,
    choose,
    kept_outward,
    outward_settings_of,
    portable,
    remember_flags,
    trust_note,
    withheld_of_file,
)
from headnote.config.tables import LoadedTable, settings_file, settings_files
from headnote.config.trust import Trusted
from headnote.search.query import SearchSettings

__all__ = [
    "INDEX_NAMES",
    "KEPT",
    "MAX_WORKERS",
    "ChatSettings",
    "Choice",
    "Configure",
    "ContextFile",
    "IndexSettings",
    "LoadedSettings",
    "LoadedTable",
    "OutwardSetting",
    "RootEntry",
    "SearchSettings",
    "ServerSettings",
    "Trusted",
    "chat_environment",
    "check_sentence",
    "check_stored_settings",
    "choice_of",
    "choose",
    "context_path",
    "in_effect",
    "kept_outward",
    "load_chat_settings",
    "load_index_settings",
    "load_search_settings",
    "load_server_settings",
    "load_settings",
    "outward_settings_of",
    "packed_contexts",
    "packed_roots",
    "packed_search_settings",
    "portable",
    "read_contexts",
    "read_roots",
    "remember_flags",
    "settings_file",
    "settings_files",
    "trust_note",
    "withheld_of_file",
]
