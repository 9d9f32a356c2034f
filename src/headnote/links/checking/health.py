"""What is wrong with a collection of pages besides its links: who is missing, who is alone, who says something else."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from headnote.links.checking.checked_files import LinkedDocument, NumberedSentence, PageFacts, is_of_others
from headnote.links.checking.link_report import TOP, Finding, FindingKind, Position
from headnote.links.checking.policy import SchemaRule
from headnote.links.resolving import is_partial
from headnote.links.sites.site import INDEX_NAMES, folded, page_of
from headnote.store.filters import path_matcher
from headnote.store.rows import LinkRow

STUB_WORDS = 10
"""A page with fewer words, and nothing else, says nothing."""
ALIKE = 0.8
"""Share of the rows of words of either page that both have: with more, one is a copy."""
_MIN_SHINGLES = 12
"""Rows of words. Pages with fewer are alike by chance."""
_COMMON = 20
"""Pages that have a row of words. What more have is boilerplate."""
_MAX_ALIKE = 3
"""Pages that one is like. One that is like so many has their pattern; so many in two folders are one copy."""
_LISTED = 0.7
"""Share of the pages of its folder that an index page links to, from which on it is meant to have all of them."""
_MIN_LISTED = 3
_LINKED, _ALONE = 0.7, 0.15
"""Share of pages with a link, from which on one without any stands out, and of several such."""
_WANTED_BY = 2
"""Documents that link to a page nobody wrote: one link may be a mistake."""
_MAX_ALIKE_STATEMENTS = 3
"""Pages that say the same with other numbers. More are made from one pattern."""
_VERSION = re.compile(
    r"(?:version-)?v?\d+(?:[.-](?:\d+|x))*|current|next|latest|stable|[a-z]{2}(?:-[a-z]{2,4})?", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:version-|v)\d+(?:[.-](?:\d+|x))*|\d+(?:\.(?:\d+|x))+", re.IGNORECASE)
"""A folder with the pages of a version."""


class CheckedPages(NamedTuple):
    """All pages, and what is known of them together."""

    documents: Sequence[LinkedDocument]
    links: Sequence[LinkRow]
    """Of all of them, resolved."""
    is_site: Callable[[str], bool]
    """Whether a generator shows a page: then its menus lead there as well."""
    date_of: Callable[[str], int | None]
    """When a document was changed, in nanoseconds since 1970; None for what is none."""

    def facts(self) -> Iterator[tuple[str, PageFacts]]:
        """Of the pages that people write."""
        return ((one.path, one.facts) for one in self.documents if not one.is_generated)


def health_findings(pages: CheckedPages, schema: Sequence[SchemaRule]) -> Iterator[Finding]:
    for find in (_orphans, _unlisted, _stubs, _copies, _footnotes, _outdated, _disagreeing):
        yield from find(pages)
    for path, facts in pages.facts():
        yield from _against(path, facts.metadata, schema)


def _at(kind: FindingKind, path: str, message: str, target: str = "", at: Position = TOP) -> Finding:
    return Finding(kind, path, at, target, message)


# -- links between pages


def wanted(findings: Iterable[Finding], is_site: Callable[[str], bool]) -> Iterator[Finding]:
    """The same findings, with one for each page that several documents link to and nobody wrote, in place of theirs.
    On a site, a link to a page that is not there is a mistake."""
    missing: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        is_note = finding.kind == "page" and not finding.target.lower().endswith(".txt")
        if is_note and not is_site(finding.path):
            missing[_wanted_name(finding)].append(finding)
        else:
            yield finding
    for name, group in missing.items():
        documents = {finding.path for finding in group}
        if len(documents) < _WANTED_BY:
            yield from group
            continue
        places = ", ".join(f"{finding.path}:{finding.at.line}" for finding in group[1:4])
        more = f" and {len(group) - 4} more" if len(group) > 4 else ""
        message = f"{len(documents)} documents link to {name}, which does not exist: also {places}{more}"
        yield group[0]._replace(kind="wanted", message=message, suggestion="")


def _wanted_name(finding: Finding) -> str:
    target = finding.target.partition("#")[0]
    is_path = "/" in target or target.lower().endswith((".md", ".mdx", ".markdown"))
    if not is_path or target.startswith("/"):
        return folded(target)
    return folded(posixpath.normpath(posixpath.join(posixpath.dirname(finding.path), target)))


def _is_one_of(path: str, names: Iterable[str]) -> bool:
    """Whether one of the names is the end of a path."""
    return any(f"/{path}".endswith(f"/{name}") for name in names)


def _orphans(pages: CheckedPages) -> Iterator[Finding]:
    paths = {document.path for document in pages.documents}
    linked = {
        end
        for link in pages.links
        if link.resolved in paths and link.resolved != link.path
        for end in (link.path, str(link.resolved))
    }
    if _is_made_into_a_site(pages):
        return
    included: dict[str, set[str]] = defaultdict(set)
    for name in {name.lstrip("./") for document in pages.documents for name in document.anchors.includes}:
        included[posixpath.basename(name)].add(name)
    linked |= {path for path in paths - linked if _is_one_of(path, included.get(posixpath.basename(path), ()))}
    alone = [path for path in sorted(paths - linked) if _may_be_alone(path) and not pages.is_site(path)]
    stand_out = len(paths) - len(linked) <= max(1, _ALONE * len(paths))
    if stand_out and len(linked) >= _LINKED * len(paths) and len(paths) > 2:
        for path in alone:
            yield _at("orphan", path, "no document links here, and this one links to none")


def _is_made_into_a_site(pages: CheckedPages) -> bool:
    """Whether a folder looks like the pages of a site whose configuration is elsewhere, and its menus with that: no
    link goes by name, and most pages say their title to a program, or are programs."""
    if any(link.kind == "wikilink" for link in pages.links):
        return False
    shown = [path.lower().endswith(".mdx") or "title" in facts.metadata for path, facts in pages.facts()]
    return 2 * sum(shown) > len(shown)


_OF_PROJECTS = frozenset(
    (
        "readme changelog license contributing code_of_conduct security authors 404 agents claude gemini skill template"
    ).split()
)
"""Pages that are found by their name, by people or programs."""
_FOR_AGENTS = frozenset({"agents", "claude", "gemini"})


def _may_be_alone(path: str) -> bool:
    return _is_content(path) and not _is_of_a_project(path)


def _is_of_a_project(path: str) -> bool:
    return posixpath.splitext(posixpath.basename(path))[0].lower() in _OF_PROJECTS


def _unlisted(pages: CheckedPages) -> Iterator[Finding]:
    """Pages that the index of their folder leaves out, though it links to most others there."""
    paths = {document.path for document in pages.documents}
    children: dict[str, set[str]] = defaultdict(set)
    indexes: dict[str, str] = {}
    for path in sorted(paths):
        folder = posixpath.dirname(path)
        if _is_index(path):
            indexes.setdefault(folder, path)
        elif _is_content(path):
            children[folder].add(path)
    targets: dict[str, set[str]] = defaultdict(set)
    for link in pages.links:
        if link.resolved in paths:
            targets[link.path].add(str(link.resolved))
    by_hand = {path for path, _ in pages.facts()}
    for folder, index in indexes.items():
        own = children[folder] & by_hand if index in by_hand else set()
        missing = own - targets[index]
        if len(own) - len(missing) >= max(_MIN_LISTED, _LISTED * len(own)):
            for path in sorted(missing):
                listed = f"{index} links to {len(own) - len(missing)} of the {len(own)} pages beside it"
                yield _at("unlisted", path, f"{listed}, and not to this one", index)


def _is_index(path: str) -> bool:
    return posixpath.splitext(posixpath.basename(path))[0].lower() in INDEX_NAMES


def _is_content(path: str) -> bool:
    return not (_is_index(path) or is_partial(path) or path.lower().endswith(".txt") or is_of_others(path))


# -- single pages


_ELSEWHERE = frozenset(
    "redirect redirect_to redirecturl layout template external manuallink url type build _build headless".split()
)
"""Fields of a page that shows what its text has not."""


def _stubs(pages: CheckedPages) -> Iterator[Finding]:
    for path, facts in pages.facts():
        is_shown = facts.has_more or _ELSEWHERE & {name.lower() for name in facts.metadata}
        is_for_tests = "test" in path.lower().split("/")[:-1]
        if facts.words < STUB_WORDS and not is_shown and not is_for_tests and _may_be_alone(path):
            what = "nothing" if not facts.words else f"{facts.words} word{'s' if facts.words > 1 else ''}"
            yield _at("stub", path, f"it says {what}")


def _footnotes(pages: CheckedPages) -> Iterator[Finding]:
    for document in pages.documents:
        marks = document.facts.footnotes
        defined = {one.label for one in marks if one.is_definition}
        used = {one.label for one in marks if not one.is_definition}
        for one, at in zip(marks, document.footnotes_at, strict=True):
            if one.is_definition and one.label not in used:
                yield _at(
                    "footnote", document.path, f"nothing refers to the footnote [^{one.label}]", f"[^{one.label}]", at
                )
            elif not one.is_definition and one.label not in defined:
                yield _at(
                    "footnote", document.path, f"the footnote [^{one.label}] is not defined", f"[^{one.label}]", at
                )


def _against(path: str, metadata: Mapping[str, Any], schema: Sequence[SchemaRule]) -> Iterator[Finding]:
    for rule in schema:
        if not rule.path or path_matcher((rule.path,))(path):
            for field, problem in rule.problems(metadata):
                yield _at("schema", path, problem, field)


def _outdated(pages: CheckedPages) -> Iterator[Finding]:
    paths = {folded(page_of(document.path)): document.path for document in pages.documents}
    for path, facts in pages.facts():
        for written in facts.sources:
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
            source = next(
                (paths[name] for one in (beside, written.lstrip("/")) if (name := folded(page_of(one))) in paths), None
            )
            if source is None or source == path:
                continue
            own, other = pages.date_of(path), pages.date_of(source)
            if own is not None and other is not None and own < other:
                yield _at("outdated", path, f"its source {source} was changed after it", written)


# -- pages that are alike


def _copies(pages: CheckedPages) -> Iterator[Finding]:
    """Each page once, beside the page that it is most like. Of a folder that was copied whole, its first page."""
    alike = _alike({path: facts.shingles for path, facts in pages.facts() if not path.lower().endswith(".txt")})
    nearest: dict[str, tuple[float, str]] = {}
    beside: Counter[str] = Counter(path for pair in alike for path in pair)
    for (one, other), share in sorted(alike.items(), key=lambda pair: (-pair[1], pair[0])):
        nearest.setdefault(other, (share, one))
    by_folders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, (_, other) in nearest.items():
        if max(beside[path], beside[other]) < _MAX_ALIKE:
            by_folders[_tops_of(path, other)].append(path)
    for (top, _), paths in sorted(by_folders.items()):
        whole = len(paths) >= _MAX_ALIKE and all(_is_same_inside(path, nearest[path][1], top) for path in paths)
        for path in sorted(paths)[: 1 if whole else None]:
            share, other = nearest[path]
            more = f", and so do {len(paths) - 1} more pages of this folder with theirs" if whole else ""
            yield _at("near-duplicate", path, f"{round(100 * share)} % of it also appears in {other}{more}", other)


def _alike(every: Mapping[str, frozenset[int]]) -> dict[tuple[str, str], float]:
    """Pairs of pages with nearly the same text → the share of it that both have."""
    known = {path: shingles for path, shingles in every.items() if len(shingles) >= _MIN_SHINGLES}
    having: dict[int, list[str]] = defaultdict(list)
    for path, shingles in known.items():
        for shingle in shingles:
            having[shingle].append(path)
    shared: Counter[tuple[str, str]] = Counter()
    for paths in having.values():
        if len(paths) <= _COMMON:
            shared.update(combinations(sorted(paths), 2))
    shares = {pair: (count, len(known[pair[0]] | known[pair[1]])) for pair, count in shared.items()}
    return {
        pair: len(known[pair[0]] & known[pair[1]]) / whole
        for pair, (count, whole) in shares.items()
        if count >= ALIKE * whole and not _are_versions(*pair) and not _are_of_projects(*pair)
    }


def _are_of_projects(one: str, other: str) -> bool:
    """Whether both are the same page of a project, which packages repeat; programs read one under several names."""
    names = {posixpath.basename(path).lower() for path in (one, other)}
    return _is_of_a_project(one) and (len(names) == 1 or {posixpath.splitext(name)[0] for name in names} <= _FOR_AGENTS)


def _tops_of(one: str, other: str) -> tuple[str, str]:
    """The folders in which two pages have the same path."""
    parts, others = one.split("/"), other.split("/")
    while parts and others and parts[-1] == others[-1]:
        parts.pop()
        others.pop()
    return "/".join(parts), "/".join(others)


def _is_same_inside(path: str, other: str, top: str) -> bool:
    return path != top and other.endswith(path[len(top) :].lstrip("/"))


def _are_versions(one: str, other: str) -> bool:
    """Whether two paths name a page in two versions or languages: they are alike on purpose."""
    parts, others = one.split("/"), other.split("/")
    if parts[-1] == others[-1] and any(map(_NUMBERED.fullmatch, {*parts[:-1]} ^ {*others[:-1]})):
        return True  # in another folder of a version, perhaps
    if len(parts) != len(others):
        short, long = sorted((parts, others), key=len)
        return len(long) == len(short) + 1 and any(
            long[:at] + long[at + 1 :] == short and _VERSION.fullmatch(long[at]) for at in range(len(long))
        )
    parts[-1], others[-1] = (posixpath.splitext(name)[0] for name in (parts[-1], others[-1]))
    different = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and all(_VERSION.fullmatch(part) for part in different[0])


class _Said(NamedTuple):
    path: str
    statement: NumberedSentence


def _disagreeing(pages: CheckedPages) -> Iterator[Finding]:
    """Sentences with the same words and other numbers, in two documents. Whether one is wrong, a reader must say."""
    alike: dict[int, list[_Said]] = defaultdict(list)
    for path, facts in pages.facts():
        for statement in () if facts.is_of_its_day else facts.statements:
            alike[statement.words].append(_Said(path, statement))
    for said in alike.values():
        documents = {one.path for one in said}
        if not 1 < len(documents) <= _MAX_ALIKE_STATEMENTS or len(said) > len(documents):
            continue
        first = said[0]
        for other in said[1:]:
            if other.statement.numbers != first.statement.numbers and not _are_versions(first.path, other.path):
                at = Position(other.statement.line, 1, other.statement.line, 1)
                own, its = ", ".join(other.statement.numbers), ", ".join(first.statement.numbers)
                place = f"{first.path}:{first.statement.line}"
                yield _at("numbers", other.path, f"it says {own} where {place} says {its}: one may be wrong", place, at)
