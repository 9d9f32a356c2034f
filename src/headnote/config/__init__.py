"""The settings in effect and where each comes from: defaults < file < environment < flags.

The file is the nearest `headnote.toml`, or `pyproject.toml` with a table `[tool.headnote]`, in the folder or above it.
Settings of chunks stand at its top or in `[chunking]`, all others in a table of their own.
"""

from headnote.config.chunking import LoadedSettings, load_settings
from headnote.config.files import settings_file
from headnote.config.index import INDEX_NAMES, IndexSettings, load_index_settings
from headnote.config.llm import ChatSettings, chat_environment, load_chat_settings
from headnote.config.search import SearchSettings, load_search_settings
from headnote.config.server import MOST_WORKERS, ServerSettings, load_server_settings
from headnote.config.stored import KEPT, Choice, Configure, check_made_with, choose
from headnote.config.tables import LoadedTable

__all__ = [
    "INDEX_NAMES",
    "KEPT",
    "MOST_WORKERS",
    "ChatSettings",
    "Choice",
    "Configure",
    "IndexSettings",
    "LoadedSettings",
    "LoadedTable",
    "SearchSettings",
    "ServerSettings",
    "chat_environment",
    "check_made_with",
    "choose",
    "load_chat_settings",
    "load_index_settings",
    "load_search_settings",
    "load_server_settings",
    "load_settings",
    "settings_file",
]
