"""The two kinds of model: BERT with mean pooling, and a table of vectors without layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 384
HEADS = 12
WINDOW = 256
EPSILON = 1e-12
BEGIN, END = 101, 102
GROUPS = 8
"""A batch is split into this many groups of similar length, to keep padding low."""

Pieces = Sequence[NDArray[np.uint16]]
"""Word pieces of each text, without the start and end markers."""


class Layer(nn.Module):
    """One layer of the encoder, with the names of BERT. `inner` is the width of its feed-forward part."""

    def __init__(self, inner: int) -> None:
        super().__init__()
        linear = {"self.query": WIDTH, "self.key": WIDTH, "self.value": WIDTH, "output.dense": WIDTH}
        self.attention = _tree({name: nn.Linear(WIDTH, width) for name, width in linear.items()})
        self.attention.output.LayerNorm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.intermediate = _tree({"dense": nn.Linear(WIDTH, inner)})
        self.output = _tree({"dense": nn.Linear(inner, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, eps=EPSILON)})

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        size, length, _ = vectors.shape
        attention = self.attention
        heads = [
            projection(vectors).view(size, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for projection in (attention.self.query, attention.self.key, attention.self.value)
        ]
        context = functional.scaled_dot_product_attention(*heads, attn_mask=mask)
        context = context.transpose(1, 2).reshape(size, length, WIDTH)
        vectors = attention.output.LayerNorm(vectors + attention.output.dense(context))
        inner = functional.gelu(self.intermediate.dense(vectors))
        normed: Tensor = self.output.LayerNorm(vectors + self.output.dense(inner))
        return normed


class Encoder(nn.Module):
    """Texts as word pieces in, vectors of length one out."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]], layers: Sequence[int] | None = None) -> None:
        """`layers`: which of the published layers to keep, in order; all by default."""
        super().__init__()
        published = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
        kept = list(range(published)) if layers is None else list(layers)
        words = tensors["embeddings.word_embeddings.weight"]
        places = tensors["embeddings.position_embeddings.weight"][:WINDOW]
        # Every text belongs to the first segment, so the segment embedding is folded into the position.
        segment = tensors["embeddings.token_type_embeddings.weight"][0]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(words.copy()), freeze=False)
        self.places = nn.Parameter(torch.from_numpy(places + segment))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.norm.load_state_dict(_part(tensors, "embeddings.LayerNorm."))
        states = [_part(tensors, f"encoder.layer.{number}.") for number in kept]
        self.layers = nn.ModuleList(Layer(len(state["intermediate.dense.bias"])) for state in states)
        for layer, state in zip(self.layers, states, strict=True):
            layer.load_state_dict(state)

    def forward(self, texts: Pieces) -> Tensor:
        """One row per text. Texts of similar length are computed together."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        size = -(-len(order) // GROUPS)
        groups = [order[at : at + size] for at in range(0, len(order), size)]
        # Half precision only here: comparing vectors needs more digits. And only on a GPU: many processors imitate it,
        # and take many times as long.
        device = self.places.device.type
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            rows = torch.cat([self._encode([texts[number] for number in group]) for group in groups])
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return functional.normalize(rows[back.to(rows.device)].float(), dim=1)

    def _encode(self, texts: Pieces) -> Tensor:
        ids, mask = _padded(texts, self.places.device)
        vectors = self.norm(self.words(ids) + self.places[: ids.shape[1]])
        for layer in self.layers:
            vectors = layer(vectors, mask[:, None, None, :])
        weights = mask.unsqueeze(2).to(vectors.dtype)
        mean: Tensor = (vectors * weights).sum(dim=1) / weights.sum(dim=1)
        return mean

    def published_names(self) -> dict[str, NDArray[np.float32]]:
        """The weights under the names they were read by, so that training can start from them again."""
        state = {name: tensor.detach().float().cpu().numpy() for name, tensor in self.state_dict().items()}
        renamed = {
            "embeddings.word_embeddings.weight": state.pop("words.weight"),
            "embeddings.position_embeddings.weight": state.pop("places"),
            "embeddings.token_type_embeddings.weight": np.zeros((2, WIDTH), np.float32),
            "embeddings.LayerNorm.weight": state.pop("norm.weight"),
            "embeddings.LayerNorm.bias": state.pop("norm.bias"),
        }
        return renamed | {name.replace("layers.", "encoder.layer.", 1): tensor for name, tensor in state.items()}


class Table(nn.Module):
    """One vector per word piece. The vector of a text is the normalised sum."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag.from_pretrained(torch.from_numpy(vectors.copy()), freeze=False, mode="sum")

    def forward(self, texts: Pieces) -> Tensor:
        device = self.bag.weight.device
        lengths = torch.tensor([len(pieces) for pieces in texts])
        flat = torch.from_numpy(np.concatenate(texts).astype(np.int64))
        sums = self.bag(flat.to(device), (torch.cumsum(lengths, 0) - lengths).to(device))
        return functional.normalize(sums.float(), dim=1)


def _tree(modules: Mapping[str, nn.Module]) -> nn.Module:
    """Modules under dotted names, as BERT nests them."""
    root = nn.Module()
    for path, module in modules.items():
        *parents, name = path.split(".")
        at = root
        for parent in parents:
            if not hasattr(at, parent):
                at.add_module(parent, nn.Module())
            at = getattr(at, parent)
        at.add_module(name, module)
    return root


def _part(tensors: Mapping[str, NDArray[np.float32]], prefix: str) -> dict[str, Tensor]:
    """The tensors whose name starts with `prefix`, with the prefix removed."""
    return {
        name.removeprefix(prefix): torch.from_numpy(tensor.copy())
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _padded(texts: Pieces, device: torch.device) -> tuple[Tensor, Tensor]:
    """Ids of the word pieces with start and end markers, and the mask of those that are not padding."""
    lengths = [min(len(pieces), WINDOW - 2) for pieces in texts]
    ids = np.zeros((len(texts), max(lengths) + 2), np.int64)
    ids[:, 0] = BEGIN
    for number, (pieces, length) in enumerate(zip(texts, lengths, strict=True)):
        ids[number, 1 : length + 1] = pieces[:length]
        ids[number, length + 1] = END
    padded = torch.from_numpy(ids).to(device, non_blocking=True)
    return padded, padded != 0
