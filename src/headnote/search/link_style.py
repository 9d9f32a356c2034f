"""How a folder writes its links: `[[Note]]`, or `[text](../note.md)`."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from headnote.store.rows import LinkRow


class LinkStyle:
    """Writes links as most links of a folder are written."""

    def __init__(self, links: Iterable[LinkRow], paths: Iterable[str]) -> None:
        kinds = Counter(link.kind for link in links if link.resolved is not None)
        self.has_wikilinks = kinds["wikilink"] + kinds["embed"] > kinds["link"]
        self._stems = Counter(map(_stem, paths))

    def link(self, source: str, target: str, text: str) -> str:
        """A link from one document to another one that shows this text."""
        if self.has_wikilinks:
            stem = _stem(target)
            name = stem if self._stems[stem] == 1 else posixpath.splitext(target)[0]
            shown = text.replace("|", " ").replace("]", " ")
            return f"[[{name}]]" if shown == name else f"[[{name}|{shown}]]"
        address = posixpath.relpath(target, posixpath.dirname(source) or ".")
        escaped = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        return f"[{escaped}]({quote(address, safe='/.-_~')})"


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
