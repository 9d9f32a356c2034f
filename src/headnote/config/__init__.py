"""Settings from where people write them: defaults < file < environment < flags, and where each came from.

The file is the nearest `headnote.toml`, or `pyproject.toml` with a table `[tool.headnote]`, in the folder asked about
or above it. Settings of chunks stand at its top or in `[chunking]`, others in the table they belong to.
"""

from headnote.config.chunking import LoadedSettings, load_settings
from headnote.config.files import settings_file
from headnote.config.index import INDEX_NAMES, IndexSettings, load_index_settings
from headnote.config.tables import LoadedTable

__all__ = [
    "INDEX_NAMES",
    "IndexSettings",
    "LoadedSettings",
    "LoadedTable",
    "load_index_settings",
    "load_settings",
    "settings_file",
]
