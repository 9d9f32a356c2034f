"""Settings from file, environment and flags: who wins, who is named, and what a mistake looks like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from effort import counted_steps, stop_of_endless_work
from hypothesis import example, given
from hypothesis import strategies as st

from headnote import SettingsError, presets
from headnote.chunking.aliases import KNOWN_NAMES
from headnote.chunking.presets import make_settings
from headnote.chunking.settings import FIELD_NAMES
from headnote.config import LoadedSettings, load_settings
from headnote.config.tables import MAX_CHARACTERS, nearest_file


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def load(
    start: Path,
    preset: str | None = None,
    environment: Mapping[str, str] | None = None,
    **flags: Any,
) -> LoadedSettings:
    return load_settings(preset, flags, start, environment or {})


def refusal(start: Path, **rest: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        load(start, **rest)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(start) + "/", "").replace(str(start) + "\\", "")


# Who wins


def test_nothing_said_means_the_defaults(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings == make_settings()
    assert loaded.preset == "default"
    assert loaded.origins == dict.fromkeys(("preset", *FIELD_NAMES), "default")


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", "max_tokens = 500\nmin_tokens = 50\noverlap_tokens = 5\nheading_depth = 2\n")
    loaded = load(
        tmp_path,
        environment={"HEADNOTE_MAX_TOKENS": "400", "HEADNOTE_MIN_TOKENS": "40"},
        max_tokens=450,
        merge=None,
        keep_whole=[],
    )
    expected = {"max_tokens": 450, "min_tokens": 40, "overlap_tokens": 5, "heading_depth": 2}
    assert {name: getattr(loaded.settings, name) for name in expected} == expected
    origins = {name: Path(loaded.origins[name]).name for name in (*expected, "target_tokens", "merge")}
    assert origins == {
        "max_tokens": "--max-tokens",
        "min_tokens": "HEADNOTE_MIN_TOKENS",
        "overlap_tokens": "headnote.toml:3",
        "heading_depth": "headnote.toml:4",
        "target_tokens": "default",
        "merge": "default",
    }


def test_the_preset_is_chosen_like_any_other_setting(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", 'preset = "blocks"\nmax_tokens = 900\n')
    by_file = load(tmp_path)
    assert by_file.settings == make_settings("blocks", max_tokens=900)
    assert Path(by_file.origins["preset"]).name == "headnote.toml:1"
    assert by_file.origins["counter"] == "preset blocks"
    variables = {"HEADNOTE_PRESET": "refdocs"}
    assert load(tmp_path, environment=variables).settings == make_settings("refdocs", max_tokens=900)
    by_flag = load(tmp_path, "mdvdb", variables)
    assert by_flag.settings == make_settings("mdvdb", max_tokens=900)
    assert by_flag.origins["preset"] == "--preset"


def test_a_stronger_basic_name_replaces_weaker_advanced_ones(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", "max_tokens = 900\ntarget_tokens = 800\noverlap_tokens = 30\n")
    loaded = load(tmp_path, size="small", overlap="low")
    assert loaded.settings == make_settings(size="small", overlap="low")
    assert loaded.origins["max_tokens"] == loaded.origins["target_tokens"] == "--size"
    assert loaded.origins["overlap_tokens"] == "--overlap"


def test_a_stronger_advanced_name_replaces_a_weaker_basic_one(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", 'size = "large"\noverlap = "high"\n')
    loaded = load(tmp_path, max_tokens=600, overlap_tokens=10)
    assert loaded.settings == make_settings(size="large", max_tokens=600, overlap_tokens=10)


def test_what_follows_says_so(tmp_path: Path) -> None:
    origins = load(tmp_path, max_tokens=64).origins
    assert origins["target_tokens"] == origins["min_tokens"] == "follows max_tokens"
    short = load(tmp_path, "mdvdb", max_tokens=50)
    assert (short.settings.overlap_tokens, short.origins["overlap_tokens"]) == (6, "follows max_tokens")
    assert load(tmp_path, counter="chars").origins["max_tokens"] == "follows counter"
    assert load(tmp_path, min_tokens=500).origins["target_tokens"] == "follows min_tokens"
    assert load(tmp_path, oversized={"code": "keep"}).origins["keep_whole"] == "--oversized"


def test_what_fits_keeps_the_value_and_the_name_of_its_preset(tmp_path: Path) -> None:
    loaded = load(tmp_path, "mdvdb", max_tokens=128)
    assert (loaded.settings.overlap_tokens, loaded.origins["overlap_tokens"]) == (50, "preset mdvdb")
    loaded = load(tmp_path, "blocks", max_tokens=300)
    assert (loaded.settings.min_tokens, loaded.origins["min_tokens"]) == (200, "preset blocks")


def test_of_several_causes_the_one_that_counts_is_named(tmp_path: Path) -> None:
    origins = load(tmp_path, size="large", max_tokens=300).origins
    assert (origins["target_tokens"], origins["min_tokens"]) == ("follows max_tokens", "--size")
    origins = load(tmp_path, max_tokens=400, target_tokens=50).origins
    assert origins["min_tokens"] == "follows target_tokens"
    origins = load(tmp_path, max_tokens=600, min_tokens=550).origins
    assert origins["target_tokens"] == "follows min_tokens"
    origins = load(tmp_path, "blocks", max_tokens=800, overlap="low").origins
    assert origins["overlap_tokens"] == "--overlap"


# Files


def test_the_nearest_file_wins_whole(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", "max_tokens = 900\nmin_tokens = 7\n")
    write(tmp_path / "docs" / "headnote.toml", "max_tokens = 800\n")
    page = write(tmp_path / "docs" / "deep" / "page.md", "")
    for start in (tmp_path / "docs", page.parent, page, page.parent / "not-there"):
        assert load(start).settings == make_settings(max_tokens=800)
    assert load(tmp_path).settings.min_tokens == 7


def test_the_project_file_counts_if_it_has_our_table(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml", '[project]\nname = "x"\n\n[tool.headnote]\npreset = "blocks"\nmax_tokens = 900\n'
    )
    write(tmp_path / "docs" / "pyproject.toml", '[project]\nname = "headnote-docs"\n')
    loaded = load(tmp_path / "docs")
    assert loaded.settings == make_settings("blocks", max_tokens=900)
    assert Path(loaded.origins["max_tokens"]).name == "pyproject.toml:6"


def test_our_own_file_counts_more_than_the_project_file_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.headnote]\nmax_tokens = 900\n")
    write(tmp_path / "headnote.toml", "max_tokens = 800\n")
    assert load(tmp_path).settings.max_tokens == 800


def test_a_broken_project_file_that_is_not_ours_does_no_harm(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project\n")
    assert load(tmp_path).settings == make_settings()


def test_the_chunking_table_of_ragdocs_is_read(tmp_path: Path) -> None:
    write(
        tmp_path / "headnote.toml",
        """\
