"""Where a threshold comes from, and for which engine it holds."""

from __future__ import annotations

import logging

import pytest
import yaml

import guardrail
from guardrail import ConfigurationError, Guard, Policy
from guardrail.engines.local.engine import LocalEngine
from guardrail.evaluation.guarantee import policy_text
from guardrail.policy.calibration import Calibration, engine_identity, hash_files, warn_of_another
from guardrail.testing import FakeEngine

BLOCK = Calibration(data="ab", n=40, risk="missed", target=0.1, threshold=0.7, engine="e", guarantee="g", delta=0.1)


BAD = {
    "threshold": ({"threshold": 0.6}, "threshold is 0.6, but its calibration is for 0.7.*Calibrate again"),
    "unknown": ({"calibration": {"sha": "1"}}, r"calibration\.data"),
    "kind": ({"calibration": 3}, "calibration must be a Calibration, got int"),
}


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


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_a_wrong_calibration_block_is_refused(tmp_path, changes, message):
    """A threshold edited by hand has lost its guarantee."""
    path = tmp_path / "p.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(policy_text({}, BLOCK)) | changes), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        Policy.load(path)


def test_an_engine_that_was_not_calibrated_is_warned_of(caplog):
    """Another engine's scores are other scores; the same engine's are silent."""
    engine = FakeEngine()
    for identity, count in (("other", 1), (engine_identity(engine), 0)):
        block = Calibration(data="a", n=40, risk="missed", target=0.1, threshold=0.7, engine=identity, guarantee="g")
        caplog.clear()
        with caplog.at_level(logging.WARNING, "guardrail"):
            Guard(policy=Policy(threshold=0.7, calibration=block), engine=engine)
        assert len(caplog.records) == count


def test_the_identity_of_an_engine_follows_its_files(tmp_path):
    """Other weights, other identity."""

    class Modelled(FakeEngine):
        folder = tmp_path

    (tmp_path / "weights").write_bytes(b"1")
    before = engine_identity(Modelled())
    assert before.startswith(f"fake rag-guardrail-{guardrail.__version__} sha256:")
    other = tmp_path / "other"
    other.mkdir()
    (other / "weights").write_bytes(b"2")
    Modelled.folder = other
    assert engine_identity(Modelled()) != before
    Modelled.folder = str(other)  # a caller may write a text, which the types do not forbid at run time
    assert engine_identity(Modelled()).endswith(hash_files([other / "weights"])[:16])
    assert "sha256" not in engine_identity(FakeEngine())


def test_a_missing_model_folder_is_a_matter_of_configuration(tmp_path):
    """Not a bare FileNotFoundError from the guard's constructor."""
    policy = Policy(threshold=0.7, calibration=BLOCK)
    with pytest.raises(ConfigurationError, match=r"cannot read the engine's model folder .*nowhere'.*No such file"):
        Guard(policy=policy, engine=LocalEngine(folder=tmp_path / "nowhere"))
