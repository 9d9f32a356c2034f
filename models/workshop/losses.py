"""The training losses."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SCALE = 20.0
"""Scale of the cosines before the softmax."""


def contrast(queries: Tensor, passages: Tensor, chunks: Tensor, scale: float = SCALE) -> Tensor:
    """Contrastive loss: each query must find its passage among those of the batch, and each passage its query."""
    scores = queries @ passages.T * scale
    same = (chunks[:, None] == chunks[None, :]) & ~torch.eye(len(chunks), dtype=torch.bool, device=chunks.device)
    scores = scores.masked_fill(same, float("-inf"))
    target = torch.arange(len(chunks), device=chunks.device)
    return (functional.cross_entropy(scores, target) + functional.cross_entropy(scores.T, target)) / 2


def likeness(vectors: Tensor, of_teacher: Tensor) -> Tensor:
    """Distance of the vectors from the teacher's."""
    return 1 - (vectors * of_teacher).sum(dim=1).mean()


def agreement(queries: Tensor, passages: Tensor, teacher_queries: Tensor, teacher_passages: Tensor) -> Tensor:
    """How differently a query ranks the passages of the batch than the teacher does."""
    mine = functional.log_softmax(queries @ passages.T * SCALE, dim=1)
    theirs = functional.softmax(teacher_queries @ teacher_passages.T * SCALE, dim=1)
    return functional.kl_div(mine, theirs, reduction="batchmean")
