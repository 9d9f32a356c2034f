"""A model with layers on a CPU and on a GPU: how many texts a second, and how far the vectors are apart.

    python bench/gpu.py [--model NAME] [--texts FILE] [--gpu N] [--cpu N] [--device NAME] [--json FILE]

Needs torch, onnx, onnxruntime and numpy alone: without an installation, set PYTHONPATH to `src` and to the `src` of the
model below `models/`. FILE has a JSON string per line, as `--write FILE` writes them from the corpora; without it, the
texts are paragraphs of `docs/`. `--device cpu` runs the code for the GPU on the CPU. Ends with 1 beyond the tolerance.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from headnote.embedding.gpu import TOLERANCE, GpuModel, has_gpu
from headnote.embedding.transformer import TransformerEmbedder
from headnote.embedding.wordpieces import uncased
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures

DOCS = Path(__file__).resolve().parents[1] / "docs"
CORPORA = ("kubernetes-en", "react.dev", "astro-en", "rust-book")
SEED = 16
DISTRIBUTIONS = ["torch", "onnxruntime", "onnx", "numpy"]


def main() -> int:
    parser = argparse.ArgumentParser(description="A model with layers on a CPU and on a GPU.")
    parser.add_argument("--model", default="deep", choices=["deep", "minilm", "quality"])
    parser.add_argument("--texts", type=Path, metavar="FILE", help="texts, a JSON string per line")
    parser.add_argument("--gpu", type=int, default=20_000, help="so many texts on the GPU (default 20000)")
    parser.add_argument("--cpu", type=int, default=1_000, help="so many of them on the CPU, too (default 1000)")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many counts (default 3)")
    parser.add_argument("--device", default="cuda", help="for torch (default cuda)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write texts from the corpora there, and end")
    add_json_option(parser)
    options = parser.parse_args()
    if options.write:
        return write_texts(options.write, options.gpu)
    if options.device == "cuda" and not has_gpu():
        sys.exit("there is no GPU that torch can use")
    setting, packages = {**machine(), "gpu": gpu_name(options.device)}, versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    figures = measure(options, read_texts(options.texts, options.gpu))
    show(as_table(options, figures))
    speeds = {name: value for name, value in figures.items() if name.endswith("texts/s") or "cosine" in name}
    records = (Figure(options.model, name, "", value, "higher") for name, value in speeds.items())
    write_figures(options.json, records, setting, packages, all=figures)
    return 0 if figures["least cosine"] >= TOLERANCE else 1


# -- the texts


def write_texts(file: Path, count: int) -> int:
    """Chunks of the corpora, with their headings, as they are embedded."""
    import headnote
    from shared_corpora import load

    documents = [document for corpus in load(CORPORA).values() for document in corpus]
    texts: list[str] = []
    for document in random.Random(SEED).sample(documents, len(documents)):
        texts += [chunk.embed_text for chunk in headnote.chunk(document.text, path=document.path)]
        if len(texts) >= count:
            break
    file.write_text("".join(f"{json.dumps(text)}\n" for text in texts[:count]), encoding="utf-8")
    return 0


def read_texts(file: Path | None, count: int) -> list[str]:
    """So many texts. If there are fewer, they come again with a number in front."""
    if file is None:
        pages = [page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))]
        texts = [part for page in pages for part in page.split("\n\n") if len(part) > 200]
    else:
        texts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    numbered = (text if number < len(texts) else f"{number} {text}" for number, text in enumerate(cycle(texts)))
    return list(islice(numbered, count))


# -- measuring


def measure(options: argparse.Namespace, texts: Sequence[str]) -> dict[str, float]:
    cores = TransformerEmbedder(options.model, device="cpu")
    one_core = TransformerEmbedder(options.model, threads=1, device="cpu")
    began = time.perf_counter()
    on_gpu = embedder_on(options.device, options.model)
    on_gpu.embed(["word"])
    woken = time.perf_counter() - began
    few = texts[: options.cpu]
    seconds = {
        "gpu": median(lambda: on_gpu.embed(texts), options.rounds),
        "cores": median(lambda: cores.embed(few), options.rounds),
        "one core": median(lambda: one_core.embed(few[: len(few) // 4 or 1]), 1),
        "pieces": median(lambda: [uncased().readable_ids(text) for text in texts], 1),
    }
    theirs, ours = on_gpu.embed(few), cores.embed(few)
    cosines = (theirs * ours).sum(axis=1)[ours.any(axis=1)]
    model = on_gpu._gpu()
    pieces = sorted(([101, *uncased().ids(text)[:254], 102] for text in texts), key=len, reverse=True)
    seconds["model alone"] = median(lambda: model.run(pieces), options.rounds)
    return {
        "texts": len(texts),
        "pieces per text": sum(map(len, pieces)) / len(texts),
        "bytes per text": sum(len(text.encode()) for text in texts) / len(texts),
        "seconds until the first vector": woken,
        "gpu texts/s": len(texts) / seconds["gpu"],
        "gpu texts/s, model alone": len(texts) / seconds["model alone"],
        "cutting into pieces, texts/s": len(texts) / seconds["pieces"],
        "all cores texts/s": len(few) / seconds["cores"],
        "one core texts/s": (len(few) // 4 or 1) / seconds["one core"],
        "least cosine": float(cosines.min()),
        "mean cosine": float(cosines.mean()),
        "largest difference": float(np.abs(theirs - ours).max()),
    }


def embedder_on(device: str, model: str) -> Any:
    """The embedder with its model on a device of torch, whichever it is."""
    embedder = TransformerEmbedder(model, device="cuda")
    embedder._on_gpu = GpuModel(embedder._files.MODEL, device)
    return embedder


def median(work: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


# -- saying it


def gpu_name(device: str) -> str:
    import torch

    return str(torch.cuda.get_device_name()) if device == "cuda" else f"none, torch on {device}"


def as_table(options: argparse.Namespace, figures: dict[str, float]) -> Table:
    digits = {name: 6 if "cosine" in name or "difference" in name else 1 for name in figures}
    rows = [[name, f"{value:,.{digits[name]}f}"] for name, value in figures.items()]
    notes = [
        f"The model {options.model}; {options.gpu:,} texts on the GPU, {options.cpu:,} of them on the CPU.",
        f"The median of {options.rounds} rounds. The least cosine that is allowed is {TOLERANCE}.",
        "Pieces are cut on one core, and counted in `gpu texts/s`.",
        "`model alone` has them at hand, one window of each text.",
    ]
    return Table("On a CPU and on a GPU", ["", "figure"], rows, notes)


if __name__ == "__main__":
    sys.exit(main())
