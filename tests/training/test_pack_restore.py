"""A reader of packs comes back from its exported graph, but for what a few bits take away."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxruntime.quantization.matmul_nbits_quantizer")


@pytest.fixture
def reader():
    """MPNet with random weights, as small as it gets: two layers, both trained."""
    from transformers import MPNetConfig, MPNetModel

    from training.mpnet.reader import Reader

    torch.manual_seed(3)
    config = MPNetConfig(
        vocab_size=120, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96
    )
    net = MPNetModel(config, add_pooling_layer=False)
    made = Reader(net, frozen=0, layers=2)
    for weight in made.parameters():  # else equal ones share a name in the graph
        torch.nn.init.normal_(weight)
    return made


@pytest.mark.filterwarnings("ignore")  # those of the exporter of torch that keeps names
@pytest.mark.parametrize("bits", [4, 8])
def test_every_trained_weight_is_found_again(reader, tmp_path, bits):
    from guardrail.engines.local.packs import layout
    from training.pack_export import quantize, trace
    from training.pack_restore import restore_packs
    from training.pack_stage import stacked

    sample = stacked([layout([7, 8, 9], [[7, 9], [10, 11, 12]])])
    trace(reader, sample, tmp_path / "full.onnx")
    quantize(tmp_path / "full.onnx", tmp_path / "model.onnx", bits)
    found = restore_packs(tmp_path / "model.onnx")
    exact = dict(reader.named_parameters())
    assert {name for name, weight in exact.items() if weight.requires_grad} <= set(found)
    for name, weight in exact.items():
        if weight.requires_grad:
            step = float(weight.detach().abs().max()) / (7 if bits == 4 else 100)
            assert found[name].shape == weight.shape
            assert float((found[name] - weight.detach()).abs().max()) <= step, name


@pytest.mark.filterwarnings("ignore")  # those of the exporter of torch that keeps names
def test_whole_int8_products_come_back_smoothed_or_not_with_the_adapters_beside_them(reader, tmp_path):
    import copy

    import onnx

    from guardrail.engines.local.packs import layout
    from training.adapter import adapt
    from training.adapter_export import adapted_model
    from training.pack_export import quantize_whole, trace
    from training.pack_restore import restore_packs
    from training.pack_stage import stacked
    from training.smoothing import smooth

    sample = stacked([layout(list(range(3, 90)), [[7, 9], list(range(10, 60))])])
    shipped = copy.deepcopy(reader)
    smooth(shipped, shipped.encoder(), [sample])
    trace(shipped, sample, tmp_path / "full.onnx")
    quantize_whole(tmp_path / "full.onnx", tmp_path / "weights.onnx")
    exact = {name: weight.detach().clone() for name, weight in reader.named_parameters() if weight.requires_grad}
    adapt(reader, reader.upper(), reader.head, rank=4)
    for name, weight in reader.named_parameters():
        if name.endswith((".down", ".up")):
            torch.nn.init.normal_(weight)
    onnx.save(adapted_model(tmp_path / "weights.onnx", reader.state_dict()), str(tmp_path / "model.onnx"))

    found = restore_packs(tmp_path / "model.onnx")
    assert set(exact) <= set(found)
    for name, weight in exact.items():
        assert found[name].shape == weight.shape
        assert float((found[name] - weight).abs().median()) <= float(weight.abs().max()) / 100, name
    adapters = {name: weight for name, weight in reader.named_parameters() if name.endswith((".down", ".up"))}
    assert len(adapters) == 28
    for name, weight in adapters.items():
        assert torch.allclose(found[name], weight, rtol=2e-3, atol=1e-3), name
