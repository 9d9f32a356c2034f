"""The sites below a root: told by their configurations, else by the layout of folders."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headnote.links.sites.site import Mount, Site, joined
from headnote.links.sites.site_files import MAX_CONFIGURATION_BYTES, Program, data_of
from headnote.sources.repository import Listing
from headnote.sources.tree import Root, Tree

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,4})?")
_CONTENT_FOLDERS = ("docs", "content", "pages", "src", "src/content", "src/pages", "src/docs", "website/docs")
"""Where the pages of a site usually are."""
_ONLY_IN_HUGO = frozenset({"baseURL", "baseurl", "languageCode", "contentDir", "defaultContentLanguage"})
_ONLY_IN_SPHINX = re.compile(r"^(?:extensions|html_theme|myst_\w+)\b[^=\n]*=|^(?:import|from) sphinx\b", re.MULTILINE)
_MAKING_PAGES = frozenset({"gen-files", "api-autonav", "autoapi", "mkdocs-autoapi", "mkdoxy"})
"""Plugins of MkDocs."""
_GENERATED_INDEX = re.compile(r"""["']?type["']?\s*:\s*["']generated-index["']([^{}]*)""")
_VERSION = re.compile(r"version-([^/]+)/")


def find_sites(root: str | os.PathLike[str], markers: Iterable[str], documents: Sequence[str]) -> list[Site]:
    """The sites below a root. `markers` are the configurations that `discover` listed."""
    sites: dict[str, Site] = {}
    for marker in markers:
        config = _Configuration(Path(root), marker, documents)
        maker = next((make for pattern, make in _MAKERS if pattern.fullmatch(config.name)), None)
        site = maker(config) if maker else None
        if site is not None:
            sites.setdefault(config.folder, site)
    if not sites:
        sites = {site.folder: site for site in _laid_out(documents)}
    return [*sites.values(), _plain(documents)]


def find_sites_of(tree: Tree, listing: Listing) -> dict[str, list[Site]]:
    """The sites of each root that is there, as the root sees them."""
    away = {one.path for one in listing.absent}
    paths = [file.path for file in listing.files]
    return {
        root.name: find_sites(root.folder, _inside_root(root, listing.site_marks), _inside_root(root, paths))
        for root in tree.roots
        if root.name not in away
    }


def _inside_root(root: Root, paths: Sequence[str]) -> Sequence[str]:
    if not root.name:
        return paths
    return [path.removeprefix(root.prefix) for path in paths if path.startswith(root.prefix)]


def sites_without_files(documents: Sequence[str]) -> list[Site]:
    """The sites that the paths of documents alone tell."""
    return [*_laid_out(documents), _plain(documents)]


class _Configuration:
    """The configuration of a site, read on demand."""

    def __init__(self, root: Path, marker: str, documents: Sequence[str]) -> None:
        self._root = root
        self.path = marker
        self.folder, _, self.name = marker.rpartition("/")
        self.documents = documents

    def text(self, *names: str) -> str:
        """The marker's text, or that of the first of these files below it."""
        return self._first([f"{self.path}/{name}" for name in names] or [self.path])

    def beside(self, *names: str) -> str:
        """The text of the first of these files in the same folder."""
        return self._first([f"{self.folder}/{name}" if self.folder else name for name in names])

    def _first(self, paths: Iterable[str]) -> str:
        for path in paths:
            try:
                with (self._root / path).open(encoding="utf-8", errors="replace") as file:
                    return file.read(MAX_CONFIGURATION_BYTES)
            except OSError:
                continue  # missing, or a folder: the site is still a site
        return ""

    def data(self) -> dict[str, Any]:
        return data_of(self.text(), self.name)


def _inside(folder: str, path: str) -> str:
    """A folder that a configuration names; if it lies outside the root, the folder of the configuration."""
    inside = joined(folder, path)
    return folder if inside is None else inside


def _with_base(mounts: Iterable[Mount], base: str) -> tuple[Mount, ...]:
    """Links may be written with the base address of the site or without it."""
    plain = tuple(mounts)
    if not base.strip("/"):
        return plain
    based = (mount._replace(address=f"/{base.strip('/')}{mount.address}".rstrip("/")) for mount in plain)
    return (*plain, *(mount._replace(is_shown=False) for mount in based))


