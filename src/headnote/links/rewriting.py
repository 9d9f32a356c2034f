"""How a link may be written so that it leads elsewhere, and where in its file that is written.

A spelling is only a proposal: who asks for one follows it, and takes the first that leads to the right place.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

from headnote.links.resolving import SHORTCODE, path_of
from headnote.links.sites.addresses import without_numbers
from headnote.links.sites.site import PAGE_SUFFIXES, below, page_of, without_suffix
from headnote.markdown.headings import github_slug
from headnote.markdown.inline import destination_at, normal_label, unescape
from headnote.model import Link
from headnote.store.rows import LinkRow


class PathChange(NamedTuple):
    """A file or folder before and after it is moved, from the root."""

    old: str
    new: str

    def after(self, path: str) -> str:
        inside = below(self.old, path)
        return self.new if path == self.old else path if inside is None else f"{self.new}/{inside}"

    def before(self, path: str) -> str | None:
        """Where a path of afterwards is now; None where nothing will be."""
        if path == self.new or below(self.new, path) is not None:
            return PathChange(self.new, self.old).after(path)
        return None if path == self.old or below(self.old, path) is not None else path


# -- How a target may be written


def path_spellings(row: LinkRow, source: str, paths: PathChange, wanted: str) -> Iterator[str]:
    """Paths and names that may lead to a file, those that are most like the written one first."""
    shortcode = SHORTCODE.fullmatch(row.target)
    written = unquote(shortcode[1]) if shortcode else path_of(row)
    old = paths.old if paths.after(paths.old) == wanted else paths.before(wanted) or wanted
    is_relative = written.startswith(("./", "../"))
    if row.kind in ("wikilink", "embed") and not is_relative:
        yield from _names(row.target.strip(), wanted)
        return
    if not is_relative:
        yield from _from_top(written, old, wanted)
    if not written.startswith(("/", "@")):
        yield from _relative(written, row.path, source, old, wanted)
    yield from (f"/{form}" for form in _forms(written, wanted))
    yield posixpath.relpath(wanted or ".", posixpath.dirname(source) or ".")


def _names(written: str, wanted: str) -> Iterator[str]:
    """The name of a note, with more and more of its folders."""
    whole = wanted if written.lower().endswith(PAGE_SUFFIXES) else without_suffix(wanted)
    parts = whole.split("/")
    for count in range(min(written.count("/") + 1, len(parts)), len(parts) + 1):
        yield "/".join(parts[-count:])


def _forms(written: str, path: str) -> list[str]:
    """A path with what the written one leaves out left out."""
    suffix = posixpath.splitext(written.rstrip("/"))[1]
    if suffix.lower() in (".html", ".htm") and not path.lower().endswith(suffix.lower()):
        forms = [without_suffix(path) + suffix]
    elif suffix:
        forms = [path]
    else:
        forms = [page_of(path), without_suffix(path), path, without_numbers(page_of(path))]
    end = "/" * written.endswith("/")
    return [form + end for form in dict.fromkeys(forms)]


def _from_top(written: str, old: str, wanted: str) -> Iterator[str]:
    """What leads from a top, wherever that is: the same beginning, with another end."""
    for form, new in zip(_forms(written, old), _forms(written, wanted), strict=False):
        mine, theirs = form.split("/"), new.split("/")
        for depth in range(len(mine)):
            tail = "/".join(mine[depth:])
            if tail and mine[:depth] == theirs[:depth] and f"/{written}".endswith(f"/{tail}"):
                yield written[: len(written) - len(tail)] + "/".join(theirs[depth:])


def _relative(written: str, page: str, source: str, old: str, wanted: str) -> Iterator[str]:
    """From the folder of the page, or from the page where it is shown as a folder."""

    def starts(of: str) -> tuple[str, ...]:
        return posixpath.dirname(of), page_of(of), without_suffix(of)

    forms = [form.rstrip("/") for form in _forms(written, old)]
    pairs = list(zip(starts(page), starts(source), strict=True))
    led = [pair for pair in pairs if posixpath.normpath(posixpath.join(pair[0], written)) in forms]
    dots = "./" if written.startswith("./") else ""
    for _, start in dict.fromkeys((*led, *pairs)):
        for form in _forms(written, wanted):
            path = posixpath.relpath(form or ".", start or ".") + "/" * form.endswith("/")
            yield path if path.startswith("..") or (not dots and ":" not in path) else f"./{path}"


_UNSAFE = re.compile(r"[\x00-\x20\x7f()<>\\%#?&\"'`{}|\[\]]")


def with_path(row: LinkRow, path: str) -> str:
    """The target with another path, in the writing of the old one where parts are the same."""
    if shortcode := SHORTCODE.fullmatch(row.target):
        start, end = shortcode.span(1)
        return row.target[:start] + path + row.target[end:]
    if row.kind in ("wikilink", "embed"):
        return path
    written, mark, query = row.target.partition("?")
    known = {unquote(part): part for part in written.split("/")}
    parts = (known.get(part) or _quoted(part) for part in path.split("/"))
    return "/".join(parts) + mark + query


class HeadingNames(NamedTuple):
    """What a fragment may say to mean a heading, before and after something is renamed: see `names_of_heading`."""

    old: Sequence[str]
    new: Sequence[str]
    old_text: str
    new_text: str

    def spellings(self, row: LinkRow) -> Iterator[str]:
        """Fragments that may mean the heading afterwards, those that are most like the written one first."""
        written = unquote(row.fragment)
        if row.kind in ("wikilink", "embed"):
            yield from self._as_text(row.fragment.strip())
        for old, new in zip(self.old, self.new, strict=False):
            if old.casefold() == written.casefold():
                is_encoded = written != row.fragment and not written.isascii()
                yield quote(new, safe="") if is_encoded else _quoted(new)
        yield from map(_quoted, self.new)

    def _as_text(self, written: str) -> Iterator[str]:
        """In a wikilink the text stands as it is, perhaps after those of headings around it: `Guide#Old text`."""
        shown = " ".join(_NOT_IN_WIKILINK.sub(" ", self.new_text).split())
        parts = written.split("#")
        are_old = [github_slug(part.strip()) == github_slug(self.old_text) for part in parts]
        is_text = written.casefold() == self.old_text.casefold()
        if any(are_old) and (is_text or written.casefold() not in map(str.casefold, self.old)):
            yield "#".join(shown if is_old else part for part, is_old in zip(parts, are_old, strict=True))


def _quoted(name: str) -> str:
    return _UNSAFE.sub(lambda one: quote(one[0], safe=""), name)


# -- Where a target stands in its file

_NOT_IN_WIKILINK = re.compile(r"[\[\]|#^]+")

_WIKI_TARGET = re.compile(r"!?\[\[\s*([^\[\]\r\n|]+?)\s*\\?(?:\||\]\])")
_ATTRIBUTE = re.compile(r"""(?<![\w:.@-])(?:src|href)\s*=\s*(?:"\s*([^"<>]*?)\s*"|'\s*([^'<>]*?)\s*')""")
_DEFINITION = re.compile(
    r"^[ \t>]*(?:[-+*][ \t]+|[0-9]{1,9}[.)][ \t]+)*\[((?:[^\[\]\\\r\n]|\\.){1,999})\]:[ \t]*"
    r"(?:\r?\n[ \t>]*)?(?:<([^<>\r\n]*)>|([^\s<]\S*))",
    re.MULTILINE,
)


