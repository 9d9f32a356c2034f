"""How the server and its index are."""

from __future__ import annotations

from typing import Literal

from headnote import __version__
from headnote.api import Index
from headnote.chunking.describe import plain_settings
from headnote.keeper import Served
from headnote.web import requests, responses
from headnote.web.conversion import files_read_answer
from headnote.web.page_files import page

_STAGES: dict[str, Literal["documents", "vectors"]] = {"read": "documents", "embed": "vectors"}

MOST_LEFT_OUT = 100
"""Files that one might miss and that are named: the page asks every few seconds."""


def folder_name(index: Index) -> str:
    """The name of the folder, or of its roots, without where it lies."""
    if index.tree.is_named:
        return ", ".join(index.tree.names)
    return index.root.resolve().name or "/"


def health(served: Served, _: requests.Nothing) -> responses.Health:
    """Whether the server answers, and whether it has read the whole folder."""
    return responses.Health(True, __version__, ready=served.state().files_read is None)


def status(served: Served, _: requests.Nothing) -> responses.StatusAnswer:
    """The size of the index, and whether it is up to date."""
    state = served.state()
    index = served.index.status().without_folders()
    progress = state.progress
    now = responses.ProgressAnswer(_STAGES[progress.stage], *progress[1:]) if progress else None
    return responses.StatusAnswer(
        root=folder_name(served.index),
        **{name: getattr(index, name) for name in ("documents", "chunks", "links", "pending", "model")},
        **{name: getattr(index, name) for name in ("bytes_on_disk", "updated", "generation")},
        problem=state.problem,
        elsewhere=state.elsewhere,
        busy=state.busy,
        progress=now,
        settings=plain_settings(index.settings),
        origins=dict(index.origins),
        differing=list(index.differing),
        ask_model=served.index.chat_settings.model or None,
        models=[responses.ModelAnswer(*model) for model in index.models],
        answering=index.answering,
        files_read=files_read_answer(state.files_read),
        roots=[responses.RootAnswer(root.name, root.documents, root.problem) for root in index.folders],
        left_out=[responses.LeftOutAnswer(*one[:2]) for one in served.index.left_out()[:MOST_LEFT_OUT]],
        withheld=[one.setting for one in index.withheld],
        page=page().digest,
    )
