"""Float weights from an exported reader of packs, so that training can go on from what ships (--start model.onnx).

What a few bits took away comes back within some steps. Adapters (training.adapter) are found beside their matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import NodeProto, numpy_helper
from torch import Tensor

from training.adapter import HALF

PRODUCT, WHOLE_PRODUCT = "MatMulNBits", "MatMulInteger"
BIAS = ".bias"
_BETWEEN = frozenset({"Cast", "Mul", "Add"})
"""What stands between a product and the sum with its bias."""


def restore_packs(path: Path) -> dict[str, Tensor]:
    """Part of a reader's state dict: every weight that the graph holds under its name, or in a product with a bias.

    Raises:
        ValueError: a product's bias has no name, so nothing tells which layer it belongs to.
    """
    graph = onnx.load(str(path)).graph
    arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    found = {name: torch.from_numpy(array.copy()) for name, array in arrays.items() if _is_plain(name, array)}
    readers = {name: node for node in graph.node for name in node.input}
    for node in graph.node:
        if node.op_type not in (PRODUCT, WHOLE_PRODUCT):
            continue
        bias = _bias(node, readers)
        if bias is None:
            raise ValueError(f"cannot tell which layer {node.name!r} of {path} belongs to: no bias is added to it")
        layer = bias.removesuffix(BIAS).removesuffix(".linear")  # a smoothed layer is wrapped (training.smoothing)
        if node.op_type == PRODUCT:
            sizes = {each.name: each.i for each in node.attribute}
            weight = _plain(*(arrays[name] for name in node.input[1:4]), bits=sizes["bits"], block=sizes["block_size"])
            weight = weight[:, : sizes["K"]]
        else:
            weight = _whole(arrays, node.input[1].removesuffix("_quantized")).T * arrays.get(f"{layer}.inverse", 1.0)
        found[f"{layer}.weight"] = torch.from_numpy(np.ascontiguousarray(weight))
        found[f"{layer}.bias"] = found[bias]
    for name, array in arrays.items():
        stem = name.removesuffix("_quantized")
        if stem != name and array.ndim == 2 and "::" not in stem:
            found[stem] = torch.from_numpy(_whole(arrays, stem))
        if name.endswith(HALF):
            found[name.removesuffix(HALF)] = torch.from_numpy(np.ascontiguousarray(array.T.astype(np.float32)))
    return found


def _bias(product: NodeProto, readers: Mapping[str, NodeProto]) -> str | None:
    """The name of the bias that is added to a product, after its scale and what an adapter adds."""
    node = readers.get(product.output[0])
    while node is not None and node.op_type in _BETWEEN:
        bias = next((name for name in node.input if name.endswith(BIAS)), None)
        if bias is not None:
            return bias
        node = readers.get(node.output[0])
    return None


def _whole(arrays: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float32]:
    """A tensor of int8 with a scale, or one for each column."""
    values = arrays[f"{name}_quantized"].astype(np.float32) - arrays[f"{name}_zero_point"].astype(np.float32)
    return np.asarray(values * arrays[f"{name}_scale"].astype(np.float32), dtype=np.float32)


def _is_plain(name: str, array: NDArray[np.generic]) -> bool:
    return array.dtype == np.float32 and "." in name and "::" not in name and not name.endswith("_scale")


def _plain(
    packed: NDArray[np.uint8], scales: NDArray[np.float32], zeros: NDArray[np.uint8], *, bits: int, block: int
) -> NDArray[np.float32]:
    """A product's weight, shape (outputs, inputs), from blocks of ``block`` weights; the low bits come first."""
    outputs, blocks, _ = packed.shape
    values = _unpacked(packed, bits).reshape(outputs, blocks, block)
    middles = _unpacked(zeros.reshape(outputs, -1), bits)[:, :blocks]
    weight = (values - middles[..., None]) * scales.reshape(outputs, blocks, 1)
    return weight.reshape(outputs, blocks * block).astype(np.float32)


def _unpacked(packed: NDArray[np.uint8], bits: int) -> NDArray[np.float32]:
    if bits == 8:
        return packed.astype(np.float32)
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1).astype(np.float32)
