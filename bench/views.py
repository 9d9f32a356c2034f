"""What is looked at in each question set of the quality benchmark, and what was set out to be reached."""

from __future__ import annotations

from typing import NamedTuple


class View(NamedTuple):
    """One table about a set: how many passages, which metrics, which questions."""

    title: str
    limit: int
    metrics: dict[str, str]
    """Metric → head of its column. The first two are compared in pairs."""
    per_document: bool = False
    """Only the best passage of each document."""
    only_sections: bool = False
    """Only questions whose gold is less than a document."""

    @property
    def compared(self) -> list[str]:
        return list(self.metrics)[:2]


class Goal(NamedTuple):
    """What hybrid search with a model was to reach."""

    set: str
    view: View
    metric: str
    least: dict[str, float]
    """Model → at least so much."""


EXCERPTS = View(
    "exact excerpts, 5 passages",
    5,
    {"recall": "recall", "recall_within": "recall in 5000 chars", "iou": "IoU", "mrr": "MRR"},
)
_FOUND = {"found": "recall", "mrr": "MRR", "ndcg": "nDCG"}
PASSAGES = View("three passages", 3, _FOUND)
DISTINCT = View("the first three sections", 3, _FOUND, per_document=True)
_LINKS = {"hit": "hit@10", "mrr": "MRR", "tokens_to_first": "tokens to first"}
SECTIONS = View("links to sections, 10 passages", 10, _LINKS, only_sections=True)
LINKS = View("all links, 10 passages", 10, _LINKS)
PARAGRAPHS = View("question to paragraph, 10 passages", 10, {"hit": "hit@10", "mrr": "MRR"})

VIEWS = {
    "chroma": [EXCERPTS],
    "anthropic": [PASSAGES, DISTINCT],
    "linkgold": [SECTIONS, LINKS],
    "xquad": [PARAGRAPHS],
}
"""Kind of a question set → its tables."""

ENOUGH = {"chroma": 30, "anthropic": 12, "linkgold": 16, "xquad": 10}
"""Kind of a question set → passages to ask for: they fill the budget of characters, or the places of a view even if
some of them do not count."""

GOALS = [
    Goal("linkgold astro-en", SECTIONS, "mrr", {"deep": 0.68, "instant": 0.62}),
    Goal("linkgold astro-en", LINKS, "mrr", {"deep": 0.69, "instant": 0.63}),
    Goal("linkgold react.dev", SECTIONS, "mrr", {"deep": 0.49, "instant": 0.45}),
    Goal("linkgold react.dev", LINKS, "mrr", {"deep": 0.61, "instant": 0.57}),
    Goal("anthropic", DISTINCT, "found", {"deep": 0.79, "instant": 0.76}),
    Goal("anthropic", DISTINCT, "mrr", {"deep": 0.92, "instant": 0.90}),
    Goal("chroma", EXCERPTS, "recall", {"deep": 0.948, "instant": 0.93}),
    Goal("chroma", EXCERPTS, "recall_within", {"deep": 0.904, "instant": 0.88}),
    *(Goal(f"xquad {code}", PARAGRAPHS, "mrr", {"deep": 0.90, "instant": 0.90}) for code in ("th", "hi", "el")),
]
