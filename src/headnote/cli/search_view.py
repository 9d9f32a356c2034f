"""The flags of a search, made from its table of options, and its output for people: each hit with its place, section
and score, then the lines that answer best.

A command that takes some of the flags receives one `asked`: option → value as written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import quote

import click

from headnote.chunking.masking import strip_data_uris
from headnote.cli import choices, options
from headnote.cli.access import NamedIndex, path_from_here
from headnote.cli.command import OPTIONS, Option
from headnote.cli.terminal import StyledLine, StyledText, columns, folded
from headnote.config import load_server_settings
from headnote.config.server_settings import editor_address, template_of
from headnote.embedding.registry import short_name
from headnote.errors import SettingsError
from headnote.lines import split_lines
from headnote.model import Hit, Passage, ReadQuery, Related, Why, file_name
from headnote.search.query import DATES, Names, SearchOption, Where
from headnote.search.query import OPTIONS as SEARCH_OPTIONS
from headnote.search.snippets import ExcerptLine, Mark, best_lines, clipped, lines_of, marked_terms, marks
from headnote.search.spelling import corrected_query

_SECTION_OF = dict.fromkeys(("fusion", "per_document", "min_score", "budget", "recency"), "Ranking")
_SECTION_OF |= dict.fromkeys(("literal", "queries", "passage"), "The query")
_SECTION_OF |= dict.fromkeys(("roots", "path", "tags", "where", *DATES), options.FILTERS)
"""Option → the heading it stands under, in this order."""
_COMPLETERS = {
    "path": choices.documents,
    "roots": choices.roots,
    "tags": choices.tags,
    "recency": choices.words("steps"),
}


def search_flags(*names: str) -> Callable[[Any], Any]:
    """The flags of these options, or of all."""
    flagged = [name for name, option in SEARCH_OPTIONS.items() if option.flag is not None]
    wanted = names or (*(name for name in flagged if name not in _SECTION_OF), *_SECTION_OF)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_asked(named: NamedIndex, **given: Any) -> Any:
            return command(named, asked={name: given.pop(name) for name in wanted}, **given)

        decorated: Callable[..., Any] = with_asked
        for name in reversed(wanted):
            decorated = search_flag(SEARCH_OPTIONS[name])(decorated)
        return decorated

    return decorate


def search_flag(option: SearchOption) -> Callable[[Any], Any]:
    """The flag of an option, as a decorator."""
    attributes: dict[str, Any] = {"is_flag": True} if option.kind is bool else {"metavar": option.metavar}
    if number := {int: click.IntRange, float: click.FloatRange}.get(option.kind):
        attributes["type"] = number(min=option.least)
    return click.option(
        *(option.flags or (option.spelled,)),
        option.name,
        cls=Option,
        section=_SECTION_OF.get(option.name, OPTIONS),
        multiple=option.kind in (Names, Where),
        shell_complete=_COMPLETERS.get(option.name) or choices.words(*option.words),
        help=option.flag or option.help,
        **attributes,
    )


def flag_of_option(name: str) -> str:
    """`--tag`, as errors name it."""
    return SEARCH_OPTIONS[name].spelled


# -- The output of `search` for people: each hit with its place, section and score, then the lines that answer best.

INDENT = " " * 4

# -- Links in a terminal that open a file in the editor, at its line (OSC 8).

_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "mintty"})
_TERMINALS = ("xterm-kitty", "alacritty", "foot", "xterm-ghostty", "wezterm", "contour")
_VTE = 5000
"""GNOME Terminal and others show links since this version."""

Link = Callable[[str, int], str]
"""A file and a line → the address that opens it; empty for none."""


def no_link(_: str, __: int) -> str:
    return ""


def editor_links(root: Path) -> Link:
    """How files are linked here: to the editor of the settings, else as files. No links where nobody could follow them:
    outside of a terminal, in one that does not know them, with NO_COLOR, or with FORCE_HYPERLINK=0."""
    if not _shows_links(sys.stdout, os.environ):
        return no_link
    template = _template(root)

    def link(file: str, line: int) -> str:
        path = os.path.realpath(file)
        if not os.path.exists(path):
            return ""  # of several folders or of a pack: its path is no file from here
        if not template:
            slashed = path.replace(os.sep, "/")
            return f"file://{quote(slashed if slashed.startswith('/') else f'/{slashed}', safe='/:')}"
        return editor_address(template, path).replace("{line}", str(line))

    return link


def _template(root: Path) -> str:
    try:
        name = load_server_settings({}, root).settings.editor
    except SettingsError:
        return ""  # what is wrong with the settings of the server is no business of a search
    return template_of(name or ("obsidian" if (root / ".obsidian").is_dir() else ""))


def _shows_links(stream: TextIO, environment: Mapping[str, str]) -> bool:
    forced = environment.get("FORCE_HYPERLINK", "")
    if forced:
        return forced != "0"
    if environment.get("NO_COLOR") or environment.get("CI") or not stream.isatty():
        return False
    if environment.get("TMUX") or environment.get("STY"):
        return False  # older ones pass nothing on
    return _is_known(environment)


def _is_known(environment: Mapping[str, str]) -> bool:
    vte = environment.get("VTE_VERSION", "")
    terminal = environment.get("TERM", "")
    return (
        environment.get("TERM_PROGRAM") in _PROGRAMS
        or (vte.isdigit() and int(vte) >= _VTE)
        or "WT_SESSION" in environment
        or "KONSOLE_VERSION" in environment
        or terminal.startswith(_TERMINALS)
    )


# -- The hits.


class HitView(NamedTuple):
    """How hits are shown."""

    query: str
    root: Path
    full: bool = False
    """The whole text of each hit."""
    explain: bool = False
    context: int = 0
    """Lines to show before and after each line."""
    width: int | None = None
    """Columns of the window; None if lines are not folded."""
    dates: bool = False
    """Whether it matters when documents were changed."""
    literal: bool = False
    """Whether the query is ordinary text, without operators."""
    understood: ReadQuery = ReadQuery("")
    link: Link = no_link
    """Where the place of a hit leads."""


def hit_lines(view: HitView, hits: Sequence[Hit], contexts: Sequence[Passage] | None) -> Iterator[StyledLine]:
    """All hits. `contexts` has each of them with the lines around it, if they are asked for."""
    answered = corrected_query(view.query, hits)
    if answered != view.query:
        yield from folded([StyledText("showing results for ", "dim"), StyledText(answered, "bold")], view.width, "")
        yield from folded([StyledText(f"--plain searches for {view.query} instead", "dim")], view.width, "")
        yield []
    if view.explain:
        yield from _query_lines(view)
    for number, hit in enumerate(hits):
        if number:
            yield []
        yield from _one(view, hit, contexts[number] if contexts else None)


def _query_lines(view: HitView) -> Iterator[StyledLine]:
    """How the query was understood, if it has operators or filters."""
    query = view.understood
    rows = [
        ("words", query.words or ("" if query.phrases else "none: documents are listed, the newest first")),
        ("phrases", ", ".join(f'"{phrase}"' for phrase in query.phrases)),
        ("without", ", ".join(query.excluded)),
        ("filters", ", ".join(query.filters)),
    ]
    if not any(text for _, text in rows[1:]):
        return
    for name, text in rows:
        if text:
            yield from folded([StyledText(f"{name:<7}  {text}", "dim")], view.width, " " * 9)
    yield []


def snippet_of(hit: Hit, query: str, literal: bool = False) -> list[ExcerptLine]:
    """The lines of a hit that answer the query best, in order."""
    terms = marked_terms(query, hit.why.terms, hit.text, literal)
    return [clipped(line, terms) for line in best_lines(lines_of(hit), terms)]


def shown_line(hit: Hit, snippet: Sequence[ExcerptLine]) -> int:
    """The line of the document that is shown first."""
    return snippet[0].line if snippet else hit.start_line


def _one(view: HitView, hit: Hit, context: Passage | None) -> Iterator[StyledLine]:
    snippet = snippet_of(hit, view.query, view.literal)
    line = hit.start_line if view.full and context is None else shown_line(hit, snippet)
    file = path_from_here(view.root, hit.path)
    yield from _head(view, hit, StyledText(f"{file}:{line}", "cyan", view.link(file, line)))
    if hit.about:
        yield from folded(_indented([StyledText(hit.about, "dim italic")]), view.width, INDENT)
    if view.explain:
        yield from _reason_lines(view, hit)
    if context is not None:
        yield from _context_lines(view, hit, context, snippet)
    else:
        best = (_indented(highlighted(shown.text, shown.marks)) for shown in snippet)
        for text_line in _full_text(view, hit) if view.full else best:
            yield from folded(text_line, view.width, INDENT)
    if hit.also_in:
        yield from folded(_indented([StyledText(f"also in {_some_of(hit.also_in)}", "dim")]), view.width, INDENT)


MAX_COPIES = 3
"""Places of copies that are named: a text of a licence may stand in hundreds."""


def _some_of(places: Sequence[str]) -> str:
    rest = [f"{len(places) - MAX_COPIES:,} more"] if len(places) > MAX_COPIES else []
    return ", ".join([*places[:MAX_COPIES], *rest])


def _head(view: HitView, hit: Hit, where: StyledText) -> Iterator[StyledLine]:
    """Place, section and score; the section gets rows of its own if they do not fit on one. The place is never broken:
    a terminal that wraps it still finds it at a click."""
    section, score = StyledText(section_of(hit), "bold"), StyledText(f"  {hit.score:.2f}", "dim")
    if _fits(view, line := [where, StyledText("  "), section, score]):
        yield line
    elif _fits(view, line := [where, score]):
        yield line
        yield from folded(_indented([section]), view.width, INDENT)
    else:
        yield [where]
        yield from folded(_indented([section, score]), view.width, INDENT)


def _fits(view: HitView, line: StyledLine) -> bool:
    return view.width is None or sum(columns(span.text) for span in line) <= view.width


def section_of(passage: Hit | Related) -> str:
    """The headings above a passage, and the title of its document unless these or the path have it."""
    known = (file_name(passage.path), passage.breadcrumb.partition(" > ")[0])
    names = [] if passage.title in known and passage.breadcrumb else [passage.title]
    return " > ".join(filter(None, (*names, passage.breadcrumb)))


def _full_text(view: HitView, hit: Hit) -> Iterator[StyledLine]:
    terms = marked_terms(view.query, hit.why.terms, hit.text, view.literal)
    for line in split_lines(strip_data_uris(hit.text)):
        text = line.expandtabs(4).rstrip()
        yield _indented(highlighted(text, marks(text, terms))) if text else []


def _context_lines(view: HitView, hit: Hit, context: Passage, snippet: Sequence[ExcerptLine]) -> Iterator[StyledLine]:
    """Numbered lines as they are written: the best ones or all, with the lines around them, and `…` for each gap."""
    terms = marked_terms(view.query, hit.why.terms, hit.text, view.literal)
    lines = split_lines(strip_data_uris(context.text))
    best = range(hit.start_line, hit.end_line + 1) if view.full else [line.line for line in snippet]
    nearby = {number for line in best for number in range(line - view.context, line + view.context + 1)}
    last = None
    for number in sorted(nearby & set(range(context.start_line, context.start_line + len(lines)))):
        if last is not None and number > last + 1:
            yield [StyledText("    …", "dim")]
        last = number
        text = lines[number - context.start_line].expandtabs(4).rstrip()
        numbered = [StyledText(f"{number:6} ", "dim"), *highlighted(text, marks(text, terms))]
        yield from folded(numbered, view.width, " " * 7)


def _reason_lines(view: HitView, hit: Hit) -> Iterator[StyledLine]:
    """Why a hit was found, as a small tree."""
    reasons = [*_reasons(hit.why), *([_date_reason(hit)] if view.dates else [])]
    for number, (kind, reason) in enumerate(reasons, 1):
        branch, trunk = ("└─", " ") if number == len(reasons) else ("├─", "│")
        line = [StyledText(f"{INDENT}{branch} {kind:<7}  {reason}", "dim")]
        yield from folded(line, view.width, f"{INDENT}{trunk}{' ' * 11}")


_DATE_ORIGINS = {
    "frontmatter": "in its frontmatter",
    "git": "of its last commit",
    "name": "in its name",
    "mtime": "of its file",
}


def _date_reason(hit: Hit) -> tuple[str, str]:
    return "date", f"{datetime.fromtimestamp(hit.dated).astimezone():%Y-%m-%d}, {_DATE_ORIGINS[hit.dated_by]}"


def _reasons(why: Why) -> list[tuple[str, str]]:
    """Kind and reason."""
    rows = []
    if why.keyword_rank is not None:
        words = ", ".join(why.matched) or "none"
        rows.append(("words", f"rank {why.keyword_rank}, score {why.keyword_score:.2f}: {words}"))
    if why.guesses:
        rows.append(("guessed", ", ".join(f"{guess.typed} → {guess.found}" for guess in why.guesses)))
    if why.semantic_rank is not None:
        by = short_name(why.model)
        rows.append(("meaning", f"rank {why.semantic_rank}, similarity {why.similarity:.2f} by {by}"))
    if why.name:
        rows.append(("name", f"the query is its {why.name}"))
    if why.share_reason:
        weights = f"meaning {why.meaning_share:.2f}, words {1 - why.meaning_share:.2f}"
        rows.append(("weights", f"{weights}: {why.share_reason}"))
    if why.linked_from:
        rows.append(("links", f"from {why.linked_from}, {why.link_score:+.2f}"))
    if why.links_to:
        rows.append(("links", f"to {why.links_to}, {why.link_score:+.2f}"))
    if why.about != 1.0:
        rows.append(("context", f"factor {why.about:.2f}"))
    if why.version != 1.0:
        rows.append(("release notes", f"factor {why.version:.2f}"))
    if why.folder != 1.0:
        rows.append(("other folder", f"factor {why.folder:.2f}"))
    if why.recency != 1.0:
        rows.append(("recency", f"factor {why.recency:.2f}"))
    return rows


def _indented(spans: Iterable[StyledText]) -> list[StyledText]:
    return [StyledText(INDENT), *spans]


def highlighted(text: str, text_marks: Iterable[Mark]) -> Iterator[StyledText]:
    """The line, with its marks in colour."""
    at = 0
    for start, end in text_marks:
        if start > at:
            yield StyledText(text[at:start])
        yield StyledText(text[start:end], "bold yellow")
        at = end
    if at < len(text):
        yield StyledText(text[at:])
