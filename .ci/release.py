"""What a release needs besides building.

    python .ci/release.py plan TAG                      which package the tag releases, as outputs of a job
    python .ci/release.py prepare FOLDER ADDRESS TAG    make the page on PyPI lead to the repository at ADDRESS, and
                                                        name the server in server.json after its account

A tag is a package and its version: headnote-md-v0.1.0, headnote-md-deep-v1.0.0. The address of the repository is known
only where it is hosted, so no file here names it.
"""

from __future__ import annotations

import posixpath
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
EXTRAS = "[deep,mcp,postgres,search,server]"
"""What most people install: the bill of materials lists it all."""

PICTURES = (".png", ".svg", ".gif", ".jpg", ".webp")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
RELATIVE = re.compile(
    # Code stays as it is.
    r"(?P<code>(?P<ticks>`+).*?(?P=ticks))"
    r"|(?P<before>\]\(|^\[[^\]]+\]: +|\b(?:src|srcset|href)=\")(?P<target>(?![a-z][a-z+.-]*:|#|//)[^)\s\"]+)"
)


class Package(NamedTuple):
    """One of the packages of this repository."""

    folder: str
    name: str
    version: str

    @property
    def tag(self) -> str:
        return f"{self.name}-v{self.version}"


def packages() -> list[Package]:
    models = sorted(file.parent for file in REPOSITORY.glob("models/*/pyproject.toml"))
    return [package_in(folder.relative_to(REPOSITORY).as_posix()) for folder in (REPOSITORY, *models)]


def package_in(folder: str) -> Package:
    project: dict[str, Any] = tomllib.loads(read(f"{folder}/pyproject.toml"))["project"]
    return Package(folder, project["name"], project.get("version") or version_in_code())


def version_in_code() -> str:
    [version] = re.findall(r'^__version__ = "(.+)"$', read("src/headnote/__init__.py"), re.MULTILINE)
    return str(version)


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def planned(tag: str) -> Package:
    """The package that the tag releases, or an error if none has this name and version."""
    by_tag = {package.tag: package for package in packages()}
    if tag not in by_tag:
        raise SystemExit(f"no package for the tag {tag}; it is one of: {', '.join(by_tag)}")
    package = by_tag[tag]
    if package.folder == "." and f"\n## [{package.version}]" not in read("CHANGELOG.md"):
        raise SystemExit(f"CHANGELOG.md says nothing about {package.version}")
    return package


def absolute_links(text: str, folder: str, address: str, tag: str) -> str:
    """The Markdown with links that work everywhere: to the files of the repository as they were at the tag."""

    def replaced(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        path, _, anchor = match["target"].partition("#")
        path = posixpath.normpath(posixpath.join(folder, path))
        kind = "raw" if path.endswith(PICTURES) else "blob"
        return f"{match['before']}{address}/{kind}/{tag}/{path}{'#' if anchor else ''}{anchor}"

    lines, fence = [], ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        lines.append(line if fence or mark else RELATIVE.sub(replaced, line))
    return "".join(lines)


def project_urls(address: str, tag: str) -> str:
    return f"""
[project.urls]
Source = "{address}"
Documentation = "{address}/tree/{tag}/docs"
Changelog = "{address}/blob/{tag}/CHANGELOG.md"
Issues = "{address}/issues"
"""


def prepare(root: Path, folder: str, address: str, tag: str) -> None:
    readme, project = root / folder / "README.md", root / folder / "pyproject.toml"
    readme.write_text(absolute_links(readme.read_text("utf-8"), folder, address, tag), "utf-8")
    with project.open("a", encoding="utf-8") as file:
        file.write(project_urls(address, tag))
    if folder == ".":
        registered = root / "server.json"
        registered.write_text(with_account(registered.read_text("utf-8"), address), "utf-8")


def with_account(server: str, address: str) -> str:
    """The file for the MCP registry, where a name begins with the GitHub account that publishes it."""
    account = address.split("/")[3]
    return re.sub(r'("name": ")[^"/]+/', rf"\g<1>io.github.{account}/", server, count=1)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["plan", tag]:
            package = planned(tag)
            outputs = {**package._asdict(), "extras": EXTRAS if package.folder == "." else ""}
            sys.stdout.write("".join(f"{name}={value}\n" for name, value in outputs.items()))
        case ["prepare", folder, address, tag]:
            prepare(REPOSITORY, folder, address.rstrip("/"), tag)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
