"""Export an adapted reader (training.adapter) as a small graph that reads the large matrices from the file as it was.

python -m training.adapter_export --run runs/mpnet/adapted --to models/base/guardrail_base

``weights.onnx`` there is the model that the run started from, exported with int8 weights (training.pack_export); it
stays as it is. ``model.onnx`` is the same graph with the adapters, and takes the matrices out of the other file by
their place in it (ONNX: external data).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from torch import Tensor

from training.adapter import HALF

WEIGHTS = "weights.onnx"
_LEAST = 10_000
"""Bytes from which a tensor is taken from the other file."""

_BYTES = frozenset({TensorProto.INT8, TensorProto.UINT8})


def adapted_model(weights: Path, trained: Mapping[str, Tensor]) -> ModelProto:
    """The graph of ``weights`` with the adapters of a run's state, its biases and its norms.

    Raises:
        ValueError: a layer of the run is not in the graph.
    """
    model = onnx.load(str(weights))
    graph = model.graph
    stored = {each.name: each for each in graph.initializer}
    for name, value in trained.items():
        known = _exported(name)
        if known in stored and stored[known].data_type == TensorProto.FLOAT:
            stored[known].CopyFrom(numpy_helper.from_array(value.float().numpy(), known))
    for name in sorted(name.removesuffix(".down") for name in trained if name.endswith(".down")):
        _insert(graph, name, trained[f"{name}.down"], trained[f"{name}.up"])
    _name_constants(graph)
    onnx.checker.check_model(model)
    _refer(graph, weights.read_bytes())
    return model


def _exported(name: str) -> str:
    """The graph's name of a trained tensor: layers of the body are wrapped there as well (training.smoothing)."""
    return name.replace(".linear.", ".") if name.startswith("head.") else name


def _insert(graph: GraphProto, layer: str, down: Tensor, up: Tensor) -> None:
    """Add the product of the narrow matrices to that of the layer, before its bias."""
    bias = _exported(f"{layer}.linear.bias")
    makers = {output: node for node in graph.node for output in node.output}
    adding = next((node for node in graph.node if node.op_type == "Add" and bias in node.input), None)
    if adding is None:
        raise ValueError(f"the graph has no layer with the bias {bias!r}: was it exported from the run's --start?")
    place = 1 - list(adding.input).index(bias)
    product = adding.input[place]
    source = _source(makers, product)
    narrow = {f"{layer}.down": down.T, f"{layer}.up": up.T}
    made: list[NodeProto] = []
    for name, matrix in narrow.items():
        half = numpy_helper.from_array(np.ascontiguousarray(matrix.half().numpy()), f"{name}{HALF}")
        graph.initializer.append(half)
        made.append(helper.make_node("Cast", [half.name], [name], to=TensorProto.FLOAT))
    made += [
        helper.make_node("MatMul", [source, f"{layer}.down"], [f"{layer}.narrow"]),
        helper.make_node("MatMul", [f"{layer}.narrow", f"{layer}.up"], [f"{layer}.added"]),
        helper.make_node("Add", [product, f"{layer}.added"], [f"{layer}.adapted"]),
    ]
    adding.input[place] = f"{layer}.adapted"
    at = list(graph.node).index(adding)
    for offset, node in enumerate(made):
        graph.node.insert(at + offset, node)


def _source(makers: Mapping[str, NodeProto], product: str) -> str:
    """What the layer reads, before it is evened out and quantized."""
    node = makers[product]
    while node.op_type != "DynamicQuantizeLinear":
        node = makers[node.input[0]]
    before = makers[node.input[0]]
    smoothed = before.op_type == "Mul" and any(name.endswith(".inverse") for name in before.input)
    if not smoothed:
        return str(node.input[0])
    return next(str(name) for name in before.input if not name.endswith(".inverse"))


def _name_constants(graph: GraphProto) -> None:
    """Make large constants initializers, for only those can be taken from another file."""
    for node in [each for each in graph.node if each.op_type == "Constant"]:
        value = next((each.t for each in node.attribute if each.name == "value"), None)
        if value is not None and len(value.raw_data) >= _LEAST:
            value.name = node.output[0]
            graph.initializer.append(value)
            graph.node.remove(node)


def _refer(graph: GraphProto, held: bytes) -> None:
    """Take large tensors of bytes that stand in the other file from there."""
    for tensor in graph.initializer:
        if tensor.data_type not in _BYTES or len(tensor.raw_data) < _LEAST:
            continue
        offset = held.find(tensor.raw_data)
        if offset < 0:
            continue
        length = len(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", str(offset)), ("length", str(length))):
            tensor.external_data.add(key=key, value=value)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder with the model.pt of a run with --adapter")
    parser.add_argument("--to", type=Path, required=True, help=f"folder with {WEIGHTS}")
    arguments = parser.parse_args()
    trained = torch.load(arguments.run / "model.pt", map_location="cpu")
    target = arguments.to / "model.onnx"
    onnx.save(adapted_model(arguments.to / WEIGHTS, trained), str(target))
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
