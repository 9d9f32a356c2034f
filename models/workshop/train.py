"""Train a published model on the pairs: `python train.py START.npz PAIRS.json.xz OUT.npz`.

Minutes on a GPU. Without one, `--most 2000 --steps 3` shows that it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from encoder import Encoder
from epochs import Batch, Recipe, epochs, steps_of
from losses import contrast
from published import read_start, write_start
from torch import Tensor, nn

SEED = 20261116
BATCH = 2048
WARM_UP = 0.06
"""Share of the steps in which the learning rate rises; afterwards it falls to zero."""
SHARP = 50.0
"""Scale of the cosines. gte-small was trained with 100; at 20 it gets worse for an epoch before it improves."""

Loss = Callable[[Batch], Tensor]


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fit(model: nn.Module, loss: Loss, batches: Iterable[list[Batch]], rate: float, steps: int) -> None:
    """Minimise the loss for the given number of steps."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01, fused=device().type == "cuda")
    warm = max(1, int(WARM_UP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    step = 0
    for epoch, of_epoch in enumerate(batches, 1):
        total = torch.zeros((), device=device())
        for batch in of_epoch[: steps - step]:
            value = loss(batch)
            optimiser.zero_grad(set_to_none=True)
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += value.detach()
            step += 1
        print(f"epoch {epoch}: {step} of {steps} steps, loss {total.item() / max(1, len(of_epoch)):.4f}", flush=True)
        if step >= steps:
            break


def tensor_of(batch: Batch) -> Tensor:
    return torch.from_numpy(batch.chunks).to(device())


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments that the training scripts share."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("start", type=Path, help="weights to start from, as written by published.py")
    made.add_argument("pairs", type=Path)
    made.add_argument("out", type=Path)
    made.add_argument("--epochs", type=int)
    made.add_argument("--rate", type=float)
    made.add_argument("--batch", type=int, default=BATCH)
    made.add_argument("--most", type=int, help="maximum number of pairs")
    made.add_argument("--steps", type=int, help="maximum number of steps")
    return made


def main(words: list[str]) -> None:
    made = parser(__doc__)
    made.set_defaults(epochs=2, rate=3e-5)
    arguments = made.parse_args(words)
    torch.manual_seed(SEED)
    model = Encoder(read_start(arguments.start)).to(device())
    recipe = Recipe(arguments.pairs, arguments.batch, arguments.most)
    steps = arguments.steps or steps_of(recipe, arguments.epochs)

    def loss(batch: Batch) -> Tensor:
        return contrast(model(batch.queries), model(batch.passages), tensor_of(batch), SHARP)

    fit(model, loss, epochs(recipe, arguments.epochs, SEED), arguments.rate, steps)
    write_start(arguments.out, model.published_names())


if __name__ == "__main__":
    main(sys.argv[1:])
