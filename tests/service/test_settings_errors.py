"""What is wrong with settings, in words and without values."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from guardrail.errors import ConfigurationError
from guardrail.service.settings import Settings
from guardrail.service.settings_errors import as_configuration_error


@pytest.fixture
def load(tmp_path):
    def run(text, **given):
        file = tmp_path / "service.yaml"
        file.write_text(text, encoding="utf-8")
        return Settings.load(file, **given)

    return run


def test_a_value_that_may_be_a_secret_is_not_told(load):
    for text in ("keys: [{name: a, hash: grk_secret}]", "keys: [grk_secret", "keys: grk_secret"):
        with pytest.raises(ConfigurationError) as refused:
            load(text)
        assert "secret" not in str(refused.value)


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid")

    port: int = 1
    inner: dict[str, int] = {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"port": "secret"}, "file x: port: Input should be a valid integer"),
        ({"prot": "secret"}, "file x: prot: there is no such setting. See docs/service.md."),
        ({"inner": {"a": "secret"}}, "file x: inner.a: Input should be a valid integer"),
    ],
)
def test_the_place_is_named_and_the_value_is_not(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as refused, as_configuration_error("file x"):
        Section.model_validate(given)
    assert str(refused.value).startswith(said)
    assert "secret" not in str(refused.value)


def test_other_errors_of_values_have_the_place_too_and_our_own_stay() -> None:
    with pytest.raises(ConfigurationError, match=r"^file x: no JSON$"), as_configuration_error("file x"):
        raise ValueError("no JSON")
    own = ConfigurationError("said already")
    with pytest.raises(ConfigurationError) as refused, as_configuration_error("file x"):
        raise own
    assert refused.value is own