def _on_the_web(url: object, base: str = "") -> str:
    """Where the top of a site is. Many configurations say `/`, or leave it to the command that makes the site."""
    written = str(url or "")
    return f"{written.rstrip('/')}/{base.strip('/')}".rstrip("/") if written.startswith(("http://", "https://")) else ""


# -- Docusaurus


def _docusaurus(config: _Configuration) -> Site:
    folder = config.folder
    program = Program(config.text()).without("themeConfig")  # it has an object `docs`, too
    mounts: list[Mount] = []
    for kind, shown in (("docs", "docs"), ("blog", "posts"), ("pages", "pages")):
        default = Mount(
            _inside(folder, "src/pages" if kind == "pages" else kind), "/" if kind == "pages" else f"/{kind}"
        )
        plugins = list(program.objects(rf"[\"'](?:[\w./@-]*plugin-)?content-{kind}[\"']\s*\)?\s*,"))
        own = list(program.objects(rf"\b{kind}\s*:"))
        if not own and not program.is_false(kind) and (not plugins or "preset" in config.text()):
            own = [Program("")]
        for option in (*own, *plugins):
            path, route = option.string("path"), option.string("routeBasePath")
            mounts.append(
                Mount(
                    default.folder if path is None else _inside(folder, path),
                    default.address if route is None else f"/{route.strip('/')}",
                    "docs" if shown == "docs" else "posts" if shown == "posts" else "pages",
                )
            )
    mounts += [*_versions(folder, mounts, config.documents), *_translations(folder, mounts, config.documents)]
    statics = program.strings_in("staticDirectories") or ["static"]
    return Site(
        generator="docusaurus",
        folder=folder,
        mounts=_with_base(dict.fromkeys(mounts), program.string("baseUrl") or ""),
        files=tuple(_inside(folder, name) for name in statics),
        made=tuple(_indexes(config.beside("sidebars.js", "sidebars.ts", "sidebars.json"), mounts)),
        keeps_numbers=program.is_false("numberPrefixParser"),
        url=_on_the_web(program.string("url"), program.string("baseUrl") or ""),
    )


def _indexes(sidebars: str, mounts: Sequence[Mount]) -> Iterator[tuple[str, str]]:
    """Lists of documents that a sidebar asks for, with an address of their own."""
    docs = next((mount for mount in mounts if mount.shown == "docs"), None)
    for index in _GENERATED_INDEX.finditer(sidebars):
        if docs and (slug := Program(index[1]).string("slug")):
            yield f"{docs.address.rstrip('/')}/{slug.strip('/')}", docs.folder


def _versions(folder: str, mounts: Sequence[Mount], documents: Sequence[str]) -> list[Mount]:
    """`versioned_docs/version-2.0/` is shown at `/docs/2.0`, and at `/docs` if it is the latest."""
    top = _inside(folder, "versioned_docs")
    versions = dict.fromkeys(
        match[1] for path in documents if path.startswith(f"{top}/") and (match := _VERSION.match(path, len(top) + 1))
    )
    bases = [mount.address.rstrip("/") for mount in mounts if mount.shown == "docs"][:1]
    # Which version is the latest, and so has no version in its addresses, is not read: both stay possible.
    shown = [Mount(f"{top}/version-{name}", f"{base}/{name}", "docs") for base in bases for name in versions]
    latest = [Mount(f"{top}/version-{name}", base or "/", "docs") for base in bases for name in versions]
    current = [Mount(mount.folder, f"{base}/next", "docs") for base in bases for mount in mounts[:1] if versions]
    return [*shown, *latest, *current]


def _translations(folder: str, mounts: Sequence[Mount], documents: Sequence[str]) -> list[Mount]:
    """`i18n/fr/docusaurus-plugin-content-docs/current/` is shown at `/fr/docs`, and there also without `/fr`."""
    top = _inside(folder, "i18n")
    languages = {path[len(top) + 1 :].partition("/")[0] for path in documents if path.startswith(f"{top}/")}
    translations: list[Mount] = []
    for language in sorted(languages):
        for mount in mounts:
            kind = {"docs": "content-docs/current", "posts": "content-blog", "pages": "content-pages"}[mount.shown]
            translated = f"{top}/{language}/docusaurus-plugin-{kind}"
            translations += [mount._replace(folder=translated, address=f"/{language}{mount.address}".rstrip("/"))]
            translations += [mount._replace(folder=translated, is_shown=False)]
    return translations


