"""A site: the generator that makes it, and which folders it shows at which addresses."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from headnote.sources.files import SUFFIXES
from headnote.store.integrity import SITES, signed, unsigned
from headnote.store.rows import DocumentHead, DocumentRow

Generator = Literal["docusaurus", "hugo", "mkdocs", "vitepress", "astro", "jekyll", "mdbook", "sphinx", "plain"]
Shown = Literal["pages", "posts", "docs"]
"""How documents of a folder get their addresses: by path, by date and name, or by the rules of Docusaurus docs."""

INDEX_NAMES = frozenset({"index", "_index", "readme"})
PAGE_SUFFIXES = (*SUFFIXES, ".html", ".htm")


class Mount(NamedTuple):
    """A folder whose documents a site shows below an address."""

    folder: str
    """Below the root; empty for the root itself."""
    address: str = "/"
    shown: Shown = "pages"
    is_shown: bool = True
    """Whether the site shows its documents there, as far as its configuration tells; if not, links may name it."""


class Site(NamedTuple):
    """One site below the root."""

    generator: Generator
    folder: str
    """The folder of its configuration; links from the top of the project count from here."""
    mounts: tuple[Mount, ...]
    files: tuple[str, ...] = ()
    """Folders whose files are copied to the top of the site as they are: `static`, `public`."""
    permalinks: tuple[tuple[str, str], ...] = ()
    """Section → pattern of its addresses, in Hugo."""
    rewrites: tuple[tuple[str, str], ...] = ()
    """Path of a document → the path it is shown at, in VitePress."""
    languages: tuple[str, ...] = ()
    """Languages that may be part of a file name: `page.fr.md`."""
    made: tuple[tuple[str, str], ...] = ()
    """Address of a generated page → the folder whose documents it lists."""
    keeps_numbers: bool = False
    """Whether `01-intro` stays `01-intro` in an address of Docusaurus."""
    makes_pages: bool = False
    """Whether a plugin of MkDocs makes pages that are no files."""
    url: str = ""
    """Where its top is on the web, without a slash at the end; empty if its configuration does not say it."""


class Naming(NamedTuple):
    """The names and addresses that a document gives itself."""

    aliases: tuple[str, ...] = ()
    slug: str = ""
    id: str = ""
    url: str = ""
    redirects: tuple[str, ...] = ()
    """Addresses that lead to it, too."""
    date: str = ""
    """Year, month, day, with `-` between them."""
    title: str = ""
    """Only if the address is made from it: with a date and without a slug."""


def naming_of(document: DocumentHead | DocumentRow) -> Naming:
    """What its frontmatter says, in the fields of any generator."""
    data = document.metadata
    slug = _text(data, "slug")
    date = _text(data, "date")[:10]
    return Naming(
        aliases=document.aliases,
        slug=slug,
        id=_text(data, "id"),
        url=_text(data, "url") or _text(data, "permalink"),
        redirects=tuple(_addresses(data.get("redirect_from"))),
        date=date,
        title=document.title if date and not slug else "",
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return "" if value is None or isinstance(value, bool | dict | list) else str(value).strip()


def _addresses(value: object) -> Iterable[str]:
    several = value if isinstance(value, list) else [value]
    return (one for one in several if isinstance(one, str) and one.startswith("/"))


def sites_entry(sites: Mapping[str, Iterable[Site]]) -> str:
    """Sites of each root as text for the manifest. Those of a single folder are a list."""
    plain = {name: [site._asdict() for site in some] for name, some in sites.items()}
    return signed(plain.get("", plain))


def read_sites(manifest: Mapping[str, str]) -> dict[str, list[Site]]:
    """The sites of each root in a manifest; none in one that was written before there were sites."""
    stored = unsigned(manifest[SITES]) if SITES in manifest else {}
    by_root = stored if isinstance(stored, dict) else {"": stored}
    return {name: [_read_site(fields) for fields in sites] for name, sites in by_root.items()}


def _read_site(fields: dict[str, Any]) -> Site:
    """Read a site from JSON, which has lists in place of tuples."""
    tuples: dict[str, Any] = {
        "mounts": tuple(Mount(*mount) for mount in fields["mounts"]),
        **{name: tuple(fields[name]) for name in ("files", "languages")},
        **{name: tuple((old, new) for old, new in fields[name]) for name in ("permalinks", "rewrites", "made")},
    }
    return Site(**(fields | tuples))


def site_of(path: str, sites: Iterable[Site]) -> Site:
    """The site of a document: the one with the innermost folder around it, preferably one with a generator. Every
    document belongs to some site."""

    def rank(site: Site) -> tuple[bool, int]:
        folders = (site.folder, *(mount.folder for mount in site.mounts))
        around = [len(folder) for folder in folders if below(folder, path) is not None]
        return bool(around) and site.generator != "plain", max(around, default=-1)

    return max(sites, key=rank)


# -- paths and addresses


def folded(name: str) -> str:
    """A name for comparison, whatever its case and the composition of its accents."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def below(folder: str, path: str) -> str | None:
    """A path as seen from a folder; None if it does not lie in it."""
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def joined(folder: str, target: str) -> str | None:
    """The path below the root, or None if it leaves the root."""
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def without_suffix(path: str) -> str:
    path = path.rstrip("/")
    stem, suffix = posixpath.splitext(path)
    return stem if suffix.lower() in PAGE_SUFFIXES else path


def page_of(path: str) -> str:
    """A path as an address of a page: without its suffix, and the folder in place of its index."""
    path = without_suffix(path)
    folder, _, name = path.rpartition("/")
    return folder if name.lower() in INDEX_NAMES else path


def is_page(target: str) -> bool:
    """Whether a target looks like a page rather than another file."""
    return not posixpath.splitext(target.rstrip("/"))[1] or target.lower().endswith(PAGE_SUFFIXES)
