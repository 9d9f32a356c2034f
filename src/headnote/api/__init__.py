"""The index of a folder as a program sees it."""

from headnote.api.index import Index
from headnote.api.opening import check_folder, repair_index, settings_of_index
from headnote.api.views import DocumentView, Drift, ModelStatus, Status

__all__ = [
    "DocumentView",
    "Drift",
    "Index",
    "ModelStatus",
    "Status",
    "check_folder",
    "repair_index",
    "settings_of_index",
]
