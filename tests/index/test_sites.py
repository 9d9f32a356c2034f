"""Links on small sites, one for each generator: those it resolves lead somewhere, the others are broken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from effort import stop_of_endless_work

import headnote
from headnote.links.sites.site_files import data_of
from headnote.store.rows import LinkRow

LEADS_NOWHERE = "(broken)"
LEADS_ELSEWHERE = "None"
"""To a part of the site that lies in no folder here, so nobody can tell whether it is there."""


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")


def leads(root: Path) -> dict[str, str]:
    """Text of each link → where it leads: `path#place`."""
    with headnote.Index.open(root, embedder="none") as index:
        index.update()
        return {link.text: _place(link, link in broken) for link, broken in _links(index)}


def _links(index: headnote.Index) -> list[tuple[LinkRow, frozenset[LinkRow]]]:
    broken = frozenset(index.broken_links())
    links = [(link, broken) for path in index.documents() for link in index.links(path) if not link.external]
    # What is said of one document and of all of them is the same.
    views = [index.document(path) for path in index.documents()]
    assert {link for view in views for link in view.broken if link.path == view.document.path} == broken
    return links


def _place(link: LinkRow, is_broken: bool) -> str:
    if is_broken:
        return LEADS_NOWHERE
    return f"{link.resolved}#{link.section}" if link.section else str(link.resolved)


DOCUSAURUS = {
    "site/docusaurus.config.js": """
        // docs: { routeBasePath: "/wrong" },
        export default {
          baseUrl: "/project/",
          themeConfig: { docs: { sidebar: { hideable: true } }, blog: { path: "wrong" } },
          presets: [["classic", { docs: { sidebarPath: "./x.js" }, blog: { routeBasePath: "news", path: "blog" } }]],
          plugins: [
            ["@docusaurus/plugin-content-docs", { id: "api", path: "api", routeBasePath: "reference" }],
            ['content-docs', { id: 'community', path: 'community', routeBasePath: 'people' }],
            [require.resolve('@docusaurus/plugin-content-docs'), {id: "teams", path: "teams", routeBasePath: "groups"}],
            ["content-blog", { id: "notes", path: "notes", routeBasePath: "journal" }],
          ],
        };
        """,
    "site/sidebars.js": """
        module.exports = { a: [{ type: "category", link: { type: "generated-index", slug: "/all-of-it" } }] }
        """,
    "site/docs/step-1-first.md": "# Not numbered\n",
    "site/docs/01-intro.md": "# Intro\n",
    "site/docs/02-guides/index.md": "# Guides\n\n## Heading with badge <Badge/>\n",
    "site/docs/02-guides/03-deep.md": "---\nid: deeper\n---\n# Deep\n",
    "site/docs/02-guides/absolute.md": "---\nslug: /top\n---\n# Absolute\n",
    "site/docs/02-guides/relative.md": "---\nslug: near\n---\n# Relative\n",
    "site/docs/2024-05-notes.md": "# Dated\n",
    "site/docs/same/same.md": "# Same\n",
    "site/api/call.md": "# Call\n",
    "site/community/team.md": "# Team\n",
    "site/teams/red.md": "# Red\n",
    "site/notes/2024-03-04-note.md": "---\nslug: note\n---\n# Note\n",
    "site/blog/2024-02-03-first.md": "# First\n",
    "site/blog/2024-02-04-second.md": "---\nslug: second-post\n---\n# Second\n",
    "site/versioned_docs/version-1.0/01-intro.md": "# Old\n\n[old top](/docs/intro) [old own](intro)\n",
    "site/src/pages/about.md": "# About\n",
    "site/src/pages/shop.jsx": "",
    "site/static/img/x.png": "",
    "site/docs/_part.md": "## From a part\n",
    "site/docs/whole.md": "import Part from './_part.md';\n\n# Whole\n\n<Part />\n",
    "site/docs/links.md": """
        # Links

        [number](/docs/intro) [number by file](./01-intro.md) [with number](/docs/01-intro) [relative](./intro)
        [index](/docs/guides) [index slash](/docs/guides/) [id](/docs/guides/deeper) [file of id](/docs/guides/deep)
        [absolute slug](/docs/top) [absolute slug elsewhere](/top) [relative slug](/docs/guides/near)
        [dated](/docs/2024-05-notes) [same name](/docs/same) [other root](/reference/call) [its folder](/api/call)
        [post](/news/2024/02/03/first) [slug of post](/news/second-post) [post at default](/blog/second-post)
        [version](/docs/1.0/intro) [next](/docs/next/intro) [page](/about) [program](/shop) [base](/project/docs/intro)
        [project](@site/docs/01-intro.md) [no project](@site/docs/intro2.md) ![picture](/img/x.png) ![none](/img/y.png)
        [all posts](/news) [tag](/docs/tags/x) [missing](/docs/missing) [badge](/docs/guides#heading-with-badge-)
        [listed](/docs/all-of-it) [not numbered](/docs/step-1-first) [part](./whole.md#from-a-part)
        [no part](./whole.md#from-no-part) [any folder](02-guides/absolute.md) [other folder](call.md)
        [not from here](./call.md) [short name](/people/team) [resolved name](/groups/red) [second blog](/journal/note)
        """,
}


def test_docusaurus_has_its_own_docs_beside_those_of_a_plugin(tmp_path: Path) -> None:
    """Unless the preset says that it has none, or is not there."""
    plugin = "plugins: [['content-docs', { id: 'api', path: 'api', routeBasePath: 'api' }]]"
    pages = {
        "docs/intro.md": "# Intro\n",
        "api/call.md": "# Call\n\n[docs](/docs/intro) [api](/api/call)\n",
    }
    for presets, docs in (("['classic', {}]", "docs/intro.md"), ("['classic', { docs: false }]", LEADS_NOWHERE)):
        config = f"export default {{ presets: [{presets}], {plugin} }}"
        write(tmp_path, {"docusaurus.config.js": config, **pages})
        assert leads(tmp_path) == {"docs": docs, "api": "api/call.md"}
    write(tmp_path, {"docusaurus.config.js": f"export default {{ {plugin} }}"})
    assert leads(tmp_path) == {"docs": LEADS_NOWHERE, "api": "api/call.md"}


def test_docusaurus(tmp_path: Path) -> None:
    write(tmp_path, DOCUSAURUS)
    assert leads(tmp_path) == {
        "number": "site/docs/01-intro.md",
        "number by file": "site/docs/01-intro.md",
        "with number": LEADS_NOWHERE,
        "relative": "site/docs/01-intro.md",
        "index": "site/docs/02-guides/index.md",
        "index slash": "site/docs/02-guides/index.md",
        "id": "site/docs/02-guides/03-deep.md",
        "file of id": LEADS_NOWHERE,
        "absolute slug": "site/docs/02-guides/absolute.md",
        "absolute slug elsewhere": LEADS_NOWHERE,
        "relative slug": "site/docs/02-guides/relative.md",
        "dated": "site/docs/2024-05-notes.md",
        "same name": "site/docs/same/same.md",
        "other root": "site/api/call.md",
        "its folder": LEADS_NOWHERE,
        "post": "site/blog/2024-02-03-first.md",
        "slug of post": "site/blog/2024-02-04-second.md",
        "post at default": LEADS_NOWHERE,
        "version": "site/versioned_docs/version-1.0/01-intro.md",
        "next": "site/docs/01-intro.md",
        "page": "site/src/pages/about.md",
        "program": "site/src/pages/shop.jsx",
        "base": "site/docs/01-intro.md",
        "project": "site/docs/01-intro.md",
        "no project": LEADS_NOWHERE,
        "picture": "site/static/img/x.png",
        "none": LEADS_NOWHERE,
        "all posts": "site/blog",
        "tag": "site/docs",
        "missing": LEADS_NOWHERE,
        "listed": "site/docs",
        "not numbered": "site/docs/step-1-first.md",
        "badge": "site/docs/02-guides/index.md#heading-with-badge",
        "part": "site/docs/whole.md#from-a-part",
        "no part": LEADS_NOWHERE,
        "any folder": "site/docs/02-guides/absolute.md",
        "other folder": "site/api/call.md",
        "not from here": LEADS_NOWHERE,
        "short name": "site/community/team.md",
        "resolved name": "site/teams/red.md",
        "second blog": "site/notes/2024-03-04-note.md",
        "old top": "site/versioned_docs/version-1.0/01-intro.md",
        "old own": "site/versioned_docs/version-1.0/01-intro.md",
    }


HUGO = {
    "hugo.toml": """
        baseURL = "https://example.org/"
        defaultContentLanguage = "en"
        [permalinks]
        blog = "/:section/:year/:month/:slug/"
        """,
    "content/en/_index.md": "# Home\n",
    "content/en/docs/_index.md": "# Docs\n",
    "content/en/docs/setup.md": "---\naliases: [/old/setup, older]\n---\n# Set-up\n\n## One.two/three\n\n## Two ([X](https://x.org/1))\n",
    "content/en/docs/bundle/index.md": "# Bundle\n\n![beside](picture.png)\n",
    "content/en/docs/bundle/picture.png": "",
    "content/en/docs/called.md": "---\nslug: named\n---\n# Called\n",
    "content/en/docs/fixed.md": "---\nurl: /anywhere/\n---\n# Fixed\n",
    "content/en/blog/post.md": "---\ndate: 2023-04-05\nslug: hello\n---\n# Post\n",
    "content/en/blog/own.md": "---\ndate: 2022-01-02\nslug: own\nurl: /:year/:slug/\n---\n# Own\n",
    "content/de/docs/setup.md": "# Einrichtung\n",
    "content/en/list/entry.md": "# Entry\n",
    "static/img/x.png": "",
    "content/en/docs/links.md": """
        # Links

        [page](/docs/setup/) [page of a language](/de/docs/setup/) [own language](/en/docs/setup) [section](/docs/)
        [home](/) [bundle](/docs/bundle/) [beside the page](../setup/) [alias](/old/setup) [near alias](/docs/older/)
        [slug](/docs/named/) [name of a slug](/docs/called/) [url](/anywhere/) [post](/blog/2023/04/hello/)
        [post by path](/blog/post) [own url](/2022/own/) [list](/list/) [tag](/tags/x/) [picture](/img/x.png)
        [missing](/docs/missing/) [deeper](/setup/) [dashed](/docs/setup/#one-two-three)
        [linked](/docs/setup/#two-x-https-x-org-1) [of github](setup.md#onetwothree)
        [ref]({{< ref "setup.md" >}}) [relref]({{< relref "/docs/bundle" >}})
        [ref to a place]({{% ref "setup#one-two-three" %}})
        [ref by name]({{< ref "post" >}}) [ref to nothing]({{< ref "nothing.md" >}})
        """,
}


def test_hugo(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", **HUGO})
    assert leads(tmp_path) == {
        "beside": "content/en/docs/bundle/picture.png",
        "page": "content/en/docs/setup.md",
        "page of a language": "content/de/docs/setup.md",
        "own language": "content/en/docs/setup.md",
        "section": "content/en/docs/_index.md",
        "home": "content/en/_index.md",
        "bundle": "content/en/docs/bundle/index.md",
        "beside the page": "content/en/docs/setup.md",
        "alias": "content/en/docs/setup.md",
        "near alias": "content/en/docs/setup.md",
        "slug": "content/en/docs/called.md",
        "name of a slug": LEADS_NOWHERE,
        "url": "content/en/docs/fixed.md",
        "post": "content/en/blog/post.md",
        "post by path": LEADS_NOWHERE,
        "own url": "content/en/blog/own.md",
        "list": "content/en/list",
        "tag": "content",
        "picture": "static/img/x.png",
        "missing": LEADS_NOWHERE,
        "deeper": LEADS_NOWHERE,
        "dashed": "content/en/docs/setup.md#onetwothree",
        "linked": "content/en/docs/setup.md#two-x",
        "of github": "content/en/docs/setup.md#onetwothree",
        "ref": "content/en/docs/setup.md",
        "relref": "content/en/docs/bundle/index.md",
        "ref to a place": "content/en/docs/setup.md#onetwothree",
        "ref by name": "content/en/blog/post.md",
        "ref to nothing": LEADS_NOWHERE,
    }


MKDOCS = {
    "mkdocs.yml": """
        site_url: https://example.org/project/
        docs_dir: pages
        markdown_extensions:
          - pymdownx.superfences:
              format: !!python/name:pymdownx.superfences.fence_code_format
        """,
    "README.md": "[folder](pages/)\n",
    "pages/index.md": "# Home\n",
    "pages/setup/index.md": "# Set-up\n",
    "pages/setup/linux.md": "# Linux\n\n## A - B\n\n## 1.0 { id='v1' }\n\n**x**{ #empty }\n\n[^n]\n\n[^n]: Note.\n",
    "pages/assets/x.png": "",
    "snippets/more.md": "## Snipped\n",
    "pages/with.md": '# With\n\n--8<-- "snippets/more.md"\n',
    "pages/links.md": """
        # Links

        [file](setup/linux.md) [shown](../setup/linux/) [section](setup/index.md) [top](/setup/linux/)
        [base](/project/setup/linux/) ![picture](assets/x.png) ![shown picture](../assets/x.png) [none](setup/mac.md)
        [toc](setup/linux.md#a-b) [id](setup/linux.md#v1) [empty](setup/linux.md#empty) [note](setup/linux.md#fn:n)
        [nothing](setup/linux.md#a-c) [snippet](with.md#snipped) [docs](/pages/setup/linux.md) [no folder](setup2/)
        """,
}


def test_mkdocs(tmp_path: Path) -> None:
    write(tmp_path, MKDOCS)
    linux = "pages/setup/linux.md"
    assert leads(tmp_path) == {
        "folder": "pages/index.md",
        "file": linux,
        "shown": linux,
        "section": "pages/setup/index.md",
        "top": linux,
        "base": linux,
        "picture": "pages/assets/x.png",
        "shown picture": "pages/assets/x.png",
        "none": LEADS_NOWHERE,
        "toc": f"{linux}#a---b",
        "id": f"{linux}#v1",
        "empty": f"{linux}#empty",
        "note": f"{linux}#fn:n",
        "nothing": LEADS_NOWHERE,
        "snippet": "pages/with.md#snipped",
        "docs": linux,
        "no folder": LEADS_NOWHERE,
    }


VITEPRESS = {
    "docs/.vitepress/config.ts": """
        export default { srcDir: './src', base: '/base/', rewrites: { 'old/page.md': 'new/page.md' } }
        """,
    "docs/src/index.md": "# Home\n",
    "docs/src/guide/index.md": "# Guide\n",
    "docs/src/guide/api.md": "# API\n\n## build.target\n\n## build.target\n\n## 3 things\n\n## Ünder\n",
    "docs/src/old/page.md": "# Moved\n",
    "docs/src/public/logo.svg": "",
    "docs/src/links.md": """
        # Links

        [home](/) [guide](/guide/) [html](/guide/api.html) [clean](/guide/api) [file](./guide/api.md)
        [md](/guide/api.md) [base](/base/guide/api) [new](/new/page) [old](/old/page) [logo](/logo.svg)
        [public](/public/logo.svg) [place](/guide/api#build-target) [second](/guide/api#build-target-1)
        [third](/guide/api#build-target-2) [digit](/guide/api#_3-things) [accent](/guide/api#under)
        [none](/guide/none) [docs](/docs/src/guide/api.md)
        """,
}


def test_vitepress(tmp_path: Path) -> None:
    write(tmp_path, VITEPRESS)
    api = "docs/src/guide/api.md"
    links = leads(tmp_path)
    assert links.pop("public") == "docs/src/public/logo.svg"
    assert links == {
        "home": "docs/src/index.md",
        "guide": "docs/src/guide/index.md",
        **dict.fromkeys(("html", "clean", "file", "md", "base", "docs"), api),
        "new": "docs/src/old/page.md",
        "old": LEADS_NOWHERE,
        "logo": "docs/src/public/logo.svg",
        "place": f"{api}#buildtarget",
        "second": f"{api}#buildtarget-1",
        "third": LEADS_NOWHERE,
        "digit": f"{api}#3-things",
        "accent": f"{api}#ünder",
        "none": LEADS_NOWHERE,
    }


ASTRO = {
    "astro.config.mjs": "export default defineConfig({ base: '/base' })\n",
    "src/content/docs/en/start.mdx": "# Start\n",
    "src/content/docs/fr/start.mdx": "# Début\n\n[own](../start/) [other](/en/start/)\n",
    "src/content/docs/en/moved.md": "---\nslug: en/elsewhere\n---\n# Moved\n",
    "src/content/blog/post.md": "# Post\n",
    "src/pages/about.md": "# About\n",
    "src/pages/shop/index.astro": "",
    "public/x.png": "",
    "src/content/docs/en/links.mdx": """
        # Links

        <div id="place">Here</div> <Box title="a" id={"boxed"} />

        [en](/en/start/) [fr](/fr/start) [base](/base/en/start/) [slug](/en/elsewhere/) [file of slug](/en/moved/)
        [post](/blog/post/) [page](/about) [program](/shop/) ![picture](/x.png) [no language](/start/) [place](#place)
        [boxed](#boxed) [nothing](#nothing) [text](/en/start/#:~:text=Start) [top](#top)
        """,
}


def test_astro(tmp_path: Path) -> None:
    write(tmp_path, ASTRO)
    start = "src/content/docs/en/start.mdx"
    links = "src/content/docs/en/links.mdx"
    assert leads(tmp_path) == {
        "own": "src/content/docs/fr/start.mdx",
        "other": start,
        "en": start,
        "fr": "src/content/docs/fr/start.mdx",
        "base": start,
        "slug": "src/content/docs/en/moved.md",
        "file of slug": LEADS_NOWHERE,
        "post": "src/content/blog/post.md",
        "page": "src/pages/about.md",
        "program": "src/pages/shop/index.astro",
        "picture": "public/x.png",
        "no language": LEADS_NOWHERE,
        "place": f"{links}#place",
        "boxed": f"{links}#boxed",
        "nothing": LEADS_NOWHERE,
        "text": f"{start}#top",
        "top": f"{links}#top",
    }


OBSIDIAN = {
    ".obsidian/app.json": "{}",
    "Plan.md": "---\naliases: [The plan]\n---\n# Plan\n\nA step. ^step1\n\n- item ^list-2\n\n```\ncode ^nocode\n```\n",
    "files/deep/picture.png": "",
    "files/other/Scan 1.pdf": "",
    "notes/Day.md": """
        # Day

        ## Part

        [[Plan|note]] [[The plan|alias]] [[plan#^step1|block]] [[Plan#^list-2|item]] [[Plan#^nocode|code]]
        [[Plan#^none|no block]] [[#Part|own]] [[#No part|no part]] ![[picture.png|100]] ![[Scan 1.pdf|scan]]
        ![[deep/picture.png|by path]] ![[none.png|none]] ![[../files/deep/picture.png|from here]]
        """,
}


def test_obsidian(tmp_path: Path) -> None:
    write(tmp_path, OBSIDIAN)
    assert leads(tmp_path) == {
        "note": "Plan.md",
        "alias": "Plan.md",
        "block": "Plan.md#^step1",
        "item": "Plan.md#^list-2",
        "code": LEADS_NOWHERE,
        "no block": LEADS_NOWHERE,
        "own": "notes/Day.md#part",
        "no part": LEADS_NOWHERE,
        "100": "files/deep/picture.png",
        "scan": "files/other/Scan 1.pdf",
        "by path": "files/deep/picture.png",
        "none": LEADS_NOWHERE,
        "from here": "files/deep/picture.png",
    }


BLOCK = "64a1b2c3-1111-2222-3333-444455556666"
LOGSEQ = {
    "logseq/config.edn": "{}",
    "pages/project___plan.md": "alias:: The plan, road map\n\n- Goal\n  id:: 64a1b2c3-1111-2222-3333-444455556666\n",
    "pages/old%2Fname.md": "- old\n",
    "journals/2026_11_16.md": "- today\n",
    "journals/2026_13_99.md": "- never\n",
    "assets/x.png": "",
    "pages/links.md": f"""
        - [[project/plan]] [[road map]] [[old/name]] [[Nov 16th, 2026]] [[November 16th, 2026]] [[Nov 17th, 2026]]
        - (({BLOCK})) ((00000000-1111-2222-3333-444455556666)) `(({BLOCK}))`
        - ![x](../assets/x.png) ![y](../assets/y.png)
        """,
}


def test_logseq(tmp_path: Path) -> None:
    write(tmp_path, LOGSEQ)
    assert leads(tmp_path) == {
        "project/plan": "pages/project___plan.md",
        "road map": "pages/project___plan.md",
        "old/name": "pages/old%2Fname.md",
        "Nov 16th, 2026": "journals/2026_11_16.md",
        "November 16th, 2026": "journals/2026_11_16.md",
        "Nov 17th, 2026": LEADS_NOWHERE,
        BLOCK: "pages/project___plan.md",
        "00000000-1111-2222-3333-444455556666": LEADS_NOWHERE,
        "x": "assets/x.png",
        "y": LEADS_NOWHERE,
    }


PLAIN = {
    "guides/deep/page.md": "# Page\n",
    "guides/old.md": "---\npermalink: /kept/\nredirect_from: [/very/old]\n---\n# Old\n",
    "a.md": """
        <a name="named"></a> <a id='identified'>x</a>

        > ## In a quote

        [base](/en/guides/deep/page/) [base 2](/en/guides/old) [base 3](/en/a#named) [base 4](/en/a)
        [base 5](/en/guides/deep/page) [no base](/fr/guides/deep/page/)
        [permalink](/kept/) [redirect](/very/old) [name](#named) [id](#identified) [quoted](#in-a-quote)
        [folder](guides/) [no folder](/guides/)
        """,
}


SPHINX = {
    "docs/source/conf.py": "project = 'Tide'\nextensions = ['myst_parser', 'sphinx.ext.autodoc']\n",
    "docs/source/index.md": """
        [to a label](gauges) [in any case](Gauges) [to a label of a directive](table-of-tides) [by its place](#gauges)
        [with folders](labels/low-water) [to a file](guide/gauge) [from the top](/guide/gauge)
        [own heading](#index) [object](tide.Gauge.read) [object here](#Gauge.read) [in another format](api-levels)
        [no heading](#gauge) [no page](guide/none.md) [no page at the top](/guide/none) [no file](tide.pdf)
        # Index
        """,
    "docs/source/README.md": "# Not the index\n",
    "docs/source/guide/gauge.md": """
        (Gauges)=
        # Gauges

        (labels/low-water)=
        ## Low water

        ```{table} Tides
        :name: table-of-tides
        ```
        """,
    "tools/conf.py": "PORT = 80\n",
    "tools/a.md": "[no label](gauges)\n",
}


def test_sphinx(tmp_path: Path) -> None:
    write(tmp_path, SPHINX)
    gauge = "docs/source/guide/gauge.md"
    assert leads(tmp_path) == {
        "to a label": gauge,
        "in any case": gauge,
        "to a label of a directive": gauge,
        "by its place": f"{gauge}#gauges",
        "with folders": gauge,
        "to a file": gauge,
        "from the top": gauge,
        "own heading": "docs/source/index.md#index",
        "object": "docs/source/tide.Gauge.read",
        "object here": "docs/source/index.md",
        "in another format": LEADS_ELSEWHERE,
        "no heading": LEADS_NOWHERE,
        "no page": LEADS_NOWHERE,
        "no page at the top": LEADS_NOWHERE,
        "no file": LEADS_NOWHERE,
        "no label": LEADS_NOWHERE,
    }
    assert [finding.kind for finding in headnote.check_links(tmp_path).findings].count("duplicate-address") == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zensical.toml", '[project]\ndocs_dir = "text"\n'),
        ("properdocs.yml", "docs_dir: text\n"),
        ("mkdocs.yml", "docs_dir: text\n"),
    ],
)
def test_heirs_of_mkdocs(name: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, {name: text, "text/a.md": "[b](/guide/b/) [none](/guide/c/)\n", "text/guide/b.md": ""})
    assert leads(tmp_path) == {"b": "text/guide/b.md", "none": LEADS_NOWHERE}


def test_a_jupyter_book_is_of_sphinx(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"_config.yml": "title: Tide\n", "_toc.yml": "root: a\n", "a.md": "[b](low)\n", "b.md": "(low)=\n# B\n"},
    )
    assert leads(tmp_path) == {"b": "b.md"}


def test_a_folder_of_a_site_without_its_configuration(tmp_path: Path) -> None:
    """Most links begin with `/en`, and no folder has that name: this is the English part of a site."""
    write(tmp_path, PLAIN)
    assert leads(tmp_path) == {
        "base": "guides/deep/page.md",
        "base 2": "guides/old.md",
        "base 3": "a.md#named",
        "base 4": "a.md",
        "base 5": "guides/deep/page.md",
        "no base": LEADS_ELSEWHERE,
        "permalink": "guides/old.md",
        "redirect": "guides/old.md",
        "name": "a.md#named",
        "id": "a.md#identified",
        "quoted": "a.md#in-a-quote",
        "folder": "guides",
        "no folder": LEADS_ELSEWHERE,
    }


# -- what changes


def test_a_configuration_that_changes_changes_where_links_lead(tmp_path: Path) -> None:
    write(tmp_path, {**MKDOCS, "pages/links.md": "[top](/setup/linux/)\n"})
    assert leads(tmp_path)["top"] == "pages/setup/linux.md"
    write(tmp_path, {"mkdocs.yml": "docs_dir: elsewhere\n"})
    assert leads(tmp_path)["top"] == LEADS_NOWHERE


@pytest.mark.parametrize(
    ("text", "expected"), [("---\nslug: /new\n---\n# A\n", LEADS_NOWHERE), ("---\nslug: /old\n---\n# B\n", "docs/a.md")]
)
def test_a_slug_that_changes_changes_links_of_others(text: str, expected: str, tmp_path: Path) -> None:
    files = {"docusaurus.config.js": "", "docs/a.md": "---\nslug: /old\n---\n# A\n", "docs/b.md": "[a](/docs/old)\n"}
    write(tmp_path, files)
    assert leads(tmp_path)["a"] == "docs/a.md"
    write(tmp_path, {"docs/a.md": text})
    assert leads(tmp_path)["a"] == expected


def test_a_block_that_comes_is_found_by_links_of_others(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": f"(({BLOCK}))\n", "b.md": "- block\n"})
    assert leads(tmp_path)[BLOCK] == LEADS_NOWHERE
    write(tmp_path, {"b.md": f"- block\n  id:: {BLOCK}\n"})
    assert leads(tmp_path)[BLOCK] == "b.md"


def test_a_heading_of_a_part_that_changes_changes_links_to_the_whole(tmp_path: Path) -> None:
    write(
        tmp_path, {"_part.md": "# X\n", "whole.mdx": "import P from './_part.md'\n\n<P/>\n", "a.md": "[p](whole.mdx#y)"}
    )
    assert leads(tmp_path)["p"] == LEADS_NOWHERE
    write(tmp_path, {"_part.md": "# Longer\n\n# Y\n"})
    assert leads(tmp_path)["p"] == "whole.mdx#y"


def test_a_picture_is_looked_for_on_demand(tmp_path: Path) -> None:
    write(tmp_path, {"docusaurus.config.js": "", "static/img/z.png": "", "docs/a.md": "![x](/img/x.png) ![[y.png]]\n"})
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update()
        assert len(index.broken_links()) == 2
        write(tmp_path, {"static/img/x.png": "", "docs/deep/y.png": ""})
        assert index.broken_links() == []
        (tmp_path / "static/img/x.png").unlink()
        assert [link.target for link in index.broken_links()] == ["/img/x.png"]


@pytest.mark.skipif(os.name == "nt", reason="needs names that Windows does not allow")
def test_targets_that_no_file_can_have(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "[nul](/a%00b) [long](/" + "x" * 5000 + ") [out](/../../etc/passwd) ![[../../x.png]]\n"})
    assert set(leads(tmp_path).values()) == {LEADS_NOWHERE}


ENDLESS = {
    "docusaurus.config.js": "/*" * 300_000,
    "website/docusaurus.config.js": "docs: {" * 100_000 + "staticDirectories: [" * 10_000,
    "more/docusaurus.config.js": "staticDirectories: [" * 40_000,
    "hugo.toml": "a." * 20_000 + "b = 1",
    "book.toml": "a = " + "[" * 100_000,
    "mkdocs.yml": "[" * 100_000,
    "vercel.json": "[" * 100_000,
    "netlify.toml": "a." * 20_000 + "b = 1",
    "package.json": "[" * 100_000,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_configuration_of_a_stranger_takes_no_time(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"index.md": "# Index\n\nTo [the other](/other).\n", "other.md": "# Other\n", name: ENDLESS[name]})
    with stop_of_endless_work():
        assert set(leads(tmp_path)) == {"the other"}


def test_data_of_a_stranger_is_read_within_bounds() -> None:
    assert data_of('{"a": "[[[[", "b": {"c": [1]}}', "a.json") == {"a": "[[[[", "b": {"c": [1]}}
    assert data_of('{"a": ' * 70 + "1" + "}" * 70, "a.json") == {}
    assert data_of("a." * 70 + "b = 1", "a.toml") == {}
