"""Guards as the settings name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.model import MODEL_FOLDER
from guardrail.errors import ConfigurationError
from guardrail.service.guards import build_guards, open_records
from guardrail.service.settings import Settings
from tests.support.services import ENGINES, RIVER, served

WRONG = {"answer": "It is long. It is wrong.", "passages": [{"text": "It is long.", "id": "p", "title": "T"}]}


def test_the_local_engine_end_to_end():
    with served(guards={"default": {"policy": "strict"}}) as real:
        reply = real.post("/v1/run", {**RIVER, "answer": "The bridge was opened in 1950."}).json()
    assert (reply["verdict"], reply["action"], reply["engine"]) == ("contradicted", "block", "local")
    assert reply["findings"][0]["evidence"][0]["quote"] == RIVER["passages"][0]


def test_an_engine_that_is_awaited():
    with served(guards={"default": {"engine": "python:tests.support.service_engines:awaited"}}) as one:
        assert one.post("/v1/check", WRONG).json()["verdict"] == "contradicted"
        assert one.post("/v1/run", WRONG).json()["action"] == "flag"
        assert len(one.post("/v1/extract", {"answer": "It is long."}).json()["claims"]) == 1


def built(folder: Path, **guards: Any) -> dict[str, Any]:
    return {name: guard for name, (_, guard) in build_guards(Settings(folder=folder, guards=guards), None).items()}


def test_a_policy_is_a_preset_or_a_file_beside_the_settings_with_changes(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("policies:\n  a: {preset: strict}\n  b: {preset: monitor, threshold: 0.2}\n")
    fake = {"engine": ENGINES + "fake"}
    found = built(
        tmp_path,
        default={**fake, "policy": "strict", "threshold": 0.7, "deadline": 3.0},
        b={**fake, "policy": "mine.yaml#b"},
        changed={**fake, "policy": "mine.yaml#b", "threshold": 0.9},
    )
    policies = {name: guard.policy.current() for name, guard in found.items()}
    assert (policies["default"].name, policies["default"].threshold, policies["default"].deadline) == ("strict", 0.7, 3)
    assert [(policies[name].name, policies[name].threshold) for name in ("b", "changed")] == [("b", 0.2), ("b", 0.9)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "llm"}, "engine 'llm' needs `model`"),
        ({"engine": "local", "model": "m"}, "model applies to the engines llm and cascade, not to 'local'"),
        ({"engine": "local", "cache": "c.db"}, "cache applies to"),
        ({"engine": "llm:m", "key_env": "NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE, which is not set"),
        ({"engine": "python:no_such_module:engine"}, "ModuleNotFoundError"),
        ({"engine": "python:tests.support.services:no_such"}, "AttributeError"),
        ({"engine": "python:tests.support.service_engines:threading.Event"}, "AttributeError"),
        ({"engine": "python:builtins:dict"}, "returned dict, which has no `verify`"),
        ({"engine": "no-such-engine"}, "no-such-engine"),
        ({"policy": "no-such.yaml"}, "no-such.yaml"),
    ],
)
def test_a_guard_that_cannot_be_is_named(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        built(tmp_path, default={}, bad=given)
    assert str(refused.value).startswith("guards.bad: ")
    assert said in str(refused.value)


def test_a_guard_whose_settings_are_the_same_stays(tmp_path: Path) -> None:
    fake = {"engine": ENGINES + "fake"}
    before = build_guards(Settings(folder=tmp_path, guards={"default": fake, "b": fake}), None)
    changed = {"default": fake, "b": {**fake, "policy": "strict"}, "c": fake}
    after = build_guards(Settings(folder=tmp_path, guards=changed), None, before)
    assert after["default"] is before["default"]
    assert [name for name in after if after[name] is not before.get(name)] == ["b", "c"]


def test_records_are_kept_beside_the_settings_or_nowhere(tmp_path: Path) -> None:
    assert open_records(Settings(folder=tmp_path)) is None
    store = open_records(Settings(folder=tmp_path, records={"path": "r.db"}))
    assert store is not None
    assert store.path == tmp_path / "r.db"
    store.close()


def test_a_larger_local_model_is_no_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer may leave for an endpoint where nobody named one."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    guard = built(tmp_path, default={"engine": f"cascade:local:{MODEL_FOLDER}"})["default"]
    assert guard.judge.second == LocalEngine(folder=MODEL_FOLDER)