# -- Hugo


def _hugo(config: _Configuration) -> Site | None:
    if config.name == "config":
        text = config.text("_default/hugo.toml", "_default/config.toml")
        data = data_of(text, "hugo.toml") if text else data_of(config.text("_default/hugo.yaml"), "hugo.yaml")
    else:
        data = config.data()
    # Every other program has a `config.toml`, too.
    is_hugo = config.name.startswith("hugo.") or data.keys() & _ONLY_IN_HUGO
    return _hugo_site(config.folder, data, config.documents) if is_hugo else None


def _hugo_site(folder: str, data: dict[str, Any], documents: Sequence[str]) -> Site:
    content = _inside(folder, str(data.get("contentDir", "content")))
    configured = data.get("languages")
    languages = configured if isinstance(configured, dict) else {}
    default = str(data.get("defaultContentLanguage", "en"))
    folders = {
        name: _inside(folder, str(values.get("contentDir", f"{content}/{name}")))
        for name, values in languages.items()
        if isinstance(values, dict)
    }
    for name in _folders_in(content, documents):
        if _LANGUAGE.fullmatch(name):
            folders.setdefault(name, f"{content}/{name}")
    mounts = [Mount(content)]
    is_in_folder = data.get("defaultContentLanguageInSubdir") is True
    for name, place in folders.items():
        is_default = name == default or len(folders) == 1
        # A folder that is only named like a language leaves open where its pages are shown.
        is_known = is_default and name in languages
        mounts.append(Mount(place, f"/{name}", is_shown=is_in_folder or not is_known))
        mounts += [Mount(place, is_shown=not (is_in_folder and is_known))] if is_default else []
    pages = data.get("permalinks")
    pages = pages.get("page", pages) if isinstance(pages, dict) else {}
    return Site(
        generator="hugo",
        folder=folder,
        mounts=_with_base(dict.fromkeys(mounts), urlsplit(str(data.get("baseURL", ""))).path),
        files=(_inside(folder, "static"), _inside(folder, "assets")),
        permalinks=tuple((key, value) for key, value in pages.items() if isinstance(value, str)),
        languages=tuple(dict.fromkeys([*languages, *folders])),
        url=_on_the_web(data.get("baseURL") or data.get("baseurl")),
    )


def _folders_in(folder: str, documents: Sequence[str]) -> Collection[str]:
    start = f"{folder}/" if folder else ""
    inside = (path[len(start) :] for path in documents if path.startswith(start))
    return dict.fromkeys(path.partition("/")[0] for path in inside if "/" in path)


# -- others


def _mkdocs(config: _Configuration) -> Site:
    folder = config.folder
    data = config.data()
    project = data.get("project")  # where Zensical has what MkDocs has at the top
    data = project if config.name.endswith(".toml") and isinstance(project, dict) else data
    pages = _inside(folder, str(data.get("docs_dir", "docs")))
    mounts = _with_base([Mount(pages)], urlsplit(str(data.get("site_url", ""))).path)
    has_folders = data.get("use_directory_urls") is not False
    url = _on_the_web(data.get("site_url")) if has_folders else ""
    plugins = data.get("plugins")
    names = {name.rpartition("/")[2] for one in plugins or () for name in ([one] if isinstance(one, str) else one)}
    return Site("mkdocs", folder, mounts, (pages,), makes_pages=bool(names & _MAKING_PAGES), url=url)


def _vitepress(config: _Configuration) -> Site:
    folder = config.folder
    program = Program(config.text(*(f"config.{suffix}" for suffix in ("ts", "mts", "js", "mjs"))))
    pages = _inside(folder, program.string("srcDir") or ".")
    mounts = _with_base([Mount(pages)], program.string("base") or "")
    public = (joined(pages, "public") or "public", joined(folder, ".vuepress/public") or ".vuepress/public")
    return Site("vitepress", folder, mounts, public, rewrites=tuple(program.pairs("rewrites")))


