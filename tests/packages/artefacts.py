"""The packages as people get them: built once a run, and installed in environments that know nothing of the clone.

`HEADNOTE_DIST` may name a folder with packages that were built before, such as those of a release: they are used
instead. Building and installing takes a minute and needs PyPI, so the tests run on CI or with HEADNOTE_PACKAGING=1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from headnote.extras import DISTRIBUTION
from headnote.store.sharing import writer_lock

REPOSITORY = Path(__file__).resolve().parents[2]
GIVEN = os.environ.get("HEADNOTE_DIST")
WEIGHTS = {file.parents[2].name for file in (REPOSITORY / "models").glob("*/src/*/model.onnx")}
WHEELS = {file.name.partition("-")[0] for file in Path(GIVEN).glob("headnote_md_*.whl")} if GIVEN else set[str]()
MODELS = sorted(WEIGHTS | {name.removeprefix("headnote_md_") for name in WHEELS})
"""The models whose weights are here, or whose package was built before."""
PROJECTS = {DISTRIBUTION: REPOSITORY} | {f"{DISTRIBUTION}-{name}": REPOSITORY / "models" / name for name in MODELS}
USED = "search,mcp,server,deep"
"""The extras that the tests install; their packages are fetched once."""

needs_pypi = pytest.mark.skipif(
    not (os.environ.get("CI") or os.environ.get("HEADNOTE_PACKAGING")),
    reason="builds and installs packages, with PyPI: set CI or HEADNOTE_PACKAGING=1",
)


def run(*command: str | Path, cwd: Path | None = None, variables: Mapping[str, str] | None = None) -> str:
    environment = clean() | dict(variables or {})
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd, env=environment)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def clean() -> dict[str, str]:
    """The variables of a process that has nothing to do with this one's Python, nor with settings of headnote."""
    ours = ("HEADNOTE_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


class Environment(NamedTuple):
    """A fresh environment."""

    folder: Path

    def program(self, name: str) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / name

    @property
    def python(self) -> Path:
        return self.program("python")

    @property
    def command(self) -> Path:
        return self.program("headnote")


class Packages(NamedTuple):
    """What was built, and everything it needs."""

    folder: Path

    @property
    def wheel(self) -> Path:
        return self.built(DISTRIBUTION, "py3-none-any.whl")

    @property
    def sdist(self) -> Path:
        return self.built(DISTRIBUTION, "tar.gz")

    @property
    def house(self) -> Path:
        """Wheels of the packages and of all that they need: what is installed from here is installed offline."""
        return self.folder / "house"

    def model(self, name: str) -> Path:
        return self.built(f"{DISTRIBUTION}-{name}", "py3-none-any.whl")

    def built(self, project: str, ending: str) -> Path:
        [file] = (self.folder / "dist").glob(f"{project.replace('-', '_')}-[0-9]*{ending}")
        return file

    def environment(self, name: str, *requirements: str | Path) -> Environment:
        """One that has these and nothing else; made once a run."""
        made = Environment(self.folder / name)
        with writer_lock(self.folder / f"{name}.lock", wait=300):
            if not (made.folder / "done").exists():
                venv.create(made.folder, with_pip=False)
                offline = ("--no-index", "--find-links", self.house)
                # Each wheel is unpacked once for all environments. Its programs compile what they need.
                own = ("--python", made.python, "--cache-dir", self.folder / "unpacked", "--link-mode", "copy")
                run(sys.executable, "-m", "uv", "pip", "install", "-q", *own, *offline, *requirements)
                (made.folder / "done").touch()
        return made


def build_packages(place: Path) -> Packages:
    """Build what no one has built yet. A wheel is made from its sdist, which shows that to be complete."""
    packages = Packages(place)
    with writer_lock(place / "lock", wait=600):
        if not (place / "done").exists():
            dist = place / "dist"
            shutil.copytree(GIVEN, dist) if GIVEN else dist.mkdir()
            for project, folder in PROJECTS.items():
                if not [*dist.glob(f"{project.replace('-', '_')}-[0-9]*")]:
                    build(folder, dist)
            fetch_needs(packages)
            (place / "done").touch()
    return packages


def build(project: Path, dist: Path) -> None:
    """Build an sdist and its wheel. uv makes the environments in a second; pip finds more, such as by its own file."""
    command = (sys.executable, "-m", "build", "--outdir", dist, project)
    try:
        run(*command, "--installer", "uv")
    except AssertionError:
        run(*command, "--installer", "pip")


def fetch_needs(packages: Packages) -> None:
    wanted: list[str | Path] = [
        f"{DISTRIBUTION}[{USED}] @ {packages.wheel.as_uri()}",
        *(packages.model(name) for name in MODELS),
    ]
    # An sdist needs what builds it.
    run(sys.executable, "-m", "pip", "wheel", "-q", "--wheel-dir", packages.house, *wanted, "hatchling")
