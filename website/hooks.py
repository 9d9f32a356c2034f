"""What MkDocs is told about our pages, which are written for GitHub first."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parents[1]

ICON = "src/headnote/web/static/icon.svg"
PROJECT_PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages at the root of the repository that are in the site, too."""

_FENCE_OF_FILE = re.compile(r"^(?P<fence>`{3,})(?P<language>\w+) (?P<name>\S[^`\n]*\.\w+)$", re.MULTILINE)
_FENCE_OF_TEST = re.compile(r"^(?P<fence>`{3,})(?P<language>\w+) \w+$", re.MULTILINE)
_LINK_FROM_ROOT = re.compile(r"\]\((?P<target>[^):#]+\.md)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies outside docs/: the icon of the web page, and the pages of the project."""
    files.append(File.generated(config, "pictures/icon.svg", abs_src_path=str(REPOSITORY / ICON)))
    for name in PROJECT_PAGES:
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        files.append(File.generated(config, _address(name), content=_LINK_FROM_ROOT.sub(_moved, text)))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Write the pages for models, too."""
    sys.path.insert(0, str(REPOSITORY / "website"))
    import generated  # beside this file, which MkDocs loads by its path

    site = Path(config.site_dir)
    (site / "llms.txt").write_text(generated.llms_index(), encoding="utf-8")
    (site / "llms-full.txt").write_text(generated.llms_full(), encoding="utf-8")


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Show the file names that our fences carry as titles, and what only tests need to know not at all."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    titled = _FENCE_OF_FILE.sub(r'\g<fence>\g<language> title="\g<name>"', markdown)
    return _FENCE_OF_TEST.sub(r"\g<fence>\g<language>", titled)


def _address(name: str) -> str:
    return f"project/{name.lower()}"


def _moved(link: re.Match[str]) -> str:
    """A link between pages of the root, seen from the folder that has them on the site."""
    target = link["target"]
    moved = f"../{_address(target)}" if target in PROJECT_PAGES else f"../{target.removeprefix('docs/')}"
    return f"]({moved}"
