"""Train a small model on the pairs and on the vectors of a large one.

    python distil.py START.npz PAIRS.json.xz OUT.npz --teacher TEACHER.npz --layers 0,2,5 --inner 1152
    python distil.py TEACHER.npz PAIRS.json.xz OUT.npz --teacher TEACHER.npz --table 256

With `--layers`, the student keeps these layers of the model it starts from, and of each layer the `--inner` neurons of
the feed-forward part that matter most. With `--table`, it has no layers: it is one vector of that width per word piece,
and starts from the teacher's vector for the piece alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from encoder import WIDTH, Encoder, Pieces, Table
from epochs import Batch, Recipe, epochs, steps_of
from losses import agreement, contrast, likeness
from numpy.typing import NDArray
from published import read_start, write_start
from torch import Tensor, nn
from torch.nn import functional
from train import SEED, device, fit, parser, tensor_of

LIKENESS = 5.0
AGREEMENT = 1.0
"""Weights of these losses, relative to the contrast of the pairs."""
RARE = 1e-3
"""A piece with this share of all text starts with half the weight of a rare one."""
RATES = {"table": 1e-3, 3: 4e-4, 6: 2e-4}
"""Learning rates, by the number of layers."""
SAMPLE = 4
"""Batches used to find the mean and the directions of the teacher's vectors."""


class Teacher(nn.Module):
    """A trained model whose vectors are centred on zero, reduced to their main directions.

    Models trained with a high cosine scale put all texts into a narrow cone. With the common mean removed, cosines mean
    the same for teacher and student, and those of unrelated texts are near zero.
    """

    def __init__(self, encoder: Encoder, sample: Sequence[Batch], width: int | None = None) -> None:
        """`width`: number of directions to keep; all by default."""
        super().__init__()
        self.encoder = encoder.eval()
        with torch.no_grad():
            texts = [self.encoder(texts) for batch in sample for texts in (batch.queries, batch.passages)]
            vectors = torch.cat(texts)
            self.mean = vectors.mean(dim=0)
            directions = torch.linalg.svd(functional.normalize(vectors - self.mean, dim=1), full_matrices=False)[2]
        self.directions = directions[:width].T.contiguous() if width else None

    @torch.no_grad()
    def forward(self, texts: Pieces) -> Tensor:
        return functional.normalize(self.directed(texts), dim=1)

    def directed(self, texts: Pieces) -> Tensor:
        """The vectors before normalisation."""
        centred = self.encoder(texts) - self.mean
        return centred if self.directions is None else centred @ self.directions

    @torch.no_grad()
    def table(self, frequencies: NDArray[np.float64]) -> NDArray[np.float32]:
        """Its vector for each word piece alone, with common pieces weighted down."""
        every = [np.array([piece], np.uint16) for piece in range(len(frequencies))]
        vectors = torch.cat([self.directed(every[at : at + 4096]) for at in range(0, len(every), 4096)])
        weights = RARE / (RARE + frequencies)
        centred = (vectors - vectors.mean(dim=0)).cpu().numpy()
        return (centred * weights[:, None]).astype(np.float32)


def narrowed(tensors: Mapping[str, NDArray[np.float32]], inner: int) -> dict[str, NDArray[np.float32]]:
    """The same layers with `inner` neurons in each feed-forward part: those with the largest weights on both sides."""
    result = dict(tensors)
    for name in tensors:
        prefix = name.removesuffix("intermediate.dense.bias")
        if prefix == name:
            continue
        rows, columns = f"{prefix}intermediate.dense.weight", f"{prefix}output.dense.weight"
        importance = np.linalg.norm(tensors[rows], axis=1) * np.linalg.norm(tensors[columns], axis=0)
        neurons = np.sort(np.argsort(-importance, kind="stable")[:inner])
        result |= {rows: tensors[rows][neurons], name: tensors[name][neurons], columns: tensors[columns][:, neurons]}
    return result


def frequencies_of(batches: Sequence[Batch], count: int) -> NDArray[np.float64]:
    """Each word piece's share of the text."""
    occurrences = np.zeros(count)
    for batch in batches:
        occurrences += np.bincount(np.concatenate(batch.passages), minlength=count)
    return occurrences / max(1.0, occurrences.sum())


def student_loss(student: nn.Module, teacher: Teacher, batch: Batch) -> Tensor:
    known_queries, known_passages = teacher(batch.queries), teacher(batch.passages)
    queries, passages = student(batch.queries), student(batch.passages)
    value = contrast(queries, passages, tensor_of(batch))
    value = value + LIKENESS * (likeness(queries, known_queries) + likeness(passages, known_passages)) / 2
    return value + AGREEMENT * agreement(queries, passages, known_queries, known_passages)


def parsed(words: Sequence[str]) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--teacher", type=Path, required=True)
    kind = made.add_mutually_exclusive_group(required=True)
    kind.add_argument("--layers", type=lambda text: [int(number) for number in text.split(",")])
    kind.add_argument("--table", type=int, metavar="WIDTH")
    made.add_argument("--inner", type=int, default=4 * WIDTH, help="neurons of the feed-forward part of each layer")
    made.set_defaults(epochs=10)
    return made.parse_args(words)


def main(words: Sequence[str]) -> None:
    arguments = parsed(words)
    torch.manual_seed(SEED)
    recipe = Recipe(arguments.pairs, arguments.batch, arguments.most)
    first = next(iter(epochs(recipe, 1, SEED)))
    encoder = Encoder(read_start(arguments.teacher)).to(device())
    teacher = Teacher(encoder, first[:SAMPLE], arguments.table)
    student: Encoder | Table
    if arguments.table:
        student = Table(teacher.table(frequencies_of(first, encoder.words.num_embeddings)))
    else:
        student = Encoder(narrowed(read_start(arguments.start), arguments.inner), arguments.layers)
    student = student.to(device())
    rate = arguments.rate or RATES["table" if arguments.table else len(arguments.layers)]
    steps = arguments.steps or steps_of(recipe, arguments.epochs)
    drawn = epochs(recipe, arguments.epochs, SEED)
    fit(student, lambda batch: student_loss(student, teacher, batch), drawn, rate, steps)
    if isinstance(student, Table):
        np.savez(arguments.out, table=student.bag.weight.detach().float().cpu().numpy())
    else:
        write_start(arguments.out, student.published_names())


if __name__ == "__main__":
    main(sys.argv[1:])
