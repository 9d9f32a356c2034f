"""Settings from where people write them: defaults < file < environment < flags, and where each came from.

The file is the nearest `headnote.toml`, or `pyproject.toml` with a table `[tool.headnote]`, in the folder asked about
or above it. Settings of chunks stand at its top or in `[chunking]`, others in the table they belong to.
"""

from headnote.config.chunking import LoadedSettings, load_settings
from headnote.config.files import settings_file
from headnote.config.index import INDEX_NAMES, IndexSettings, load_index_settings
from headnote.config.kept import KEPT, Choice, How, check_made_with, choose
from headnote.config.llm import ChatSettings, chat_environment, load_chat_settings
from headnote.config.search import SearchSettings, load_search_settings
from headnote.config.server import ServerSettings, load_server_settings
from headnote.config.tables import LoadedTable

__all__ = [
    "INDEX_NAMES",
    "KEPT",
    "ChatSettings",
    "Choice",
    "How",
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
