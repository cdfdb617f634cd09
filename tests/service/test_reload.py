"""Guards, keys and limits change with their files."""

from __future__ import annotations

import asyncio
import logging
import os

import pytest

from guardrail.service import Service, Settings
from guardrail.service.keys import hashed, new_key
from tests.support.services import ENGINES, RIVER, served, wait_until

WRONG = {"answer": "It is wrong.", "passages": ["p"]}


def config(policy="monitor", more=""):
    return f"guards:\n  default: {{engine: '{ENGINES}fake', policy: {policy}}}\n{more}"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "service.yaml"
    path.write_text(config())
    return path


def write(path, text):
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))  # also where the clock of the file system is coarse


def look(service):
    asyncio.run(service.reload.look())


def test_a_guard_changes_and_the_others_stay(file):
    service = Service(Settings.load(file))
    before = service.guard()
    look(service)
    assert service.guard() is before
    write(file, config(more=f"  b: {{engine: '{ENGINES}fake', policy: strict}}\n"))
    look(service)
    assert service.guard() is before
    assert service.guard("b").policy.current().name == "strict"
    write(file, config("strict"))
    look(service)
    assert service.guard().policy.current().name == "strict"
    assert service.guard_names == ("default",)


@pytest.mark.parametrize(
    "text",
    [
        "guards: [", "guardz: {}", config("no-such-policy"),
        "guards: {default: {engine: 'python:tests.support.service_engines:broken'}}",
    ],
)  # fmt: skip
def test_a_broken_file_keeps_the_old_guard_and_says_so(file, text, caplog):
    service = Service(Settings.load(file))
    before = service.guard()
    write(file, text)
    with caplog.at_level(logging.ERROR, "guardrail.service"):
        look(service)
        look(service)
    assert service.guard() is before
    assert service.reload.failure
    assert [r.getMessage().partition(":")[0] for r in caplog.records] == ["the settings stay as last read"]
    write(file, config("strict"))
    look(service)
    assert not service.reload.failure
    assert service.guard().policy.current().name == "strict"


def test_a_file_that_is_gone_changes_nothing(file):
    service = Service(Settings.load(file))
    file.unlink()
    look(service)
    assert service.guard().policy.current().name == "monitor"
    assert service.reload.failure


def test_a_policy_file_is_read_again(file, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("preset: monitor\nname: one\n")
    write(file, config("policy.yaml"))
    service = Service(Settings.load(file))
    assert service.guard().policy.current().name == "one"
    write(policy, "preset: monitor\nname: two\n")
    wait_until(lambda: look(service) or service.guard().policy._policy.name == "two")


def test_what_a_restart_needs_stays_and_is_named(file, caplog):
    service = Service(Settings.load(file, port=5))
    write(file, config(more="host: 127.0.0.2\nport: 6\nlimits: {threads: 7, queue: 9}\n"))
    with caplog.at_level(logging.WARNING, "guardrail.service"):
        look(service)
    assert (service.settings.host, service.settings.port) == ("127.0.0.1", 5)
    assert service.pool.threads.longest == 9
    assert "only a restart changes host, limits.threads" in caplog.text


def test_while_it_serves(file):
    key = new_key()
    with served(file) as one:
        assert one.post("/v1/run", WRONG).json()["action"] == "flag"
        write(file, config("strict"))
        wait_until(lambda: one.post("/v1/run", WRONG).json()["action"] == "block")
        write(file, "guards: [")
        wait_until(lambda: "settings" in one.get("/readyz").json())
        assert one.get("/readyz").status_code == 200
        assert one.post("/v1/run", WRONG).json()["action"] == "block"
        write(file, config("strict", f"keys: [{{name: a, hash: '{hashed(key)}'}}]"))
        wait_until(lambda: one.post("/v1/run", RIVER).status_code == 401)
        assert one.post("/v1/run", RIVER, headers={"Authorization": f"Bearer {key}"}).status_code == 200
