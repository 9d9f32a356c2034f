"""Addresses that the host of a site sends elsewhere: a link to one of them is no broken link.

The rules are read from the files of hosts: `_redirects` (Netlify, Cloudflare), `netlify.toml` and `vercel.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from headnote.links.sites.site import Site, folded
from headnote.links.sites.site_files import MAX_CONFIGURATION_BYTES, data_of

_RULE = re.compile(r"[ \t]*+(/[^\s#]*+)[ \t]++(?!#)\S++")
_PLACEHOLDER = re.compile(r":\w++\*|:\w++|\([^()]*+\)|\*++")
_MAX_PLACEHOLDERS = 4
"""Of one rule. With more, an address could be tried in too many ways."""
MAX_RULES = 20_000
"""Rules that are read of one site."""


class Redirects:
    """The redirects of one site."""

    def __init__(self, root: str, site: Site) -> None:
        sources = [source for _, source in zip(range(MAX_RULES), _sources(Path(root), site), strict=False)]
        self._plain = frozenset(_normal(source) for source in sources if not _PLACEHOLDER.search(source))
        # One pattern per rule: few rules have one, and those that fit everything say nothing.
        self._patterns = [pattern for source in sources if (pattern := _pattern(source))]

    def has(self, address: str) -> bool:
        plain = _normal(address)
        return plain in self._plain or any(pattern.fullmatch(plain) for pattern in self._patterns)


def _normal(address: str) -> str:
    return folded(address.partition("?")[0].partition("#")[0].rstrip("/"))


def _pattern(source: str) -> re.Pattern[str] | None:
    if not _PLACEHOLDER.search(source):
        return None
    literals = _PLACEHOLDER.split(_normal(source))
    if not any(literal.strip("/") for literal in literals):
        return None  # it fits everything: a site that moved, or a program that shows its own error page
    kinds = _PLACEHOLDER.findall(source)
    if len(kinds) > _MAX_PLACEHOLDERS:
        return re.compile(f"{re.escape(literals[0])}.*")
    parts = (_part(literal, kind) for literal, kind in zip(literals, [*kinds, ""], strict=True))
    return re.compile("".join(parts))


def _part(literal: str, placeholder: str) -> str:
    """The regex of a literal and of the placeholder after it. A rule `/old/*` is also about `/old`."""
    if not placeholder:
        return re.escape(literal)
    if re.fullmatch(r":\w+", placeholder):
        return f"{re.escape(literal)}[^/]++"
    return f"{re.escape(literal[:-1])}(?:/.*)?" if literal.endswith("/") else f"{re.escape(literal)}.*"


def _sources(root: Path, site: Site) -> Iterator[str]:
    folders = dict.fromkeys(("", site.folder, *site.files))
    for folder in folders:
        for name, read in _READERS.items():
            try:
                with (root / folder / name).open(encoding="utf-8", errors="replace") as file:
                    text = file.read(MAX_CONFIGURATION_BYTES)
            except (OSError, ValueError):
                continue  # most sites have none
            yield from read(text)


def _of_lines(text: str) -> Iterable[str]:
    return (match[1] for line in text.splitlines() if (match := _RULE.match(line)))


def _of_netlify(text: str) -> Iterator[str]:
    yield from _values(data_of(text, "netlify.toml").get("redirects"), "from")


def _of_vercel(text: str) -> Iterator[str]:
    data = data_of(text, "vercel.json")
    for table in ("redirects", "rewrites"):
        yield from _values(data.get(table), "source")


def _values(rules: Any, key: str) -> Iterator[str]:
    for rule in rules if isinstance(rules, list) else ():
        source = rule.get(key) if isinstance(rule, dict) else None
        if isinstance(source, str) and source.startswith("/"):
            yield source


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "_redirects": _of_lines,
    "netlify.toml": _of_netlify,
    "vercel.json": _of_vercel,
}
