"""Passages in, an answer out: quotes of the passages that say most about the question, or the text of a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from textwrap import dedent
from typing import NamedTuple

from headnote.answer.chat import MODEL_VARIABLE, Chat
from headnote.answer.citations import Checker, find_brackets, read_statement
from headnote.answer.prompt import BUDGET, Prompt, ShownPassage, build_prompt
from headnote.chunking.masking import strip_data_uris
from headnote.embedding.embedder import Embedder
from headnote.formats.kinds import format_of, open_document
from headnote.markdown.shown_headings import SHORTCODE
from headnote.model import Answer, Block, Citation, Hit, Turn
from headnote.search.ranking import TIMES_THE_NEXT, reciprocal_ranks
from headnote.search.readable import has_nothing_to_see, readable_lines
from headnote.search.spelling import content_terms, coverage, rarity
from headnote.words.phrases import sentences
from headnote.words.terms import terms

QUOTES = 4
"""Maximum quotes of an answer."""
QUOTABLE = 0.3
"""Minimum score of a passage that is quoted. A list of hits is an offer, and may have less; an answer is a claim."""
CLEAR = 0.45
"""Relevance from which nobody need be told that quotes may be no answer. Of 51 questions that people asked about React
and FastAPI 39 have it, of as many about other projects 5, and of 24 about the world at large, such as the capital of
France, 1; QUOTABLE have 50, 23 and 6. Good answers of a small folder may have less, so they are shown all the same."""
PASSAGES = 6
"""Passages they are taken from."""
MIN_SHARE = 0.6
"""Minimum share of the best score: quotes below it are left out."""
FADING = 0.95
"""Factor per passage, in the order of the search."""
OF_QUESTION = 0.5
"""Factor of a quote that is a question itself: "How do I …?" in a list of questions has all words of the one asked, and
says nothing about it."""
SHORT = 50
"""Characters. A shorter sentence is quoted with the next one."""
MAX_LINES = 8
"""Lines of code and the like in one quote."""

_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]++\S")
_FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?+(`{3,}|~{3,})")
_MARKUP = re.compile(
    r"^[ \t>]*+\[![\w-]++\][+-]?+|^[ \t]*+(?:>[ \t]?)++|^[ \t]*+(?::{3,}|/{3,}|!!!|\?\?\?)[^\n]*+$"
    rf"|{SHORTCODE.pattern}",
    re.MULTILINE,
)
"""Marks of quotes and callouts, lines that open and close boxes, and what the generator of a site replaces."""
_NO_WORDS = re.compile(r"[\s>]*+")
_PROSE = {"paragraph", "quote", "footnote"}
_ASKED = re.compile(r"[?？؟][*_\s\"'»”)]*+\Z")
_SILENT = {"heading", "rule", "definition", "frontmatter", "mdx_esm"}
_TAGGED = {"html", "mdx_jsx", "mdx_expression"}


class Quote(NamedTuple):
    """Lines that can be quoted by themselves: a sentence, an item of a list, a row, some code."""

    passage: int
    start_line: int
    end_line: int
    text: str
    heading: str = ""
    """The headings above it."""
    block: int = -1
    """Start of the paragraph that the sentence belongs to; -1 for anything but a sentence."""
    head: str = ""
    """Of the table that it is a row of: its first two lines."""


def extract(question: str, passages: Sequence[ShownPassage], embedder: Embedder) -> tuple[str, tuple[Citation, ...]]:
    """The best quotes, each with its citation."""
    best_passages = passages[:PASSAGES]
    quotes = [quote for number, passage in enumerate(best_passages) for quote in quotes_of(passage, number)]
    if not quotes:
        quotes = [Quote(0, passages[0].start_line, passages[0].end_line, "\n".join(passages[0].lines).strip())]
    chosen = joined(best_quotes(question, quotes, embedder))
    citations = [_citation(quote, best_passages[quote.passage]) for quote in chosen]
    names = [passage.path for passage in passages]
    texts = [_written(quote, citation, names) for quote, citation in zip(chosen, citations, strict=True)]
    return "\n\n".join(texts), tuple(dict.fromkeys(citations))


def _written(quote: Quote, citation: Citation, names: Sequence[str]) -> str:
    text = f"{quote.head}\n{quote.text}\n" if quote.head else quote.text
    # Citations inside a document would look like ours.
    for bracket in find_brackets(text, names):
        text = f"{text[: bracket.start]}({text[bracket.start + 1 : bracket.end - 1]}){text[bracket.end :]}"
    return f"{text}{chr(10) if chr(10) in text else ' '}[{citation.place}]"


def quotes_in(text: str, citations: Sequence[Citation]) -> Iterator[tuple[Citation, str]]:
    """The quotes of an answer that consists of them, each with its citation."""
    by_place = {citation.place: citation for citation in citations}
    if not by_place:
        return
    start = 0
    for cited in re.finditer("|".join(f"\\[({re.escape(place)})\\]" for place in by_place), text):
        yield by_place[cited[0][1:-1]], text[start : cited.start()].strip()
        start = cited.end()


def quotes_of(passage: ShownPassage, number: int = 0) -> Iterator[Quote]:
    """Everything in a passage that can be quoted."""
    text = strip_data_uris("\n".join(passage.lines))
    heading = passage.hit.breadcrumb
    for block in open_document(text, passage.path).blocks:
        if block.kind == "heading":
            heading = f"{passage.hit.breadcrumb} {text[block.start : block.end]}"
        written = text[block.start : block.end]
        if block.kind in _SILENT or (block.kind in _TAGGED and has_nothing_to_see(written)):
            continue
        first = passage.start_line + block.start_line - 1
        of_prose = block.start if block.kind in _PROSE else -1
        head = dedent("\n".join(written.split("\n", 2)[:2])) if block.kind == "table" else ""
        has_tags = block.kind == "html" or format_of(passage.path) == "html"
        for start, end, part in _parts(block, written):
            shown = "\n".join(line.text for line in readable_lines(part)) if has_tags else part
            if terms(shown):
                yield Quote(number, first + start, first + end, shown, heading, of_prose, head)


def best_quotes(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[Quote]:
    """The best quotes by words and by meaning, at least one, those of the best passage first."""
    words = _by_words(question, quotes)
    meaning = _by_meaning(question, quotes, embedder)
    scores = [
        ((by_words + by_meaning) / 2 if meaning else by_words) * FADING**quote.passage * _statement_factor(quote)
        for quote, by_words, by_meaning in zip(quotes, words, meaning or words, strict=True)
    ]
    best_first = sorted(range(len(quotes)), key=lambda number: (-scores[number], number))
    said: dict[tuple[str, ...], int] = {}
    for number in best_first:  # what two documents say is quoted once
        said.setdefault(tuple(terms(quotes[number].text)), number)
    order = list(said.values())
    enough = scores[order[0]] * MIN_SHARE
    chosen = {number for number in order[:QUOTES] if scores[number] >= enough}
    chosen |= {number + 1 for number in chosen if _goes_on(quotes, number)}
    best: dict[int, float] = {}
    for number in chosen:
        best[quotes[number].passage] = max(scores[number], best.get(quotes[number].passage, 0.0))
    return [quotes[number] for number in sorted(chosen, key=lambda number: (-best[quotes[number].passage], number))]


def _statement_factor(quote: Quote) -> float:
    return OF_QUESTION if _ASKED.search(quote.text) else 1.0


def _goes_on(quotes: Sequence[Quote], number: int) -> bool:
    """Whether a sentence is too short to say it all, and the next belongs to it."""
    if number + 1 == len(quotes) or len(quotes[number].text) >= SHORT or quotes[number].block < 0:
        return False
    quote, following = quotes[number], quotes[number + 1]
    return (quote.passage, quote.block) == (following.passage, following.block)


def joined(quotes: Sequence[Quote]) -> list[Quote]:
    """Neighbours as one quote."""
    merged: list[Quote] = []
    for quote in quotes:
        last = merged[-1] if merged else None
        is_next = last and (last.passage, last.head) == (quote.passage, quote.head)
        if last and is_next and quote.start_line <= last.end_line + 1:
            gap = "\n" if "\n" in last.text + quote.text or _ITEM.match(quote.text) or quote.head else " "
            merged[-1] = last._replace(end_line=max(last.end_line, quote.end_line), text=last.text + gap + quote.text)
        else:
            merged.append(quote)
    return merged


def _by_words(question: str, quotes: Sequence[Quote]) -> list[float]:
    """How much of the question each quote covers; terms that only its heading has count less."""
    quote_terms = [set(terms(quote.text)) for quote in quotes]
    frequencies = Counter(term for own in quote_terms for term in own)
    weights = rarity({term: frequencies[term] for term in content_terms(question)}, len(quotes))
    return [
        (coverage(weights, own) + 2 * coverage(weights, own.union(terms(quote.heading)))) / 3
        for own, quote in zip(quote_terms, quotes, strict=True)
    ]


def _by_meaning(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[float]:
    if not embedder.dimensions:
        return []
    vectors = embedder.embed([f"{quote.heading}\n{quote.text}" for quote in quotes])
    similarities = [float(similarity) for similarity in vectors @ embedder.embed_query(question)]
    return [similarity if math.isfinite(similarity) else 0.0 for similarity in similarities]


def _parts(block: Block, text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text) of what a block consists of, lines counted from 0."""
    lines = text.split("\n")
    if block.kind in _PROSE:
        yield from _sentences(text)
    elif block.kind == "list":
        fences = _open_fences(lines)
        starts = [number for number, line in enumerate(lines) if _ITEM.match(line) and not fences[number]] or [0]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield start, *_trimmed(lines, start, end, shorten=True)
    elif block.kind == "table":
        for number, line in enumerate(lines[2:], 2):
            yield number, number, line.strip()
    elif _FENCE.match(lines[0]) and len(lines) > MAX_LINES:
        end = len(lines) if _open_fences(lines)[-1] else len(lines) - 1
        for start in range(1, end, MAX_LINES):
            last, part = _trimmed(lines, start, min(start + MAX_LINES, end))
            yield start, last, f"{lines[0].strip()}\n{part}\n{_FENCE.match(lines[0])[1]}"  # type: ignore[index]
    else:
        for start in range(0, len(lines), MAX_LINES):
            yield start, *_trimmed(lines, start, min(start + MAX_LINES, len(lines)))


