"""Where a threshold comes from, and for which engine it holds."""

from __future__ import annotations

import logging

import pytest

from guardrail import ConfigurationError, Policy
from guardrail.policy.calibration import Calibration, engine_identity, hash_files, warn_of_another
from guardrail.testing import FakeEngine


class InFolder:
    name = "mine"

    def __init__(self, folder):
        self.folder = folder


def calibration(engine):
    return Calibration(
        data="0", n=100, risk="missed", target=0.1, threshold=0.5, engine=engine, guarantee="At most 10 % are missed."
    )


def test_another_model_in_the_folder_is_another_engine(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"1")
    first = engine_identity(InFolder(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.onnx").write_bytes(b"2")
    assert first.startswith("mine rag-guardrail-")
    assert first != engine_identity(InFolder(other))
    assert first == engine_identity(InFolder(tmp_path))


def test_a_folder_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"cannot read the engine's model folder .*nowhere"):
        engine_identity(InFolder(tmp_path / "nowhere"))


def test_the_hash_of_files_is_of_their_contents_in_order(tmp_path):
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_text(path.name)
    assert hash_files(paths) != hash_files(paths[::-1])
    paths[0].write_text("ab")
    assert hash_files(paths[:1]) != hash_files(paths)


@pytest.mark.parametrize("same", [True, False])
def test_a_threshold_of_another_engine_is_warned_of(caplog, same):
    own = engine_identity(FakeEngine())
    with caplog.at_level(logging.WARNING):
        warn_of_another(calibration(own if same else "another"), own, "house")
        warn_of_another(None, own, "house")
    assert ("its guarantee does not hold" in caplog.text) is not same


def test_the_policys_threshold_is_the_calibrations():
    with pytest.raises(ConfigurationError, match=r"threshold is 0.6, but its calibration is for 0.5"):
        Policy(threshold=0.6, calibration=calibration("fake"))
