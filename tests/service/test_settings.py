"""Settings: file, environment, command line; what is wrong is named, and no value is told."""

from __future__ import annotations

import pytest

from guardrail.errors import ConfigurationError
from guardrail.service.settings import Settings

HASH = "sha256:" + "0" * 64


@pytest.fixture
def load(tmp_path):
    def run(text, **given):
        file = tmp_path / "service.yaml"
        file.write_text(text, encoding="utf-8")
        return Settings.load(file, **given)

    return run


def test_the_command_line_before_the_environment_before_the_file(load, monkeypatch):
    monkeypatch.setenv("GUARDRAIL_PORT", "2")
    monkeypatch.setenv("GUARDRAIL_LIMITS__QUEUE", "22")
    settings = load("port: 1\nhost: ::1\nlimits: {queue: 11, batch: 12}", host="127.0.0.2")
    assert (settings.host, settings.port, settings.limits.queue, settings.limits.batch) == ("127.0.0.2", 2, 22, 12)


def test_without_guards_there_is_the_default_one(load):
    assert list(load("").guard_settings()) == ["default"]
    assert list(load("guards: {a: {}}\ndefault_guard: a").guard_settings()) == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("guardz: {}", "guardz: there is no such setting"),
        ("guards: {default: {polici: strict}}", "guards.default.polici: there is no such setting"),
        ("port: 70000", "port: "),
        ("guards: {a: {}}", "default_guard: no guard 'default'. Known: a"),
        (f"keys: [{{name: a, hash: '{HASH}', guards: [b]}}]", "no guard 'b'"),
        (f"keys: [{{name: a, hash: '{HASH}'}}, {{name: a, hash: '{HASH}'}}]", "two keys have the name 'a'"),
        ("upstreams: {a: {url: 'file:///etc/passwd'}}", "upstreams.a.url"),
        ("upstreams: {a: {url: 'http://u:p@host/v1'}}", "upstreams.a.url"),
        ("guards: {'a b': {}}", "guards.a b"),
        ("limits: {seconds: 0}", "limits.seconds"),
    ],
)
def test_what_is_wrong_is_named(load, text, said):
    with pytest.raises(ConfigurationError) as refused:
        load(text)
    assert said in str(refused.value)
    assert "service.yaml" in str(refused.value)


def test_a_key_in_the_environment(monkeypatch):
    settings = Settings()
    monkeypatch.setenv("SOME_KEY", "grk_secret")
    assert settings.secret("SOME_KEY").get_secret_value() == "grk_secret"
    assert "grk_secret" not in repr(settings.secret("SOME_KEY"))
    assert settings.secret(None) is None
    with pytest.raises(ConfigurationError, match="NOT_THERE"):
        settings.secret("NOT_THERE")


@pytest.mark.parametrize("limits", [{"processes": 1}, {"processes": 2, "threads": 4}])
def test_one_process_alone_and_threads_beside_processes_are_refused(limits):
    with pytest.raises(ConfigurationError, match="processes"):
        Settings.load(None, limits=limits)
