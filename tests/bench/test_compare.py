"""Two commits side by side: a slower one is noticed, an equal one is not, and nothing is left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("resource", reason="the benchmarks measure cores and memory as Unix does")
if not shutil.which("git"):
    pytest.skip("git is not installed", allow_module_level=True)

from compare import Key, Ratio

PACKAGE = "def work():\n    return sum(1 for _ in range({steps}))\n"
BENCH = """
import argparse
import sys
from pathlib import Path

import headnote
from report import Figure, add_json_option, machine, write_figures

parser = argparse.ArgumentParser()
parser.add_argument("--code", type=int, default=0)
parser.add_argument("--hang", type=Path)
add_json_option(parser)
options = parser.parse_args()
if options.hang:
    import os, time
    options.hang.write_text(str(os.getpid()))
    time.sleep(600)
write_figures(options.json, [Figure("loop", "steps", "", headnote.work())], machine(), {})
sys.exit(options.code)
"""


class Repository:
    """A package of one function, with a benchmark that counts its steps: no clock decides these tests."""

    def __init__(self, root: Path, bench: Path) -> None:
        self.root = root
        self.scratch = root.parent / "scratch"
        self.scratch.mkdir()
        (root / "src" / "headnote").mkdir(parents=True)
        (root / "bench").mkdir()
        for name in ("compare.py", "processes.py", "report.py"):
            shutil.copy(bench / name, root / "bench" / name)
        (root / "bench" / "tiny.py").write_text(BENCH, encoding="utf-8")
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, steps: int) -> str:
        (self.root / "src" / "headnote" / "__init__.py").write_text(PACKAGE.format(steps=steps), encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", f"{steps} steps")
        return self.git("rev-parse", "HEAD")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "bench/compare.py", *arguments]
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, cwd=self.root, env=environment, text=True, **pipes)  # type: ignore[call-overload,no-any-return]

    def compare(self, *arguments: str) -> tuple[int, str]:
        with self.start(*arguments) as process:
            output, _ = process.communicate()
        assert self.is_clean()
        return process.returncode, output

    def is_clean(self) -> bool:
        return list(self.scratch.iterdir()) == [] and len(self.git("worktree", "list").splitlines()) == 1


@pytest.fixture
def tiny(tmp_path: Path, repository: Path) -> Repository:
    return Repository(tmp_path / "tiny", repository / "bench")


def test_a_slower_commit_is_noticed(tiny: Repository, tmp_path: Path) -> None:
    fast, slow = tiny.commit(1000), tiny.commit(1500)
    code, output = tiny.compare(fast, slow, "--bench", "tiny", "--rounds", "2", "--json", str(tmp_path / "ratios.json"))
    assert code == 1, output
    [line] = [line for line in output.splitlines() if "loop, steps" in line]
    assert line.split()[3:] == ["1000", "1500", "1.50", "1.50", "to", "1.50", "WORSE"]
    for what in ("core time, s", "whole run, time, s", "whole run, memory, MB"):
        assert what in output
    written = json.loads((tmp_path / "ratios.json").read_text(encoding="utf-8"))
    assert (written["old"], written["new"]) == (fast, slow)
    assert written["records"][0] == {
        "bench": "compare",
        "case": "tiny: loop",
        "metric": "steps, new/old",
        "unit": "×",
        "value": 1.5,
        "better": "lower",
    }
    assert written["ratios"][0]["verdict"] == "WORSE"


@pytest.mark.parametrize(("steps", "verdict"), [(1000, "same"), (1050, "same"), (500, "better")])
def test_a_commit_that_is_no_slower_passes(tiny: Repository, steps: int, verdict: str) -> None:
    old = tiny.commit(1000)
    tiny.commit(steps)
    code, output = tiny.compare(old, "--bench", "tiny", "--rounds", "1", "--metric", "steps")
    assert code == 0, output
    [line] = [line for line in output.splitlines() if "loop, steps" in line]
    assert line.split()[-1] == verdict


def test_the_tolerance_is_what_one_asks_for(tiny: Repository) -> None:
    old = tiny.commit(1000)
    tiny.commit(1050)
    asked = [old, "--bench", "tiny", "--rounds", "1", "--metric", "steps"]
    assert tiny.compare(*asked, "--tolerance", "4")[0] == 1


def test_a_broken_promise_of_the_benchmark_is_another_matter(tiny: Repository) -> None:
    old = tiny.commit(1000)
    assert tiny.compare(old, "--bench", "tiny --code 1", "--rounds", "1", "--metric", "steps")[0] == 0


def test_a_benchmark_that_does_not_run_is_an_error(tiny: Repository) -> None:
    old = tiny.commit(1000)
    code, output = tiny.compare(old, "--bench", "tiny --no-such-option")
    assert code == 1
    assert "tiny --no-such-option does not run on the old commit" in output


def test_an_unknown_commit_is_an_error(tiny: Repository) -> None:
    tiny.commit(1000)
    code, output = tiny.compare("nowhere")
    assert code == 1
    assert "nowhere" in output


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(tiny: Repository, tmp_path: Path, how: signal.Signals) -> None:
    old = tiny.commit(1000)
    started = tmp_path / "started"
    with tiny.start(old, "--bench", f"tiny --hang {started}") as process:
        while not (started.exists() and started.read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        assert not tiny.is_clean()
        process.send_signal(how)
        process.communicate()
    assert process.returncode == 130
    assert tiny.is_clean()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


# -- the verdict

VALUES = st.lists(st.floats(0.2, 5), min_size=1, max_size=7)
TOLERANCES = st.floats(0, 1)


def ratio(old: list[float], new: list[float], better: str = "lower") -> Ratio:
    return Ratio(Key("bench", "case", "metric", "s", better), old, new)


@given(VALUES, st.randoms(use_true_random=False), TOLERANCES)
def test_the_same_figures_in_another_order_are_the_same(old: list[float], random: Random, tolerance: float) -> None:
    """However a busy machine shuffles them."""
    new = random.sample(old, len(old))
    assert ratio(old, new).verdict(tolerance) == "same"
    assert ratio(old, new, "higher").verdict(tolerance) == "same"


@given(st.floats(1.01, 5), TOLERANCES)
def test_a_steady_loss_is_worse_exactly_beyond_the_tolerance(factor: float, tolerance: float) -> None:
    assert ratio([1.0] * 3, [factor] * 3).verdict(tolerance) == ("WORSE" if factor - 1 > tolerance else "same")


@given(st.floats(1.2, 5))
def test_more_of_what_should_be_more_is_better(factor: float) -> None:
    assert ratio([1.0] * 3, [factor] * 3, "higher").verdict(0.1) == "better"
    assert ratio([1.0] * 3, [factor] * 3, "lower").verdict(0.1) == "WORSE"


def test_a_busy_machine_is_no_regression() -> None:
    """Each round is worse, but one commit differs from itself by more than that."""
    assert ratio([5.0, 6.0, 7.5], [6.0, 7.0, 8.8]).verdict(0.1) == "same"


def test_something_instead_of_nothing_is_worse() -> None:
    """Errors, for example."""
    assert ratio([0.0] * 3, [2.0] * 3).verdict(0.1) == "WORSE"
    assert ratio([0.0] * 3, [0.0] * 3).verdict(0.1) == "same"
