"""What tools answer: compact text with places, never more than a budget of tokens. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from headnote.api import Status
from headnote.index.store.rows import LinkRow
from headnote.markdown.outline import OutlineEntry
from headnote.model import Answer, Hit, Passage
from headnote.tokens import get_counter

RESERVE = 40
"""Tokens that are left for saying what was left out."""
_RULE = "\n\n---\n\n"
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")
"""As lines are counted everywhere here: other separators that Python knows end none."""


def place(path: str, start_line: int, end_line: int) -> str:
    """As it is cited: `docs/a.md:12-30`."""
    return f"{path}:{start_line}-{end_line}"


def hits_text(hits: Sequence[Hit], budget: int) -> str:
    """Passages, best first, each under its place: as many as the budget allows, of the first at least a part."""
    if not hits:
        return "Nothing relevant. Try other words, or fewer filters."
    parts = []
    for hit in hits:
        # The path stands in front already, so what is left of the key is enough.
        chunk = hit.key.removeprefix(hit.path)
        where = f"{place(hit.path, hit.start_line, hit.end_line)}  {hit.breadcrumb or hit.title}"
        head = f"{where}  (score {hit.score:.2f}, chunk {chunk})"
        parts.append(f"{head}\n{hit.text.strip()}{_RULE}")
    shown = _within(parts, budget)
    if len(shown) < len(parts):
        shown.append(f"… {len(parts) - len(shown)} more; raise the budget to see them.")
    return "".join(shown).removesuffix(_RULE)


def answer_text(answer: Answer, budget: int) -> str:
    """What there is to say, and what has to be known about it."""
    remarks = [f"left out [{dropped.written}]: {dropped.reason}" for dropped in answer.dropped]
    lines = [*remarks, *([answer.note] if answer.note else [])]
    return _cut(answer.text.strip() + "".join(f"\n({line})" for line in lines), budget)


def passage_text(passage: Passage, budget: int) -> str:
    """Lines under their place; where they are cut, how to read on."""
    lines = _LINE.findall(passage.text)
    shown = _within(lines, budget)
    last = passage.start_line + max(len(shown) - 1, 0)
    text = f"{place(passage.path, passage.start_line, last)}\n{''.join(shown).rstrip()}"
    if len(shown) < len(lines):
        text += f"\n… cut here; read on with start_line={last + 1} (the passage ends in line {passage.end_line})."
    return text


def outline_text(path: str, entries: Iterable[OutlineEntry], budget: int) -> str:
    """Headings as a tree, each with its lines."""
    rows = [
        f"{'  ' * (entry.heading.level - 1)}{entry.heading.text}  {entry.start_line}-{entry.end_line}\n"
        for entry in entries
    ]
    return f"{path}\n" + (_listed(rows, budget) if rows else "no headings")


def documents_text(paths: Sequence[str], budget: int) -> str:
    return _listed([f"{path}\n" for path in paths], budget) if paths else "The index is empty."


def links_text(path: str, links: Sequence[LinkRow], backlinks: Sequence[LinkRow], budget: int) -> str:
    """Where a document leads, and what leads to it."""
    rows = [f"{path} links to:\n"]
    rows += [f"  line {link.line}: {_target(link)}\n" for link in links] or ["  nothing\n"]
    rows.append("linked from:\n")
    rows += [f"  {link.path}:{link.line}  {link.text}\n" for link in backlinks] or ["  nowhere\n"]
    return _listed(rows, budget)


def status_text(status: Status, problem: str = "") -> str:
    waiting = f", {status.pending:,} waiting for a vector" if status.pending else ""
    text = f"{status.documents:,} documents, {status.chunks:,} chunks{waiting}; model {status.model}"
    return f"{text}\n{problem}" if problem else text


def _target(link: LinkRow) -> str:
    written = link.target + (f"#{link.fragment}" if link.fragment else "")
    if link.external:
        return written
    if link.resolved is None:
        return f"{written} (broken)"
    return link.resolved + (f"#{link.section}" if link.section else "")


def _listed(rows: Sequence[str], budget: int) -> str:
    shown = _within(rows, budget)
    rest = len(rows) - len(shown)
    return "".join(shown) + (f"… {rest} more lines" if rest else "")


def _within(rows: Sequence[str], budget: int) -> list[str]:
    """As many rows as the budget allows; of the first, if it is too large, what fits."""
    room = max(budget - RESERVE, 1)
    sizes = get_counter().count_many(rows)
    kept, total = 0, 0
    for size in sizes:
        total += size
        if total > room:
            break
        kept += 1
    return list(rows[:kept]) or [_cut(row, budget) for row in rows[:1]]


def _cut(text: str, budget: int) -> str:
    """The text, or as much of its beginning as the budget allows."""
    counter = get_counter()
    room = max(budget - RESERVE, 1)
    # Hardly a token has more characters than this: what is far beyond needs no counting.
    kept = text[: budget * 40]
    while kept and (size := counter.count(kept)) > room:
        kept = kept[: len(kept) * room // (size + 1)]
    return text if len(kept) == len(text) else f"{kept}… (cut here)\n"
