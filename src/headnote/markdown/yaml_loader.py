"""A YAML loader for untrusted files: it builds plain data only, and keeps what it does not understand as text.

Imported only where there is YAML to read: PyYAML takes longer to import than most files take to chunk.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from headnote.markdown.plain_data import MAX_DEPTH, MAX_VALUES, TooLarge

_FastLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_MAX_KEY_CHARS = 200
_MAX_NUMBER_CHARS = 4_300
"""In characters: Python refuses longer decimal numbers, and numbers in base 60 take quadratic time."""
_TAG_DIRECTIVE = re.compile(r"^%TAG\b", re.MULTILINE)
_MAX_DIRECTIVES = 64
_NESTING_CHARACTERS = re.compile(r"[\[{:?]|-[ \t\n]")


def load(body: str) -> Any:
    """Load YAML. Keys are strings as they are written: `yes: 1` is the field "yes"."""
    _refuse_many_directives(body)
    _refuse_deep_nesting(body)
    loader = _TolerantLoader(body)
    loader.source = body
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _refuse_many_directives(body: str) -> None:
    """The fast loader compares each of them with all the others."""
    if len(_TAG_DIRECTIVE.findall(body)) > _MAX_DIRECTIVES:
        raise TooLarge(f"it has more than {_MAX_DIRECTIVES} directives")


def _refuse_deep_nesting(body: str) -> None:
    """The fast loader recurses without a limit, and a hundred thousand `[` crash the whole process."""
    if len(_NESTING_CHARACTERS.findall(body)) <= MAX_DEPTH:
        return
    depth = 0
    for event in yaml.parse(body, _FastLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(f"it nests deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _TolerantLoader(_FastLoader):  # type: ignore[misc]
    """The safe loader, with a way out wherever it would refuse a whole file for one value."""

    source = ""
    merged_fields = 0

    def scalar_or_source(self, node: Node) -> Any:
        """The value, or its source where YAML promises what it cannot keep: 2024-02-31, an endless number."""
        if node.tag == _CORE + "int" and len(node.value) > _MAX_NUMBER_CHARS:
            return self.unknown_tag(node)
        try:
            return SafeConstructor.yaml_constructors[node.tag](self, node)
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, yaml.YAMLError):
            return self.unknown_tag(node)

    def unknown_tag(self, node: Node) -> Any:
        """A value with a tag of its own, `!env NAME`, is the value without it."""
        if isinstance(node, MappingNode):
            return self.mapping(node)
        if isinstance(node, SequenceNode):
            return self.sequence(node)
        return node.value

    def sequence(self, node: Node) -> list[Any]:
        if not isinstance(node, SequenceNode):
            return [self.unknown_tag(node)]
        return [self.construct_object(item, deep=True) for item in node.value]

    def mapping(self, node: Node) -> dict[str, Any]:
        """Keys as they are written; of two equal keys the last counts, and both before what is merged in."""
        if not isinstance(node, MappingNode):
            return {}
        fields: dict[str, Any] = {}
        merged: list[Any] = []
        for key_node, value_node in node.value:
            value = self.construct_object(value_node, deep=True)
            if key_node.tag == _CORE + "merge":
                merged += value if isinstance(value, list) else [value]
            else:
                fields[self._key(key_node)] = value
        for base in merged:
            self._merge(base, fields)
        return fields

    def _key(self, node: Node) -> str:
        if isinstance(node, ScalarNode):
            return str(node.value)
        # `{{ name }}`, as templates write it, is a mapping as a key. Its value could be a bomb; its source is short.
        end = min(node.end_mark.index, node.start_mark.index + _MAX_KEY_CHARS)
        return self.source[node.start_mark.index : end]

    def _merge(self, base: Any, fields: dict[str, Any]) -> None:
        if not isinstance(base, dict):
            return
        self.merged_fields += len(base)
        if self.merged_fields > MAX_VALUES:
            raise TooLarge(f"its merges expand to more than {MAX_VALUES:,} values")
        for key, value in base.items():
            fields.setdefault(key, value)


def _constructors() -> dict[str | None, Any]:
    table: dict[str | None, Any] = {None: _TolerantLoader.unknown_tag}
    for name in ("null", "bool", "int", "float", "binary", "timestamp"):
        table[_CORE + name] = _TolerantLoader.scalar_or_source
    table[_CORE + "str"] = _TolerantLoader.unknown_tag
    for name in ("seq", "omap", "pairs"):
        table[_CORE + name] = _TolerantLoader.sequence
    for name in ("map", "set"):
        table[_CORE + name] = _TolerantLoader.mapping
    return table


_TolerantLoader.yaml_constructors = _constructors()