def target_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Where the path of a link stands, without query and fragment."""
    whole = _whole_place(text, link, code)
    if whole is None:
        return None
    start, end = whole
    if shortcode := SHORTCODE.fullmatch(link.target):
        at = text.find(shortcode[1], start, end)
        return (at, at + len(shortcode[1])) if at >= 0 else None
    for at in range(end, start - 1, -1):  # the longest beginning that stands for the path: an entity has a # as well
        if _read_target(text[start:at], link, text[link.start]) == link.target:
            return start, at
    return None


def fragment_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Where the fragment of a link stands, without its `#`."""
    whole, path = _whole_place(text, link, code), target_place(text, link, code)
    if whole is None or path is None or text[path[1] : path[1] + 1] != "#":
        return None
    start = path[1] + 1
    end = start + len(link.fragment) if SHORTCODE.fullmatch(link.target) else whole[1]
    return (start, end) if _read_target(text[start:end], link, text[link.start]) == link.fragment else None


def _read_target(written: str, link: Link, first: str) -> str:
    if link.kind in ("wikilink", "embed"):
        return written
    return html.unescape(written).strip() if first == "<" else unescape(written)


def _whole_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    if link.kind in ("wikilink", "embed"):
        match = _WIKI_TARGET.match(text, link.start, link.end)
        return match.span(1) if match else None
    if text[link.start] == "<":
        match = _ATTRIBUTE.search(text, link.start, link.end)
        return match.span(1 if match[1] is not None else 2) if match else None
    at = text.rfind("](", link.start, link.end)
    while at >= 0:
        place = destination_at(text, at + 1, link.end)
        if place is not None and place[2] == link.end:
            return place[:2]
        at = text.rfind("](", link.start, at)
    return _definition_place(text, link, code)


def _definition_place(text: str, link: Link, code: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    written = normal_label(text[link.start : link.end])
    whole = f"{link.target}#{link.fragment}" if link.fragment else link.target
    for match in _DEFINITION.finditer(text):
        group = 3 if match[2] is None else 2
        is_code = any(start <= match.start() < end for start, end in code)
        if not is_code and f"[{normal_label(match[1])}]" in written and unescape(match[group]) == whole:
            return match.span(group)
    return None


def as_written(text: str, place: tuple[int, int], link: Link, target: str) -> str:
    if shortcode := SHORTCODE.fullmatch(target):
        return shortcode[1]
    if link.kind not in ("wikilink", "embed") and unescape(target) != target:
        target = target.replace("&", "&amp;")
    written = text[place[0] : place[1]]
    # Parts that stay keep their escapes.
    known = {_read_target(part, link, text[link.start]): part for part in written.split("/")}
    return "/".join(known.get(part, part) for part in target.split("/"))