def _open_fences(lines: Sequence[str]) -> list[str]:
    """The fence of code that each line stands in, itself left out; behind the last line, what is open there."""
    fences = [""]
    for line in lines:
        fence = _FENCE.match(line)
        is_open = fences[-1]
        if fence and not is_open:
            fences.append(fence[1])
        else:
            fences.append("" if fence and fence[1].startswith(is_open) and is_open else is_open)
    return fences


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    for begin, end in sentences(text):
        start = _NO_WORDS.match(text, begin, end).end()  # type: ignore[union-attr]
        own = text[start:end].rstrip()
        first = text.count("\n", 0, start)
        sentence = " ".join(_MARKUP.sub(_shown, own).split())
        if sentence:
            yield first, first + own.count("\n"), sentence


def _shown(markup: re.Match[str]) -> str:
    return markup["shown"] or ""


def _trimmed(lines: list[str], start: int, end: int, shorten: bool = False) -> tuple[int, str]:
    """The last line that says something, and the text."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    if shorten:
        end = min(end, start + MAX_LINES)
    text = dedent("\n".join(lines[start:end])).rstrip()
    fence = _open_fences(lines[start:end])[-1]
    if not fence:
        return end - 1, text
    # What is cut off inside of code ends the code, for what follows is none.
    opening = next(line for line in reversed(text.split("\n")) if fence in line)
    return end - 1, f"{text}\n{' ' * opening.index(fence)}{fence}"


def _citation(quote: Quote, passage: ShownPassage) -> Citation:
    lines = passage.lines[quote.start_line - passage.start_line : quote.end_line - passage.start_line + 1]
    return Citation(passage.path, quote.start_line, quote.end_line, "\n".join(lines))


# -- A question that goes on from earlier ones: what to search for, and what to remind a model of.


ENOUGH_TERMS = 2
"""Content terms with which a question can be searched for by itself; "And in winter?" has one."""
MAX_TURNS = 4
"""Earlier turns that are looked at, the last ones."""
_RANK_CONSTANT = 59
"""Of reciprocal rank fusion: how little the first places count more than the next."""
_CITED = re.compile(r"[ \t]*+\[[^\[\]\r\n]{1,300}:[0-9]++(?:[-–][0-9]++)?[^\[\]\r\n]{0,300}\]")


def searches_for(question: str, history: Sequence[Turn]) -> list[str]:
    """The texts to search for, the best first: the question by itself if it has enough words, and in its context."""
    if not history:
        return [question]
    earlier = " ".join(_begun_with(history))
    together = f"{earlier} {question}"
    # "And how often?" may have no word that a document has; what it goes on from has.
    return [question, together] if _stands_alone(question) else [together, earlier]


def _begun_with(history: Sequence[Turn]) -> list[str]:
    """The last question, and those before it that it goes on from itself."""
    asked: list[str] = []
    for turn in reversed(history[-MAX_TURNS:]):
        asked.insert(0, turn.question.strip())
        if _stands_alone(turn.question):
            break
    return asked


def _stands_alone(question: str) -> bool:
    return len(read_statement(question).terms) >= ENOUGH_TERMS


def merged(rankings: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """Hits of several searches as one list, each once: those first that stand high in many."""
    if len(rankings) == 1:
        return list(rankings[0])
    scores = reciprocal_ranks(*([(hit.key, hit.score) for hit in hits] for hits in rankings), constant=_RANK_CONSTANT)
    first: dict[str, Hit] = {}
    for hit in chain.from_iterable(rankings):
        first.setdefault(hit.key, hit)
    return sorted(first.values(), key=lambda hit: -scores[hit.key])[:limit]


def reminders(history: Iterable[Turn]) -> list[Turn]:
    """Earlier turns for a model, without citations: it must not copy those of other passages."""
    return [Turn(turn.question.strip(), _CITED.sub("", turn.answer).strip()) for turn in history][-MAX_TURNS:]


# -- Passages in, an answer out


Listener = Callable[[str], object]
"""Receives the text of an answer, piece by piece. Nothing is ever taken back."""

NOTHING = "Nothing here answers this question."
NOTHING_TO_QUOTE = "the nearest passage is too far from the question to be quoted ({score:.2f} of 1); a search shows it"
NO_MODEL = f"no model was asked; these are the passages themselves (set {MODEL_VARIABLE} to ask a model)"


def can_be_quoted(hits: Sequence[Hit]) -> bool:
    """Whether quotes of these would answer a question: the best is relevant by itself, or stands out from the other
    documents."""
    return _is_best(hits, QUOTABLE)


def _is_best(hits: Sequence[Hit], enough: float) -> bool:
    best = hits[0]
    others = max((hit.score for hit in hits if hit.path != best.path), default=0.0)
    return best.score >= enough or best.score >= TIMES_THE_NEXT * others


def is_clear(answer: Answer) -> bool:
    """Whether the answer is more than the nearest passages; a model has judged that itself."""
    return answer.model is not None or not answer.sources or _is_best(answer.sources, CLEAR)


def answer_from(
    question: str,
    passages: Sequence[ShownPassage],
    chat: Chat | None,
    embedder: Embedder,
    budget: int = BUDGET,
    listener: Listener | None = None,
    history: Sequence[Turn] = (),
) -> Answer:
    """An answer from these passages and nothing else."""
    emit = listener or _ignore
    if not passages:
        emit(NOTHING)
        return Answer(NOTHING, note="no model was asked: nothing relevant was found")
    if chat is not None:
        return _by_model(chat, build_prompt(question, passages, budget, reminders(history)), emit)
    text, citations = extract(searches_for(question, history)[0], passages, embedder)
    emit(text)
    return Answer(text=text, citations=citations, sources=tuple(passage.hit for passage in passages), note=NO_MODEL)


def _by_model(chat: Chat, prompt: Prompt, emit: Listener) -> Answer:
    checker = Checker(prompt.shown)
    pieces: list[str] = []
    broken = ""

    def release(text: str) -> None:
        if text:
            pieces.append(text)
            emit(text)

    for piece in chat.ask(prompt.messages):
        release(checker.feed(piece.text))
        broken = piece.broken or broken
    release(checker.finish(cut_off=bool(broken)))
    return Answer(
        text="".join(pieces),
        citations=checker.citations,
        sources=tuple(passage.hit for passage in prompt.shown),
        dropped=checker.dropped,
        complete=not broken,
        model=chat.model,
        note=f"the answer is not complete: {broken}" if broken else "",
    )


def _ignore(_: str) -> None:
    pass
