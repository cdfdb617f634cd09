"""Training goes on from what ships: every weight of the shipped graph is found under its name, in its shape."""

from __future__ import annotations

import pytest

from guardrail.engines.local.model import MODEL_FOLDER, OUTPUTS

pytest.importorskip("torch")
pytest.importorskip("onnx")


def test_every_weight_of_the_shipped_graph_has_the_name_and_shape_that_training_asks_for():
    from training.restore import restore

    found = {name: tuple(weight.shape) for name, weight in restore(MODEL_FOLDER / "model.onnx").items()}
    width = 384
    assert found["bert.pooler.dense.weight"] == (width, width)
    assert found["classifier.weight"] == (OUTPUTS, width)
    assert found["classifier.bias"] == (OUTPUTS,)
    for layer in range(6):
        name = f"bert.encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            assert found[f"{name}.attention.self.{part}.weight"] == (width, width)
        assert found[f"{name}.attention.output.dense.weight"] == (width, width)
        assert found[f"{name}.intermediate.dense.weight"] == (4 * width, width)
        assert found[f"{name}.output.dense.weight"] == (width, 4 * width)
    assert not [name for name in found if name.endswith("_Transposed")]
