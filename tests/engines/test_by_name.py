"""Engines by name: what each name makes, what it says where it cannot, and who imports what."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from guardrail import ConfigurationError, Guard, MissingExtraError, Policy
from guardrail.engines.by_name import CROSS_ENCODERS, escalated_error_types, make_engine
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.cross_encoder.catalog import SPECS
from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.model import FILES, MODEL_FOLDER
from guardrail.policy.calibration import engine_identity
from guardrail.types import LOGIC_ERRORS, Action, ErrorType


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_local_is_the_default():
    """And is made once, when the guard is."""
    guard = Guard()
    assert isinstance(guard.engine, LocalEngine)
    assert guard.engine is Guard(engine=guard.engine).engine


def test_a_model_may_have_colons_in_its_name(key):
    """Ollama's do."""
    engine = Guard(engine="llm:llama3:8b").engine
    assert isinstance(engine, LLMEngine)
    assert engine.llm.model == "llama3:8b"


def test_a_cascade_is_local_first_then_the_model(key):
    """With the policy's own error types."""
    policy = Policy(actions={"causal_confusion": "block"})
    engine = Guard(policy=policy, engine="cascade:m").engine
    assert isinstance(engine, CascadeEngine)
    assert isinstance(engine.first, LocalEngine)
    assert (engine.second.name, engine.second.llm.model) == ("llm", "m")
    assert engine.always == {ErrorType.CAUSAL_CONFUSION}


@pytest.fixture
def weights(tmp_path):
    """A folder of weights: a copy of those that ship, under which every claim is likelier than under theirs."""
    for name in FILES:
        shutil.copy(MODEL_FOLDER / name, tmp_path / name)
    scorer = json.loads((tmp_path / "scorer.json").read_text())
    (tmp_path / "scorer.json").write_text(json.dumps(scorer | {"intercept": scorer["intercept"] + 2.0}))
    return tmp_path


def test_weights_of_ones_own_judge(weights):
    claim, passages = "The shop closes late.", ["The shop closes at 8 pm."]
    own, shipped = Guard(engine=f"local:{weights}"), Guard()
    assert own.check(claim, passages).score > shipped.check(claim, passages).score
    assert engine_identity(own.engine) != engine_identity(shipped.engine)


def test_a_larger_reader_may_stand_behind_the_local_one(weights):
    """No model is asked for it."""
    engine = Guard(engine=f"cascade:local:{weights}").engine
    assert (engine.first, engine.second) == (LocalEngine(), LocalEngine(folder=weights))


@pytest.mark.parametrize("name", ["local", "cascade:local"])
def test_a_folder_that_lacks_a_file_is_named_with_what_it_lacks(name, weights):
    (weights / "scorer.json").unlink()
    with pytest.raises(ConfigurationError, match=rf"'{weights}'.* lacks scorer\.json\."):
        Guard(engine=f"{name}:{weights}")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lokal", "Did you mean 'local'"),
        ("minichek", "Did you mean 'minicheck'"),
        ("llm", "llm:<model>"),
        ("llm:", "llm:<model>"),
        ("cascade", "cascade:<model>"),
        ("nli", "hub id or folder"),
        ("zzz", "Known: local, local:base, local:<folder>"),
        ("", "Known: local, local:base, local:<folder>"),
        ("lokal:x", "unknown engine 'lokal:x'"),
    ],
)
def test_a_wrong_name_says_what_to_write(name, says):
    """The caller's mistake, when the guard is made."""
    with pytest.raises(ConfigurationError) as error:
        Guard(engine=name)
    assert says in str(error.value)


def test_no_key_is_said_when_the_guard_is_made(monkeypatch):
    """Not at the first answer."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        make_engine("llm:m", policy=Policy())


def test_all_cross_encoders_have_a_name():
    """The names here are those of the catalogue."""
    assert set(CROSS_ENCODERS) == set(SPECS)


def test_presets_press_for_nothing():
    """They treat all errors alike, so the band alone decides."""
    for preset in (Policy(), Policy.monitor(), Policy.annotate(), Policy.repair(), Policy.strict()):
        assert escalated_error_types(preset) == frozenset()


def test_types_with_a_severer_action_press():
    """One type, all of logic, or none where the action is milder."""
    assert escalated_error_types(Policy(actions={"mixed_entities": "block"})) == {ErrorType.MIXED_ENTITIES}
    assert escalated_error_types(Policy(actions={"logic": "redact"})) == LOGIC_ERRORS
    strict = Policy.strict()
    milder = strict.with_(actions={**strict.actions, "conflation": Action.REDACT})
    assert escalated_error_types(milder) == frozenset()


def test_an_identity_of_its_own_counts(key):
    """A threshold for one model is none for another, nor for another band."""
    assert engine_identity(make_engine("llm:a", policy=Policy())) != engine_identity(
        make_engine("llm:b", policy=Policy())
    )
    engine = make_engine("cascade:a", policy=Policy())
    wider = CascadeEngine(first=engine.first, second=engine.second, low=0.1)
    names = {engine_identity(each) for each in (engine, wider, engine.first, engine.second)}
    assert len(names) == 4
    assert all("rag-guardrail-" in name for name in names)
    assert "sha256:" in engine_identity(engine)  # the local model's files


def test_nothing_is_imported_that_is_not_asked_for():
    """`import guardrail` and a local guard leave vendors alone."""
    code = (
        "import sys; from guardrail import Guard; Guard(); "
        "print([m for m in ('openai', 'cachetools', 'tenacity', 'redis', 'torch', 'langchain_core', 'sqlite3', "
        "'guardrail.engines.llm.engine', 'guardrail.engines.cascade') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_larger_reader_comes_with_an_extra(monkeypatch):
    guardrail_base = pytest.importorskip("guardrail_base", reason="models/base is no part of the source distribution")
    engine = Guard(engine="local:base").engine
    assert engine == LocalEngine(passage_reader=guardrail_base.FOLDER)
    assert engine_identity(engine) not in {engine_identity(LocalEngine()), engine_identity(LocalEngine(threads=1))}
    assert Guard(engine="cascade:local:base").engine.second == engine
    monkeypatch.setitem(sys.modules, "guardrail_base", None)
    with pytest.raises(MissingExtraError, match=r"rag-guardrail\[base\]"):
        Guard(engine="local:base")


def test_a_scorer_of_another_version_is_named_when_the_guard_is_made(weights):
    """Not at the first answer, which would be unverified."""
    scorer = json.loads((weights / "scorer.json").read_text())
    (weights / "scorer.json").write_text(json.dumps(scorer | {"signals": ["coverage"], "weights": [1.0]}))
    with pytest.raises(ConfigurationError, match=r"fitted for other signals: coverage\."):
        Guard(engine=f"local:{weights}")
