"""``guardrail serve`` up to the point where it serves."""

from __future__ import annotations

import pytest
import yaml

pytest.importorskip("pydantic_settings")

from guardrail.service.keys import hashed


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "service.yaml"

    def write(text):
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_check_says_what_would_run(command, config):
    file = config("guards: {default: {policy: strict}, b: {policy: repair, threshold: 0.7}}\nworkers: 3\nport: 99")
    code, out, err = command("serve", "--config", file, "--check", "--port", "98")
    assert (code, err) == (0, "")
    assert "127.0.0.1:98, 3 worker(s)" in out
    assert "default (default): policy strict, threshold 0.5, engine local" in out
    assert "b: policy repair, threshold 0.7" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("guards: {default: {policy: nowhere.yaml}}", "guards.default: "),
        ("guards: {default: {engine: locl}}", "unknown engine 'locl'. Did you mean 'local'?"),
        ("guards: {default: {model: m}}", "model applies to the engines llm and cascade"),
        ("guards: {default: {engine: llm}}", "needs `model`"),
        ("guards: {default: {engine: 'python:no_such_module:f'}}", "ModuleNotFoundError"),
        ("guards: {default: {engine: 'python:json:loads'}}", "python:json:loads"),
        ("upstreams: {a: {url: 'http://h/v1', key_env: NOT_SET_ANYWHERE}}", "NOT_SET_ANYWHERE"),
        ("host: 0.0.0.0", "there are no keys"),
    ],
)
def test_check_says_what_is_wrong(command, config, text, said):
    code, _, err = command("serve", "--config", config(text), "--check")
    assert code == 2
    assert said in err


def test_a_new_key_is_told_once_and_only_its_hash_is_for_the_file(command):
    code, out, err = command("serve", "--new-key", "team-a")
    key = err.strip().rpartition(" ")[2]
    assert code == 0
    assert key not in out
    assert yaml.safe_load(out) == [{"name": "team-a", "hash": hashed(key)}]
    assert command("serve", "--new-key", "a b")[0] == 2


def test_a_port_in_use(command):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, err = command("serve", "--port", taken.getsockname()[1])
    assert code == 2
    assert "cannot listen on" in err
