"""`[context]`: what a folder or document is, in a sentence each. Paths count from the file.

The file may lie above the folder of the index: what it says about that folder, or one around it, is about the whole.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from headnote.arguments import expect
from headnote.config.chunk_settings import CONTEXT
from headnote.config.tables import OWN_FILE, PROJECT_FILE, SettingEntry, SettingsFile, errors_at, nearest_file
from headnote.errors import SettingsError, shown
from headnote.search.ranking import NO_CONTEXTS, Contexts

MAX_DESCRIPTION_CHARS = 500
"""Characters of a sentence: it comes with every hit."""
MAX_DESCRIPTIONS = 1000
"""Sentences of an index: agents read them first."""


def read_contexts(folder: Path) -> Contexts:
    """The sentences that the nearest file has for this folder."""
    file = nearest_file(folder)
    if file is None:
        return NO_CONTEXTS
    entries = file.entries(CONTEXT)
    if len(entries) > MAX_DESCRIPTIONS:
        raise SettingsError(
            f"[{CONTEXT}] has more than {MAX_DESCRIPTIONS} sentences",
            path=file.shown,
            remedy="describe folders, not each document",
        )
    sentences: dict[str, str] = {}
    for entry in entries:
        with errors_at(entry):
            path = context_path(entry.name)
            if path in sentences:
                raise SettingsError(f"two sentences about {shown(path or '.')}", remedy="keep one of them")
            sentences[path] = _sentence(entry)
    inside = _seen_from(place_in(file, folder), sentences)
    return Contexts(inside) if inside else NO_CONTEXTS


def packed_contexts(stored: Mapping[str, str]) -> Contexts:
    """The sentences that came with a pack, by the rules of the file."""
    if len(stored) > MAX_DESCRIPTIONS:
        raise SettingsError(f"it has more than {MAX_DESCRIPTIONS} sentences about its folders")
    sentences = {context_path(path): check_sentence(text) for path, text in stored.items()}
    return Contexts(dict(sorted(sentences.items()))) if sentences else NO_CONTEXTS


def place_in(file: SettingsFile, folder: Path) -> str:
    """The path of a folder from the file that holds its settings."""
    return context_path(os.path.relpath(os.path.realpath(folder), file.path.parent))


def _seen_from(place: str, sentences: dict[str, str]) -> dict[str, str]:
    """The sentences by the paths of the index: outermost first."""
    if not place:
        return dict(sorted(sentences.items()))
    whole = [text for path, text in sorted(sentences.items()) if not path or f"{place}/".startswith(f"{path}/")]
    below = {path[len(place) + 1 :]: text for path, text in sentences.items() if path.startswith(f"{place}/")}
    return ({"": " ".join(whole)} if whole else {}) | dict(sorted(below.items()))


def context_path(written: str) -> str:
    """A path as the index has it: without a slash at its ends, and empty for the whole."""
    path = posixpath.normpath(written.replace("\\", "/").strip().strip("/") or ".")
    if path == ".." or path.startswith("../"):
        raise SettingsError(f"{shown(written)} leads out of the folder", remedy="write a path from the root")
    return "" if path == "." else path


def check_sentence(text: str) -> str:
    """Return the sentence on one line. Raise if it is not a sentence, or is too long to come with every hit."""
    sentence = " ".join(text.split())
    if not sentence:
        raise SettingsError("the sentence is empty", remedy="say what the folder is, or remove it")
    if len(sentence) > MAX_DESCRIPTION_CHARS:
        raise SettingsError(
            f"the sentence has {len(sentence)} characters", remedy=f"write {MAX_DESCRIPTION_CHARS} at most"
        )
    return sentence


def _sentence(entry: SettingEntry) -> str:
    expect(isinstance(entry.value, str), entry.value, "a sentence", f'write "{entry.name}" = "what it is"')
    return check_sentence(entry.value)


class ContextFile:
    """The sentences of a folder as the file has them now. It is read again when it changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        file = nearest_file(folder)
        self._files = {folder / OWN_FILE, folder / PROJECT_FILE, *([file.path] if file else [])}
        self._stamp = self._now()
        self._contexts = read_contexts(folder)

    def contexts(self) -> Contexts:
        stamp = self._now()
        if stamp != self._stamp:
            self._stamp = stamp
            with suppress(SettingsError):  # half written: whoever opens the index next is told
                self._contexts = read_contexts(self._folder)
        return self._contexts

    def _now(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(map(_state, sorted(self._files)))


def _state(file: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116  with every search
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
