"""The presets are the systems they are named after, number by number."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

import headnote
from headnote import Settings, SettingsError
from headnote.chunking.presets import differences, make_settings, presets

# As in the table of the specification.
TABLE: dict[str, dict[str, Any]] = {
    "mdvdb": {
        "strategy": "window",
        "counter": "cl100k",
        "max_tokens": 512,
        "min_tokens": 0,
        "overlap_tokens": 50,
        "heading_depth": 6,
        "breadcrumb": False,
        "merge": False,
    },
    "ragdocs": {
        "strategy": "header",
        "counter": "chars",
        "max_tokens": 1500,
        "min_tokens": 200,
        "overlap_tokens": 50,
        "heading_depth": 6,
        "include_parent_headers": True,
        "oversized": "keep",
    },
    "refdocs": {
        "strategy": "section",
        "counter": "chars4",
        "max_tokens": 800,
        "min_tokens": 100,
        "overlap_tokens": 0,
        "heading_depth": 3,
        "oversized": "keep",
    },
    "blocks": {
        "strategy": "block",
        "boundaries": "hybrid",
        "packing": "greedy",
        "counter": "estimate",
        "bias": "balanced",
        "target_tokens": 750,
        "max_tokens": 1000,
        "min_tokens": 200,
        "overlap_tokens": 80,
        "overlap_across_sections": True,
        "heading_depth": 3,
        "frontmatter": "metadata",
        "oversized": "split",
    },
    "default": {"strategy": "block", "counter": "cl100k", "packing": "stable", "heading_depth": 6},
}


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_is_its_row_of_the_table(name: str) -> None:
    settings = presets()[name]
    assert {key: getattr(settings, key) for key in TABLE[name]} == TABLE[name]


def test_the_presets_are_these_and_the_default_comes_first() -> None:
    assert set(presets()) == TABLE.keys()
    assert next(iter(presets())) == "default"
    assert headnote.presets() is presets()


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        presets()["default"] = Settings()  # type: ignore[index]


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_is_the_defaults_plus_its_difference(name: str) -> None:
    difference = differences(name)
    assert replace(Settings(), **difference) == presets()[name] == make_settings(name)
    changed = {
        field.name
        for field in fields(Settings)
        if getattr(presets()[name], field.name) != getattr(Settings(), field.name)
    }
    assert set(difference) == changed, "a difference that is none would mislead readers of the table"


def test_a_difference_is_a_copy() -> None:
    differences("blocks")["max_tokens"] = 1
    assert differences("blocks")["max_tokens"] == 1000


@pytest.mark.parametrize("ask", [make_settings, differences])
def test_an_unknown_preset_is_refused_with_the_nearest(ask: Any) -> None:
    with pytest.raises(SettingsError) as caught:
        ask("refdoc")
    assert str(caught.value) == "unknown preset 'refdoc' (did you mean refdocs?)"
