"""Float weights from an exported reader of packs, so that training can go on from what ships (--start model.onnx).

Frozen weights are left out: they are the base model's own. What a few bits took away comes back within some steps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor

PRODUCT, SUM = "MatMulNBits", "Add"
BIAS = ".bias"


def restore_packs(path: Path) -> dict[str, Tensor]:
    """Part of a reader's state dict: every weight that the graph holds under its name, or in a product with a bias.

    Raises:
        ValueError: a product's bias has no name, so nothing tells which layer it belongs to.
    """
    graph = onnx.load(str(path)).graph
    arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    found = {name: torch.from_numpy(array.copy()) for name, array in arrays.items() if _is_plain(name, array)}
    sums = {name: node for node in graph.node if node.op_type == SUM for name in node.input}
    for node in graph.node:
        if node.op_type != PRODUCT:
            continue
        bias = next((name for name in sums[node.output[0]].input if name.endswith(BIAS)), None)
        if bias is None:
            raise ValueError(f"cannot tell which layer {node.name!r} of {path} belongs to: no bias is added to it")
        sizes = {each.name: each.i for each in node.attribute}
        weight = _plain(*(arrays[name] for name in node.input[1:4]), bits=sizes["bits"], block=sizes["block_size"])
        found[bias.removesuffix(BIAS) + ".weight"] = torch.from_numpy(weight[:, : sizes["K"]].copy())
    for name, array in arrays.items():
        stem = name.removesuffix("_quantized")
        if stem != name and array.ndim == 2:
            values = array.astype(np.float32) - arrays[f"{stem}_zero_point"].astype(np.float32)
            found[stem] = torch.from_numpy(values * arrays[f"{stem}_scale"])
    return found


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
