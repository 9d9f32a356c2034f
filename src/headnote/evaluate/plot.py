"""The comparison as a picture: a panel for each metric, in it a dot and its interval for each way. SVG, by hand."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from headnote.evaluate.bootstrap import Interval
from headnote.evaluate.report import Comparison, labels, summary

METRICS = ("hit", "mrr", "recall", "recall_within")
"""All of them from 0 to 1."""
COLOURS = ("#2f6f9f", "#b5532a", "#3f7d4e", "#7a4f9a", "#8a6d1f", "#4a4a4a")

_ROW, _TOP, _BOTTOM, _PANEL, _GAP, _LETTER = 24, 56, 36, 190, 26, 7.2


class Panel(NamedTuple):
    """One metric of all ways."""

    title: str
    dots: list[tuple[str, Interval]]


def panels(comparison: Comparison) -> list[Panel]:
    """What is to be drawn, whatever draws it."""
    means = [(measured.name, summary(measured)) for measured in comparison.measured]
    named = labels(comparison.limit)
    return [Panel(named[metric], [(name, found[metric]) for name, found in means]) for metric in METRICS]


def title(comparison: Comparison) -> str:
    return f"{comparison.questions} questions, mean and 95% interval"


def svg(comparison: Comparison) -> str:
    drawn = panels(comparison)
    names = [name for name, _ in drawn[0].dots]
    left = 24 + round(_LETTER * max(map(len, names)))
    width = left + len(drawn) * (_PANEL + _GAP)
    height = _TOP + _ROW * len(names) + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        '<g font-family="system-ui, sans-serif" font-size="13" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(12, 20, title(comparison), "start"),
    ]
    parts += [_text(left - 12, _middle(row) + 4, name, "end") for row, name in enumerate(names)]
    for number, panel in enumerate(drawn):
        parts += _panel(panel, left + number * (_PANEL + _GAP))
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _panel(panel: Panel, x: int) -> list[str]:
    bottom = _TOP + _ROW * len(panel.dots)
    parts = [_text(x + _PANEL / 2, _TOP - 12, panel.title, "middle")]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        at = x + tick * _PANEL
        parts.append(_line(at, _TOP, at, bottom, "#ddd", 1))
        parts.append(_text(at, bottom + 18, f"{tick:g}", "middle"))
    for row, (name, found) in enumerate(panel.dots):
        y, colour = _middle(row), COLOURS[row % len(COLOURS)]
        parts.append(_line(x + found.low * _PANEL, y, x + found.high * _PANEL, y, colour, 2))
        parts.append(
            f'<circle cx="{x + found.mean * _PANEL:.1f}" cy="{y}" r="4" fill="{colour}">'
            f"<title>{escape(name)}: {found.mean:.3f} ({found.low:.3f} to {found.high:.3f})</title></circle>"
        )
    return parts


def _middle(row: int) -> int:
    return _TOP + _ROW * row + _ROW // 2


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
