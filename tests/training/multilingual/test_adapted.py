"""The reader of six languages with adapters: what is large, word embeddings too, is read from the file that stays."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("onnxruntime.quantization.matmul_nbits_quantizer")

WIDTH, INNER, WORDS = 384, 64, 100


@pytest.fixture
def base(tmp_path):
    """A folder as training.multilingual.base fills it, of random numbers: two layers, 100 words."""
    from safetensors.numpy import save_file

    rng = np.random.default_rng(2)
    shapes = {"q.w": (WIDTH, WIDTH), "k.w": (WIDTH, WIDTH), "v.w": (WIDTH, WIDTH), "ao.w": (WIDTH, WIDTH)}
    shapes |= {"fi.w": (INNER, WIDTH), "fo.w": (WIDTH, INNER), "q.b": (WIDTH,), "k.b": (WIDTH,), "v.b": (WIDTH,)}
    shapes |= {"ao.b": (WIDTH,), "fi.b": (INNER,), "fo.b": (WIDTH,)}
    shapes |= {f"{norm}.{part}": (WIDTH,) for norm in ("aln", "oln") for part in "wb"}
    tensors = {f"l{n}.{name}": rng.normal(size=shape, scale=0.1) for n in range(2) for name, shape in shapes.items()}
    tensors |= {"emb.pos": rng.normal(size=(64, WIDTH)), "emb.type": rng.normal(size=(2, WIDTH))}
    tensors |= {"emb.ln.w": np.ones(WIDTH), "emb.ln.b": np.zeros(WIDTH)}
    made = {name: values.astype(np.float32) for name, values in tensors.items()}
    made["emb.word.halves"] = rng.integers(0, 256, (WORDS, WIDTH // 32, 16)).astype(np.uint8)
    made["emb.word.scale"] = rng.normal(size=(WORDS, WIDTH // 32)).astype(np.float16)
    save_file(made, tmp_path / "base.safetensors")
    sizes = {"hidden": WIDTH, "inner": INNER, "heads": 12, "positions": 64}
    (tmp_path / "base.json").write_text(json.dumps(sizes))
    return tmp_path


@pytest.mark.filterwarnings("ignore")  # those of the exporter of torch that keeps names
def test_only_what_was_trained_stands_in_the_new_graph(base, tmp_path):
    import onnx
    from onnxruntime import InferenceSession

    from guardrail.engines.local.packs import layout
    from training.adapter import adapt
    from training.adapter_export import adapted_model
    from training.multilingual.reader import Reader
    from training.pack_export import quantize_whole, trace
    from training.pack_stage import stacked
    from training.smoothing import smooth

    torch.manual_seed(1)
    reader = Reader(base, frozen=1, layers=2).eval()
    sample = stacked([layout([7, 8, 9], [[7, 9], [10, 11, 12]])])
    shipped = copy.deepcopy(reader)
    smooth(shipped, shipped.encoder(), [sample])
    trace(shipped, sample, tmp_path / "full.onnx")
    quantize_whole(tmp_path / "full.onnx", tmp_path / "weights.onnx", reader.quantized)
    adapt(reader, reader.upper(), reader.head, rank=4)
    with torch.no_grad():
        for weight in reader.parameters():
            if weight.requires_grad:
                weight.add_(0.05 * torch.randn_like(weight))
    model = adapted_model(tmp_path / "weights.onnx", reader.state_dict())
    onnx.save(model, str(tmp_path / "model.onnx"))

    elsewhere = {tuple(each.dims) for each in model.graph.initializer if each.external_data}
    assert {(WORDS, WIDTH // 32, 16), (WIDTH, 3 * WIDTH)} <= elsewhere
    wanted = reader(*sample).detach().numpy()
    inputs = dict(zip(["ids", "positions", "segments", "kinds"], (part.numpy() for part in sample), strict=True))
    before, found = (InferenceSession(tmp_path / f"{n}.onnx").run(None, inputs)[0] for n in ("weights", "model"))
    assert np.abs(wanted - found).mean() < 0.1 * np.abs(wanted - before).mean()
