"""Checking links from files alone: the same links as by the index, duplicates, suggestions, and the ignore list."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from effort import counted_steps
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.api import trust_folder
from headnote.links.checking import findings
from headnote.links.checking.checked_files import is_of_others, linked_document
from headnote.links.checking.link_report import Finding, LinkReport, Position
from headnote.links.checking.policy import IgnoreEntry, sift, target_regex
from headnote.links.resolving import Contents, RootContents
from headnote.model.results import Progress
from headnote.sources.files import FileSnapshot
from headnote.sources.tree import Root

CORPORA = ["own", "vite-docs", "mkdocs-material-docs", "foam", "rust-book", "fastapi-en", "react.dev", "astro-en"]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    """Write files, and return their folder."""

    def write_files(files: Mapping[str, str]) -> Path:
        folder = tmp_path / "docs"
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(text), encoding="utf-8", newline="")
        return folder

    return write_files


Write = Callable[[Mapping[str, str]], Path]


def found(report: LinkReport) -> list[tuple[str, str, str]]:
    return [(finding.kind, finding.path, finding.target) for finding in report.findings]


def only(report: LinkReport) -> Finding:
    [finding] = report.findings
    return finding


# -- the same links as by the index


@pytest.mark.parametrize("corpus", CORPORA)
def test_links_are_followed_as_the_index_follows_them(
    corpus: str, corpus_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / corpus
    shutil.copytree(corpus_folder(corpus), folder)
    report = headnote.check_links(folder)
    with headnote.Index.open(folder, embedder="none") as index:
        index.update()
        broken = [link for link in index.broken_links() if not is_of_others(link.path)]
        by_index = [(link.path, link.line, link.written) for link in broken]
    links = [finding for finding in report.findings if finding.kind in ("page", "anchor", "file")]
    markdown = [one for one in links if not _stands_in_a_tag(folder / one.path, one)]
    assert sorted((one.path, one.at.line, one.target) for one in markdown) == sorted(by_index)
    assert report.documents > 0 or corpus == "own"


def _stands_in_a_tag(file: Path, finding: Finding) -> bool:
    """The index has no links of HTML."""
    line = file.read_text(encoding="utf-8").split("\n")[finding.at.line - 1]
    return line[finding.at.column - 1] == "<"


def test_nothing_is_written(write: Write) -> None:
    folder = write({"a.md": "[x](gone.md)"})
    headnote.check_links(folder)
    assert [file.name for file in folder.rglob("*")] == ["a.md"]


@pytest.mark.usefixtures("processes")
def test_one_process_finds_what_many_find(write: Write) -> None:
    folder = write({f"{number}.md": f"[x]({number + 1}.md) [y](gone-{number}.md)\n" for number in range(60)})
    assert headnote.check_links(folder, workers=1) == headnote.check_links(folder, workers=2)


# -- places


@given(
    st.lists(
        st.sampled_from(["word", "\n", "\r\n", "\r", "[a](x.md)", "![p](é.png)", "\n\n", "𝄞 ", "> ", "- "]), max_size=30
    )
)
def test_a_place_is_where_the_link_stands(parts: list[str]) -> None:
    text = "".join(parts)
    snapshot = FileSnapshot(path="a.md", size=0, mtime_ns=0, hash="", text=text, warning="")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for link in linked_document(snapshot).links:
        at = link.at
        assert lines[at.line - 1][at.column - 1] in "[!"
        assert lines[at.end_line - 1][at.end_column - 2] == ")"


def test_a_link_over_two_lines(write: Write) -> None:
    folder = write({"a.md": "# A\n\nSee [the\nguide](gone.md).\n"})
    assert only(headnote.check_links(folder)).at == (3, 5, 4, 16)


# -- kinds


def test_each_kind(write: Write) -> None:
    folder = write(
        {
            "a.md": """\
                # A {#top-id}

                [page](gone.md) [anchor](b.md#no) ![picture](no.png) [file](no.pdf) [[No note]] ![[no.gif]]

                ## B {#top-id}

                [web](https://example.com/never-opened)
                """,
            "b.md": "# B\n",
        }
    )
    report = headnote.check_links(folder)
    assert found(report) == [
        ("page", "a.md", "gone.md"),
        ("anchor", "a.md", "b.md#no"),
        ("file", "a.md", "no.png"),
        ("file", "a.md", "no.pdf"),
        ("page", "a.md", "No note"),
        ("file", "a.md", "no.gif"),
        ("duplicate-anchor", "a.md", "#top-id"),
    ]
    assert (report.documents, report.links, report.external) == (2, 6, 1)
    assert found(headnote.check_links(folder, only=["anchor"])) == [("anchor", "a.md", "b.md#no")]
    with pytest.raises(headnote.SettingsError, match="unknown kind 'anchors'"):
        headnote.check_links(folder, only=["anchors"])


@pytest.mark.parametrize(
    "text",
    [
        "# Setup\n\n# Setup\n",  # sites number them
        "# A {#x}\n\n`# B {#x}`\n",
        "# A {#x}\n\n```\n# B {#x}\n```\n",
        '<a id="x" name="x"></a>\n',
        '<Tab id="npm">\n\ntext\n\n</Tab>\n<Tab id="npm">\n\ntext\n\n</Tab>\n',
        '# A {#x}\n\n<VersionBlock lastVersion="1">\n\n# B {#x}\n\n</VersionBlock>\n',
        '<!-- <a id="x"></a> -->\n\n<a id="x"></a>\n',
        '{{< youtube id="9H" >}}\n\n{{< youtube id="9H" >}}\n',
    ],
)
def test_what_is_no_duplicate(text: str, write: Write) -> None:
    assert headnote.check_links(write({"a.md": text, "b.mdx": text})).findings == []


@pytest.mark.parametrize("text", ["# A {#x}\n\n# B {#x}\n", '<a id="x"></a>\n\ntext <a name="x">there</a>\n'])
def test_an_id_given_twice(text: str, write: Write) -> None:
    finding = only(headnote.check_links(write({"a.md": text})))
    assert (finding.kind, finding.target, finding.at.line) == ("duplicate-anchor", "#x", 3)


def test_two_documents_with_one_address(write: Write) -> None:
    pages = {"docs/a.md": "---\nslug: /start\n---\n", "docs/b.md": "---\nslug: /start\n---\n", "docs/_c.md": "# C\n"}
    finding = only(headnote.check_links(write({"docusaurus.config.js": "module.exports = {}", **pages})))
    assert (finding.kind, finding.path, finding.target) == ("duplicate-address", "docs/b.md", "/docs/start")
    assert "docs/a.md" in finding.message


@pytest.mark.parametrize(
    "files",
    [
        {"a.md": "", "a/index.md": "", "README.md": "", "index.md": ""},  # a plain folder has no addresses
        {  # the date is a part of the address
            "hugo.toml": 'baseURL = "/"',
            "content/blog/x.md": "---\ndate: 2024-01-01\nslug: notes\n---\n",
            "content/blog/y.md": "---\ndate: 2024-02-01\nslug: notes\n---\n",
        },
    ],
)
def test_no_two_addresses(files: dict[str, str], write: Write) -> None:
    assert headnote.check_links(write(files)).findings == []


# -- what is no broken link


def test_a_file_of_the_same_repository_above_the_folder(write: Write) -> None:
    folder = write({"a.md": "[x](../LICENSE) [y](../../outside.md) [z](../none.md)\n"})
    (folder.parent / "LICENSE").write_text("free")
    (folder.parent.parent / "outside.md").write_text("secret")
    report = headnote.check_links(folder)
    assert (report.findings, report.unjudged) == ([], 3), "without a repository, nobody knows what is there"
    subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
    assert [target for _, _, target in found(headnote.check_links(folder))] == ["../../outside.md", "../none.md"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("static/_redirects", "/old/* /new/:splat 301\n# /kept /x\n/* /404 404\n"),
        ("netlify.toml", '[[redirects]]\nfrom = "/old/*"\nto = "/new"\n'),
        ("vercel.json", '{"redirects": [{"source": "/old/:path*", "destination": "/new"}]}'),
    ],
)
def test_a_redirect_of_the_host(name: str, text: str, write: Write) -> None:
    folder = write({name: text, "a.md": "[x](/old/page) [y](/old/) [z](/kept) [w](/older)\n"})
    assert [target for _, _, target in found(headnote.check_links(folder))] == ["/kept", "/older"]


def test_an_id_that_a_component_takes(write: Write) -> None:
    folder = write({"a.mdx": '<Recipes titleId="all-recipes">\n\ntext\n\n</Recipes>\n\n[x](#all-recipes)\n'})
    assert headnote.check_links(folder).findings == []


def test_a_folder_that_is_one_language_of_a_site(write: Write) -> None:
    """Links with its name lead into it. Those without lead to pages in the first language, which lie elsewhere."""
    folder = write(
        {
            "docs/a.md": "[b](/ja/docs/b/#章) [c](/ja/docs/c/) [only there](/docs/only/) ![p](/images/p.png)\n",
            "docs/b.md": "# B\n\n## 章\n\n[a](/ja/docs/a/) [there](/docs/a/#usage) [d](/docs/d/) [e](/docs/e/)\n",
        }
    )
    assert found(headnote.check_links(folder)) == [("page", "docs/a.md", "/ja/docs/c/")]


@pytest.mark.parametrize(
    "links",
    [
        "[a](/docs/a/) [a](/docs/b/) [x](/v1/docs/a/)",  # no language
        "[a](/docs/a/) [x](/fr/docs/gone/) [y](/fr/docs/lost/)",  # nothing of it is here
    ],
)
def test_a_name_that_few_links_begin_with_is_no_language_of_a_site(links: str, write: Write) -> None:
    folder = write({".git/HEAD": "", "docs/a.md": links, "docs/b.md": "[x](/docs/none/)"})
    report = headnote.check_links(folder)
    assert len(report.findings) == links.count("[x]") + links.count("[y]") + 1


def test_a_page_beside_the_site_is_not_judged(write: Write) -> None:
    """A book is often served beside others: `../std/` is another one of the same host."""
    folder = write(
        {
            "book.toml": "[book]\n",
            "src/SUMMARY.md": "[a](a.md) [b](deep/b.md)\n",
            "src/a.md": "[std](../std/vec.html#new) [here](std/vec.html) [file](../std/vec.md)\n",
            "src/deep/b.md": "[std](../../std/index.html) [here](../std/index.html)\n",
        }
    )
    targets = [finding.target for finding in headnote.check_links(folder).findings]
    assert targets == ["std/vec.html", "../std/vec.md", "../std/index.html"]
    (folder / "book.toml").unlink()
    assert [finding.target for finding in headnote.check_links(folder).findings] == targets, "told by the layout"


# -- HTML


def test_links_and_pictures_in_html(write: Write) -> None:
    folder = write(
        {
            "a.md": """\
                # A

                <img alt="no" src="no.png"> and <a class='x' href='gone.md'>gone</a> and <a href="b.md#no">b</a>

                <p><img
                  src="img/there.png"> <a href="https://example.com">web</a> <a href="b.md#b">b</a></p>

                1. In a list: <img src="lost.png?raw=1&amp;x=2">

                | <a href="away.md">table</a> |
                |---|
                """,
            "b.md": "# B\n",
            "img/there.png": "",
        }
    )
    report = headnote.check_links(folder)
    assert found(report) == [
        ("file", "a.md", "no.png"),
        ("page", "a.md", "gone.md"),
        ("anchor", "a.md", "b.md#no"),
        ("file", "a.md", "lost.png?raw=1&x=2"),
        ("page", "a.md", "away.md"),
    ]
    assert report.findings[0].at == (3, 1, 3, 28)
    assert report.external == 1


@pytest.mark.parametrize(
    "text",
    [
        "`<img src='no.png'>`",
        "```html\n<img src='no.png'>\n```",
        "    <img src='no.png'>",
        "- in a list:\n\n  ```html\n  <img src='no.png'>\n  ```\n\n  text",
        "> ~~~\n> <a href='no.md'>x</a>\n> ~~~",
        "<!-- <img src='no.png'> -->",
        "text <!-- <a href='no.md'>x</a> --> text",
        "<img :src='no.png'> <img data-src='no.png'> <img src={no}>",
        "<Image src='no.png' />",
        "<img src='{{ url }}'> <a href='{{ page }}'>x</a>",
        "<a href='#'>x</a> <a href=''>x</a> <a name='x'></a>",
        "<!-- ALL-CONTRIBUTORS-LIST:START -->\n<a href='#code-ana'>x</a>\n\n<!-- ALL-CONTRIBUTORS-LIST:END -->",
        "<a href='javascript:go()'>x</a> <img src='data:image/png;base64,AAAA'> <img src='//cdn.example/x.png'>",
    ],
)
def test_html_that_is_no_link_to_a_file(text: str, write: Write) -> None:
    assert found(headnote.check_links(write({"a.md": f"# A\n\n{text}\n"}))) == []


# -- suggestions


@pytest.mark.parametrize(
    ("link", "suggestion"),
    [
        ("[x](guide/calibrate.md#two-point)", "guide/calibrate.md#two-points"),
        ("[x](guide/calibrate.md#two)", "guide/calibrate.md#two-points"),
        ("[x](calibrate.md)", "guide/calibrate.md"),
        ("[x](calibrate.md#two-point)", "guide/calibrate.md#two-points"),
        ("[x](calibrate.md#unlike)", "guide/calibrate.md"),
        ("[x](guide/calibration.md)", "guide/calibrate.md"),
        ("[[Calibrat]]", "calibrate"),
        ("![x](gauge.png)", "img/gauge.png"),
        ("![x](img/gauges.png)", "img/gauge.png"),
        ("[x](unlike-anything.md)", ""),
        ("[x](a%20page.md)", ""),
        ("[x](other/with%20blank.md)", "with%20blank.md"),
    ],
)
def test_the_nearest_target(link: str, suggestion: str, write: Write) -> None:
    folder = write(
        {
            "index.md": link,
            "guide/calibrate.md": "# Calibrate\n\n## Two points\n",
            "img/gauge.png": "",
            "with blank.md": "# B\n",
        }
    )
    assert only(headnote.check_links(folder)).suggestion == suggestion


# -- several folders

HOME = """\
[roots.payments]
path = "../payments/docs"
exclude = ["archive/**"]

[roots.notes]
path = "../notes"
mdx = true
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of two folders. Three links lead from one to the other, and four lead nowhere."""
    files = {
        "kb/headnote.toml": HOME,
        "payments/docs/refund.md": "[[Ideas]] [a](../../notes/Ideas.md#second) [b](../../notes/Ideas.md#secnd)\n",
        "payments/docs/archive/2019.md": "[x](never-read.md)\n",
        "payments/docs/guide/limits.md": "![p](/notes/pic.png) [a](/refund.md) [b](../gone.md) [c](/gone)\n",
        "notes/Ideas.md": "# Ideas\n\n## Second\n\n[a](limits.md)\n\n{/* [x](in-a-comment.md) */}\n",
        "notes/pic.png": "picture",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    trust_folder(tmp_path / "kb")
    return tmp_path / "kb"


def test_the_folders_of_a_home_are_one_tree(home: Path) -> None:
    report = headnote.check_links(home)
    assert found(report) == [
        ("page", "notes/Ideas.md", "limits.md"),
        ("page", "payments/guide/limits.md", "../gone.md"),
        ("page", "payments/guide/limits.md", "/gone"),
        ("anchor", "payments/refund.md", "../../notes/Ideas.md#secnd"),
    ]
    assert (report.documents, report.links, report.unread) == (3, 8, [])
    assert headnote.check_links(home, workers=2) == report
    assert sorted(file.name for file in home.iterdir()) == ["headnote.toml"], "nothing is written"


def test_links_of_several_folders_are_followed_as_the_index_follows_them(home: Path) -> None:
    report = headnote.check_links(home)
    with headnote.Index.open(home, embedder="none") as index:
        index.update()
        by_index = [(link.path, link.line, link.written) for link in index.broken_links()]
    assert [(one.path, one.at.line, one.target) for one in report.findings] == by_index


def test_the_nearest_target_may_be_in_another_folder(home: Path) -> None:
    suggestions = {finding.target: finding.suggestion for finding in headnote.check_links(home).findings}
    assert suggestions == {
        "limits.md": "../payments/docs/guide/limits.md",
        "../gone.md": "",
        "/gone": "",
        "../../notes/Ideas.md#secnd": "../../notes/Ideas.md#second",
    }


@pytest.mark.parametrize(
    ("link", "suggestion"),
    [
        ("[x](/limit)", "/payments/guide/limits.md"),
        ("[[limit]]", "limits"),
        ("![x](pics.png)", "pic.png"),
        ("[x](idea.md)", "Ideas.md"),
        ("[x](idea.md#secon)", "Ideas.md#second"),
    ],
)
def test_a_suggestion_is_written_as_the_link(link: str, suggestion: str, home: Path) -> None:
    (home.parent / "notes" / "other.md").write_text(link, encoding="utf-8")
    [finding] = [one for one in headnote.check_links(home).findings if one.path == "notes/other.md"]
    assert finding.suggestion == suggestion


def test_addresses_are_compared_inside_each_folder(home: Path) -> None:
    for folder in ("payments/docs", "notes"):
        top = home.parent / folder
        (top / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
        (top / "docs").mkdir()
        (top / "docs" / "index.md").write_text("# Start\n", encoding="utf-8")
    (home.parent / "notes/docs/README.md").write_text("# Start\n", encoding="utf-8")
    [finding] = headnote.check_links(home, only=["duplicate-address"]).findings
    assert (finding.path, finding.message) == (
        "notes/docs/index.md",
        "notes/docs/README.md has the same address, /",
    )


def test_a_folder_that_is_away_is_not_checked_and_says_so(home: Path) -> None:
    shutil.rmtree(home.parent / "notes")
    report = headnote.check_links(home)
    assert [file.path for file in report.unread] == ["notes"]
    assert report.documents == 2


def test_the_ignore_list_of_a_home_names_documents_as_findings_do(home: Path) -> None:
    with (home / "headnote.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[links.ignore]]\npath = "payments/**"\nreason = "they are moving"\n')
    trust_folder(home)
    report = headnote.check_links(home)
    assert (found(report), len(report.ignored)) == ([("page", "notes/Ideas.md", "limits.md")], 3)


# -- the ignore list

LISTED = """\
[[links.ignore]]
target = "gone*"
reason = "comes with the next release"

[[links.ignore]]
path = "old/**"
kind = "anchor"
reason = "nobody reads it"
"""


def test_entries_take_findings_out_and_those_that_match_nothing_are_reported(write: Write) -> None:
    folder = write({"headnote.toml": LISTED, "a.md": "[x](gone.md) [y](lost.md)\n"})
    report = headnote.check_links(folder)
    assert [finding.kind for finding in report.findings] == ["page", "unused-ignore"]
    [ignored] = report.ignored
    assert (ignored.finding.target, ignored.reason) == ("gone.md", "comes with the next release")
    unused = report.findings[1]
    assert Path(unused.path).name == "headnote.toml"
    assert unused.at.line == 5
    assert 'path "old/**" kind "anchor"' in unused.message
    # One that matches only what is not asked for is used all the same.
    assert [one.kind for one in headnote.check_links(folder, only=["page"]).findings] == ["page"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[links.ignore]]\ntarget = "x"\n', "headnote.toml:1: an entry of the ignore list needs a reason"),
        ('[[links.ignore]]\ntarget = "x"\nreason = " "\n', "headnote.toml:1: reason needs a text"),
        ('[[links.ignore]]\nreason = "x"\n', "would ignore everything"),
        (
            '[[links.ignore]]\nreason = "x"\npaths = "x"\n',
            r"unknown key paths in \[\[links.ignore\]\] \(did you mean path",
        ),
        (
            '[[links.ignore]]\nreason = "x"\npath = "x"\nkind = "anchors"\n',
            r"unknown kind 'anchors' \(did you mean anchor",
        ),
        ("[links]\nignores = []\n", r"headnote.toml:2: unknown setting ignores \(did you mean ignore"),
        ('[links]\nignore = "x"\n', "headnote.toml:2: ignore is a list of tables"),
        ('[links]\nignore = ["x"]\n', "is not an entry of the ignore list"),
        ("links = 1\n", "links is a table"),
    ],
)
def test_an_entry_that_is_not_complete(text: str, message: str, write: Write) -> None:
    folder = write({"headnote.toml": text, "a.md": "# A\n"})
    with pytest.raises(headnote.SettingsError, match=message):
        headnote.check_links(folder)


def test_the_list_in_the_file_of_the_project(write: Write) -> None:
    text = '[[tool.headnote.links.ignore]]\ntarget = "gone.md"\nreason = "soon"\n'
    folder = write({"pyproject.toml": text, "a.md": "[x](gone.md)\n"})
    report = headnote.check_links(folder)
    assert (report.findings, len(report.ignored)) == ([], 1)


def test_other_commands_accept_the_list(write: Write) -> None:
    folder = write({"headnote.toml": LISTED, "a.md": "# A\n"})
    with headnote.Index.open(folder, embedder="none") as index:
        index.update()
        assert index.documents() == ["a.md"]


def test_comments(write: Write) -> None:
    folder = write(
        {
            "a.md": """\
                [x](gone.md) <!-- headnote-ignore-link: made by the build -->

                <!-- headnote-ignore-link: the next line -->
                [y](lost.md)

                [z](away.md) <!-- headnote-ignore-link -->

                <!-- headnote-ignore-link: nothing here -->
                text
                """,
            "code.md": "`<!-- headnote-ignore-link: x -->`\n\n```\n<!-- headnote-ignore-link: y -->\n```\n",
            "b.mdx": "[x](gone.md) {/* headnote-ignore-link: made by the build */}\n",
        }
    )
    report = headnote.check_links(folder)
    assert {one.reason for one in report.ignored} == {"made by the build", "the next line"}
    assert [(one.kind, one.at.line) for one in report.findings] == [
        ("page", 6),
        ("unused-ignore", 6),
        ("unused-ignore", 8),
    ]


def test_targets_that_are_ignored_for_once(write: Write) -> None:
    folder = write({"a.md": "[x](gone.md#a) [y](away/lost.md) [z](/gone.md)\n"})
    report = headnote.check_links(folder, ignore=["gone.md*", "away/*", "nothing/*"])
    assert [one.target for one in report.findings] == ["/gone.md"]


@given(st.text("ab*?/.", max_size=12), st.text("ab/.", max_size=12))
def test_a_glob_of_targets(glob: str, target: str) -> None:
    """`*` is any text, `?` any character: as a plain search with the same meaning finds."""

    def fits(pattern: str, text: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "*":
            return fits(pattern[1:], text) or (bool(text) and fits(pattern, text[1:]))
        return bool(text) and pattern[0] in ("?", text[0]) and fits(pattern[1:], text[1:])

    assert (target_regex(glob).fullmatch(target) is not None) == fits(glob, target)


# -- files that cannot be read


def test_files_that_are_no_text_are_passed_over(write: Write) -> None:
    folder = write({"a.md": "[x](data.txt)\n"})
    (folder / "data.txt").write_bytes(b"\0\1\2" * 100)
    report = headnote.check_links(folder)
    assert (report.findings, report.unread, [one.path for one in report.skipped]) == ([], [], ["data.txt"])


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may read everything")
def test_files_that_must_not_be_read(write: Write) -> None:
    folder = write({"a.md": "# A\n", "b.md": "# B\n"})
    (folder / "b.md").chmod(0)
    assert [one.path for one in headnote.check_links(folder).unread] == ["b.md"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(headnote.MissingSource):
        headnote.check_links(tmp_path / "none")
    (tmp_path / "a.md").write_text("# A")
    with pytest.raises(headnote.NotAFile):
        headnote.check_links(tmp_path / "a.md")


# -- many broken links


def in_a_large_folder(kind: str, number: int) -> dict[str, str]:
    """A document of many, with a broken link of this kind, and what lies beside it."""
    name = f"web/area{number % 7}/item{number}"
    links = {
        "address": f"[x](/en-US/docs/Gone/item{number})",
        "page": f"[x](../item{number}q/index.md)",
        "anchor": f"[x](../../../all.md#part-{number}-x)",
        "picture": f"![x](/shared/picture{number}.png)",
        "same picture": "![x](../none/screen.png)",
        "same name": f"[[gone{number}/read]]",
        "note": "[[read]] [[Read]]",
    }
    text = f"---\nslug: /web/item{number}\n---\n# Item {number}\n\n{links[kind]}\n"
    return {f"{name}/index.md": text, f"{name}/read.md": "", f"{name}/screen.png": "", f"shared/figure{number}.png": ""}


@pytest.mark.parametrize("kind", ["address", "page", "anchor", "picture", "same picture", "same name", "note"])
def test_checking_grows_with_the_folder(kind: str, tmp_path: Path) -> None:
    def check(count: int) -> Callable[[], object]:
        folder = tmp_path / str(count)
        files = {"all.md": "".join(f"## Part {number}\n\n" for number in range(count)), "mkdocs.yml": "docs_dir: .\n"}
        for number in range(count):
            files |= in_a_large_folder(kind, number)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return lambda: headnote.check_links(folder, workers=1)

    check(3)()  # what is loaded once
    assert counted_steps(check(240)) < 2.5 * counted_steps(check(120))


def test_the_documents_of_a_root_are_looked_at_twice(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Counted(RootContents):
        def __init__(self, contents: Contents, root: Root) -> None:
            made.append(root.name)
            super().__init__(contents, root)

    monkeypatch.setattr(findings, "RootContents", Counted)
    files = {f"{number}/item{number}.md": f"[x](/gone/item{number + 1})" for number in range(20)}
    folder = write({".git/HEAD": "", **files})
    assert sum(bool(finding.suggestion) for finding in headnote.check_links(folder, workers=1).findings) == 20
    assert made == ["", ""], "for what links may have meant, and for addresses that documents share"


def test_a_long_check_says_how_far_it_is(write: Write) -> None:
    folder = write({f"{number}.md": "[x](gone.md) [y](0.md)" for number in range(3)})
    told: list[Progress] = []
    headnote.check_links(folder, workers=1, on_progress=told.append)
    assert [(one.stage, one.done, one.total) for one in told] == [
        *(("read", number, 3) for number in range(3)),
        *(("check", number, 6) for number in range(6)),
    ]


def test_a_list_of_all_that_is_known_is_looked_up() -> None:
    def sifting(count: int) -> Callable[[], object]:
        position = Position(1, 1, 1, 1)
        findings = [Finding("page", "a.md", position, f"{number}.md", "") for number in range(count)]
        entries = [IgnoreEntry("known", target=f"{number}.md", place="x", line=number) for number in range(count)]
        sifted = sift(findings, entries, {})
        assert (sifted.findings, len(sifted.ignored)) == ([], count)
        return lambda: sift(findings, entries, {})

    assert counted_steps(sifting(400)) < 2.5 * counted_steps(sifting(200))


# -- addresses of which a folder is only a part


def test_several_parts_in_front_of_all_addresses_are_learnt(write: Write) -> None:
    pages = {
        f"web/api/p{number}.md": f"# P\n\n[Next](/en-US/docs/Web/API/P{(number + 1) % 4})\n" for number in range(4)
    }
    more = "[Blog](/en-US/blog/new), [German](/de/docs/Web/API/P1), [edition](/docs@latest/web/api/p2)\n\n"
    more += "[Gone](/en-US/docs/Web/API/Gone)\n"
    report = headnote.check_links(write(pages | {"index.md": more}))
    assert found(report) == [("page", "index.md", "/en-US/docs/Web/API/Gone")]


FRAMEWORK = {
    "01-app/index.mdx": (
        "# App\n\n[Pages](/docs/pages) [error](/docs/messages/no-cache) [course](/learn/basics) ![logo](/logo.png)\n"
    ),
    "01-app/01-start/02-install.mdx": (
        "# Install\n\n[config](/docs/app/reference/config#typed-routes) [beside](./update) [x](/docs/app/start/gone)\n"
    ),
    "01-app/01-start/03-update.mdx": "# Update\n\n[up](/docs/app/start/install) [x](/01-app/02-reference/config)\n",
    "01-app/02-reference/config.mdx": (
        "# Config\n\n<Table\n  content={[\n    { name: 'typedRoutes', type: 'boolean' },\n  ]}\n/>\n\n"
        "[install](/docs/app/start/install#nothing) [own](#typed) [gone](/01-app/gone)\n"
    ),
    "02-pages/01-start/install.mdx": (
        "---\ntitle: Install\n---\n\n{/* DO NOT EDIT. This doc is generated from the source above. */}\n"
    ),
    "02-pages/01-start/more.mdx": "# More\n\n[x](/docs/pages/start/install#shown) [y](/docs/pages/start/install)\n",
}


def test_a_folder_of_pages_with_numbers_that_is_a_part_of_a_site(write: Write) -> None:
    report = headnote.check_links(write(FRAMEWORK))
    assert found(report) == [
        ("page", "01-app/01-start/02-install.mdx", "/docs/app/start/gone"),
        ("anchor", "01-app/02-reference/config.mdx", "/docs/app/start/install#nothing"),
        ("anchor", "01-app/02-reference/config.mdx", "#typed"),
        ("page", "01-app/02-reference/config.mdx", "/01-app/gone"),
    ]
    assert report.unjudged == 5, "two other parts, a list of pages, a picture of the site, a page that is generated"


def test_a_part_may_have_the_name_of_a_folder_in_it(write: Write) -> None:
    pages = {f"docs/api/{name}.md": "# P\n\n[a](/docs/docs/api/a.md) [b](/docs/docs/api/b.md)\n" for name in "ab"}
    more = {"docs/index.md": "[a](/docs/api/a) [gone](/docs/docs/api/c.md)\n"}
    assert [finding.target for finding in headnote.check_links(write(pages | more)).findings] == ["/docs/docs/api/c.md"]


def test_numbered_pages_of_one_name_have_no_address_in_common(write: Write) -> None:
    assert headnote.check_links(write({"01-a.md": "[b](02-a.md)", "02-a.md": "[a](/a)"})).findings == []


def test_the_folder_that_is_the_top_of_the_site_is_learnt(write: Write) -> None:
    folder = "package/site/text"
    files = {f"{folder}/commands/c{n}.md": f"# C\n\n[next](/commands/c{(n + 1) % 4})\n" for n in range(4)}
    files[f"{folder}/design/colour/colour.md"] = "# Colour\n\n[c](/commands/c1) [gone](/commands/c9)\n"
    files["package/readme.md"] = (
        "[colour](/design/colour/) [folder](/design) [literal](/package/site/text/commands/c1)\n"
    )
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == ["/commands/c9"]


def test_pages_that_git_ignores_are_made_by_a_program(write: Write) -> None:
    files = {
        ".gitignore": "/docs/reference/cli.md\nmade/\n",
        "docs/a.md": "[cli](reference/cli.md#run) [made](../made/x) [gone](reference/gone.md) [top](/docs/made/y)\n",
    }
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == ["reference/gone.md"]
    assert report.unjudged == 3


def test_pictures_of_a_folder_that_is_not_here_are_not_judged(write: Write) -> None:
    files = {
        "docs/a.md": "![there](/img/x.png) ![beside](y.png) ![here](/pictures/gone.png) ![page](/gone/z)\n",
        "docs/pictures/a.png": "",
    }
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == ["y.png", "/pictures/gone.png", "/gone/z"]
    assert report.unjudged == 1


def test_two_links_that_happen_to_lead_to_a_folder_teach_nothing(write: Write) -> None:
    files = {".git/HEAD": "", "old/guide/a.md": "# A\n", "b.md": "[a](/guide/a) [a](/guide/a)\n"}
    assert len(headnote.check_links(write(files)).findings) == 2


def test_a_prefix_that_explains_nothing_is_not_taken(write: Write) -> None:
    pages = {f"p{number}.md": "# P\n\n[Gone](/en-US/docs/Web/Gone), [there](/p1)\n" for number in range(3)}
    assert {finding.target for finding in headnote.check_links(write(pages)).findings} == {"/en-US/docs/Web/Gone"}


def test_pages_that_programs_write_are_counted_and_not_judged(write: Write) -> None:
    files = {
        "a.md": "<!--\nThe file is auto-generated from the source.\n-->\n# A\n\n[Gone](gone.md)\n",
        "b.md": "---\nauto_generated: true\n---\n# B\n\n[Gone](gone.md)\n",
        "c.md": "# C\n\nJoins are auto-generated by the planner. [Gone](gone.md)\n",
    }
    report = headnote.check_links(write(files))
    assert [finding.path for finding in report.findings] == ["c.md"]
    assert report.unjudged == 2


def test_phrases_of_a_site_are_headings(write: Write) -> None:
    """In the language of the page; in English they are known."""
    heading = '# A\n\n## {{% heading "prerequisites" %}}\n\n'
    folder = write({"a.md": f"{heading}[x](#before-you-begin) [y](#始める前に) [z](#what-you-need)\n"})
    assert [finding.target for finding in headnote.check_links(folder).findings] == ["#what-you-need"]


# -- two forms of large sites


CODE_HOST = {
    "content/index.md": "[a](/actions/learn) [b](/enterprise-cloud@latest/actions/learn#github-cli)\n",
    "content/actions/index.md": "---\ntitle: Actions\nchildren:\n  - /learn\n---\n",
    "content/actions/learn.md": (
        "---\ntitle: Learn\nredirect_from:\n  - /actions/old\n  - /articles/learn-it\nversions:\n  fpt: '*'\n---\n"
        "## About {% data variables.product.prodname_actions %} for teams\n\n"
        "## {% data variables.product.prodname_cli %}\n\n"
        "See [AUTOTITLE](/articles/learn-it), [AUTOTITLE](/actions/old#github-cli),\n"
        "[one](#about-github-actions-for-teams), [two](#github-cli),\n"
        "[AUTOTITLE](/{% ifversion ghec %}x{% endif %}/y),\n"
        "[three]({% link _pages/x.md %}), [home](/), [part](/actions).\n"
    ),
    "content/actions/plain.md": (
        "## Steps for {% data variables.product.github %}\n\n"
        "## {% ifversion fpt %}Use it{% else %}Try it{% endif %}\n\n"
        "[s](#steps-for-github) [u](#use-it) [t](#try-it) [gone](#nowhere) [gone](/actions/none)\n"
    ),
    "content/actions/shown.md": "# Shown\n\n{% data reusables.actions.setup %}\n\n[part](#of-the-reusable)\n",
    "content/rest/repos.md": "---\ntitle: Repos\nautogenerated: rest\n---\n",
    "content/rest/use.md": "[get](/rest/repos#get-a-repository) [gone](/rest/nothing)\n",
}


def test_the_documentation_of_a_code_host(write: Write) -> None:
    report = headnote.check_links(write(CODE_HOST))
    assert found(report) == [
        ("anchor", "content/actions/plain.md", "#nowhere"),
        ("page", "content/actions/plain.md", "/actions/none"),
        ("page", "content/rest/use.md", "/rest/nothing"),
    ]
    assert report.unjudged >= 8


ENCYCLOPEDIA = {
    "files/en-us/web/api/fetch_api/index.md": (
        '---\ntitle: Fetch API\nslug: Web/API/Fetch_API\n---\n{{DefaultAPISidebar("Fetch API")}}\n\n'
        '## Concepts and usage\n\n## Using {{domxref("Window/fetch", "fetch()")}} in pages\n\n'
        'See {{domxref("Request")}}, [using](/en-US/docs/Web/API/Fetch_API/Using_Fetch#supplying_a_body),\n'
        "[here](#concepts_and_usage), [that](#using_fetch_in_pages), [gone](#nothing_of_it).\n"
    ),
    "files/en-us/web/api/fetch_api/using_fetch/index.md": (
        "---\ntitle: Using\nslug: Web/API/Fetch_API/Using_Fetch\n---\n## Supplying a body\n\n"
        "[up](/en-US/docs/Web/API/Fetch_API#browser_compatibility) [up](/en-US/docs/Web/API/Fetch_API)\n"
        "[gone](/en-US/docs/Web/API/Gone) [fr](/fr/docs/Web/API/Fetch_API)\n"
        "[here](/en-US/docs/Web/API/Fetch_API/Using_Fetch)\n"
    ),
    "files/en-us/web/api/request/index.md": (
        "---\ntitle: Request\nslug: Web/API/Request\n---\n## Browser compatibility\n\n{{Compat}}\n\n"
        '## {{jsxref("Array")}}\n\n'
        "[a](/en-US/docs/Web/API/Fetch_API) [b](/en-US/docs/Web/API/Request#browser_compatibility) [c](#array)\n"
    ),
}


def test_an_encyclopedia_of_the_web(write: Write) -> None:
    report = headnote.check_links(write(ENCYCLOPEDIA))
    assert found(report) == [
        ("anchor", "files/en-us/web/api/fetch_api/index.md", "#nothing_of_it"),
        (
            "anchor",
            "files/en-us/web/api/fetch_api/using_fetch/index.md",
            "/en-US/docs/Web/API/Fetch_API#browser_compatibility",
        ),
        ("page", "files/en-us/web/api/fetch_api/using_fetch/index.md", "/en-US/docs/Web/API/Gone"),
    ]


@pytest.mark.parametrize(
    ("files", "broken", "unjudged"),
    [
        ({"docs/api.md": "# API\n\n::: tool.cli\n    options: 1\n\n[x](#tool.cli.run)", "mkdocs.yml": ""}, [], 1),
        ({"a.md": "::: note\nx\n:::\n\n[x](#tool.run)"}, ["#tool.run"], 0),
        ({"a.md": '=== "Intel/AMD x86"\n\n    x\n\n[x](#intelamd-x86) [y](#intel)'}, ["#intel"], 0),
        ({"a.mdx": "<AllGuides />\n\n[x](#all-guides) [y](#guides)"}, ["#guides"], 0),
        ({"a.mdx": "[x](?path=/docs/box#part) [y](#part)"}, ["#part"], 1),
        ({"a.md": '<a name="in"></a>\n\n[x](#user-content-in) [y](#user-content-on)'}, ["#user-content-on"], 0),
        ({"a.md": '--8<-- "b.inc.md:start"\n\n[x](#part)', "b.inc.md": "## Part\n\n[y](#of-the-page)"}, [], 1),
        ({"notes.txt": "[[nodiscard]] int f();", "a.md": "[[nodiscard]]"}, ["nodiscard"], 1),
        ({"api.mdx": "is_one_of(list[[1, A()]])", "a.md": "[x](…) [y](...) [z](..x)"}, ["..x"], 3),
        ({"a.md": "[text](url) ![alt](URL) [[path]] [x](url/y)"}, ["path", "url/y"], 2),
        (
            {"vendor/x/README.md": "[x](doc.md)", "tests/a/b.md": "[x](c.md)", "tests/README.md": "[x](d.md)"},
            ["d.md"],
            2,
        ),
        ({"docs/_part.md": "[x](#of-the-page) [y](gone.md#x)"}, ["gone.md#x"], 1),
        ({"a.md": "[x](/) [y](/sub) [z](/none) [p](EN_URL) [q](EN.md)", "sub/b.md": ""}, ["/none", "EN.md"], 2),
        ({"a.md": "[x](/reference/generated/cli/#run) [y](/generated)"}, ["/generated"], 1),
        ({"docs/_index.md": "", "docs/Gate.md": "", "a.md": "[x](docs/#Gate) [y](docs/#None)"}, ["docs/#None"], 0),
        ({"a.mdx": '<Box title="Why this?">\nx\n</Box>\n\n[x](#why-this) [y](#why-that)'}, ["#why-that"], 0),
        ({"a.md": "#### <!-- md:setting blog.folder -->\n\n[x](#blog.folder)\n"}, [], 1),
        (
            {"a.md": '<Snippet path="b/c" />\n\n[x](#part) [y](#gone)', "s/b/_c.md": "## Part\n\n</Snippet>"},
            ["#gone"],
            0,
        ),
        ({"a.md": "## Title <!-- omit -->\n\n[x](#title) [y](#title-more)\n"}, ["#title-more"], 0),
        ({"a.md": "<a id=opt-base></a>\n<a name=old>\n\n[x](#opt-base) [y](#old) [z](#opt)\n"}, ["#opt"], 0),
    ],
)
def test_what_cannot_be_known_is_counted_and_not_judged(
    files: dict[str, str], broken: list[str], unjudged: int, write: Write
) -> None:
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == broken
    assert report.unjudged == unjudged


# -- what is not in the folder


@pytest.mark.parametrize(
    ("files", "broken", "unjudged"),
    [
        pytest.param(
            {"docs/how/a.md": "[1](../api/hooks/one) [2](../api/two) [3](../api/three#x) [4](../how/b) [5](../gone/c)"},
            ["../how/b", "../gone/c"],
            3,
            id="a folder to which several addresses lead",
        ),
        pytest.param(
            {"new/b.md": "", "new/c.md": "", "a.md": "[1](old/b) [2](old/c) [3](old/d) [4](new/x.md) [5](new/y.md)"},
            ["old/b", "old/c", "old/d", "new/x.md", "new/y.md"],
            0,
            id="a folder with another name now",
        ),
        pytest.param(
            {"a.md": "[1](old/b.md) [2](old/c.md) [3](old/d.md) [[b]]", "b.md": ""},
            ["old/b.md", "old/c.md", "old/d.md"],
            0,
            id="files that notes want",
        ),
        pytest.param(
            {"docs/a.md": "![1](a.png) ![2](/img/b.png) [3](c.svg) [4](data.json)", "docs/b.md": "![5](a.png)"},
            [],
            5,
            id="files of kinds that are not here",
        ),
        pytest.param({"a.md": "![1](a.png) ![2](b.png) [3](b.png)"}, ["a.png", "b.png", "b.png"], 0, id="two files"),
        pytest.param(
            {"a.md": "![1](a.png) ![2](b.png) [3](c.png) [4](d.pdf) [5](e.pdf)", "other/x.PNG": ""},
            ["a.png", "b.png", "c.png", "d.pdf", "e.pdf"],
            0,
            id="files of a kind that is here",
        ),
        pytest.param(
            {"a/b.md": "![1](../img/a.png) ![2](../img/b.png) ![3](../img/c.png) ![4](d.png)", "x.png": ""},
            ["d.png"],
            3,
            id="a folder with files",
        ),
        pytest.param(
            {
                "a.md": "[1](api/settings.md) [2](api/settings.md#one) [3](api/other.md#one)",
                "b.md": "[4](api/settings#two)",
                "api/x.md": "",
            },
            ["api/other.md#one"],
            3,
            id="a page to several places of which links lead",
        ),
        pytest.param(
            {"a.md": "[1](api/x.md) [2](api/x.md#one) [3](api/x.md#two)", "new/x.md": ""},
            ["api/x.md", "api/x.md#one", "api/x.md#two"],
            0,
            id="a page that was moved",
        ),
        pytest.param(
            {"README.md": "[1](packages/one/README.md) [2](packages/two/README.md) [3](packages/three/)"},
            [],
            3,
            id="other packages of a repository",
        ),
        pytest.param(
            {
                "README.md": "[1](CONTRIBUTING.md) [2](./LICENSE) [3](NOTES.md)",
                "sub/a.md": "[4](LICENSE) [5](../../x.md)",
            },
            ["NOTES.md", "LICENSE"],
            3,
            id="files at the top of a repository",
        ),
        pytest.param(
            {"docs/rules/a.md": "[1](/linting/configs) [2](/linting/typed) [3](/blog/why) [4](gone.md)"},
            ["gone.md"],
            3,
            id="no address from the top leads here",
        ),
        pytest.param(
            {"docs/rules/a.md": "[1](/linting/configs) [2](/linting/typed) [3](/rules/why)"},
            ["/linting/configs", "/linting/typed", "/rules/why"],
            0,
            id="an address from the top may lead here",
        ),
        pytest.param(
            {"mkdocs.yml": "", "docs/guides/a.md": "[1](/dev/guides/a/) [2](/guide/a/) [3](/guides/b/) [4](/none)"},
            ["/guide/a/", "/guides/b/", "/none"],
            1,
            id="a top that a site has elsewhere",
        ),
        pytest.param({"docs/a.md": "[1](/2023/12/21/post.html)"}, [], 1, id="a post where no posts are"),
        pytest.param(
            {"docs/a.md": "[1](/2023/12/21/post.html)", "posts/2023-12-20-one.md": ""},
            ["/2023/12/21/post.html"],
            0,
            id="a post where others are",
        ),
        pytest.param(
            {
                "mkdocs.yml": "plugins:\n  - search\n  - gen-files:\n      scripts: [make.py]\n",
                "docs/a.md": "[1](cli/run.md) [2](cli/stop.md) [3](cli/list.md) [4](made/x.md) [5](b.md)",
                "docs/cli/README.md": "",
            },
            ["b.md"],
            4,
            id="pages that a plugin makes",
        ),
        pytest.param(
            {"help/a.md": "[1](signIn) [2](signOut) [3](sfList) [4](sfItem) [5](sfText) [6](./b)", "b.md": "[7](c)"},
            ["c", "./b"],
            5,
            id="names that a program replaces",
        ),
        pytest.param(
            {
                "mkdocs.yml": "",
                "docs/a/b.md": "[1](../../examples/one) [2](../../examples/two) [3](../guides)",
                "docs/guides/c.md": "",
                "examples/one/run.py": "",
            },
            ["../../examples/two", "../guides"],
            0,
            id="a folder of the code beside the pages",
        ),
        pytest.param(
            {
                "docs/a.md": "[1](/docs/b/) [2](/docs/tasks/c/) [3](/docs/tasks/c.md) [4](/docs/d/#x) [5](/docs/b/#x)",
                "docs/b.md": "",
                "docs/how/c.md": "",
            },
            ["/docs/tasks/c.md", "/docs/d/#x", "/docs/b/#x"],
            1,
            id="a page that may have moved",
        ),
        pytest.param(
            {
                "docs/a.md": "[1](/docs/b/) [2](/docs/old/b/) [3](/docs/old/c/) [4](/docs/old/) [5](/docs/older/d/)",
                "docs/b.md": "",
            },
            ["/docs/older/d/"],
            3,
            id="a folder whose pages may have moved",
        ),
        pytest.param(
            {
                "_redirects": "/docs/once /docs/b 301\n",
                "docs/a.md": "[1](/docs/b/) [2](/docs/once/) [3](/docs/old/b/) [4](/docs/old/c/) [5](/docs/old/d/)",
                "docs/b.md": "",
            },
            ["/docs/old/b/", "/docs/old/c/", "/docs/old/d/"],
            0,
            id="where the redirects are here",
        ),
        pytest.param(
            {
                "guide/a.md": "[b](/docs/guide/b) [c](/docs/guide/c) [1](/guide/x) [2](/guide/y) [3](/guide/z)",
                "guide/b.md": "[a](/docs/guide/a) [c](/docs/guide/c)",
                "guide/c.md": "[a](/docs/guide/a) [b](/docs/guide/b)",
            },
            ["/guide/x", "/guide/y", "/guide/z"],
            0,
            id="without the address that all of its pages have",
        ),
        pytest.param(
            {
                "docs/guide/a.md": "[b](/guide/b) [c](/guide/c) [1](/guide/b#x) [2](/play) [3](/play/x) [4](/guied/on)",
                "docs/guide/b.md": "[a](/guide/a) [c](/guide/c)",
                "docs/guide/c.md": "[a](/guide/a) [5](/guide/none)",
            },
            ["/guide/b#x", "/guied/on", "/guide/none"],
            2,
            id="what is beside the pages of a site",
        ),
        pytest.param(
            {"a.md": "![1](/x.png) ![2](/x.svg) [3](/llms.txt) [4](/notes.txt)", "y.svg": ""},
            ["/x.svg", "/notes.txt"],
            2,
            id="files at the top",
        ),
    ],
)
def test_a_part_that_is_not_here_is_not_judged(
    files: dict[str, str], broken: list[str], unjudged: int, write: Write
) -> None:
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == broken
    assert report.unjudged == unjudged


def test_what_is_not_translated_is_shown_in_the_first_language(write: Write) -> None:
    files = {f"docs/{name}.md": "# A\n\n## Part\n" for name in ("index", "a/b", "a/c", "only")}
    files |= {
        f"i18n/{language}/pages/{name}.md": "# A\n" for language in ("de", "fr") for name in ("index", "a/b", "a/c")
    }
    files["i18n/de/pages/a/b.md"] = "[own](c.md) [original](../only.md#part) [x](../only.md#none) [y](../none.md)\n"
    files["i18n/README.md"] = "[z](only.md)\n"
    report = headnote.check_links(write(files))
    assert [finding.target for finding in report.findings] == ["only.md", "../only.md#none", "../none.md"]


def test_a_repository_has_all_its_parts(write: Write) -> None:
    links = "[1](../api/one) [2](../api/two) [3](../api/three) [4](../../LICENSE) ![5](a.png) ![6](b.png) ![7](c.png)"
    folder = write({"docs/how/a.md": links + " [8](b.md) [9](b.md#x) [10](b.md#y)"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    assert len(headnote.check_links(folder).findings) == 10
