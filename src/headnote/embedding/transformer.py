"""Models with layers, on this machine: no network, all cores, or a GPU. Each has a package of its own in `models/`.

Each run takes one text without padding, which makes a vector independent of its neighbours. The graphs quantise row by
row for the same reason (see `models/onnx`). Several texts run at once to keep all cores busy. Where there is a GPU,
many texts are left to it (see `gpu`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from headnote.embedding.embedder import mean_of_windows, windows, zeros
from headnote.embedding.gpu import GpuModel, check_gpu, chosen_device, has_gpu
from headnote.embedding.wordpieces import uncased
from headnote.errors import MissingExtra
from headnote.extras import DISTRIBUTION, install, load, np

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

DIMENSIONS = 384
WINDOW = 254
"""Word pieces the models read at once, not counting the two that mark beginning and end."""
OVERLAP = 32
"""Word pieces shared by neighbouring windows, so that no sentence is cut in both."""

_BATCH = 1000
"""Texts held in memory as word pieces, which take ten times the space of the text."""
_BEGIN, _END = 101, 102
_RUNTIME = install("deep")

WORTH_A_GPU = 256
"""Texts for which `auto` wakes a GPU: torch takes seconds to load, and a core makes a hundred vectors in that time."""


def install_command(model: str) -> str:
    return install("deep", package=_package_of(model))


def _package_of(model: str) -> str:
    return f"{DISTRIBUTION}-{model}"


def is_installed(model: str) -> bool:
    """Whether the model of that name and what runs it are there."""
    return find_spec(f"headnote_{model}") is not None and find_spec("onnxruntime") is not None


class TransformerEmbedder:
    """Loads on first use; one object serves any number of threads."""

    dimensions = DIMENSIONS

    def __init__(self, model: str, threads: int | None = None, device: str = "") -> None:
        """`model` is one with a package: deep, minilm, quality. `threads` is how many texts run at once; one per core
        by default. `device` is one of `gpu.DEVICES`; if empty, HEADNOTE_DEVICE says which."""
        self._model = model
        self._files = _files_of(model)
        self._threads = threads or _cores()
        self._device = device or chosen_device()
        self._lock = Lock()
        self._loaded: Any = None
        self._on_gpu: GpuModel | None = None
        self.name = f"{model}:{self._files.FINGERPRINT}:{WINDOW}-{OVERLAP}"

    def with_threads(self, threads: int, device: str = "") -> TransformerEmbedder:
        """The same model with that many texts at once, and on another device if one is named."""
        return TransformerEmbedder(self._model, threads, device or self._device)

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = zeros(len(texts), DIMENSIONS)
        for start in range(0, len(texts), _BATCH):
            vectors[start : start + _BATCH] = self._embed(texts[start : start + _BATCH])
        return vectors

    def _embed(self, texts: Sequence[str]) -> Vectors:
        pieces = [uncased().readable_ids(text) for text in texts]
        parts = [(row, ids[start:end]) for row, ids in enumerate(pieces) for start, end in _windows(ids)]
        # Longest first, so that only short runs are left at the end and all cores finish together.
        order = sorted(range(len(parts)), key=lambda number: -len(parts[number][1]))
        vectors = self._run_all([parts[number][1] for number in order])
        in_text_order = sorted(zip(order, vectors, strict=True), key=lambda pair: pair[0])
        weighted = ((parts[number][0], len(parts[number][1]), vector) for number, vector in in_text_order)
        return mean_of_windows(len(texts), DIMENSIONS, weighted)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _run_all(self, parts: list[list[int]]) -> list[Vectors]:
        if self._is_for_gpu(len(parts)):
            return self._gpu().run([[_BEGIN, *part, _END] for part in parts])
        if self._threads == 1 or len(parts) < 2:
            return [self._run(part) for part in parts]
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(min(self._threads, len(parts)), thread_name_prefix=self._model)
        try:
            return list(pool.map(self._run, parts))
        finally:
            # An interrupt must not wait for runs that have not started.
            pool.shutdown(cancel_futures=True)

    def _run(self, part: list[int]) -> Vectors:
        ids = np.array([_BEGIN, *part, _END], dtype="int64")
        mean: Vectors = self._session().run(None, {"ids": ids})[0]
        return mean

    def _is_for_gpu(self, texts: int) -> bool:
        return self._device == "cuda" or (self._device == "auto" and texts >= WORTH_A_GPU and has_gpu())

    def _gpu(self) -> GpuModel:
        with self._lock:
            if self._on_gpu is None:
                check_gpu()
                self._on_gpu = GpuModel(self._files.MODEL)
            return self._on_gpu

    def _session(self) -> Any:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._open_session()
        return self._loaded

    def _open_session(self) -> Any:
        runtime = load("onnxruntime", "running a model", _RUNTIME)
        options = runtime.SessionOptions()
        # A text is a few dozen small steps. Splitting one of them costs more than another core would save.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The graph is stored optimised, and planning its memory takes longer than it saves: without both, the model
        # loads in a third of the time and runs as fast.
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_mem_reuse = False
        options.enable_mem_pattern = False
        options.enable_cpu_mem_arena = False
        return runtime.InferenceSession(str(self._files.MODEL), options, providers=["CPUExecutionProvider"])

    def __reduce__(self) -> tuple[Any, ...]:
        # The loaded model stays here; another process loads its own.
        return TransformerEmbedder, (self._model, self._threads, self._device)

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


def _files_of(model: str) -> Any:
    """The package with the files of the model."""
    try:
        return import_module(f"headnote_{model}")
    except FileNotFoundError:
        remedy = f"build them as models/{model}/README.md says, and install it again"
        raise MissingExtra(f"the package {_package_of(model)} has no weights", remedy=remedy) from None
    except ModuleNotFoundError:
        remedy = f"run: {install_command(model)}"
        raise MissingExtra(f"embedding with {model} needs the package {_package_of(model)}", remedy=remedy) from None


def _windows(pieces: list[int]) -> list[tuple[int, int]]:
    return windows(len(pieces), WINDOW, OVERLAP) if pieces else []


def _cores() -> int:
    """Cores this process may use: in a container, fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
