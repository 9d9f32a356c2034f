"""Fetch the libraries that draw formulas, diagrams and code on the page, with npm, into its folder `vendor`.

    python .ci/vendor.py

Raise a version below, run it, run the tests of the page, and commit the result. `vendor.json` records what was fetched.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

VENDOR = Path(__file__).resolve().parents[1] / "src" / "headnote" / "web" / "static" / "vendor"
RECORD = "vendor.json"
NOTICES = "LICENSE-BUNDLED"


class Library(NamedTuple):
    """A package of npm, and which of its files the page loads."""

    name: str
    package: str
    version: str
    files: Mapping[str, str]
    """Patterns in the package, and the folder each goes to."""
    left_out: tuple[str, ...] = ()
    """Patterns of names that are not copied all the same."""
    bundles: bool = False
    """Whether its files hold its dependencies, so that their licences belong to it."""
    not_bundled: tuple[str, ...] = ()


LANGUAGES = (
    "clojure cmake dart dockerfile elixir elm erlang fortran fsharp groovy handlebars haskell http julia latex"
    " lisp matlab nginx nim nix ocaml powershell prolog properties protobuf scala scheme tcl vim x86asm"
)

LIBRARIES = (
    Library(
        name="katex",
        package="katex",
        version="0.19.1",
        files={"dist/katex.min.js": "", "dist/katex.min.css": "", "dist/fonts/*.woff2": "fonts"},
    ),
    Library(
        name="mermaid",
        package="mermaid",
        version="12.3.0",
        files={"dist/mermaid.esm.min.mjs": "", "dist/chunks/mermaid.esm.min/*.mjs": "chunks/mermaid.esm.min"},
        # A layout of 1.6 MB under another licence, and a second KaTeX. Both load on demand, and no diagram needs them.
        left_out=("elk-*.mjs", "katex-*.mjs"),
        bundles=True,
        not_bundled=("elkjs", "katex", "commander"),
    ),
    Library(
        name="highlight",
        package="@highlightjs/cdn-assets",
        version="11.12.0",
        files={
            "es/highlight.min.js": "",
            **{f"es/languages/{language}.min.js": "languages" for language in LANGUAGES.split()},
        },
    ),
)


def main() -> None:
    """Replace the folder `vendor`."""
    with tempfile.TemporaryDirectory() as folder:
        modules = Path(folder) / "node_modules"
        _install(Path(folder))
        shutil.rmtree(VENDOR, ignore_errors=True)
        VENDOR.mkdir()
        record = [_vendor(library, modules) for library in LIBRARIES]
    (VENDOR / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    size = sum(file.stat().st_size for file in VENDOR.rglob("*") if file.is_file())
    sys.stdout.write(f"{size:,} bytes in {VENDOR}\n")


def _install(folder: Path) -> None:
    packages = [f"{library.package}@{library.version}" for library in LIBRARIES]
    # No script of a package runs: only its files are wanted.
    options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)]
    subprocess.run([_npm(), "install", *options, *packages], check=True)


def _npm() -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not on the path")
    return npm


def _vendor(library: Library, modules: Path) -> dict[str, Any]:
    """Copy the files of a library; returns its part of the record."""
    source = modules / library.package
    target = VENDOR / library.name
    described = json.loads((source / "package.json").read_text(encoding="utf-8"))
    assert described["version"] == library.version
    for pattern, folder in library.files.items():
        found = [file for file in sorted(source.glob(pattern)) if not any(map(file.match, library.left_out))]
        assert found, f"{library.package} has no {pattern}"
        (target / folder).mkdir(parents=True, exist_ok=True)
        for file in found:
            shutil.copyfile(file, target / folder / file.name)
    shutil.copyfile(source / "LICENSE", target / "LICENSE")
    if library.bundles:
        notices = "\n\n".join(_notices(library, modules))
        (target / NOTICES).write_text(notices, encoding="utf-8")
    return {
        "name": library.name,
        "package": library.package,
        "version": library.version,
        "licence": described["license"],
        "files": dict(sorted(hashes(target))),
    }


def hashes(folder: Path) -> Iterator[tuple[str, str]]:
    """The files of a folder, each with its SHA-256."""
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.relative_to(folder).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()


# -- licences of what a library has bundled


def _notices(library: Library, modules: Path) -> Iterator[str]:
    for folder in sorted(_dependencies(modules / library.package, modules, library.not_bundled)):
        package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        files = [file for file in sorted(folder.iterdir()) if file.stem.lower() in ("license", "licence")]
        texts = [file.read_text(encoding="utf-8").strip() for file in files if file.is_file()]
        licence = package.get("license", "see below")
        yield "\n\n".join([f"# {package['name']} {package['version']}: {licence}", *texts]) + "\n"


def _dependencies(package: Path, modules: Path, left_out: tuple[str, ...]) -> set[Path]:
    """The folders of all packages that a package needs when it runs."""
    found: set[Path] = set()
    waiting = [package]
    while waiting:
        folder = waiting.pop()
        described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        for name in described.get("dependencies", {}):
            needed = next(path for path in (folder / "node_modules" / name, modules / name) if path.exists())
            if name not in left_out and not name.startswith("@types/") and needed not in found:
                found.add(needed)
                waiting.append(needed)
    return found


if __name__ == "__main__":
    main()