def _astro(config: _Configuration) -> Site:
    folder = config.folder
    program = Program(config.text())
    base = program.string("base") or ""
    return _astro_site(folder, base, config.documents)._replace(url=_on_the_web(program.string("site"), base))


def _astro_site(folder: str, base: str, documents: Sequence[str]) -> Site:
    content = _inside(folder, "src/content")
    collections = [name for name in _folders_in(content, documents) if name != "docs"]
    mounts = [
        Mount(f"{content}/docs"),
        Mount(_inside(folder, "src/pages")),
        *(Mount(f"{content}/{name}", f"/{name}", is_shown=False) for name in collections),
    ]
    return Site("astro", folder, _with_base(mounts, base), (_inside(folder, "public"),))


def _jekyll(config: _Configuration) -> Site:
    folder = config.folder
    if config.beside("_toc.yml"):
        return _sphinx_site(folder)  # a Jupyter Book
    data = config.data()
    mounts = _with_base([Mount(_inside(folder, str(data.get("source", "."))))], str(data.get("baseurl") or ""))
    return Site("jekyll", folder, mounts, (folder,))


def _sphinx(config: _Configuration) -> Site | None:
    # Other programs have a `conf.py`, too.
    is_sphinx = config.name == "myst.yml" or _ONLY_IN_SPHINX.search(config.text())
    return _sphinx_site(config.folder) if is_sphinx else None


def _sphinx_site(folder: str) -> Site:
    return Site("sphinx", folder, (Mount(folder),), (folder,))


def _mdbook(config: _Configuration) -> Site:
    book = config.data().get("book")
    return _mdbook_site(config.folder, str(book.get("src", "src") if isinstance(book, dict) else "src"))


def _mdbook_site(folder: str, source: str) -> Site:
    pages = _inside(folder, source)
    return Site("mdbook", folder, (Mount(pages),), (pages,))


def _laid_out(documents: Sequence[str]) -> list[Site]:
    """Sites without a configuration, told by files and folders that only one generator has."""
    for path in documents:
        if "src/content/docs/" in path and (at := f"/{path}".find("/src/content/docs/")) >= 0:
            return [_astro_site(path[: max(at - 1, 0)].rstrip("/"), "", documents)]
    hugo = next((path for path in documents if path.endswith("/_index.md") and "content/" in path), None)
    if hugo is not None and (at := f"/{hugo}".find("/content/")) >= 0:
        return [_hugo_site(hugo[: max(at - 1, 0)].rstrip("/"), {}, documents)]
    books = (path for path in documents if path.endswith("src/SUMMARY.md") and f"/{path}".endswith("/src/SUMMARY.md"))
    return [_mdbook_site(path.removesuffix("src/SUMMARY.md").rstrip("/"), "src") for path in books]


def _plain(documents: Sequence[str]) -> Site:
    """Everything else: pages by their path from the root, or from a folder that usually contains the pages."""
    folders = {path.rpartition("/")[0] for path in documents}
    usual = [name for name in _CONTENT_FOLDERS if any(f"{folder}/".startswith(f"{name}/") for folder in folders)]
    files = [name for top in ("", *usual) for name in (joined(top, "static"), joined(top, "public"), top)]
    mounts = [Mount(""), *(Mount(name) for name in usual)]
    return Site("plain", "", tuple(mounts), tuple(dict.fromkeys(name for name in files if name is not None)))


_Maker = Callable[[_Configuration], Site | None]
_MAKERS: tuple[tuple[re.Pattern[str], _Maker], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"docusaurus\.config\.(?:js|ts|mjs|cjs|mts|cts)", _docusaurus),
        (r"(?:mkdocs|properdocs)\.ya?ml|zensical\.toml", _mkdocs),
        (r"\.vitepress|\.vuepress", _vitepress),
        (r"astro\.config\.(?:js|ts|mjs|cjs|mts)", _astro),
        (r"(?:hugo|config)\.(?:toml|ya?ml|json)|config", _hugo),
        (r"_config\.ya?ml", _jekyll),
        (r"book\.toml", _mdbook),
        (r"conf\.py|myst\.yml", _sphinx),
    )
)
