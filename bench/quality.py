"""How often does a search find the answer? Models side by side, and the same kind of search over chunks of others.

    python bench/quality.py [--models A,B,…] [--set chroma|anthropic|linkgold|xquad] [--corpus NAME] [--language CODE]
                            [--size N] [--quick] [--ours-only] [--cache DIR] [--json FILE]

Needs `pip install -e ".[search,bench]"` and the package of each model. The sets lie at HEADNOTE_SHARED, or beside the
working copy in `shared`. Making vectors takes minutes the first time; the folder that `--cache` names keeps them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from headnote.extra.evaluate.measuring import LocatedQuestion, Retrieved, locate_gold
from headnote.search.engine import DEPTH
from our_search import PLAIN, WORDS, Ask, Clock, Model, OurIndex
from question_sets import LANGUAGES, LINKED, QuestionSet, anthropic, chroma, linkgold, xquad
from report import add_json_option, machine, show, show_setting, versions, write_figures
from views import ENOUGH, VIEWS
from ways import HYBRID, KEYWORD, SEMANTIC, Comparison, Way, as_figures, compare, differences, record, table

MODELS = "instant,deep,minilm,quality"
BASELINE = "minilm"
MODES = (HYBRID, SEMANTIC, PLAIN)
MOST = 10
"""Passages that any table looks at."""
DISTRIBUTIONS = ["headnote-md", "numpy", "onnxruntime"]


def main() -> int:
    options = _options()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    models = [Model.load(name, options.cache) for name in options.models]
    print("  models: " + ", ".join(f"{model.name} = {model.embedder.name}" for model in models))
    comparisons = []
    for questions in _sets(options):
        located, ways = _ways(questions, options, models)
        answers = [(way, _answers(questions, way, located)) for way in ways]
        for view in VIEWS[questions.kind]:
            comparison = compare(questions.name, view, located, answers, options.baseline)
            _show(comparison, options.quick)
            comparisons.append(comparison)
        # After every set: all of them take hours.
        write_figures(
            options.json,
            [figure for one in comparisons for figure in as_figures(one)],
            setting,
            packages,
            models={model.name: model.embedder.name for model in models},
            comparisons=[record(one) for one in comparisons],
        )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How often a search finds the answer.")
    parser.add_argument("--models", default=MODELS, help=f"names of embedders, with commas (default {MODELS})")
    parser.add_argument("--baseline", help=f"model the others are compared with (default {BASELINE}, or the first)")
    parser.add_argument("--modes", default=",".join(MODES), help=f"with commas (default {','.join(MODES)})")
    parser.add_argument("--set", action="append", choices=list(VIEWS), dest="sets", help="only this one; repeatable")
    parser.add_argument("--corpus", action="append", help=f"of linkgold: {', '.join(LINKED)}; repeatable")
    parser.add_argument("--language", action="append", help=f"of xquad: {', '.join(LANGUAGES)}; repeatable")
    parser.add_argument("--size", action="append", type=int, default=[], help="also ours at so many tokens; repeatable")
    parser.add_argument("--quick", action="store_true", help="small documents only, and every fourth question")
    parser.add_argument("--ours-only", action="store_true", help="without the chunks of others")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the vectors")
    add_json_option(parser)
    options = parser.parse_args()
    options.models = list(dict.fromkeys(options.models.split(",")))
    options.modes = options.modes.split(",")
    options.baseline = options.baseline or (BASELINE if BASELINE in options.models else options.models[0])
    return options


def _sets(options: argparse.Namespace) -> Iterator[QuestionSet]:
    names = options.sets or list(VIEWS)
    if "chroma" in names:
        yield chroma(options.cache, options.quick)
    if "anthropic" in names:
        yield anthropic(options.cache, options.quick)
    if "linkgold" in names:
        for corpus in options.corpus or LINKED:
            yield linkgold(corpus, options.cache, options.quick)
    if "xquad" in names:
        for language in options.language or LANGUAGES:
            yield xquad(language, options.cache, options.quick)


def _show(comparison: Comparison, quick: bool) -> None:
    show(table(comparison))
    show(differences(comparison, quick))


# -- ways of searching


def _ways(
    questions: QuestionSet, options: argparse.Namespace, models: Sequence[Model]
) -> tuple[list[LocatedQuestion], list[Way]]:
    """The questions with their gold, and all ways: by words, which no model changes, then model by model."""

    def index(model: Model, size: int | None = None) -> OurIndex:
        settings = {} if size is None else {"max_tokens": size}
        return OurIndex(questions.root, options.cache, model, settings=settings, ignores_links=questions.asks_for_links)

    words = index(Model.load(WORDS, options.cache))
    texts = words.texts()
    ways = [Way("", KEYWORD, words.asking(KEYWORD), words.chunks)]
    for model in models:
        for size in [None, *options.size]:
            ours = index(model, size)
            name = f"{model.name} {size or ''}".rstrip()
            ways += [Way(name, mode, ours.asking(mode), ours.chunks) for mode in options.modes]
    if not options.ours_only and questions.kind != "xquad":
        ways += _ways_of_others(questions.name, texts, next(one for one in models if one.name == options.baseline))
    return locate_gold(questions.questions, texts.__getitem__), ways


def _ways_of_others(name: str, texts: Mapping[str, str], model: Model) -> Iterator[Way]:
    # Late: the libraries of others are needed only here.
    from peer_search import MODES as PEER_MODES
    from peer_search import SPLITTERS, PeerIndex

    for splitter, split in SPLITTERS.items():
        chunks = [chunk for path, text in texts.items() for chunk in split(path, text)]
        index = PeerIndex(chunks, model.embedder, Clock(f"{name}, {splitter}"))
        for mode in PEER_MODES:
            yield Way(f"{splitter}:", mode, index.asking(mode), len(chunks), is_ours=False)


def _answers(questions: QuestionSet, way: Way, located: Sequence[LocatedQuestion]) -> list[list[Retrieved]]:
    clock = Clock(f"{questions.name}, {way.name}, questions")
    answers = []
    for done, one in enumerate(located, 1):
        answers.append(_that_count(one, way.ask, ENOUGH[questions.kind]))
        clock(done, len(located))
    return answers


def _that_count(one: LocatedQuestion, ask: Ask, limit: int) -> list[Retrieved]:
    """The passages outside the document that has the link. If they are too few, more are asked for."""
    while True:
        passages = ask(one.question.text, limit)
        others = [item for item in passages if item.span.path not in one.question.leave_out]
        if len(others) >= MOST or len(passages) < limit or limit >= DEPTH:
            return others
        limit = min(limit * 4, DEPTH)


if __name__ == "__main__":
    sys.exit(main())