preset = "ragdocs"

[chunking]
strategy = "header_based"     # "header_based" or "none"
min_chunk_chars = 200         # Merge threshold
max_chunk_chars = 1200        # Split threshold
overlap_chars = 50            # Context overlap
include_parent_headers = true # Include full header path
""",
    )
    loaded = load(tmp_path)
    assert loaded.settings == make_settings("ragdocs", max_tokens=1200)
    assert Path(loaded.origins["max_tokens"]).name == "headnote.toml:6"


def test_a_chunking_table_in_the_project_file(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.headnote.chunking]\nmax_tokens = 900\n")
    assert Path(load(tmp_path).origins["max_tokens"]).name == "pyproject.toml:2"


def test_kinds_of_blocks_in_a_file(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", '[oversized]\ncode = "keep"\ntable = false\n')
    assert load(tmp_path).settings.keep_whole == {"code", "table"}


def test_a_tokenizer_is_looked_for_beside_the_file_that_names_it(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", 'counter = "models/tokenizer.json"\n')
    folder = tmp_path / "docs"
    folder.mkdir()
    assert load(folder).settings.counter == str(tmp_path.resolve() / "models" / "tokenizer.json")
    assert load(folder, counter="models/tokenizer.json").settings.counter == "models/tokenizer.json"


def test_a_byte_order_mark_and_dos_line_ends_are_fine(tmp_path: Path) -> None:
    (tmp_path / "headnote.toml").write_bytes(b"\xef\xbb\xbfmax_tokens = 300\r\nmin_tokens = 20\r\n")
    assert Path(load(tmp_path).origins["min_tokens"]).name == "headnote.toml:2"


# Variables


def test_text_becomes_what_the_setting_takes(tmp_path: Path) -> None:
    variables = {
        "HEADNOTE_MAX_TOKENS": " 256 ",
        "HEADNOTE_MERGE": "no",
        "HEADNOTE_BREADCRUMB": "TRUE",
        "HEADNOTE_MDX": "auto",
        "HEADNOTE_KEEP_WHOLE": "code, table",
        "HEADNOTE_COUNTER": "o200k",
        "HEADNOTE_OVERLAP": "20",
        "HEADNOTE_HEADING_DEPTH": "",
        "HEADNOTE_SHARED": "somewhere",
        "HEADNOTE_COMPILE": "1",
        "HEADNOTE_COMPILED": "somewhere",
        "HEADNOTE_BUNDLE": "1",
        "PATH": "x",
    }
    expected = make_settings(
        max_tokens=256, merge=False, keep_whole=["code", "table"], counter="o200k", overlap_tokens=20
    )
    assert load(tmp_path, environment=variables).settings == expected


def test_oversized_kinds_as_text(tmp_path: Path) -> None:
    variables = {"HEADNOTE_OVERSIZED": "code=keep, table=split"}
    assert load(tmp_path, environment=variables).settings.keep_whole == {"code"}


def test_flags_may_be_text_too(tmp_path: Path) -> None:
    assert load(tmp_path, max_tokens="256", mdx="on").settings == make_settings(max_tokens=256, mdx=True)


def test_variables_of_mdvdb_count_for_its_preset_only(tmp_path: Path) -> None:
    variables = {"MDVDB_CHUNK_MAX_TOKENS": "300", "MDVDB_CHUNK_OVERLAP_TOKENS": "30"}
    loaded = load(tmp_path, "mdvdb", variables)
    assert loaded.settings == make_settings("mdvdb", max_tokens=300, overlap_tokens=30)
    assert loaded.origins["max_tokens"] == "MDVDB_CHUNK_MAX_TOKENS"
    assert load(tmp_path, "blocks", variables).settings == presets()["blocks"]
    ours = variables | {"HEADNOTE_MAX_TOKENS": "200"}
    assert load(tmp_path, "mdvdb", ours).settings.max_tokens == 200


# Mistakes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_tokens = 5\nmax_tokns = 5\n", "headnote.toml:2: unknown setting 'max_tokns' (did you mean max_tokens?)"),
        ("[chunking]\n\n'strat' = 5\n", "headnote.toml:3: unknown setting 'strat' (did you mean strategy?)"),
        ("max_chunk_chrs = 5\n", "headnote.toml:1: unknown setting 'max_chunk_chrs' (did you mean max_chunk_chars?)"),
        ("[wxyz]\nx = 1\n", "headnote.toml:1: unknown setting 'wxyz' (known: "),
        ("\nmax_tokens = 0\n", "headnote.toml:2: max_tokens 0 is too small (give a number, 1 or more)"),
        ("max_tokens = '5'\n", "headnote.toml:1: max_tokens '5' is not a whole number (give"),
        ("max_tokens = 2020-01-01\n", "headnote.toml:1: max_tokens datetime.date(2020, 1, 1) is not a whole number"),
        ("preset = 'blok'\n", "headnote.toml:1: unknown preset 'blok' (did you mean blocks?)"),
        ("presets = 'blocks'\n", "headnote.toml:1: unknown setting 'presets' (did you mean preset?)"),
        ("a = 1\nmax_tokens = \n", "headnote.toml:2: is not valid TOML: "),
        ("a = 1\nb = [1,\n\n", "headnote.toml:2: is not valid TOML: "),
        ("max_tokens = 5\n[chunking]\nmax_tokens = 6\n", "headnote.toml:3: max_tokens is set at the top level and in"),
        ("max_tokens = 5\nchunkMaxTokens = 6\n", "headnote.toml: max_tokens and chunkMaxTokens disagree about"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "headnote.toml", text)
    assert refusal(tmp_path).startswith(message)


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000], ids=["digits", "nesting"])
def test_numbers_and_nesting_without_end_are_refused_like_other_mistakes(tmp_path: Path, value: str) -> None:
    write(tmp_path / "headnote.toml", f"max_tokens = {value}")
    assert refusal(tmp_path).startswith("headnote.toml")


def test_a_broken_project_file_that_speaks_of_us_is_named(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.headnote]\nmax_tokens 5\n")
    assert refusal(tmp_path).startswith("pyproject.toml:2: is not valid TOML: ")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "headnote.toml").write_bytes(b"\xff\xfe\x00")
    assert refusal(tmp_path) == "headnote.toml: is not UTF-8 (save it as UTF-8)"


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("MAX_TOKENS", "abc", "'abc' is not a whole number (write digits only, such as 512)"),
        ("MAX_TOKENS", "1_000", "'1_000' is not a whole number (write digits only, such as 512)"),
        ("MAX_TOKENS", "-5", "max_tokens -5 is too small (give a number, 1 or more)"),
        ("MERGE", "maybe", "'maybe' is neither true nor false (write true or false)"),
        ("STRATEGY", "windw", "strategy 'windw' is not known (did you mean window?)"),
        ("MAXTOKENS", "5", "unknown setting 'maxtokens' (did you mean HEADNOTE_MAX_TOKENS?)"),
        ("MAX_CHUNK_CHRS", "5", "unknown setting 'max_chunk_chrs' (did you mean HEADNOTE_MAX_CHUNK_CHARS?)"),
        ("PRESET", "blok", "unknown preset 'blok' (did you mean blocks?)"),
        ("OVERSIZED", "code=cut", "oversized 'cut' is not known (known: split, keep)"),
    ],
)
def test_a_mistake_in_a_variable_names_it(tmp_path: Path, variable: str, text: str, message: str) -> None:
    assert refusal(tmp_path, environment={f"HEADNOTE_{variable}": text}) == f"HEADNOTE_{variable}: {message}"


def test_a_number_with_too_many_digits_is_refused(tmp_path: Path) -> None:
    assert "is not a whole number" in refusal(tmp_path, environment={"HEADNOTE_MAX_TOKENS": "9" * 5000})


def test_a_mistake_in_a_flag_names_it(tmp_path: Path) -> None:
    assert refusal(tmp_path, preset="blok") == "--preset: unknown preset 'blok' (did you mean blocks?)"
    assert (
        refusal(tmp_path, heading_depth=9)
        == "--heading-depth: heading_depth 9 is too large (give a number, from 1 to 6)"
    )
    assert refusal(tmp_path, max_tokns=9) == "--max-tokns: unknown setting 'max_tokns' (did you mean max_tokens?)"


def test_sizes_that_do_not_go_together_are_traced_to_where_they_were_given(tmp_path: Path) -> None:
    write(tmp_path / "headnote.toml", "\ntarget_tokens = 400\n")
    message = refusal(tmp_path, environment={"HEADNOTE_MAX_TOKENS": "300"})
    assert message == (
        "target_tokens 400 is above max_tokens 300; target_tokens from headnote.toml:2; "
        "max_tokens from HEADNOTE_MAX_TOKENS (lower target_tokens to at most 300, or raise max_tokens)"
    )


NAMES = st.sampled_from([*KNOWN_NAMES, "preset", "max_chunk_chars"])
TEXTS = st.sampled_from(["-1", "0", "1", "64", "300", "600", "true", "no", "small", "low", "code", "keep", "chars"])


@given(
    variables=st.dictionaries(NAMES | st.text("ABC_", max_size=5), TEXTS | st.text(max_size=5), max_size=4),
    flags=st.dictionaries(NAMES, TEXTS | st.integers() | st.booleans() | st.none() | st.lists(TEXTS), max_size=4),
)
@example(variables={}, flags={"preset": ["blocks"]})
def test_anything_gives_settings_or_a_settings_error(variables: dict[str, str], flags: dict[str, Any]) -> None:
    environment = {f"HEADNOTE_{name.upper()}": text for name, text in variables.items()}
    preset = flags.pop("preset", None)
    try:
        loaded = load_settings(preset, flags, Path("/"), environment)
    except SettingsError as error:
        refused = error
    else:
        assert loaded.origins.keys() == {"preset", *FIELD_NAMES}
        return
    assert refused.remedy


# -- files of strangers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 10_000 + "b = 1", "cannot be used: it nests deeper than 64 levels"),
        ("[" + "a." * 10_000 + "b]\n", "cannot be used: it nests deeper than 64 levels"),
        ("a = " + "[" * 10_000, "cannot be used: it nests deeper than 64 levels"),
        ("a = " + "{a = " * 10_000, "cannot be used: it nests deeper than 64 levels"),
        ("# " + "x" * MAX_CHARACTERS, f"cannot be used: it has more than {MAX_CHARACTERS:,} characters"),
        ("x" * 900_000 + " = 1", "unknown setting 'xxx"),
        ("a = " + "9" * 5_000, "is not valid TOML: Exceeds the limit"),
        ("preset = []", "headnote.toml:1: [] is not a preset"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "[tool.headnote]\n"])
def test_a_file_that_would_take_long_is_refused_at_once(tmp_path: Path, text: str, message: str, prefix: str) -> None:
    write(tmp_path / ("pyproject.toml" if prefix else "headnote.toml"), prefix + text)
    with stop_of_endless_work():
        said = refusal(tmp_path)
    assert message.replace("headnote.toml:1", "pyproject.toml:2" if prefix else "headnote.toml:1") in said
    assert len(said) < 1000


def test_a_long_project_file_is_read(tmp_path: Path) -> None:
    packages = "".join(f'  "package-{number} >= {number}.0",\n' for number in range(20_000))
    text = f"[project]\ndependencies = [\n{packages}]\n[tool.headnote]\nmax_tokens = 700\n"
    write(tmp_path / "pyproject.toml", text)
    loaded = load(tmp_path)
    assert loaded.settings.max_tokens == 700
    assert loaded.origins["max_tokens"].endswith("pyproject.toml:20005")


def test_lines_of_entries_take_linear_work(tmp_path: Path) -> None:
    def steps(entries: int) -> int:
        text = "".join(f'"f{number}/x" = "A folder."\n' for number in range(entries))
        write(tmp_path / "headnote.toml", f"[context]\n{text}")

        def run() -> None:
            file = nearest_file(tmp_path)
            assert file is not None
            assert file.entries("context")[-1].line == entries + 1

        return counted_steps(run)

    assert steps(400) < 2.5 * steps(200)
