"""`headnote ask`: an answer from the documents of a folder, with citations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from headnote.cli import options
from headnote.cli.access import IndexCommand, NamedIndex, path_from_here
from headnote.cli.search_view import search_flags
from headnote.cli.terminal import (
    UNPRINTABLE,
    StyledLine,
    StyledText,
    without_commands,
    write_json,
    write_lines,
    write_note,
)
from headnote.errors import AnswerError
from headnote.model import Answer, Citation, to_plain

_UNPRINTABLE = {**UNPRINTABLE, ord("\n"): "\n", ord("\t"): "\t", ord("\r"): ""}
"""Line breaks and tabs of a model are kept."""


@click.command(
    "ask",
    cls=IndexCommand,
    examples=[
        ("quotes from the passages, without a model", 'headnote ask "how often do I calibrate?" docs --no-model'),
        ("only from some documents", 'headnote ask "which tools do I need?" docs --path "install*"'),
    ],
)
@options.words("question", "The question, with or without quotes.")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=6, metavar="N", help="Passages to answer from.")
@click.option("--budget", type=click.IntRange(min=1), default=4000, metavar="N", help="Maximum tokens of the prompt.")
@click.option("--model", metavar="NAME", help="Model to ask instead of HEADNOTE_CHAT_MODEL.")
@click.option("--no-model", is_flag=True, help="Ask no model: answer with quotes from the passages.")
@search_flags("roots", "path", "tags")
@options.no_update
@options.place
@options.as_json
def ask_command(
    named: NamedIndex, limit: int, budget: int, model: str | None, no_model: bool, asked: dict[str, Any]
) -> None:
    """Answer a question and cite the lines the answer rests on.

    Name a model here or in HEADNOTE_CHAT_MODEL; the service is set by HEADNOTE_CHAT_URL and HEADNOTE_CHAT_KEY, or by
    OPENAI_BASE_URL and OPENAI_API_KEY. Without a model, the answer quotes the passages. Citations that do not hold are
    dropped and reported. The exit code is 1 if nothing is found or the answer is incomplete.
    """
    request = {"limit": limit, "budget": budget, "model": "" if no_model else model, **asked}
    streams = not named.as_json and sys.stdout.isatty()
    answer = _ask(named, {**request, "stream": _write_piece if streams else None})
    if named.as_json:
        write_json(answer_record(named.text, named.root, answer))
    else:
        _write_piece("\n" if streams else f"{answer.text}\n")
        write_lines(citation_lines(named.root, answer))
        for citation in answer.dropped:
            write_note(f"dropped [{citation.written}]: {citation.reason}")
        if answer.note:
            write_note(answer.note)
    if not answer.sources or not answer.complete:
        raise click.exceptions.Exit(1)


def _ask(named: NamedIndex, request: dict[str, Any]) -> Answer:
    try:
        opened = named.open()
        with opened.index as index:
            named.prepare(index)
            named.fill(opened)
            return index.ask(named.text, **request)
    except AnswerError as error:
        raise AnswerError(error.message, remedy=f"{error.remedy}, or ask with --no-model") from None


def _write_piece(text: str) -> None:
    """Write it at once, without anything that a terminal or the runner of a job would obey."""
    sys.stdout.write(without_commands(text.translate(_UNPRINTABLE)))
    sys.stdout.flush()


def citation_lines(root: Path, answer: Answer) -> list[StyledLine]:
    """Each citation, with the section it points into."""
    if not answer.citations:
        return []
    lines: list[StyledLine] = [[]]
    for citation in answer.citations:
        place = path_from_here(root, citation.place)
        lines.append([StyledText(place, "cyan"), StyledText(f"  {_section(citation, answer)}", "dim")])
    return lines


def _section(citation: Citation, answer: Answer) -> str:
    hits = (hit for hit in answer.sources if hit.path == citation.path)
    overlapping = (hit for hit in hits if hit.start_line <= citation.end_line and citation.start_line <= hit.end_line)
    return next((hit.breadcrumb or hit.title for hit in overlapping), "")


def answer_record(question: str, root: Path, answer: Answer) -> dict[str, Any]:
    """The answer as JSON."""
    return {
        "question": question,
        "root": str(root),
        "text": answer.text,
        "citations": to_plain(answer.citations),
        "sources": [
            {name: getattr(hit, name) for name in ("path", "start_line", "end_line", "breadcrumb", "score", "id")}
            for hit in answer.sources
        ],
        "dropped": to_plain(answer.dropped),
        "complete": answer.complete,
        "model": answer.model,
        "note": answer.note,
    }
