"""Settings of a guard's telemetry."""

import pytest

from guardrail import ConfigurationError, Guard
from guardrail.telemetry import Telemetry, events
from guardrail.testing import FakeEngine
from tests.support.telling import VARIABLE, run

pytestmark = pytest.mark.skipif(not events._BY_NAME, reason="this opentelemetry-api has no named events")


def test_a_setting_outranks_the_variable(watched, monkeypatch):
    monkeypatch.setenv(VARIABLE, "true")
    run(watched, capture_content=False)
    assert "input.value" not in watched.spans("guardrail.check")[0].attributes


def test_settings_are_read_once(monkeypatch):
    monkeypatch.setenv(VARIABLE, "false")
    assert Telemetry().content is None


def test_a_wrong_setting_says_so():
    with pytest.raises(ConfigurationError, match="telemetry must be"):
        Guard(engine=FakeEngine(), telemetry={"labels": {}})
    with pytest.raises(ConfigurationError, match="recorder must have `record`, got str"):
        Telemetry(recorder="guardrail.db")
    with pytest.raises(ConfigurationError, match="redact must be callable"):
        Telemetry(redact="x")
