"""Settings that cannot be invalid, by whatever name they are given."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import SettingsError
from headnote.chunking import budgets
from headnote.chunking.aliases import FIELD_OF_ALIAS, KNOWN_NAMES, find_name
from headnote.chunking.presets import make_settings, presets
from headnote.chunking.settings import BLOCK_KINDS, FIELD_NAMES, Settings
from headnote.tokens import NAMES, get_counter


def sizes(settings: Settings) -> tuple[int, int, int, int]:
    return settings.target_tokens, settings.max_tokens, settings.min_tokens, settings.overlap_tokens


def numbers(cell: str) -> tuple[int, ...]:
    return tuple(map(int, cell.split(", ")))


def assert_sound(settings: Settings) -> None:
    """Check what every pass relies on."""
    assert 0 <= settings.min_tokens <= settings.target_tokens <= settings.max_tokens
    assert settings.target_tokens >= 1
    assert 0 <= settings.overlap_tokens < settings.max_tokens
    assert all(type(size) is int for size in sizes(settings))
    assert 1 <= settings.heading_depth <= 6
    assert settings.keep_whole <= set(BLOCK_KINDS)
    assert isinstance(settings.keep_whole, frozenset)
    assert settings.mdx in (None, True, False)
    assert hash(settings) == hash(replace(settings))


def assert_sound_or_explained(make: Callable[[], Settings]) -> Settings | None:
    """The settings, or None if they are refused: in one line, with a remedy."""
    try:
        settings = make()
    except SettingsError as error:
        refusal = error
    else:
        assert_sound(settings)
        return settings
    assert refusal.remedy
    assert len(str(refusal).splitlines()) == 1
    return None


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, text: str) -> int:
        return len(text)

    def __repr__(self) -> str:
        return "Unhashable()"  # test ids must be the same in every process


# The type


def test_the_defaults_are_the_default_preset() -> None:
    assert Settings() == make_settings() == presets()["default"]


def test_every_setting_of_the_contract_is_there() -> None:
    contract = """strategy boundaries heading_depth counter bias target_tokens max_tokens min_tokens overlap_tokens
        merge oversized frontmatter mdx include_parent_headers join_short_files"""
    assert set(contract.split()) <= set(FIELD_NAMES)


def test_settings_are_frozen_hashable_and_travel_between_processes() -> None:
    settings = make_settings("blocks", keep_whole=["code"])
    with pytest.raises(FrozenInstanceError):
        settings.max_tokens = 3  # type: ignore[misc]
    assert not hasattr(settings, "__dict__")
    assert {settings: 1}[replace(settings)] == 1
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_the_constructor_checks_and_does_not_guess() -> None:
    with pytest.raises(SettingsError, match=r"target_tokens 384 is above max_tokens 100"):
        Settings(max_tokens=100)


def test_the_constructor_brings_values_into_normal_form() -> None:
    settings = Settings(keep_whole=["code", "code"], counter=Path("models") / "tokenizer.json")  # type: ignore[arg-type]
    assert settings.keep_whole == frozenset({"code"})
    assert settings.counter == str(Path("models") / "tokenizer.json")


@pytest.mark.parametrize("counter", [*NAMES, len, get_counter("chars")])
def test_every_counter_is_accepted(counter: Any) -> None:
    assert Settings(counter=counter).counter is counter


# What is refused, and how

BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"overlap_tokens": 512}, "overlap_tokens 512 is not below max_tokens 512", "lower overlap_tokens, to 64"),
    ({"max_tokens": 100, "overlap_tokens": 150}, "overlap_tokens 150 is not below max_tokens 100", "raise max_tokens"),
    ({"min_tokens": 600}, "min_tokens 600 is above max_tokens 512", "lower min_tokens to at most 512"),
    ({"target_tokens": 600}, "target_tokens 600 is above max_tokens 512", "lower target_tokens to at most 512"),
    ({"min_tokens": 80, "target_tokens": 70}, "min_tokens 80 is above target_tokens 70", "to at most 70"),
    ({"max_tokns": 3}, "unknown setting 'max_tokns'", "did you mean max_tokens?"),
    ({"chunkMaxToken": 3}, "unknown setting 'chunkMaxToken'", "did you mean chunk_max_tokens?"),
    ({"xyz": 3}, "unknown setting 'xyz'", "known: strategy, "),
    ({"max_tokens": -1}, "max_tokens -1 is too small", "give a number, 1 or more"),
    ({"max_tokens": 0}, "max_tokens 0 is too small", "give a number, 1 or more"),
    ({"target_tokens": 0}, "target_tokens 0 is too small", "give a number, 1 or more"),
    ({"min_tokens": -5}, "min_tokens -5 is too small", "give a number, 0 or more"),
    ({"overlap_tokens": -5}, "overlap_tokens -5 is too small", "give a number, 0 or more"),
    ({"overlap": -5}, "overlap_tokens -5 is too small", "give a number, 0 or more"),
    ({"heading_depth": 0}, "heading_depth 0 is too small", "from 1 to 6"),
    ({"heading_depth": 7}, "heading_depth 7 is too large", "from 1 to 6"),
    ({"max_tokens": True}, "max_tokens True is not a whole number", "give a number"),
    ({"max_tokens": 512.0}, "max_tokens 512.0 is not a whole number", "give a number"),
    ({"max_tokens": "512"}, "max_tokens '512' is not a whole number", "give a number"),
    ({"max_tokens": None}, "max_tokens None is not a whole number", "give a number"),
    ({"merge": 1}, "merge 1 is neither true nor false", "give true or false"),
    ({"mdx": "yes"}, "mdx 'yes' is neither true nor false", "nothing to go by file name"),
    ({"strategy": "windows"}, "strategy 'windows' is not known", "did you mean window?"),
    ({"strategy": "header_basd"}, "strategy 'header_basd' is not known", "did you mean header_based?"),
    ({"strategy": "xyz"}, "strategy 'xyz' is not known", "known: window, header, section, block, none"),
    ({"strategy": 7}, "strategy 7 is not known", "use window, header, section, block, none"),
    ({"boundaries": "xyz"}, "boundaries 'xyz' is not known", "known: heading, paragraph, hybrid"),
    ({"packing": "gready"}, "packing 'gready' is not known", "did you mean greedy?"),
    ({"counter": "cl10k"}, "counter 'cl10k' is not known", "did you mean cl100k? Otherwise give the path"),
    ({"counter": 4}, "counter 4 is not known", "a tokenizer.json, or a function"),
    ({"counter": Unhashable()}, "cannot be hashed", "give a function"),
    ({"bias": "pros"}, "bias 'pros' is not known", "did you mean prose?"),
    ({"oversized": "cut"}, "oversized 'cut' is not known", "known: split, keep"),
    ({"oversized": {"cod": "keep"}}, "oversized: 'cod' is not a kind of block", "did you mean code?"),
    ({"oversized": {"code": "cut"}}, "oversized 'cut' is not known", "known: split, keep"),
    ({"oversized": {3: "keep"}}, "oversized: 3 is not a kind of block", "use frontmatter, heading"),
    ({"keep_whole": ["tabel"]}, "keep_whole: 'tabel' is not a kind of block", "did you mean table?"),
    ({"keep_whole": 3}, "keep_whole 3 is not a collection of block kinds", 'give a list such as ["code", "table"]'),
    ({"frontmatter": "meta"}, "frontmatter 'meta' is not known", "did you mean metadata?"),
    ({"size": "huge"}, "size 'huge' is not known", "known: small, medium, large; otherwise give a number"),
    ({"size": 2.5}, "size 2.5 is not known", "use small, medium, large, or give a number"),
    ({"overlap": "hihg"}, "overlap 'hihg' is not known", "did you mean high? Otherwise give a number"),
    ({"preset": "blok"}, "unknown preset 'blok'", "did you mean blocks?"),
    ({"preset": ["blocks"]}, "unknown preset ['blocks']", "use default, mdvdb, ragdocs, refdocs, blocks"),
]


@pytest.mark.parametrize(("bad", "message", "remedy"), BAD, ids=[str(sorted(bad.items()))[:60] for bad, _, _ in BAD])
def test_a_bad_setting_is_one_line_with_its_remedy(bad: dict[str, Any], message: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_settings(**bad)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_a_long_value_does_not_flood_the_message() -> None:
    with pytest.raises(SettingsError) as caught:
        make_settings(strategy="a\n" * 10_000)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_a_number_that_cannot_be_printed_is_still_refused() -> None:
    with pytest.raises(SettingsError, match="max_tokens of type int is too small"):
        make_settings(max_tokens=-(10**5000))


# Sizes that are not given adapt


@pytest.mark.parametrize(
    ("given_sizes", "expected"),
    [
        ({"max_tokens": 64}, (64, 64, 64, 0)),
        ({"max_tokens": 128}, (128, 128, 96, 0)),
        ({"max_tokens": 400}, (384, 400, 96, 0)),
        ({"max_tokens": 1024}, (384, 1024, 96, 0)),
        ({"max_tokens": 4}, (4, 4, 4, 0)),
        ({"max_tokens": 1, "counter": "chars4"}, (1, 1, 1, 0)),
        ({"max_tokens": 64, "overlap_tokens": 63}, (64, 64, 64, 63)),
        ({"max_tokens": 64, "min_tokens": 16}, (64, 64, 16, 0)),
        ({"target_tokens": 50}, (50, 512, 50, 0)),
        ({"min_tokens": 500}, (500, 512, 500, 0)),
        ({"preset": "blocks", "max_tokens": 500}, (500, 500, 200, 80)),
        ({"preset": "blocks", "max_tokens": 81}, (81, 81, 81, 80)),
        ({"preset": "blocks", "max_tokens": 80}, (80, 80, 80, 10)),
        ({"preset": "mdvdb", "max_tokens": 128}, (128, 128, 0, 50)),
        ({"preset": "mdvdb", "max_tokens": 50}, (50, 50, 0, 6)),
        ({"preset": "ragdocs", "max_tokens": 300}, (300, 300, 200, 50)),
        # A preset whose only goal is its ceiling keeps it so when the ceiling is raised.
        ({"preset": "refdocs", "max_tokens": 1600}, (1600, 1600, 100, 0)),
    ],
)
def test_sizes_adapt_to_those_that_are_given(given_sizes: dict[str, Any], expected: tuple[int, ...]) -> None:
    assert sizes(make_settings(**given_sizes)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"counter": "chars", "max_tokens": 2000}, (1500, 2000, 375, 0)),
        ({"counter": len, "max_tokens": 2000}, (1500, 2000, 375, 0)),
        ({"counter": "chars"}, (1536, 2048, 384, 0)),
        ({"preset": "ragdocs", "counter": "cl100k"}, (375, 375, 50, 12)),
        ({"preset": "blocks", "counter": "cl100k"}, (750, 1000, 200, 80)),
        ({"counter": len}, (384, 512, 96, 0)),
        ({"overlap_chars": 50}, (1536, 2048, 384, 50)),
    ],
)
def test_numbers_of_another_unit_keep_their_proportion(changes: dict[str, Any], expected: tuple[int, ...]) -> None:
    assert sizes(make_settings(**changes)) == expected


def test_custom_settings_can_be_changed() -> None:
    own = Settings(min_tokens=300, overlap_tokens=200)
    varied = make_settings(own, overlap="high")
    assert sizes(varied) == (384, 512, 300, 128)
    assert make_settings(own) == own


# Basic mode


def test_the_tables_in_the_documentation_are_true() -> None:
    rows = re.findall(r"\| `(\w+)` \|[^|]+\| ([\d, ]+) \| ([\d, ]+) \|", budgets.__doc__ or "")
    assert [row[0] for row in rows] == [*budgets.SIZES, *budgets.OVERLAPS]
    for word, default, blocks in rows[:3]:
        for preset, expected in (("default", default), ("blocks", blocks)):
            assert sizes(make_settings(preset, size=word)) == numbers(expected)
    for word, at_512, at_1000 in rows[3:]:
        assert make_settings(overlap=word).overlap_tokens == int(at_512)
        assert make_settings("blocks", overlap=word).overlap_tokens == int(at_1000)


def test_the_table_of_single_sizes_is_true() -> None:
    rows = re.findall(r"\| `(\w+)=(\d+)` \| (.+) \| (.+) \| (.+) \|", budgets.__doc__ or "")
    assert len(rows) == 4
    for name, value, *expected in rows:
        for preset, cell in zip(("default", "mdvdb", "blocks"), expected, strict=True):
            assert sizes(make_settings(preset, **{name: int(value)})) == numbers(cell), (name, value, preset)


def test_advanced_names_override_the_basic_ones() -> None:
    assert sizes(make_settings(size="small", max_tokens=300)) == (192, 300, 48, 0)
    assert sizes(make_settings(size="large", max_tokens=300)) == (300, 300, 192, 0)


def test_a_number_for_a_basic_name_is_the_advanced_one() -> None:
    assert make_settings(size=300, overlap=20) == make_settings(max_tokens=300, overlap_tokens=20)


def test_overlap_in_words_and_in_numbers_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"overlap and overlap_tokens both set the overlap \(give one of them\)"):
        make_settings(overlap="low", overlap_tokens=50)


# Names of other systems


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"MDVDB_CHUNK_MAX_TOKENS": 300, "MDVDB_CHUNK_OVERLAP_TOKENS": 20}, {"max_tokens": 300, "overlap_tokens": 20}),
        ({"chunkMaxTokens": 300, "chunkMinTokens": 20}, {"max_tokens": 300, "min_tokens": 20}),
        ({"TargetTokens": 300, "MaxTokens": 400}, {"target_tokens": 300, "max_tokens": 400}),
        ({"MinTokens": 30, "OverlapTokens": 40}, {"min_tokens": 30, "overlap_tokens": 40}),
        ({"HeadingDepth": 2}, {"heading_depth": 2}),
        ({"FrontmatterMode": "FrontmatterInclude"}, {"frontmatter": "include"}),
        ({"MDX": True}, {"mdx": True}),
        ({"Bias": "BiasCode"}, {"bias": "code"}),
        ({"bias": "prose-heavy"}, {"bias": "prose"}),
        ({"strategy": "header_based"}, {"strategy": "header"}),
        ({"strategy": "none"}, {"strategy": "none"}),
        ({"strategy": "heading-aware"}, {"strategy": "block", "boundaries": "heading"}),
        ({"strategy": "paragraph"}, {"strategy": "block", "boundaries": "paragraph"}),
        ({"strategy": "hybrid"}, {"strategy": "block", "boundaries": "hybrid"}),
        ({"strategy": "markdown"}, {"strategy": "block"}),
        ({"counter": "cl100k_base"}, {"counter": "cl100k"}),
        ({"strategy": "StrategyMarkdown"}, {"strategy": "block"}),
        ({"MDXMode": True}, {"mdx": True}),
        ({"oversized_block_policy": True}, {"oversized": "split"}),
        ({"oversized_block_policy": False}, {"oversized": "keep"}),
        ({"oversized": "false"}, {"oversized": "keep"}),
        ({"keep_whole": "CodeFence, blockquote"}, {"keep_whole": {"code", "quote"}}),
        (
            {"keep_whole": ["BlockTable", "BlockBlockquote", "BlockCodeFence"]},
            {"keep_whole": {"table", "quote", "code"}},
        ),
        ({"keep_whole": ["MDXImport", "BlockMDXComponent"]}, {"keep_whole": {"mdx_esm", "mdx_jsx"}}),
        ({"chunk_size": "small"}, {"size": "small"}),
        ({"max-tokens": 300}, {"max_tokens": 300}),
    ],
)
@pytest.mark.parametrize("preset", presets())
def test_names_of_other_systems_mean_ours(preset: str, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert make_settings(preset, **theirs) == make_settings(preset, **ours)


def test_every_alias_leads_to_a_known_name() -> None:
    assert set(FIELD_OF_ALIAS.values()) <= set(KNOWN_NAMES)
    assert not FIELD_OF_ALIAS.keys() & set(KNOWN_NAMES)
    assert all(find_name(name) == name for name in KNOWN_NAMES)


@pytest.mark.parametrize("alias", FIELD_OF_ALIAS)
def test_a_mistyped_name_of_another_system_gets_its_suggestion(alias: str) -> None:
    with pytest.raises(SettingsError) as caught:
        find_name(alias[:-1] if alias[:-1] not in FIELD_OF_ALIAS else f"{alias}x")
    assert caught.value.remedy == f"did you mean {alias}?"


def test_the_chunking_table_of_ragdocs_works_without_its_preset() -> None:
    table: dict[str, Any] = {
        "strategy": "header_based",
        "min_chunk_chars": 200,
        "max_chunk_chars": 1500,
        "overlap_chars": 50,
        "include_parent_headers": True,
    }
    settings, known = make_settings(**table), presets()["ragdocs"]
    for name in ("strategy", "counter", "max_tokens", "min_tokens", "overlap_tokens", "include_parent_headers"):
        assert getattr(settings, name) == getattr(known, name)


@pytest.mark.parametrize(
    ("both", "message"),
    [
        ({"max_tokens": 500, "chunkMaxTokens": 600}, "max_tokens and chunkMaxTokens disagree about max_tokens"),
        ({"max_chunk_chars": 500, "counter": "cl100k"}, "max_chunk_chars and counter disagree about counter"),
        ({"strategy": "hybrid", "boundaries": "heading"}, "strategy and boundaries disagree about boundaries"),
        ({"keep_whole": ["code"], "oversized": {"code": "split"}}, "keep_whole and oversized disagree about code"),
    ],
)
def test_two_names_that_contradict_each_other_are_refused(both: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        make_settings(**both)
    assert caught.value.remedy


def test_two_names_that_agree_are_fine() -> None:
    assert make_settings(max_tokens=500, chunkMaxTokens=500) == make_settings(max_tokens=500)
    assert make_settings(strategy="hybrid", boundaries="hybrid") == make_settings()


# Oversized blocks by kind


def test_a_mapping_of_kinds_becomes_the_two_fields() -> None:
    settings = make_settings(oversized={"code": "keep", "table": False, "list": "split", "quote": True})
    assert settings.oversized == "split"
    assert settings.keep_whole == {"code", "table"}


def test_a_mapping_goes_on_top_of_what_is_there() -> None:
    own = Settings(keep_whole=frozenset({"code", "table"}))
    assert make_settings(own, oversized={"code": "split"}).keep_whole == {"table"}
    assert make_settings(keep_whole=["list"], oversized={"code": "keep"}).keep_whole == {"list", "code"}


def test_a_mapping_on_a_preset_that_keeps_everything() -> None:
    same = make_settings("refdocs", oversized={"code": "keep"})
    assert same.oversized == "keep"
    assert same.keep_whole == {"code"}
    only_code = make_settings("refdocs", oversized={"code": "split"})
    assert only_code.oversized == "split"
    assert only_code.keep_whole == set(BLOCK_KINDS) - {"code"}


# Cached


@pytest.mark.parametrize("counter", ["cl100k", "o200k"])
@pytest.mark.parametrize("strategy", ["block", "header", "section"])
def test_a_cap_below_a_single_character_is_refused(strategy: str, counter: str) -> None:
    sizes: dict[str, Any] = {"strategy": strategy, "counter": counter, "max_tokens": 3}
    with pytest.raises(SettingsError, match="at least 4"):
        make_settings(**sizes)
    assert make_settings(**sizes, oversized="keep").max_tokens == 3
    assert make_settings(**sizes | {"max_tokens": 4}).max_tokens == 4
    assert make_settings(**sizes | {"strategy": "window"}).max_tokens == 3


def test_the_same_arguments_give_the_same_object() -> None:
    assert make_settings("blocks", max_tokens=300) is make_settings("blocks", max_tokens=300)


def test_true_is_not_cached_as_one() -> None:
    make_settings(max_tokens=1, counter="chars")
    with pytest.raises(SettingsError):
        make_settings(max_tokens=True, counter="chars")
    with pytest.raises(SettingsError):
        make_settings(max_tokens=1.0, counter="chars")


# Laws

NUMBERS = st.integers(-3, 2100) | st.integers()
ODD = st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)
WORDS = st.sampled_from(
    """window header section block none heading paragraph hybrid greedy stable chars cl100k estimate prose code
    split keep metadata strip small large low high header_based heading-aware a/b.json""".split()
)
POLICIES = st.dictionaries(
    st.sampled_from(BLOCK_KINDS) | st.text(max_size=4), st.sampled_from(["keep", "split"]) | ODD, max_size=3
)
VALUES = NUMBERS | ODD | WORDS | POLICIES | st.lists(st.sampled_from(BLOCK_KINDS), max_size=3)
ANY_NAME = st.sampled_from([*KNOWN_NAMES, *FIELD_OF_ALIAS, "chunkMaxTokens"]) | st.text(max_size=10)
SIZES_ONLY = st.dictionaries(
    st.sampled_from(["target_tokens", "max_tokens", "min_tokens", "overlap_tokens", "max_chunk_chars"]),
    st.integers(0, 1200),
)
BASIC = st.fixed_dictionaries(
    {},
    optional={
        "size": st.sampled_from(list(budgets.SIZES)),
        "overlap": st.sampled_from(list(budgets.OVERLAPS)),
        "counter": st.sampled_from(NAMES),
    },
)


@given(preset=st.sampled_from(list(presets())) | ODD, changes=st.dictionaries(ANY_NAME, VALUES, max_size=4))
def test_anything_gives_sound_settings_or_a_settings_error(preset: Any, changes: dict[str, Any]) -> None:
    changes.pop("preset", None)
    assert_sound_or_explained(lambda: make_settings(preset, **changes))


@given(preset=st.sampled_from(list(presets())), given_sizes=SIZES_ONLY, basic=BASIC)
def test_given_sizes_hold_or_are_refused(preset: str, given_sizes: dict[str, int], basic: dict[str, str]) -> None:
    settings = assert_sound_or_explained(lambda: make_settings(preset, **given_sizes, **basic))
    if settings is not None:
        assert {name: getattr(settings, find_name(name)) for name in given_sizes} == given_sizes


@given(preset=st.sampled_from(list(presets())), largest=st.integers(4, 5000), basic=BASIC)
def test_a_ceiling_that_any_character_fits_below_is_never_refused(
    preset: str, largest: int, basic: dict[str, str]
) -> None:
    settings = make_settings(preset, max_tokens=largest, **basic)
    assert_sound(settings)
    assert settings.max_tokens == largest


@given(preset=st.sampled_from(list(presets())), largest=st.integers(4, 5000))
def test_a_ceiling_alone_leaves_what_fits_below_it(preset: str, largest: int) -> None:
    before, after = presets()[preset], make_settings(preset, max_tokens=largest)
    assert after.overlap_tokens == before.overlap_tokens or before.overlap_tokens >= largest
    assert after.min_tokens == before.min_tokens or before.min_tokens > after.target_tokens
    if before.target_tokens != before.max_tokens:
        assert after.target_tokens == before.target_tokens or before.target_tokens > largest


@given(values=st.fixed_dictionaries({}, optional=dict.fromkeys(FIELD_NAMES, VALUES)))
def test_the_constructor_gives_sound_settings_or_a_settings_error(values: Mapping[str, Any]) -> None:
    assert_sound_or_explained(lambda: Settings(**values))


@given(preset=st.sampled_from(list(presets())), given_sizes=SIZES_ONLY, basic=BASIC)
def test_settings_survive_being_written_out(preset: str, given_sizes: dict[str, int], basic: dict[str, str]) -> None:
    settings = assert_sound_or_explained(lambda: make_settings(preset, **given_sizes, **basic))
    if settings is not None:
        assert Settings(**asdict(settings)) == settings
        assert make_settings(**asdict(settings)) == settings


def test_every_field_says_what_it_is_for() -> None:
    source = inspect.getsource(Settings)
    for field in fields(Settings):
        assert re.search(rf'^    {field.name}: .*\n    """', source, re.MULTILINE), field.name
