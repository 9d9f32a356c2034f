"""BERT as an 8-bit ONNX graph: word pieces of one text in, the mean of their vectors out.

Matrices are multiplied as integers. Weights are rounded here, once, with a scale per column. Activations are rounded at
run time with a scale per row, so each word piece is independent of the others.

The operators of onnxruntime's own domain are fused already, so its optimiser need not fuse them on every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[np.float32]

HEADS = 12
WIDTH = 384
WINDOW = 256
EPSILON = 1e-12
OWN = "com.microsoft"

LIMIT = 127
"""Largest absolute value of a rounded number."""
MIDDLE = 128
"""Zero in unsigned numbers."""

# GELU is never below minus this, so few of its 256 steps are spent on negative numbers.
LOWEST_GELU = 0.1702
GELU_ZERO = 32
GELU_STEPS = 255 - GELU_ZERO


def round_weights(matrix: Array) -> tuple[NDArray[np.int8], Array]:
    """The matrix as integers, and the scale of each column.

    Processors without a dot product for bytes add the products of two neighbours in 16 bits, and saturate. A product is
    at most 255 times the weight, so the sum of two neighbours with the same sign must not exceed 128.
    """
    rows, columns = matrix.shape
    pairs = matrix.reshape(rows // 2, 2, columns)
    together = np.maximum(np.maximum(pairs, 0).sum(axis=1), np.maximum(-pairs, 0).sum(axis=1))
    scale = together.max(axis=0) / LIMIT
    rounded = np.rint(matrix / scale)
    # Both neighbours may be rounded up by one half: 127 + 1.
    assert np.abs(rounded.reshape(pairs.shape).clip(0)).sum(axis=1).max() <= 128
    assert np.abs(rounded.reshape(pairs.shape).clip(None, 0)).sum(axis=1).max() <= 128
    return rounded.astype(np.int8), scale.astype(np.float32)


def layers_of(weights: Mapping[str, Array]) -> int:
    return len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})


class Graph:
    """Nodes and constants, in the order in which they are added."""

    def __init__(self, weights: Mapping[str, Array], *, fused_norms: bool = False) -> None:
        """`weights`: under the names of BERT, with any number of layers. `fused_norms`: use onnxruntime's operator for
        a sum and its norm, which is slower than the three it replaces."""
        self.weights = weights
        self.fused_norms = fused_norms
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Any) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def add(self, operator: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        """Add a node. Returns the name of its output, or the names if there are several."""
        names = [f"{operator}.{len(self.nodes)}.{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def build(self, name: str, producer: str) -> onnx.ModelProto:
        self.add_constants()
        vectors = self.add_embeddings()
        for layer in range(layers_of(self.weights)):
            prefix = f"encoder.layer.{layer}."
            vectors = self.add_attention(prefix + "attention.", vectors)
            vectors = self.add_feed_forward(prefix, vectors)
        mean = self.add("ReduceMean", vectors, self.constant("words", np.array([0, 1])), keepdims=0)
        self.nodes[-1].output[0] = mean = "vector"
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["pieces"])
        vector = helper.make_tensor_value_info(mean, TensorProto.FLOAT, [WIDTH])
        graph = helper.make_graph(self.nodes, name, [ids], [vector], list(self.constants.values()))
        operators = [helper.make_opsetid("", 18), helper.make_opsetid(OWN, 1)]
        model = helper.make_model(graph, opset_imports=operators, ir_version=9, producer_name=producer)
        onnx.checker.check_model(model)
        return model

    def add_constants(self) -> None:
        self.constant("first", np.array([0]))
        self.constant("last", np.array([-1]))
        self.constant("one", np.float32(1))
        self.constant("step", np.float32(1 / LIMIT))
        self.constant("smallest", np.float32(1e-9))
        self.constant("zero", np.uint8(MIDDLE))
        self.constant("gelu.step", np.float32(1 / GELU_STEPS))
        self.constant("gelu.smallest", np.float32(LOWEST_GELU / GELU_ZERO))
        self.constant("gelu.zero", np.uint8(GELU_ZERO))
        # Quantising by rows needs a zero point per row.
        self.length = self.add("Shape", "ids")
        self.zeros = {name: self.add("Expand", name, self.length) for name in ("zero", "gelu.zero")}

    def add_embeddings(self) -> str:
        words = self.weights["embeddings.word_embeddings.weight"]
        scale = np.abs(words).max(axis=1, keepdims=True) / LIMIT
        rounded = np.rint(words / np.maximum(scale, 1e-12)).astype(np.int8)
        numbers = self.add("Cast", self.add("Gather", self.constant("words.rounded", rounded), "ids"), to=1)
        vectors = self.add("Mul", numbers, self.add("Gather", self.constant("words.scale", scale), "ids"))
        # All word pieces belong to the first segment, so its embedding is added to the positions.
        positions = self.weights["embeddings.position_embeddings.weight"][:WINDOW]
        positions = positions + self.weights["embeddings.token_type_embeddings.weight"][0]
        places = self.add("Slice", self.constant("positions", positions), "first", self.length, "first")
        norm = [self.weight(f"embeddings.LayerNorm.{name}") for name in ("weight", "bias")]
        normed = self.add("LayerNormalization", self.add("Add", vectors, places), *norm, axis=-1, epsilon=EPSILON)
        return str(self.add("Unsqueeze", normed, "first"))

    def add_attention(self, prefix: str, vectors: str) -> str:
        parts = [f"{prefix}self.{name}." for name in ("query", "key", "value")]
        matrix = np.concatenate([self.weights[part + "weight"].T for part in parts], axis=1)
        bias = np.concatenate([self.weights[part + "bias"] for part in parts])
        product = self.add_product(prefix + "self", matrix, vectors)
        query_key_value = self.add("Split", product, outputs=3, axis=2, num_outputs=3)
        bias_name = self.constant(prefix + "self.bias", bias)
        attended = self.add("MultiHeadAttention", *query_key_value, bias_name, domain=OWN, num_heads=HEADS)
        output = self.add_product(prefix + "output", self.weights[prefix + "output.dense.weight"].T, attended)
        return self.add_norm(prefix, vectors, output)

    def add_feed_forward(self, prefix: str, vectors: str) -> str:
        inner = prefix + "intermediate.dense."
        wide = self.add_product(inner, self.weights[inner + "weight"].T, vectors)
        active = self.add("FastGelu", wide, self.weight(inner + "bias"), domain=OWN)
        output = self.weights[prefix + "output.dense.weight"].T
        return self.add_norm(prefix, vectors, self.add_product(prefix + "output", output, active, kind="gelu."))

    def add_norm(self, prefix: str, vectors: str, change: str) -> str:
        names = ("output.LayerNorm.weight", "output.LayerNorm.bias", "output.dense.bias")
        *norm, bias = (self.weight(prefix + name) for name in names)
        if self.fused_norms:
            fused = self.add("SkipLayerNormalization", vectors, change, *norm, bias, domain=OWN, epsilon=EPSILON)
            return str(fused)
        changed = self.add("Add", vectors, self.add("Add", change, bias))
        return str(self.add("LayerNormalization", changed, *norm, axis=-1, epsilon=EPSILON))

    def add_product(self, name: str, matrix: Array, vectors: str, kind: str = "") -> str:
        """`vectors @ matrix` in integers. `kind` is "gelu." for vectors from GELU, empty for those around zero."""
        largest = self.add("ReduceMax", vectors if kind else self.add("Abs", vectors), "last", keepdims=0)
        scale = self.add("Max", self.add("Mul", largest, kind + "step"), kind + "smallest")
        rows = self.add("Squeeze", scale, "first")
        rounded = self.add("QuantizeLinear", vectors, rows, self.zeros[kind + "zero"], axis=1)
        weights, columns = round_weights(matrix)
        constants = [self.constant(name + ".rounded", weights), "one", self.constant(name + ".scale", columns)]
        product = self.add("MatMulIntegerToFloat", rounded, *constants, kind + "zero", domain=OWN)
        return str(self.add("Mul", product, self.add("Unsqueeze", scale, "last")))
