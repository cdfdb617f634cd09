"""Export a reader of packs to ONNX with weights of few bits, beside its tokenizer, as the local engine reads a folder.

``python -m training.mpnet.export`` and ``python -m training.multilingual.export`` run it.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from torch import Tensor

from guardrail.engines.local.model import PACKS
from guardrail.engines.local.packs import CLAIMS
from guardrail.text.passages import titled
from training.answers import realistic_answers
from training.pack_stage import PackModel, encode, load_tokenizer, stacked
from training.smoothing import smooth

SHOWN = 40
"""Answers whose passages show how large activations become."""

BLOCK = 32
"""Weights that share a scale."""

INT8 = 8
INT8_COMPUTE = 4
"""Accuracy level of MatMulNBits: activations become int8 by the row, so a claim does not depend on its neighbours."""


def write_graph(reader: PackModel, base: Path, target: Path) -> None:
    """Float32 graph of a pack: (1, tokens) four times -> (1, claims, 13)."""
    trace(
        reader,
        stacked([encode(load_tokenizer(base), "The shop closes at 8 pm.", ["It closes.", "It opens at 8."])]),
        target,
    )


def trace(reader: PackModel, sample: tuple[Tensor, ...], target: Path) -> None:
    """The graph that a sample's reading draws, for packs of any size."""
    reader.eval()
    names = ["ids", "positions", "segments", "kinds"]
    axes = {name: {0: "packs", 1: "tokens"} for name in names} | {"logits": {0: "packs", 1: "claims"}}
    torch.onnx.export(
        reader,
        sample,
        str(target),
        input_names=names,
        output_names=["logits"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def quantize(source: Path, target: Path, bits: int) -> None:
    """Weights of matrix products in so many bits, the word embeddings in eight."""
    config = DefaultWeightOnlyQuantConfig(block_size=BLOCK, is_symmetric=False, accuracy_level=INT8_COMPUTE, bits=bits)
    quantizer = MatMulNBitsQuantizer(onnx.load(str(source)), algo_config=config)
    quantizer.process()
    part = target.with_suffix(".part.onnx")
    quantizer.model.save_model_to_file(str(part), use_external_data_format=False)
    quantize_dynamic(str(part), str(target), weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"])
    part.unlink()
    onnx.checker.check_model(str(target))


def quantize_whole(source: Path, target: Path, operators: Sequence[str] = ("MatMul", "Gather")) -> None:
    """Weights of products and embeddings in int8, activations at run time: three times as fast as 4 bits."""
    quantize_dynamic(
        str(source),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=list(operators),
    )
    onnx.checker.check_model(str(target))


def samples(base: Path) -> Iterator[tuple[Tensor, ...]]:
    """Passages of realistic answers with the sentences of the answers."""
    tokenizer = load_tokenizer(base)
    for case in islice(realistic_answers(), SHOWN):
        claims = [sentence for sentence, _ in case.labels][:CLAIMS]
        for passage in case.answer.passages:
            yield stacked([encode(tokenizer, titled(passage.title, passage.text), claims)])


def run_export(
    doc: str | None, make: Callable[[Path], PackModel], *, runs: str, langs: Sequence[str] = ("en",)
) -> None:
    """The command line of a reader: ``make`` builds it from the base's folder."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, default=Path(runs, "base"))
    parser.add_argument("--run", type=Path, default=Path(runs, "trained"))
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--bits", type=int, default=4)
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    full = arguments.run / "model.onnx"
    model = make(arguments.base)
    model.load_state_dict(torch.load(arguments.run / "model.pt", map_location="cpu"))
    if arguments.bits == INT8:
        smooth(model, model.encoder(), samples(arguments.base))
    write_graph(model, arguments.base, full)
    if arguments.bits == INT8:
        quantize_whole(full, arguments.to / "model.onnx", model.quantized)
    else:
        quantize(full, arguments.to / "model.onnx", arguments.bits)
    shutil.copy(arguments.base / "tokenizer.json", arguments.to / "tokenizer.json")
    (arguments.to / PACKS).write_text(json.dumps({"languages": list(langs)}) + "\n")
    print(json.dumps({"mb": (arguments.to / "model.onnx").stat().st_size / 1e6}))
