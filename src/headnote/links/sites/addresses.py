"""The addresses of a document: a rule for each generator, and the table of all of them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

from headnote.links.sites.site import (
    Generator,
    Mount,
    Naming,
    Site,
    below,
    folded,
    is_page,
    joined,
    page_of,
    without_suffix,
)


class SitePlace(NamedTuple):
    """A document on a site."""

    site: Site
    mount: Mount
    inside: str
    """Its path from the folder of the mount."""
    naming: Naming
    rewrites: Mapping[str, str]
    """The rewrites of the site, as a table."""


Route = Callable[[SitePlace], Iterator[str]]

# -- Docusaurus

_NUMBERED = re.compile(r"\d++\s*+[-_.]++\s*+(?=[^-_.\s])")
_DATE_OR_VERSION = re.compile(r"(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?|\d++[-_.]\d++")
_DATED = re.compile(r"(?:(.*?)/)?(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*)")


def _without_number(part: str) -> str:
    """`01-intro` is shown as `intro`; `2024-05-notes` and `1.2-notes` are no numbered pages."""
    number = None if _DATE_OR_VERSION.match(part) else _NUMBERED.match(part)
    return part[number.end() :] if number else part


def without_numbers(path: str) -> str:
    """A path as many sites show it: without the numbers that only order its folders and pages."""
    return "/".join(map(_without_number, path.split("/")))


def _docusaurus_doc(place: SitePlace) -> Iterator[str]:
    path = without_suffix(place.inside)
    *folders, name = (path if place.site.keeps_numbers else without_numbers(path)).split("/")
    slug = place.naming.slug
    is_index = name.lower() in ("index", "readme") or (folders and folders[-1].lower() == name.lower())
    if slug.startswith("/"):
        parts = [slug]
    elif slug:
        parts = [*folders, slug]
    else:
        parts = folders if is_index else [*folders, place.naming.id or name]
    yield _address(place.mount.address, *parts)


def _dated(place: SitePlace) -> Iterator[str]:
    """A post: by its slug, else by the date in its name, else by its path. The date may be in the frontmatter."""
    path = page_of(place.inside)
    naming = place.naming
    base = place.mount.address
    if naming.slug:
        yield _address(base, naming.slug)
        return
    dated = _DATED.fullmatch(path)
    yield _address(base, path)
    if dated:
        folder, year, month, day, name = dated.groups()
        yield _address(base, folder or "", year, f"{int(month):02}", f"{int(day):02}", name)


# -- Hugo

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKEN = re.compile(r":(\w+)")
_BY_DATE = "/:section/:year/:month/:day/:slug"
_NOT_IN_ADDRESS = re.compile(r"[^\w\s/.\-]+")


def _hugo_page(place: SitePlace) -> Iterator[str]:
    naming, base = place.naming, place.mount.address
    folder, _, name = without_suffix(place.inside).rpartition("/")
    stem, _, language = name.rpartition(".")
    if stem and language in place.site.languages:
        base, name = _address(base, language), stem
    if name == "index":
        folder, _, name = folder.rpartition("/")
    if name == "_index":
        yield _address(base, folder)
        return
    yield _address(base, folder, naming.slug or name)
    patterns = [naming.url] if ":" in naming.url else _patterns(place.site, folder.partition("/")[0])
    if _DATE.fullmatch(naming.date):
        yield from (_address(base, _filled(pattern, folder, name, naming)) for pattern in patterns)


def _patterns(site: Site, section: str) -> Iterator[str]:
    """How a section is shown; without a configuration, as blogs usually are."""
    configured = dict(site.permalinks)
    if section in configured or not configured:
        yield configured.get(section, _BY_DATE)


def _filled(pattern: str, folder: str, name: str, naming: Naming) -> str:
    year, month, day = naming.date.split("-")
    title = "-".join(_NOT_IN_ADDRESS.sub("", naming.title.lower()).split())
    slug = naming.slug or title
    values = {
        "year": year,
        "month": month,
        "day": day,
        "section": folder.partition("/")[0],
        "sections": folder,
        "slug": slug,
        "title": title,
        "filename": name,
        "contentbasename": name,
        "slugorfilename": naming.slug or name,
        "slugorcontentbasename": naming.slug or name,
    }
    return _TOKEN.sub(lambda token: values.get(token[1], token[0]), pattern)


# -- others


def _plain_page(place: SitePlace) -> Iterator[str]:
    yield _address(place.mount.address, page_of(place.inside))


def _page_of_a_folder(place: SitePlace) -> Iterator[str]:
    """A folder without a configuration may be the pages of a site that drops the numbers of files and folders, or that
    shows `colour/colour.md` for `colour`."""
    yield from _plain_page(place)
    bare = without_numbers(page_of(place.inside))
    yield _address(place.mount.address, bare)
    folder, _, name = bare.rpartition("/")
    if folder.rpartition("/")[2] == name:
        yield _address(place.mount.address, folder)


def _rewritten(place: SitePlace) -> Iterator[str]:
    """VitePress may show a document elsewhere; then it is no longer where its file is."""
    shown = place.rewrites.get(place.inside, place.inside)
    yield _address(place.mount.address, page_of(shown))


def _by_slug(place: SitePlace) -> Iterator[str]:
    """Astro: a slug takes the place of the whole path."""
    yield _address(place.mount.address, place.naming.slug or page_of(place.inside))


def _jekyll_page(place: SitePlace) -> Iterator[str]:
    if "_posts/" in f"/{place.inside}":
        folder, _, post = f"/{place.inside}".rpartition("_posts/")
        yield from _dated(place._replace(inside=f"{folder.strip('/')}/{post}".lstrip("/")))
    else:
        # `_docs/a.md` of a collection is shown as `/docs/a`.
        yield _address(place.mount.address, page_of(place.inside).removeprefix("_"))


_ROUTES: Mapping[Generator, Route] = {
    "docusaurus": _plain_page,
    "hugo": _hugo_page,
    "mkdocs": _plain_page,
    "vitepress": _rewritten,
    "astro": _by_slug,
    "jekyll": _jekyll_page,
    "mdbook": _plain_page,
    "sphinx": _plain_page,
    "plain": _page_of_a_folder,
}


_SHOWS_FOLDERS = frozenset({"mkdocs", "hugo", "astro"})
"""Generators that write a page as a folder, so that its address ends in a slash."""
_MADE_OF: Mapping[str, tuple[str, ...]] = {
    "docs": ("tags", "category"),
    "posts": ("", "tags", "archive", "authors", "page"),
    "hugo": ("tags", "categories"),
}
"""Below the address of a mount: pages that a generator makes by itself."""


def addresses(place: SitePlace) -> Iterator[str]:
    """Every address of a document, its own first."""
    naming, base = place.naming, place.mount.address
    if naming.url and ":" not in naming.url:
        yield _address(base, naming.url)
    if place.mount.shown == "docs":
        yield from _docusaurus_doc(place)
    elif place.mount.shown == "posts":
        yield from _dated(place)
    else:
        yield from _ROUTES[place.site.generator](place)
    if naming.slug.startswith("/") or (place.site.generator == "plain" and "/" in naming.slug):
        yield _address(base, naming.slug)
    for old in (*naming.redirects, *naming.aliases):
        if old.startswith("/"):
            yield _address(base, old)
        elif place.site.generator == "hugo":
            yield _address(base, posixpath.dirname(place.inside), old)


def _own_addresses(place: SitePlace) -> Iterable[str]:
    """One that a document gives itself whole is its only one."""
    every = addresses(place)
    return [next(every)] if place.naming.url and ":" not in place.naming.url else every


def _address(*parts: str) -> str:
    """Parts as one address: with a slash in front, none behind."""
    whole = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{whole}"


class Addresses:
    """Address → documents, of one site. The table is built on first use."""

    def __init__(self, site: Site, naming: Callable[[], Mapping[str, Naming]], learnt: Mount | None = None) -> None:
        """`learnt` is how a folder without a configuration stands on its site, see `learnt_mount`."""
        self.site = site
        self._naming = naming
        self._learnt = learnt

    def at(self, address: str) -> list[str]:
        """The documents at an address, written in any way: with or without a suffix, an index or a slash at the end."""
        documents = self._lookup(address)
        if not documents and self._learnt and (path := path_in(self._learnt, address)) is not None:
            documents = self._lookup(path)
        if not documents and (edition := _EDITION.match(address)):
            documents = self._lookup(address[edition.end() :])
        return documents

    def made_at(self, address: str) -> str | None:
        """The folder of whose documents the generator makes a page at this address: a list of posts, of tags."""
        listed = self._made.get(_address(address))
        if listed is not None:
            return listed
        for mount in self.site.mounts:
            inside = below(mount.address.strip("/"), address.strip("/") + "/")
            made = _MADE_OF.get("hugo" if self.site.generator == "hugo" else mount.shown, ())
            if inside is not None and inside.partition("/")[0] in made:
                return mount.folder
        return None

    def of(self, path: str) -> list[str]:
        """The addresses of a document."""
        naming = self._naming().get(path, Naming())
        return list(dict.fromkeys(address for place in self._places(path, naming) for address in addresses(place)))

    def own(self, path: str) -> frozenset[str]:
        """The addresses at which a document is shown, without those that only lead to it. Where the configuration does
        not tell which of several ways a generator takes, all of them."""
        return frozenset(folded(address) for place in self._own_places(path) for address in _own_addresses(place))

    def on_the_web(self, path: str) -> str:
        """The whole address of a document on the web; empty if the configuration of its site does not tell it."""
        if not self.site.url:
            return ""
        places = [place for place in self._own_places(path) if place.mount.is_shown]
        inner = max((len(place.mount.folder) for place in places), default=0)
        shown = {one for place in places if len(place.mount.folder) == inner for one in _own_addresses(place)}
        if len(shown) != 1:
            return ""
        address = shown.pop().rstrip("/")
        is_folder = self.site.generator in _SHOWS_FOLDERS and not address.endswith(".html")
        return self.site.url + quote(address) + ("/" if is_folder else "")

    def _own_places(self, path: str) -> list[SitePlace]:
        naming = self._naming().get(path, Naming())._replace(redirects=(), aliases=())
        return list(self._places(path, naming))

    def _lookup(self, address: str) -> list[str]:
        whole = folded(_address(address))
        if whole in self._table or whole.endswith(".txt"):  # plain text is never shown as a page
            return self._table.get(whole, [])
        return self._table.get(_address(page_of(whole)), [])

    @cached_property
    def _table(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = defaultdict(list)
        for path, naming in self._naming().items():
            for place in self._places(path, naming):
                for address in dict.fromkeys(addresses(place)):
                    known = table[folded(address)]
                    if path not in known:
                        known.append(path)
        return dict(table)

    @cached_property
    def _made(self) -> dict[str, str]:
        return dict(self.site.made)

    @cached_property
    def _rewrites(self) -> dict[str, str]:
        return dict(self.site.rewrites)

    def _places(self, path: str, naming: Naming) -> Iterator[SitePlace]:
        for mount in self.site.mounts:
            inside = below(mount.folder, path)
            if inside is not None:
                yield SitePlace(self.site, mount, inside, naming, self._rewrites)


class Translations:
    """Page → the page that it translates, where translations lie over the site, as `i18n/fr/pages/a.md` lies over
    `docs/a.md`: what is not translated is shown in the first language, so links lead there."""

    def __init__(self, documents: Collection[str]) -> None:
        self._documents = documents
        self._known: dict[str, tuple[str, str] | None] = {}

    def original(self, path: str) -> str | None:
        """The document that this one translates; None if it is no translation."""
        match = _TRANSLATED.match(path)
        if match is None:
            return None
        if match[0] not in self._known:
            self._known[match[0]] = self._trees(match[0])
        trees = self._known[match[0]]
        inside = below(trees[0], path) if trees else None
        original = None if trees is None or inside is None else f"{trees[1]}/{inside}".lstrip("/")
        return original if original in self._documents else None

    def _trees(self, language: str) -> tuple[str, str] | None:
        """The folder of the translations into a language, and that of the originals."""
        shared: Counter[tuple[str, str]] = Counter()
        translated = [path for path in self._documents if path.startswith(language)]
        for path in translated:
            *folders, name = path[len(language) :].split("/")
            for depth in range(min(len(folders), _DEEPEST) + 1):
                top = "/".join((language.rstrip("/"), *folders[:depth]))
                shared.update((top, other) for other in self._with["/".join((*folders[depth:], name))])
        trees = max(shared, key=lambda trees: (shared[trees], trees), default=None)
        return trees if trees is not None and 2 * shared[trees] > len(translated) > _BY_CHANCE else None

    @cached_property
    def _with(self) -> Mapping[str, list[str]]:
        """End of a path → the folders with such a document that are no translations."""
        table: dict[str, list[str]] = defaultdict(list)
        for path in self._documents:
            if _TRANSLATED.match(path) is None:
                parts = path.split("/")
                for start in range(len(parts)):
                    table["/".join(parts[start:])].append("/".join(parts[:start]))
        return table


def path_in(mount: Mount, address: str) -> str | None:
    """The path below the root that a mount shows at this address; None if it is not below that of the mount."""
    inside = below(mount.address.strip("/"), folded(address).strip("/"))
    return None if inside is None else folded(f"{mount.folder}/{inside}".strip("/"))


def learnt_mount(targets: Mapping[str, int], documents: Collection[str]) -> Mount | None:
    """How a folder without a configuration stands on its site, as its links from the top tell: it is only the part of
    the site below an address, or one of its folders is the top of the site, or the top is not here. `targets` says how
    often each occurs."""
    forms = {page_of(path) for path in documents} - {""}  # every address ends in that of the home
    pages = {folded(form) for page in forms for form in (page, without_numbers(page))}
    if base := _common_base(targets, pages):
        return Mount("", base)
    folder = _top_folder(targets, pages)
    if folder:
        return Mount(folder)
    return Mount("", is_shown=False) if _are_elsewhere(targets, pages) else None


def _are_elsewhere(targets: Collection[str], pages: Collection[str]) -> bool:
    """Whether all links from the top lead to folders that have the name of nothing here, and most to pages that have:
    the top is not here."""
    names = {part for page in pages for part in page.split("/")}
    addresses = {page_of(folded(target.partition("?")[0].strip("/"))) for target in targets if is_page(target)}
    unlike = [one for one in addresses if one.rpartition("/")[2] not in names]
    is_enough = len(addresses) > _BY_CHANCE and 2 * len(unlike) >= len(addresses)
    return is_enough and all("/" in one and one.partition("/")[0] not in names for one in addresses)


def _top_folder(targets: Mapping[str, int], pages: Collection[str]) -> str:
    """The folder in which most targets are pages that are none from the root; empty if there is none."""
    endings: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for at in (at for at, char in enumerate(page) if char == "/"):
            endings[page[at + 1 :]].append(page[:at])
    missing, explained = 0, defaultdict[str, int](int)
    for target, count in targets.items():
        page = page_of(folded(target.partition("?")[0].strip("/")))
        if page and page not in pages and is_page(target):
            missing += count
            for folder in endings.get(page, ()) if "/" in page else ():
                explained[folder] += count
    folder = max(explained, key=lambda one: (explained[one], -len(one), one), default="")
    return folder if 2 * explained[folder] > missing and explained[folder] > _BY_CHANCE else ""


def _common_base(targets: Mapping[str, int], pages: Collection[str]) -> str:
    """What nearly all links from the top begin with, though they lead into no folder of that name: `/en`, if the folder
    is the English part of a site, or `/en-us/docs`. `targets` says how often each of them occurs.

    Of a language, only links are counted that lead into no folder here: a translation also links to pages that are not
    translated, by addresses without any language.
    """
    # Below a language, pages may lie in more folders: `files/en-us/web/x` is `/en-us/docs/web/x`.
    everything = set(pages) | ({"/".join(page.split("/")[count:]) for page in pages for count in _LENGTHS} - {""})
    tops = {page.partition("/")[0] for page in pages}
    inside: dict[str, int] = defaultdict(int)
    explained: dict[str, int] = defaultdict(int)
    literal: dict[str, int] = defaultdict(int)
    shifted: dict[str, int] = defaultdict(int)
    for target, count in targets.items():
        parts = folded(target.partition("?")[0].strip("/")).split("/")
        inside[parts[0]] += count
        literal[parts[0]] += count * (page_of("/".join(parts)) in pages)
        # The shortest prefix without which a target is a page here, so that none is counted twice.
        known = everything if _LANGUAGE.fullmatch(parts[0]) and page_of("/".join(parts)) not in pages else pages
        page = ("/".join(parts[:length]) for length in _LENGTHS if page_of("/".join(parts[length:])) in known)
        base = next(page, "")
        explained[base] += count
        shifted[base.partition("/")[0]] += count
    longer = {base.partition("/")[0] for base in explained if "/" in base}
    elsewhere = {
        name: count
        for name, count in inside.items()
        if name not in tops or shifted[name] > literal[name] or (name in longer and _LANGUAGE.fullmatch(name))
    }
    first = max(elsewhere, key=lambda name: (elsewhere[name], name), default="")
    counted = elsewhere if _LANGUAGE.fullmatch(first) else inside
    if not first or 2 * inside[first] <= sum(counted.values()):
        return ""
    bases = {base: count for base, count in explained.items() if base.partition("/")[0] == first}
    base = max(bases, key=lambda name: (bases[name], name), default="")
    return f"/{base}" if base and 2 * bases[base] > inside[first] else ""


def leaves_the_part(base: str, target: str, tops: Collection[str]) -> bool:
    """Whether a target leads to another part of the site, or to another language of it, if the folder is only one of
    them: those pages lie elsewhere, and nobody here can tell whether they exist. `tops` are the folders at the top."""
    if base == "/" or not target.startswith("/"):
        return False
    inside = below(base, folded(f"{target.rstrip('/')}/"))
    if names_a_language(base):  # a translation links to pages that are not translated without any language
        return inside is None
    first, _, rest = (folded(target.strip("/")) if inside is None else inside).partition("/")
    return first not in tops and (inside is None or bool(rest))


def names_a_language(base: str) -> bool:
    return _LANGUAGE.fullmatch(base.strip("/").partition("/")[0]) is not None


def leaves_the_site(site: Site, target: str, source: str) -> bool:
    """Whether a target is an address above the top of the site. Only `.html` is certainly an address: any other path
    above the pages is one of the repository."""
    if target.startswith("/") or not target.lower().endswith((".html", ".htm")):
        return False
    inside = [path for mount in site.mounts if (path := below(mount.folder, source)) is not None]
    return bool(inside) and all(joined(posixpath.dirname(path), target) is None for path in inside)


_TRANSLATED = re.compile(r"(?:.*/)?(?:i18n|l10n|locales?|translations?)/[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?/")
_DEEPEST = 3
"""Folders between that of a language and the pages."""
_BY_CHANCE = 2
"""So many links may lead to a page of another folder by chance."""
_LENGTHS = (1, 2, 3)
"""Parts of an address that all pages of a folder may have in front."""
_EDITION = re.compile(r"/[\w.-]+@[\w.-]+(?=/)")
"""`/enterprise-cloud@latest`, by which a site shows its pages as one of its products has them."""
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[a-z]{2,4})?")
"""As the first part of an address."""
