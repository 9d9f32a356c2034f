"""Compile the hot modules with mypyc, and the inner loops of `native.c`, if HEADNOTE_COMPILE=1 is set while a wheel is
built; and make one small file of the modules of the page, if HEADNOTE_BUNDLE=1 is.

Otherwise nothing happens: the wheel is plain Python for every system, as is each editable install, and the page loads
its modules as they are written. An sdist may have the bundle, too, so that the wheels that are made of it need no npm.
A compiled wheel
has the same files, and an extension beside each compiled module, which Python prefers. If it is made with glibc, only
machines with glibc install it, so it requires what has no wheel for musl.

hatch-mypyc does the same for a project that compiles always. It cannot add mypy to the requirements of a build only
when asked, so every install from source would download a compiler that it does not use.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import chdir
from pathlib import Path
from platform import libc_ver
from shutil import rmtree, which
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH = "HEADNOTE_COMPILE"
COMPILER = ["mypy==2.4.1", "setuptools>=77"]
HOT = [
    "chunking/context.py",
    "chunking/cuts.py",
    "chunking/draft.py",
    "chunking/masking.py",
    "chunking/passes/*.py",
    "chunking/records.py",
    "chunking/splitting/*.py",
    "links/anchors.py",
    "markdown/comments.py",
    "markdown/headings.py",
    "markdown/inline.py",
    "markdown/links.py",
    "markdown/plain.py",
    "markdown/rules/*.py",
    "markdown/scanner.py",
    "markdown/views.py",
    "store/keyword_fields.py",
    "tokens/seams.py",
    "words/terms.py",
]
"""Loops over blocks, lines, words and characters. Others stay Python because they gain nothing: counters spend their
time in tokenizers, which are native. Classes with cached properties cannot be compiled, because compiled objects have
no dictionary to cache them in; nor to pickle, so those that other processes need say how."""

BUNDLE_SWITCH = "HEADNOTE_BUNDLE"
BUNDLER = "esbuild@0.28.2"
STATIC = "headnote/web/static"
BUNDLE = "js/bundle/main.js"
"""The page takes it in place of `js/main.js`; as deep in the folder as the modules that look for files beside them."""

LOOPS = "native.c"
"""Two loops that mypyc makes no faster, because they are calls of dictionaries and numpy."""


def is_asked(switch: str = SWITCH) -> bool:
    return os.environ.get(switch, "") not in ("", "0")


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the extensions to a wheel, and the bundle of the page to a wheel and an sdist."""

    PLUGIN_NAME = "custom"
    folder: Path | None = None
    """Where what is made is, until it is in the package."""

    def dependencies(self) -> list[str]:
        return COMPILER if is_asked() and self.target_name == "wheel" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._bundle(version, build_data)
        if self.target_name == "wheel":
            self._compile(version, build_data)

    def _bundle(self, version: str, build_data: dict[str, Any]) -> None:
        static = Path(self.root) / "src" / STATIC
        # An sdist that has it was made by the step before.
        if version == "editable" or not is_asked(BUNDLE_SWITCH) or (static / BUNDLE).exists():
            return
        made = bundled(static, self._made_in() / "page.js")
        build_data["force_include"][str(made)] = f"{'src/' * (self.target_name == 'sdist')}{STATIC}/{BUNDLE}"

    def _made_in(self) -> Path:
        self.folder = self.folder or Path(mkdtemp(prefix="headnote-"))
        return self.folder

    def _compile(self, version: str, build_data: dict[str, Any]) -> None:
        # Both are for this machine, or for those like it. The plain wheel is for all, and no marker tells them apart.
        if (version == "editable" or is_asked()) and libc_ver()[0] == "glibc":
            build_data["dependencies"] += self.metadata.core.optional_dependencies["fast"]
        if version == "editable" or not is_asked():
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        folder = self._made_in()
        for extension in compiled(Path(self.root) / "src", folder):
            build_data["force_include"][str(extension)] = extension.relative_to(folder / "lib").as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if self.folder is not None:
            rmtree(self.folder)


def bundled(static: Path, target: Path) -> Path:
    """All modules of the page as one file, without blanks and comments."""
    npm = which("npm")
    if npm is None:
        raise SystemExit(f"{BUNDLE_SWITCH} is set, and there is no npm to fetch {BUNDLER} with")
    options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--charset=utf8", "--log-level=warning"]
    command = [npm, "exec", "--yes", f"--package={BUNDLER}", "--", "esbuild", "js/main.js", f"--outfile={target}"]
    subprocess.run([*command, *options], cwd=static, check=True)
    return target


def compiled(source: Path, folder: Path) -> list[Path]:
    """The extensions of the hot modules, below the folder as they lie in the wheel."""
    from mypyc.build import mypycify
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    # mypyc names modules by their path from the current folder.
    with chdir(source):
        modules = sorted({str(file) for pattern in HOT for file in Path("headnote").glob(pattern)})
        extensions = mypycify(
            # Types were checked with everything installed. Here the packages of extras are missing.
            [
                "--config-file=",
                "--ignore-missing-imports",
                "--follow-imports=silent",
                f"--cache-dir={folder / 'cache'}",
                *modules,
            ],
            opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
            debug_level="0",
            group_name="headnote",
            target_dir=str(folder / "c"),
        )
        loops = Extension(
            "headnote.native", [f"headnote/{LOOPS}"], extra_compile_args=[] if os.name == "nt" else ["-O3"]
        )
        command = build_ext(Distribution({"name": "headnote", "ext_modules": [*extensions, loops]}))
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
        command.ensure_finalized()
        command.run()
    return [Path(file) for file in command.get_outputs()]
