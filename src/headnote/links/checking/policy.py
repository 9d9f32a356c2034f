"""What checks obey: the ignore list of the settings, comments in documents, and what frontmatter must have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from headnote.links.checking.link_report import Finding, FindingKind, IgnoredFinding, Position
from headnote.store.filters import path_matcher

if TYPE_CHECKING:
    from headnote.links.checking.checked_files import Comment

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Literal, get_args


class IgnoreEntry(NamedTuple):
    """One entry of the list. A finding that fits all that it says is ignored."""

    reason: str
    """Why it stays; never empty in a list that others read."""
    path: str = ""
    """Glob of documents; empty for all."""
    target: str = ""
    """Glob of targets as written, in which `*` stands for any text; empty for all."""
    kind: FindingKind | None = None
    """Only findings of this kind."""
    place: str = ""
    """The file it stands in, as people see it; empty for a flag."""
    line: int | None = None

    def matcher(self) -> Callable[[Finding], bool]:
        of_path = path_matcher((self.path,)) if self.path else None
        of_target = target_regex(self.target) if self.target else None

        def matches(finding: Finding) -> bool:
            return (
                (self.kind is None or finding.kind == self.kind)
                and (of_path is None or of_path(finding.path))
                and (of_target is None or of_target.fullmatch(finding.target) is not None)
            )

        return matches


def target_regex(glob: str) -> re.Pattern[str]:
    """`*` matches any text, `?` any character, everything else itself."""
    # Each star is settled where the text after it first fits, so no target is tried in many ways.
    first, *later = (re.escape(part).replace(r"\?", ".") for part in re.split(r"\*+", glob))
    if not later:
        return re.compile(first, re.DOTALL)
    *middle, last = later
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + f".*{last}", re.DOTALL)


class Sifted(NamedTuple):
    """Findings, and those that are known."""

    findings: list[Finding]
    ignored: list[IgnoredFinding]


def sift(
    findings: Iterable[Finding], entries: Sequence[IgnoreEntry], comments: Mapping[str, Sequence[Comment]]
) -> Sifted:
    """Take out what an entry or a comment ignores. Those that match nothing become findings themselves."""
    by_line = {(path, one.line): one for path, many in comments.items() for one in many if one.reason}
    ignoring = _Ignoring(entries)
    used: set[IgnoreEntry | Comment] = set()
    sifted = Sifted([], [])
    for finding in findings:
        comment = by_line.get((finding.path, finding.at.line))
        reasons: list[IgnoreEntry | Comment] = [*ignoring(finding)]
        reasons += [comment] if comment else []
        used.update(reasons)
        if reasons:
            sifted.ignored.append(IgnoredFinding(finding, reasons[0].reason))
        else:
            sifted.findings.append(finding)
    sifted.findings.extend(_unused_entry(entry) for entry in entries if entry.place and entry not in used)
    for path, many in comments.items():
        sifted.findings.extend(_unused_comment(path, one) for one in many if one not in used)
    return sifted


def known_before(findings: Iterable[Finding], before: Iterable[Finding]) -> Sifted:
    """Take out what was found before, as often as it was, wherever in its file it stands now."""
    left = Counter((one.kind, one.path, one.target) for one in before)
    sifted = Sifted([], [])
    for finding in findings:
        identity = finding.kind, finding.path, finding.target
        if left[identity]:
            left[identity] -= 1
            sifted.ignored.append(IgnoredFinding(finding, "in the baseline"))
        else:
            sifted.findings.append(finding)
    return sifted


class _Ignoring:
    """Finding → the entries that ignore it, in their order. A list of all that is known has an entry for each target:
    those with a target as it is written are found by it."""

    def __init__(self, entries: Iterable[IgnoreEntry]) -> None:
        self._by_target: dict[str, list[_Matching]] = defaultdict(list)
        self._others: list[_Matching] = []
        for place, entry in enumerate(entries):
            is_literal = entry.target and not re.search(r"[*?]", entry.target)
            (self._by_target[entry.target] if is_literal else self._others).append((place, entry, entry.matcher()))

    def __call__(self, finding: Finding) -> list[IgnoreEntry]:
        near = (*self._by_target.get(finding.target, ()), *self._others)
        found = [(place, entry) for place, entry, matches in near if matches(finding)]
        return [entry for _, entry in sorted(found, key=itemgetter(0))]


_Matching = tuple[int, IgnoreEntry, Callable[[Finding], bool]]


def _unused_entry(entry: IgnoreEntry) -> Finding:
    line = entry.line or 1
    said = " ".join(f'{name} "{value}"' for name in ("path", "target", "kind") if (value := getattr(entry, name)))
    message = f"nothing to ignore: {said} matches no finding (remove the entry)"
    return Finding("unused-ignore", entry.place, Position(line, 1, line, 1), entry.target or entry.path, message)


def _unused_comment(path: str, comment: Comment) -> Finding:
    why = "a comment without a reason ignores nothing (say why)"
    message = f"nothing to ignore on line {comment.line} (remove the comment)" if comment.reason else why
    return Finding("unused-ignore", path, comment.at, comment.reason, message)


# -- What frontmatter must have: the rules of `[[schema]]`.

FieldType = Literal["text", "number", "date", "boolean", "list"]
FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)


def _is_date(value: Any) -> bool:
    if isinstance(value, str):
        try:
            datetime.fromisoformat(value.strip())
        except ValueError:
            return False
        return True
    return isinstance(value, date)


_HAS_TYPE: Mapping[FieldType, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "date": _is_date,
    "boolean": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
}


class SchemaRule(NamedTuple):
    """What the frontmatter of some documents must have."""

    path: str = ""
    """Glob of documents; empty for all."""
    required: tuple[str, ...] = ()
    """Fields that must be there, with a value."""
    types: Mapping[str, FieldType] = {}
    """Field → what it must be, where it has a value."""
    values: Mapping[str, tuple[str, ...]] = {}
    """Field → what it may say; each item of a list."""

    def problems(self, metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Field and what is wrong with it."""
        for field in self.required:
            if metadata.get(field) in (None, "", []):
                yield field, f"the field {field} is missing"
        for field, wanted in self.types.items():
            value = metadata.get(field)
            if value is not None and not _HAS_TYPE[wanted](value):
                yield field, f"{field} is {str(value)[:60]!r}, not a {wanted}"
        for field, allowed in self.values.items():
            value = metadata.get(field)
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                if str(one) not in allowed:
                    yield field, f"{field} is {str(one)[:60]!r}, not one of {', '.join(allowed)}"
