"""An adapted reader is the same as before until it is trained, and then only beside its matrices."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxruntime.quantization.matmul_nbits_quantizer")

CLAIMS = [[7, 9], [10, 11, 12]]


@pytest.fixture
def reader():
    """MPNet with random weights, as small as it gets: two layers, the upper one trained."""
    from transformers import MPNetConfig, MPNetModel

    from training.mpnet.reader import Reader

    torch.manual_seed(3)
    config = MPNetConfig(
        vocab_size=120, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=160
    )
    made = Reader(MPNetModel(config, add_pooling_layer=False), frozen=1, layers=2)
    for weight in made.parameters():  # else equal ones share a name in the graph
        torch.nn.init.normal_(weight, std=0.3)
    return made.eval()


@pytest.fixture
def sample():
    from guardrail.engines.local.packs import layout
    from training.pack_stage import stacked

    return stacked([layout([7, 8, 9], CLAIMS)])


def export(reader, sample, folder):
    """The reader as it ships before any adapter: ``weights.onnx``."""
    from training.pack_export import quantize_whole, trace
    from training.smoothing import smooth

    shipped = copy.deepcopy(reader)
    smooth(shipped, shipped.net.encoder, [sample])
    trace(shipped, sample, folder / "full.onnx")
    quantize_whole(folder / "full.onnx", folder / "weights.onnx")


def test_at_first_nothing_changes_and_only_what_is_narrow_or_small_is_trained(reader, sample):
    from training.adapter import adapt, trained_groups

    before = reader(*sample).detach()
    adapt(reader, reader.upper(), reader.head, rank=4)
    assert torch.equal(reader(*sample), before)
    trained = {name for name, weight in reader.named_parameters() if weight.requires_grad}
    assert all(name.endswith((".down", ".up", ".bias")) or "LayerNorm" in name for name in trained)
    assert not any("layer.0" in name for name in trained)
    assert {id(w) for group, _ in trained_groups(reader) for w in group} == {
        id(w) for w in reader.parameters() if w.requires_grad
    }


@pytest.mark.filterwarnings("ignore")  # those of the exporter of torch that keeps names
def test_the_small_graph_reads_the_large_matrices_from_the_old_file_and_says_what_the_adapted_reader_says(
    reader, sample, tmp_path, monkeypatch
):
    import numpy as np
    from onnxruntime import InferenceSession

    from training import adapter_export
    from training.adapter import adapt

    monkeypatch.setattr(adapter_export, "_LEAST", 1_000)
    inputs = dict(zip(["ids", "positions", "segments", "kinds"], (part.numpy() for part in sample), strict=True))

    def read(name):
        return InferenceSession(tmp_path / name).run(None, inputs)[0]

    export(reader, sample, tmp_path)
    adapt(reader, reader.upper(), reader.head, rank=4)
    for weight in reader.parameters():
        if weight.requires_grad:
            with torch.no_grad():
                weight.add_(0.1 * torch.randn_like(weight))
    model = adapter_export.adapted_model(tmp_path / "weights.onnx", reader.state_dict())
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())

    wanted, before, found = reader(*sample).detach().numpy(), read("weights.onnx"), read("model.onnx")
    moved = np.abs(wanted - before).mean()
    assert np.abs(wanted - found).mean() < 0.1 * moved
    referred = [each for each in model.graph.initializer if each.external_data]
    assert len(referred) >= 6
    assert {entry.value for each in referred for entry in each.external_data if entry.key == "location"} == {
        "weights.onnx"
    }


@pytest.mark.filterwarnings("ignore")  # those of the exporter of torch that keeps names
def test_a_graph_of_another_model_is_refused(reader, sample, tmp_path):
    from training.adapter import adapt
    from training.adapter_export import adapted_model

    export(reader, sample, tmp_path)
    adapt(reader, reader.upper(), reader.head, rank=4)
    adapted_model(tmp_path / "weights.onnx", reader.state_dict())
    strange = {name.replace("layer.1", "layer.7"): weight for name, weight in reader.state_dict().items()}
    with pytest.raises(ValueError, match=r"no layer with the bias 'net\.encoder\.layer\.7"):
        adapted_model(tmp_path / "weights.onnx", strange)
