"""The index of a folder as a program sees it."""

from headnote.api.folders import (
    TrustedFolder,
    check_folder,
    distrust_folder,
    has_index,
    home_of,
    place_of_home,
    repair_index,
    settings_of_index,
    state_of,
    trust_folder,
)
from headnote.api.index import Index, open_pack, temporary_index
from headnote.api.reading import unknown_document
from headnote.api.reports import DocumentView, Drift, LeftOut, ModelStatus, Passages, RootStatus, Status
from headnote.extra.packs.format import PackInfo, is_pack, read_pack_info

__all__ = [
    "DocumentView",
    "Drift",
    "Index",
    "LeftOut",
    "ModelStatus",
    "PackInfo",
    "Passages",
    "RootStatus",
    "Status",
    "TrustedFolder",
    "check_folder",
    "distrust_folder",
    "has_index",
    "home_of",
    "is_pack",
    "open_pack",
    "place_of_home",
    "read_pack_info",
    "repair_index",
    "settings_of_index",
    "state_of",
    "temporary_index",
    "trust_folder",
    "unknown_document",
]
