"""The one way into data that strangers wrote, in YAML, TOML or JSON: within bounds, so that no file takes long.

Frontmatter, settings and the configurations of sites come in here.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from headnote.markdown.plain_data import MAX_CHARACTERS, MAX_DEPTH, TooLarge

DataFormat = Literal["yaml", "toml", "json"]

# Strings are matched to hide what is in them. An unclosed one reaches to the end: the reader fails there.
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<opening>[\[{])|(?P<closing>[\]}])', re.DOTALL)


def load_data(text: str, data_format: DataFormat, max_characters: int = MAX_CHARACTERS) -> Any:
    """The data in a text. Raises `TooLarge`, or what the reader of the format raises."""
    if len(text) > max_characters:
        raise TooLarge(f"it has more than {max_characters:,} characters")
    # Each reader is imported only when it is needed.
    if data_format == "json":
        import json

        _refuse_deep_json(text)
        return json.loads(text)
    if data_format == "toml":
        from headnote.markdown import plain_data

        return plain_data.load(text)
    from headnote.markdown import yaml_loader

    return yaml_loader.load(text)


def _refuse_deep_json(text: str) -> None:
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token.lastgroup:
            depth += 1 if token.lastgroup == "opening" else -1
            if depth > MAX_DEPTH:
                raise TooLarge(f"it nests deeper than {MAX_DEPTH} levels")
