"""Headings as people read them: without what a site generator replaces, and without the line that text files draw
above a title.

Searches show breadcrumbs, so nothing that reads Markdown is loaded here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from headnote.model import breadcrumb_of

SHORTCODE = re.compile(
    r"\{\{[<%](?:[^}]{0,400}?\btext=\"(?P<shown>[^\"]{0,200})\")?[^}]{0,400}[%>]\}\}|\{\*[^}]{0,400}\*\}"
)
"""A shortcode of Hugo, which may show its `text`, or an included file of FastAPI's documentation."""

_PHRASES = {
    "cleanup": "Cleaning up",
    "envvars": "Environment variables",
    "objectives": "Objectives",
    "options": "Options",
    "prerequisites": "Before you begin",
    "seealso": "See also",
    "synopsis": "Synopsis",
    "whatsnext": "What's next",
}
"""Headings that sites of Hugo keep with their translations: `{{% heading "whatsnext" %}}`."""
_PHRASE = re.compile(r"""\{\{[<%]\s*+heading\s++["']([\w-]{1,40}+)["']\s*+[%>]\}\}""")
_OVERLINE = re.compile(r"={3,}+ (?=\S)")
_TAG_OF_TEMPLATE = re.compile(r"\{%[^%]{0,400}%\}|\{\{[^{}<%]{0,400}\}\}")


def shown_heading(text: str) -> str:
    """A heading without what a site generator replaces, or with what is known to stand there. Empty if nothing else is.

    >>> shown_heading('{{% heading "whatsnext" %}}'), shown_heading('{{< glossary_tooltip text="Pods" >}} and nodes')
    ("What's next", 'Pods and nodes')
    >>> shown_heading("====== Tides")  # the title of a text file, with a line above and below
    'Tides'
    """
    if text.startswith("==="):
        text = _OVERLINE.sub("", text, count=1)
    if "{" not in text:
        return text
    named = _PHRASE.sub(lambda match: _PHRASES.get(match[1], match[1].replace("-", " ").capitalize()), text)
    shown = SHORTCODE.sub(lambda match: match["shown"] or "", named)
    return " ".join(_TAG_OF_TEMPLATE.sub("", shown).split())


def shown_breadcrumb(heading_path: Sequence[str]) -> str:
    """The headings above a passage as people read them, the outermost first."""
    return breadcrumb_of(tuple(filter(None, map(shown_heading, heading_path))))
