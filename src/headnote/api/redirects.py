"""Leave a redirect from the old address of a moved page, the way its site generator does it: a field of its
frontmatter, or a rule in a settings file. A few lines are added, and nothing is reformatted."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import SettingsError
from headnote.formats.kinds import format_of
from headnote.links.resolving import is_partial
from headnote.links.sites.addresses import Addresses
from headnote.links.sites.site import Naming, Site, below, site_of, without_suffix
from headnote.links.sites.site_files import data_of
from headnote.markdown.document import Document

Edit = tuple[tuple[int, int], str]
"""A range of a text, and what it becomes."""


class Redirect(NamedTuple):
    """What leads from an old address or name to a page that moved."""

    old_path: str
    old: str
    """The address or name, as it is written there."""
    new: str
    file: str
    """The file that says so, where it is before the move."""
    field: str = ""
    """The field of the frontmatter that says so; empty if a file of settings does."""


class _Rules(NamedTuple):
    """A file with redirects of a site, and how one more is added; None where the file has no place for it."""

    file: str
    added: Callable[[str, str, str], str | None]
    written: Callable[[Site, str, str], tuple[str, str]]
    """How an old and a new path are named there."""


class RedirectWays:
    """What the sites of a folder have for redirects."""

    def __init__(self, root: str, sites: Sequence[Site], naming: Mapping[str, Naming], has_wikilinks: bool) -> None:
        self._root = Path(root)
        self._sites = sites
        self._naming = naming
        self._has_wikilinks = has_wikilinks

    def redirect(self, old: str, new: str) -> Redirect | None:
        """For a document that moves; None if nothing but links led to it."""
        if is_partial(old) or old.lower().endswith(".txt") or format_of(old):
            return None
        site = site_of(old, self._sites)
        if site.generator == "plain" and self._has_wikilinks:
            name = without_suffix(old).rpartition("/")[2]
            is_same = name == without_suffix(new).rpartition("/")[2]
            return None if is_same else Redirect(old, name, new, old, "aliases")
        if site.generator == "hugo":
            return Redirect(old, f"{self._address(site, old, is_inside=True)}/", new, old, "aliases")
        if site.generator == "jekyll" and (address := self._in_jekyll(site, old)):
            return Redirect(old, address, new, old, "redirect_from")
        for rules in _rules_of(site):
            text = self._text(rules.file)
            if text and rules.added(text, "/a", "/b") is not None:
                return Redirect(old, *rules.written(site, old, new), rules.file)
        raise SettingsError(
            f"no way to leave a redirect: {_WANTED.get(site.generator, _WANTED_ELSEWHERE)}; nothing was moved",
            path=old,
            remedy="move it without --redirect",
        )

    def _in_jekyll(self, site: Site, path: str) -> str | None:
        text = self._text(posixpath.join(site.folder, "_config.yml"))
        if "jekyll-redirect-from" not in text:
            return None
        style = str(data_of(text, "_config.yml").get("permalink", ""))
        return self._address(site, path, is_inside=True) + "/" * (style == "pretty" or style.endswith("/"))

    def _address(self, site: Site, path: str, is_inside: bool = False) -> str:
        """Where a document is shown; `is_inside`, without what the site puts in front of all addresses."""
        own = Addresses(site, lambda: self._naming).of(path)[0]
        tops = [mount.address for mount in site.mounts if below(mount.folder, path) is not None] if is_inside else []
        inside = [rest for top in tops if (rest := below(top.strip("/"), own.strip("/"))) is not None]
        return "/" + min(inside, key=len, default=own.strip("/"))

    def _text(self, file: str) -> str:
        try:
            return (self._root / file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""  # most sites have none

    def changed_settings(self, redirects: Iterable[Redirect]) -> dict[str, tuple[str, str]]:
        """File → its text before and after."""
        changed: dict[str, tuple[str, str]] = {}
        for one in (one for one in redirects if not one.field):
            before, text = changed.get(one.file) or (self._text(one.file),) * 2
            rules = next(rules for rules in _rules_of(site_of(one.old_path, self._sites)) if rules.file == one.file)
            changed[one.file] = before, rules.added(text, one.old, one.new) or text
        return changed


_WANTED = {
    "jekyll": "its _config.yml does not name the plugin jekyll-redirect-from",
    "mkdocs": "its mkdocs.yml has no redirect_maps, which the plugin redirects reads",
    "plain": "no site is made of the folder, and no link goes by name",
}
_WANTED_ELSEWHERE = "its configuration is code; add _redirects or netlify.toml"

# -- Files of rules


def _rules_of(site: Site) -> Iterator[_Rules]:
    if site.generator == "mkdocs":
        yield _Rules(posixpath.join(site.folder, "mkdocs.yml"), _in_redirect_maps, _as_paths)
    if site.generator == "mdbook":
        yield _Rules(posixpath.join(site.folder, "book.toml"), _in_book, _as_html)
    folders = dict.fromkeys((*site.files, site.folder, ""))
    yield from (_Rules(posixpath.join(folder, "_redirects"), _as_line, _as_addresses) for folder in folders)
    tops = dict.fromkeys((site.folder, ""))
    yield from (_Rules(posixpath.join(folder, "netlify.toml"), _as_table, _as_addresses) for folder in tops)


def _as_paths(site: Site, old: str, new: str) -> tuple[str, str]:
    folder = site.mounts[0].folder
    return below(folder, old) or old, below(folder, new) or new


def _as_html(site: Site, old: str, new: str) -> tuple[str, str]:
    source, target = (without_suffix(path) + ".html" for path in _as_paths(site, old, new))
    return f"/{source}", posixpath.relpath(target, posixpath.dirname(source) or ".")


def _as_addresses(site: Site, old: str, new: str) -> tuple[str, str]:
    """Where pages are shown, without what their own frontmatter may say of it: that moves along."""

    def address(path: str) -> str:
        return Addresses(site, lambda: {path: Naming()}).of(path)[0]

    return address(old), address(new)


_MAPS = re.compile(r"^([ \t]*)redirect_maps:[ \t]*(\r?\n)", re.MULTILINE)
_TABLE = re.compile(r"^\[output\.html\.redirect\][ \t]*(\r?\n|\Z)", re.MULTILINE)


def _in_redirect_maps(text: str, old: str, new: str) -> str | None:
    match = _MAPS.search(text)
    if match is None:
        return None
    following = re.match(r"[ \t]+(?=\S)", text[match.end() :])
    own = following[0] if following and len(following[0]) > len(match[1]) else f"{match[1]}  "
    return f"{text[: match.end()]}{own}{json.dumps(old)}: {json.dumps(new)}{match[2]}{text[match.end() :]}"


def _in_book(text: str, old: str, new: str) -> str:
    rule = f"{json.dumps(old, ensure_ascii=False)} = {json.dumps(new, ensure_ascii=False)}\n"
    match = _TABLE.search(text)
    if match is None:
        return f"{_ended(text)}\n[output.html.redirect]\n{rule}"
    return f"{_ended(text[: match.end()])}{rule}{text[match.end() :]}"


def _as_line(text: str, old: str, new: str) -> str:
    """Before all others: the first rule that fits an address counts."""
    return f"{old} {new} 301\n{text}"


def _as_table(text: str, old: str, new: str) -> str:
    names = [json.dumps(one, ensure_ascii=False) for one in (old, new)]
    return f"{_ended(text)}\n[[redirects]]\nfrom = {names[0]}\nto = {names[1]}\nstatus = 301\n"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


# -- Frontmatter


def field_edit(document: Document, field: str, value: str) -> Edit:
    """Add a value to the list of a field. Of the ways to write that, the first that says nothing else is taken."""
    data: Mapping[str, Any] = document.frontmatter.data
    known = data.get(field)
    values = [*(known if isinstance(known, list) else [known] if known else []), value]
    for place, new in _field_edits(document, field, value, values):
        text = document.text[: place[0]] + new + document.text[place[1] :]
        if Document(text, document.path).frontmatter.data == {**data, field: values}:
            return place, new
    message = f"its field {field} cannot be changed, so no redirect can be left; nothing was moved"
    raise SettingsError(message, path=document.path, remedy="add it by hand, and move without --redirect")


def _field_edits(document: Document, field: str, value: str, values: Sequence[Any]) -> Iterator[Edit]:
    text, written = document.text, json.dumps(value, ensure_ascii=False)
    block = next((block for block in document.blocks if block.kind == "frontmatter"), None)
    end = "\r\n" if "\r\n" in text[:1000] else "\n"
    if block is None:
        at = 1 if text.startswith("\ufeff") else 0
        yield (at, at), f"---{end}{field}:{end}  - {written}{end}---{end}{end}"
        return
    body = text.index("\n", block.start) + 1
    close = text.rindex("\n", block.start, block.end) + 1
    if field not in document.frontmatter.data:
        if document.frontmatter.format == "toml":
            yield (body, body), f"{field} = [{written}]{end}"  # a field after a table would be one of the table
        yield (close, close), f"{field}:{end}  - {written}{end}"
        return
    line = re.compile(rf"^{field}[ \t]*[:=][^\r\n]*", re.MULTILINE).search(text, body, close)
    if line is None:
        return
    bracket = line.end() - len(line[0]) + line[0].rstrip().rfind("]")
    yield (bracket, bracket), f", {written}"
    items = re.compile(r"(?:\r?\n([ \t]*)-[ \t][^\r\n]*)+").match(text, line.end(), close)
    if items is not None:
        yield (items.end(), items.end()), f"{end}{items[1]}- {written}"
    mark = " =" if document.frontmatter.format == "toml" else ":"
    yield line.span(), f"{field}{mark} {json.dumps(values, ensure_ascii=False, default=str)}"
