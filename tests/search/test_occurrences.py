"""Every occurrence of a pattern: the lines that ripgrep finds, with counts, headings, filters and a time limit."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import headnote
from headnote import Index
from headnote.search.matching import LineMatch, WrongPattern, matched_texts
from headnote.search.occurrences import MAX_LINE_CHARS, LinePattern, clipped, first_lines
from headnote.sources.files import read_snapshot
from headnote.tokens import count_tokens

PAGES = {
    "guide.md": "---\ntags: [how]\n---\n# Guide\n\nThe gauge.\n\n## Mount\n\nA gauge, a Gauge and gauges.\r\n\r\nEnd\n",
    "notes/care.md": "# Care\n\nClean the gauge.\n\n```sh\ngauge --clean v1.2\n```\n",
    "notes/empty.md": "",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("occurrences")
    for name, text in PAGES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")
    with Index.open(root, embedder="none") as opened:
        opened.update()
        yield opened


def places(found: headnote.Matches) -> list[str]:
    return [f"{document.path}:{one.line}" for document in found.documents for one in document.shown]


def test_lines_with_their_headings_and_counts(index: Index) -> None:
    found = index.grep("gauge")
    assert (found.lines, found.occurrences, found.searched, found.left_out) == (4, 5, 3, 0)
    assert places(found) == ["guide.md:6", "guide.md:10", "notes/care.md:3", "notes/care.md:6"]
    guide, care = found.documents
    assert (guide.lines, guide.occurrences, guide.title) == (2, 3, "Guide")
    assert [one.breadcrumb for one in guide.shown] == ["Guide", "Guide > Mount"]
    assert guide.shown[1].text == "A gauge, a Gauge and gauges.", "without its line end"
    assert [guide.shown[1].text[slice(*span)] for span in guide.shown[1].spans] == ["gauge", "gauge"]
    assert care.shown[1].text == "gauge --clean v1.2", "code is text, too"


def test_case_words_and_ordinary_text(index: Index) -> None:
    assert index.grep("gauge", ignore_case=True).occurrences == 6
    assert index.grep("gauge", words=True).occurrences == 4
    assert index.grep("v1.2", literal=True).lines == 1
    assert index.grep("v1x2", literal=True).lines == 0


@pytest.mark.usefixtures("processes")
def test_a_pattern_with_repetition(index: Index) -> None:
    assert places(index.grep(r"^#+ \w+$")) == ["guide.md:4", "guide.md:8", "notes/care.md:1"]
    assert places(index.grep(r"\s+$|^End")) == ["guide.md:12"], "no pattern reaches beyond its line"
    assert index.grep(["Clean", "(?i)MOUNT"], words=True).lines == 2, "flags of one pattern are its own"


def test_the_filters_of_a_search(index: Index) -> None:
    assert places(index.grep("gauge", path="notes/**")) == ["notes/care.md:3", "notes/care.md:6"]
    assert places(index.grep("gauge", tags="how")) == ["guide.md:6", "guide.md:10"]
    assert index.grep("gauge", where="tags = how").searched == 1
    assert index.grep("gauge", since="2020-01-01").searched == 3, "a document without a chunk, too"


def test_what_does_not_fit_is_counted(index: Index) -> None:
    everything = index.grep("gauge")
    few = index.grep("gauge", budget=40)
    assert few.lines == everything.lines
    assert [document.lines for document in few.documents] == [2, 2]
    assert 0 < len(places(few)) < 4
    assert few.left_out == 4 - len(places(few))
    assert count_tokens("".join(one.text for document in few.documents for one in document.shown)) < 40
    assert len(places(index.grep("gauge", budget=1))) == 1, "the first in any case"
    assert first_lines(everything, 3).left_out == 1
    counts = index.grep("gauge", lines=False)
    assert (counts.lines, counts.left_out, places(counts)) == (4, 4, [])


def test_a_long_line_is_shown_around_its_match() -> None:
    line = headnote.Occurrence(1, "x" * 5000 + "needle" + "y" * 5000, spans=((5000, 5006),))
    shown = clipped(line)
    assert len(shown.text) <= MAX_LINE_CHARS
    assert clipped(shown) == shown
    assert [shown.text[slice(*span)] for span in shown.spans] == ["needle"]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)" * 24 + "b", "(a|aa)" * 22 + "$b", "(a)" + r"(\1|a)" * 24 + "b"])
@pytest.mark.usefixtures("processes")
def test_a_pattern_that_goes_astray_is_ended(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.md").write_text("a" * 60 + "!\n", encoding="utf-8")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        with pytest.raises(headnote.SettingsError, match=r"takes more than 0\.2 seconds \(make the pattern simpler"):
            index.grep(pattern, seconds=0.2)


@pytest.mark.parametrize("text", ["a|b", "(a)", "a{2}", "[ab]", "a?", "x" * 101])
def test_what_may_take_long_is_done_where_it_can_be_ended(text: str) -> None:
    assert LinePattern((text,)).may_take_long
    assert not LinePattern((text[:100],), literal=True).may_take_long


@pytest.mark.parametrize("text", ["gauge", r"^\bv1\.2$", r"\d.\w"])
def test_what_matches_in_one_way_needs_no_process(text: str) -> None:
    assert not LinePattern((text,), ignore_case=True, words=True).may_take_long


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("", "the pattern is empty"),
        ("a\nb", "matches within a line"),
        ("(a", r"not a regular expression: .*, at '\(a', character 1 \(ordinary text needs literal, .* -F\)"),
        ("[[Note]]", r"not a regular expression: .* \(ordinary text needs literal, on the command line -F\)"),
        ("x" * 10_001, "10,001 characters"),
    ],
)
def test_what_is_no_pattern(index: Index, pattern: str, error: str) -> None:
    with pytest.raises(headnote.SettingsError, match=error):
        index.grep(pattern)


def test_what_would_mean_something_else_is_an_error() -> None:
    assert isinstance(matched_texts(("[[:alpha:]]", 0, [])), WrongPattern)
    assert isinstance(matched_texts(("(" * 5000 + ")" * 5000, 0, [])), WrongPattern)


# The same lines as ripgrep


CORPORA = ("fastapi-en", "rust-book", "kubernetes-ja", "foam", "react.dev", "vite-docs")
MAX_BYTES = 100_000
"""Of a corpus: enough for every pattern to match somewhere, few enough for 200 of them."""
FORMS = (
    r"{0}",
    r"\b{0}\w*",
    r"^#+ .*{0}",
    r"{0}.*{1}",
    r"({0}|{1})[.,;:]",
    r"{0}$",
    r"[A-Z]\w+ {0}",
    r"(?i)\W{0}\W",
    r"^\s*[-*] .*\b{0}",
    r"{0}(s|ed|ing)?\b",
)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("corpus", CORPORA)
def test_the_lines_of_ripgrep(corpus: str, corpus_files: Callable[[str], list[Path]]) -> None:
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        pytest.skip("ripgrep is not installed")
    texts = dict(some_texts(corpus_files(corpus)))
    patterns = list(patterns_for(" ".join(texts.values())))
    assert len(patterns) == 200
    lines = 0
    for pattern in patterns:
        ours = matched_texts((pattern.regex, pattern.flags, list(texts.values())))
        assert not isinstance(ours, WrongPattern)
        found = {(path, one.line) for path, many in zip(texts, ours, strict=True) for one in many}
        assert found == set(found_by(ripgrep, pattern, list(texts))), pattern
        lines += len(found)
    assert lines > 500, "patterns that find nothing say little"


def some_texts(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Files from all over the corpus. A line end of ripgrep is `\\n`: files with others are left out."""
    step = max(1, sum(file.stat().st_size for file in files) // MAX_BYTES)
    for file in files[::step]:
        text = read_snapshot(file.parent, file.name).text
        if not re.search(r"\r(?!\n)", text):
            yield str(file), text


def patterns_for(text: str) -> Iterator[LinePattern]:
    """Two hundred: each form with words of the text, and some as ordinary text or without case."""
    words = [word for word, _ in Counter(re.findall(r"\w{3,}", text)).most_common()][5::3]
    for number in range(140):
        one, other = words[number], words[number + 200]
        yield LinePattern((FORMS[number % len(FORMS)].format(one, other),))
    for number in range(20):
        yield LinePattern((words[number * 2],), ignore_case=True)
        yield LinePattern((words[number * 2 + 1],), literal=True, words=True)
    phrases = re.findall(r"[^\s\w]\w+[^\s\w]", text)
    yield from (LinePattern((phrase,), literal=True) for phrase in phrases[:: max(1, len(phrases) // 20)][:20])


def found_by(ripgrep: str, pattern: LinePattern, files: list[str]) -> Iterator[tuple[str, int]]:
    flags = [name for name, on in (("-i", pattern.ignore_case), ("-w", pattern.words), ("-F", pattern.literal)) if on]
    quiet = ["--no-config", "--no-heading", "--with-filename", "--line-number", "--null", "--color=never"]
    command = [ripgrep, *quiet, "--crlf", "--text", *flags, "-e", *pattern.texts, "--", *files]
    printed = subprocess.run(command, capture_output=True, check=False)
    assert printed.returncode in (0, 1), printed.stderr
    for line in printed.stdout.split(b"\n"):
        path, _, rest = line.partition(b"\0")
        if rest:
            yield path.decode(), int(rest.partition(b":")[0])


def test_a_line_and_where_it_matches() -> None:
    assert matched_texts(("b", 0, ["a\r\nab\rb\n"])) == [[LineMatch(2, 3, 5, ((1, 2),)), LineMatch(3, 6, 7, ((0, 1),))]]
