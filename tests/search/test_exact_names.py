"""A name that hardly any passage has decides: meaning takes it for another one that looks like it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headnote import Index
from headnote.search.ranking import BEHIND, in_front, telling_less
from headnote.words.terms import exact_terms

SIZES = "nano micro small medium large xlarge".split()
ADVICE = (
    "The maximum network bandwidth of an instance depends on its size: the largest instances have the most bandwidth."
)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """One page for each family of instances, and guides that speak of what is asked."""
    root = tmp_path_factory.mktemp("cloud")
    for family in "abcdefghjkmnpqrstuvw":
        rows = "\n".join(f"| {family}5.{size} | {2**at} | {at + 1} Gbit/s |" for at, size in enumerate(SIZES))
        (root / f"family-{family}.md").write_text(
            f"# Family {family}\n\n| name | cores | rate |\n|---|---|---|\n{rows}\n"
        )
    for number in range(8):
        text = f"# Network bandwidth {number}\n\n{ADVICE} This is guide {number} to instances.\n"
        (root / f"guide-{number}.md").write_text(text)
    with Index.open(root) as index:
        index.update()
        yield index


@pytest.mark.parametrize("name", ["r5.large", "k5.micro", "a5.xlarge"])
@pytest.mark.parametrize(
    "question", ["maximum network bandwidth of {}", "what network bandwidth do {} instances have?"]
)
def test_a_rare_name_is_before_what_only_means_the_rest(cloud: Index, name: str, question: str) -> None:
    for mode in ("hybrid", "keyword"):
        assert cloud.search(question.format(name), limit=1, mode=mode)[0].path == f"family-{name[0]}.md"


def test_meaning_alone_stays_what_it_is(cloud: Index) -> None:
    hits = cloud.search("maximum network bandwidth of r5.large", limit=1, mode="semantic")
    assert hits[0].path.startswith("guide")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the user_id of UV_SYSTEM_PYTHON=1", {"userid", "uvsystempython"}),
        ("pass --dry-run, not -U, to $HOME", {"--dry-run", "$home"}),
        ("r5.large, E0382 and request.json()", {"r5large", "e0382", "requestjson"}),
        ("FastAPI's BaseModel, a re-render in version 17.0.1, don't", set()),
    ],
)
def test_names_that_prose_does_not_have(text: str, terms: set[str]) -> None:
    assert exact_terms(text).keys() == terms


def test_what_a_chunk_lacks_is_not_near_and_the_order_is_that_of_the_scores() -> None:
    assert telling_less([(1, 0.8), (2, 0.5)], {1: 0.5, 2: 0.0}) == [(2, 0.5), (1, 0.4)]
    scores = {1: 0.9, 2: 0.6, 3: 0.3}
    assert in_front(scores, {3}) == pytest.approx({1: BEHIND * 0.3, 2: BEHIND * 0.2, 3: 0.3})
    assert in_front(scores, {1}) == scores
    assert in_front(scores, {9} & scores.keys()) == scores
