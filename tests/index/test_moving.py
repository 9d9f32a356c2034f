"""Moving files and folders: every link leads where it led, and nothing but targets changes."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import headnote
from headnote.api.moving import move, rename_heading
from headnote.errors import HeadnoteError, MissingSource, SettingsError, SourceError
from headnote.markdown.document import Document

Files = dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "docs"


def write(folder: Path, files: Files) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def read(folder: Path) -> Files:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


# -- the law


def broken(folder: Path) -> Counter[tuple[str, str]]:
    """The broken links by kind and fragment: a link to a page that moved keeps its anchor, broken or not."""
    findings = headnote.check_links(folder, only=["page", "anchor", "file"], workers=1).findings
    return Counter((finding.kind, finding.target.partition("#")[2]) for finding in findings)


def random_move(folder: Path, number: int, choose: random.Random) -> tuple[Path, Path]:
    below = [path for path in folder.rglob("*") if not any(part[0] == "." for part in path.relative_to(folder).parts)]
    folders = sorted(path for path in below if path.is_dir())
    files = sorted(path for path in below if path.is_file() and path.suffix in (".md", ".mdx", ".png", ".svg"))
    old = choose.choice(folders) if folders and choose.random() < 0.3 else choose.choice(files)
    parent = choose.choice([folder, folder / f"new folder {number}", *folders])
    return old, parent / choose.choice([f"moved-{number}{old.suffix}", f"{number} ({old.stem}){old.suffix}"])


def check_moves(folder: Path, moves: int) -> None:
    choose = random.Random(7)
    before, moved = broken(folder), 0
    for number in range(moves):
        old, new = random_move(folder, number, choose)
        files = read_bytes(folder)
        try:
            move(folder, old, new)
        except SettingsError:
            assert read_bytes(folder) == files
        else:
            moved += 1
            assert (new.exists(), old.exists()) == (True, False)
            assert broken(folder) == before, (old, new)
    assert moved > moves // 2


def read_bytes(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["tests/corpus", "examples/handbook"])
def test_after_moves_the_same_links_are_broken(name: str, repository: Path, folder: Path) -> None:
    shutil.copytree(repository / name, folder, ignore=shutil.ignore_patterns(".headnote"))
    check_moves(folder, 12)


@pytest.mark.parametrize("corpus", ["foam", "fastapi-en", "vite-docs", "rust-book", "uv-docs", "mkdocs-material-docs"])
def test_after_moves_in_a_corpus_the_same_links_are_broken(
    corpus: str, corpus_folder: Callable[[str], Path], folder: Path
) -> None:
    shutil.copytree(corpus_folder(corpus), folder)
    check_moves(folder, 5)


def random_heading(folder: Path, choose: random.Random) -> tuple[Path, str]:
    """A heading, more often one that links lead to."""
    documents = {file: Document(file.read_text(), file.name) for file in sorted(folder.rglob("*.md"))}
    linked = {link.fragment for document in documents.values() for link in document.links if link.fragment}
    headings = [(file, one.slug) for file, document in documents.items() for one in document.headings]
    wanted = [one for one in headings if one[1] in linked]
    return choose.choice(wanted if wanted and choose.random() < 0.7 else headings)


def check_renames(folder: Path, renames: int) -> None:
    choose = random.Random(11)
    before, renamed = broken(folder), 0
    for number in range(renames):
        file, anchor = random_heading(folder, choose)
        files = read_bytes(folder)
        new = choose.choice(
            [f"Fresh words {number}", f"`code_{number}` & (more): {number}.{number}", f"Größe {number}"]
        )
        try:
            rename_heading(folder, file, anchor, new)
        except SettingsError:
            assert read_bytes(folder) == files
        else:
            renamed += 1
            assert read_bytes(folder) != files
            assert broken(folder) == before, (file, anchor, new)
    assert renamed > renames // 2


@pytest.mark.parametrize("name", ["tests/corpus", "examples/handbook"])
def test_after_renaming_headings_the_same_links_are_broken(name: str, repository: Path, folder: Path) -> None:
    shutil.copytree(repository / name, folder, ignore=shutil.ignore_patterns(".headnote"))
    check_renames(folder, 12)


@pytest.mark.parametrize("corpus", ["foam", "fastapi-en", "vite-docs", "rust-book", "uv-docs", "mkdocs-material-docs"])
def test_after_renaming_headings_in_a_corpus_the_same_links_are_broken(
    corpus: str, corpus_folder: Callable[[str], Path], folder: Path
) -> None:
    shutil.copytree(corpus_folder(corpus), folder)
    check_renames(folder, 5)


# -- only targets change


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](a.md)", "[a](new/b%20c.md)"),
        ('[a](<a.md> "A \\"title\\"")', '[a](<new/b%20c.md> "A \\"title\\"")'),
        ("[a](./a.md?x=1&y=2#part)", "[a](./new/b%20c.md?x=1&y=2#part)"),
        ("[a](a#part)", "[a](new/b%20c#part)"),
        ("[![p](p.png)](a.md)", "[![p](p.png)](new/b%20c.md)"),
        ("> - [a][1]\n>\n> [1]: a.md 'A'", "> - [a][1]\n>\n> [1]: new/b%20c.md 'A'"),
        ("[a]\r\n\r\n[a]: <a.md#part>\r\n", "[a]\r\n\r\n[a]: <new/b%20c.md#part>\r\n"),
        ("[[a]] ![[a#part|x]]", "[[b c]] ![[b c#part|x]]"),
        ("| x |\n| - |\n| [[a\\|x]] |", "| x |\n| - |\n| [[b c\\|x]] |"),
        ('<a class="x" href="a.md#part">', '<a class="x" href="new/b%20c.md#part">'),
        ("[a](/a.md) `[a](a.md)`", "[a](/new/b%20c.md) `[a](a.md)`"),
        ("```\n[1]: a.md\n```\n\n[x][1]\n\n[1]: a.md", "```\n[1]: a.md\n```\n\n[x][1]\n\n[1]: new/b%20c.md"),
        ("\ufeff[a](a.md)", "\ufeff[a](new/b%20c.md)"),
        ("[gone](gone.md) [web](https://a.md/a.md) [here](#x)", "[gone](gone.md) [web](https://a.md/a.md) [here](#x)"),
    ],
)
def test_only_targets_change(before: str, after: str, folder: Path) -> None:
    write(folder, {"index.md": before, "a.md": "# A\n\n## Part\n", "p.png": ""})
    move(folder, folder / "a.md", folder / "new" / "b c.md")
    assert read(folder) == {"index.md": after, "new/b c.md": "# A\n\n## Part\n", "p.png": ""}


def test_what_moves_takes_its_links_along(folder: Path) -> None:
    write(folder, {"a.md": "![](pics/p%20q.png) [x](a.md) [b](sub/b.md)", "pics/p q.png": "", "sub/b.md": "# B"})
    move(folder, folder / "a.md", folder / "sub" / "c.md")
    assert read(folder)["sub/c.md"] == "![](../pics/p%20q.png) [x](c.md) [b](b.md)"


def test_a_link_to_the_root_leads_there_from_elsewhere(folder: Path) -> None:
    write(folder, {"sub/a.md": "[x](../) [y](..) [z](/) <a href='../'>\n"})
    move(folder, folder / "sub" / "a.md", folder / "new" / "deep" / "a.md")
    assert read(folder) == {"new/deep/a.md": "[x](../..) [y](../..) [z](/) <a href='../..'>\n"}


def test_a_picture_moves_too(folder: Path) -> None:
    write(folder, {"sub/a.md": "![p](../pics/p.png) ![[p.png]]", "pics/p.png": ""})
    move(folder, folder / "pics", folder / "sub" / "img")
    assert read(folder) == {"sub/a.md": "![p](img/p.png) ![[p.png]]", "sub/img/p.png": ""}


def test_addresses_of_a_site_stay_addresses(folder: Path) -> None:
    write(folder, {"mkdocs.yml": "site_name: x", "docs/a.md": "# A", "docs/b.md": "[a](../a/)"})
    move(folder, folder / "docs" / "a.md", folder / "docs" / "sub" / "c.md")
    assert read(folder)["docs/b.md"] == "[a](../sub/c/)"


def test_a_dry_run_changes_nothing_and_shows_the_lines(folder: Path) -> None:
    write(folder, {"index.md": "# Start\n\nSee [a](a.md).\n", "a.md": "# A\n"})
    before = read_bytes(folder)
    (file,) = move(folder, folder / "a.md", folder / "b.md", dry_run=True).changed
    assert read_bytes(folder) == before
    assert [tuple(line) for line in file.lines] == [(3, "See [a](a.md).", "See [a](b.md).")]


@pytest.mark.parametrize(
    ("old", "files"),
    [
        ("mkdocs.yml", {"mkdocs.yml": "site_name: x", "docs/a.md": "# A"}),
        ("docs", {"mkdocs.yml": "site_name: x", "docs/a.md": "# A"}),
        ("src/SUMMARY.md", {"src/SUMMARY.md": "# A", "src/a.md": "# A"}),
    ],
)
def test_what_a_site_is_made_of_stays(old: str, files: Files, folder: Path) -> None:
    write(folder, files)
    with pytest.raises(SettingsError, match="a site generator reads this file"):
        move(folder, folder / old, folder / f"moved{Path(old).suffix}")
    assert read(folder) == files


# -- headings


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x](a.md#old-part) [y](a.md)", "[x](a.md#new-name) [y](a.md)"),
        ("[[a#Old part|x]] ![[a#old-part]] [[a#^id]]", "[[a#New name|x]] ![[a#new-name]] [[a#^id]]"),
        ("[[a#A#Old part]] [x](a.md#Old%20part 'T')", "[[a#A#New name]] [x](a.md#New%20name 'T')"),
        ("[x]\r\n\r\n[x]: <a.md#old-part>\r\n", "[x]\r\n\r\n[x]: <a.md#new-name>\r\n"),
        ('<a href="a.md?x=1#old-part">', '<a href="a.md?x=1#new-name">'),
        ("`[x](a.md#old-part)` [x](a.md#old) [x](a.md#own)", "`[x](a.md#old-part)` [x](a.md#old) [x](a.md#own)"),
        ('[x]({{< ref "a.md#old-part" >}})', '[x]({{< ref "a.md#new-name" >}})'),
    ],
)
def test_only_fragments_change(before: str, after: str, folder: Path) -> None:
    page = "# A\n\n  ## Old part ##\n\nSee [it](#old-part). ^id\n\n## Own {#own}\n"
    write(folder, {"index.md": before, "a.md": page})
    done = rename_heading(folder, folder / "a.md", "Old part", "New name")
    assert read(folder) == {
        "index.md": after,
        "a.md": page.replace("Old part", "New name").replace("old-part", "new-name"),
    }
    assert (done.old, done.new) == ("a.md#Old part", "a.md#New name")


@pytest.mark.parametrize(
    ("marks", "written", "wanted"),
    [
        ({"mkdocs.yml": "site_name: x"}, "a-b", "c-d"),  # GitHub: a--b
        ({".vitepress/config.ts": ""}, "a-b", "c-d"),
        ({"book.toml": "[book]\nsrc = 'docs'\n"}, "a--b", "c--d"),
        ({}, "a--b", "c--d"),
        ({}, "a-b", "c-d"),
    ],
)
def test_anchors_are_written_by_the_rule_of_their_site(marks: Files, written: str, wanted: str, folder: Path) -> None:
    write(folder, {**marks, "docs/a.md": "# T\n\n## A & B\n", "docs/b.md": f"[x](a.md#{written})"})
    rename_heading(folder, folder / "docs" / "a.md", "A & B", "C & D")
    assert read(folder)["docs/b.md"] == f"[x](a.md#{wanted})"


def test_the_second_heading_of_a_text_loses_its_number(folder: Path) -> None:
    page = "## Setup\n\n[one](#setup) [two](#setup-1)\n\nSetup\n-----\n"
    write(folder, {"a.md": page})
    with pytest.raises(SettingsError, match="2 headings"):
        rename_heading(folder, folder / "a.md", "Setup", "Install")
    rename_heading(folder, folder / "a.md", "setup", "Install")
    assert read(folder) == {"a.md": "## Install\n\n[one](#install) [two](#setup)\n\nSetup\n-----\n"}


def test_an_id_of_a_heading_stays(folder: Path) -> None:
    write(folder, {"a.md": "## Old {#o}\n\n[x](#o)\n\nOld two {#t}\n===\n"})
    rename_heading(folder, folder / "a.md", "o", "New")
    rename_heading(folder, folder / "a.md", "Old two", "New two")
    assert read(folder) == {"a.md": "## New {#o}\n\n[x](#o)\n\nNew two {#t}\n===\n"}


def test_a_heading_of_a_part_is_kept_on_the_pages_that_show_it(folder: Path) -> None:
    page = "import Part from './_part.mdx'\n\n# A\n\n<Part />\n\n[x](#old)\n"
    write(folder, {"a.mdx": page, "_part.mdx": "## Old\n"})
    rename_heading(folder, folder / "_part.mdx", "Old", "New")
    assert read(folder) == {"a.mdx": page.replace("#old", "#new"), "_part.mdx": "## New\n"}


@pytest.mark.parametrize(
    ("name", "new", "error", "message"),
    [
        ("None", "B", MissingSource, "no heading 'None'"),
        ("A", "", SettingsError, "would change how the file is parsed"),
        ("A", "B\n## C", SettingsError, "would change how the file is parsed"),
        ("T [x](#a)", "T", SettingsError, "would change how its links are parsed"),
    ],
)
def test_a_heading_that_cannot_be_renamed(
    name: str, new: str, error: type[HeadnoteError], message: str, folder: Path
) -> None:
    write(folder, {"a.md": "# T [x](#a)\n\n## A\n\ntext -->\n"})
    before = read_bytes(folder)
    name = "T x" if name.startswith("T") else name
    with pytest.raises(error, match=message):
        rename_heading(folder, folder / "a.md", name, new)
    assert read_bytes(folder) == before


# -- redirects

HUGO: Files = {"hugo.toml": "baseURL = 'https://x.org/'\n"}


@pytest.mark.parametrize(
    ("files", "old", "new", "changed"),
    [
        (
            {**HUGO, "content/a.md": "# A"},
            "content/a.md",
            "content/s/b.md",
            {"content/s/b.md": '---\naliases:\n  - "/a/"\n---\n\n# A'},
        ),
        (
            {**HUGO, "content/a.md": '+++\ntitle = "A"\n[params]\nx = 1\n+++\n# A'},
            "content/a.md",
            "content/b.md",
            {"content/b.md": '+++\naliases = ["/a/"]\ntitle = "A"\n[params]\nx = 1\n+++\n# A'},
        ),
        (
            {**HUGO, "content/a.md": "---\naliases: [/z/]  # kept\n---\n# A"},
            "content/a.md",
            "content/b.md",
            {"content/b.md": '---\naliases: [/z/, "/a/"]  # kept\n---\n# A'},
        ),
        (
            {"_config.yml": "plugins: [jekyll-redirect-from]\n", "a.md": "---\nredirect_from: /z\n---\n"},
            "a.md",
            "b.md",
            {"b.md": '---\nredirect_from: ["/z", "/a"]\n---\n'},
        ),
        (
            {
                "mkdocs.yml": "plugins:\n  - redirects:\n      redirect_maps:\n        'z.md': y.md\n",
                "docs/a.md": "# A",
            },
            "docs/a.md",
            "docs/s/b.md",
            {
                "mkdocs.yml": (
                    'plugins:\n  - redirects:\n      redirect_maps:\n        "a.md": "s/b.md"\n        \'z.md\': y.md\n'
                )
            },
        ),
        (
            {"book.toml": "[book]\nsrc = 'src'\n", "src/SUMMARY.md": "[A](s/a.md)", "src/s/a.md": "# A"},
            "src/s/a.md",
            "src/b.md",
            {
                "book.toml": '[book]\nsrc = \'src\'\n\n[output.html.redirect]\n"/s/a.html" = "../b.html"\n',
                "src/SUMMARY.md": "[A](b.md)",
            },
        ),
        (
            {"docusaurus.config.js": "", "static/_redirects": "/z /y\n", "docs/a.md": "# A"},
            "docs/a.md",
            "docs/b.md",
            {"static/_redirects": "/docs/a /docs/b 301\n/z /y\n"},
        ),
        (
            {"astro.config.mjs": "", "netlify.toml": "[build]\n", "src/content/docs/a.md": "# A"},
            "src/content/docs/a.md",
            "src/content/docs/b.md",
            {"netlify.toml": '[build]\n\n[[redirects]]\nfrom = "/a"\nto = "/b"\nstatus = 301\n'},
        ),
        (
            {"a.md": "---\naliases:\n- Z\ntags: [x]\n---\n", "i.md": "[[a]]"},
            "a.md",
            "b.md",
            {"b.md": '---\naliases:\n- Z\n- "a"\ntags: [x]\n---\n', "i.md": "[[b]]"},
        ),
        ({"a.md": "# A", "i.md": "[[a]]"}, "a.md", "s/a.md", {}),
    ],
)
def test_the_old_address_leads_to_the_new_one(files: Files, old: str, new: str, changed: Files, folder: Path) -> None:
    write(folder, files)
    done = move(folder, folder / old, folder / new, redirect=True)
    assert read(folder) == {**{name: text for name, text in files.items() if name != old}, new: files[old], **changed}
    assert bool(done.redirects) == bool(changed)


@pytest.mark.parametrize(
    "marks", [{"docusaurus.config.js": ""}, {"mkdocs.yml": "site_name: x"}, {"_config.yml": ""}, {}]
)
def test_without_a_way_nothing_is_moved(marks: Files, folder: Path) -> None:
    files = {**marks, "docs/a.md": "# A"}
    write(folder, files)
    with pytest.raises(SettingsError, match="no way to leave a redirect"):
        move(folder, folder / "docs" / "a.md", folder / "docs" / "b.md", redirect=True)
    assert read(folder) == files


# -- all or nothing


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("no.md", "b.md", MissingSource, "no such file or folder"),
        ("a.md", "sub/b.md", SettingsError, "already exists"),
        ("sub", "sub/inner/sub", SettingsError, "inside"),
        ("a.md", "../b.md", SettingsError, "not inside"),
        ("a.md", "b.html", SettingsError, "another kind of file"),
        ("a.md", "node_modules/a.md", SettingsError, "would be left out"),
        ("a.md", "index.md/a.md", SourceError, "nothing was moved"),
        ("sub/b.md", "c.md", SettingsError, "not UTF-8"),
    ],
)
def test_what_cannot_be_done_leaves_everything_as_it_was(
    old: str, new: str, error: type[HeadnoteError], message: str, folder: Path
) -> None:
    write(folder, {"index.md": "[a](a.md)", "a.md": "# A", "sub/b.md": "# B"})
    (folder / "latin.md").write_bytes(b"caf\xe9 [b](sub/b.md)")
    before = read_bytes(folder)
    with pytest.raises(error, match=message):
        move(folder, folder / old, folder / new)
    assert read_bytes(folder) == before


def test_a_link_that_cannot_be_kept_stops_the_move(folder: Path) -> None:
    definition = "> [a\n> x](\n> a.md)\n"
    write(folder, {"index.md": definition, "a.md": "# A"})
    with pytest.raises(SettingsError, match="cannot be kept"):
        move(folder, folder / "a.md", folder / "b.md")
    assert read(folder) == {"index.md": definition, "a.md": "# A"}


def test_the_rights_of_a_file_stay(folder: Path) -> None:
    write(folder, {"index.md": "[a](a.md)", "a.md": "# A"})
    (folder / "index.md").chmod(0o640)
    move(folder, folder / "a.md", folder / "b.md")
    assert (folder / "index.md").stat().st_mode & 0o777 == 0o640


INTERRUPTED = """
import os, signal, sys, threading
from pathlib import Path
from headnote.api.moving import move

folder = Path(sys.argv[1])

def interrupt():
    while (folder / "0.md").read_text() == "[a](a.md)":
        pass
    os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
thread.start()
try:
    move(folder, folder / "a.md", folder / "b.md")
    thread.join()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_waits_for_the_end(folder: Path) -> None:
    write(folder, {**{f"{number}.md": "[a](a.md)" for number in range(50)}, "a.md": "# A"})
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"
    assert read(folder) == {**{f"{number}.md": "[a](b.md)" for number in range(50)}, "b.md": "# A"}
