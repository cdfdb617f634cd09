"""Requests sent as batches: what is waited out, what is given up, and that nothing is sent twice."""

from __future__ import annotations

import pytest

from guardrail.engines.llm import AnthropicLLM, BatchSettings
from guardrail.engines.llm.batches.sending import Sender, waits
from guardrail.engines.llm.batches.state import BatchState
from guardrail.engines.llm.protocol import Prompt
from tests.support.batch_server import BatchServer, Plan
from tests.support.batched import PROVIDERS, checked, model, rows
from tests.support.judge_script import ReadingJudge


@pytest.mark.parametrize("provider", PROVIDERS)
def test_rate_limits_and_broken_replies_are_waited_out(provider, tmp_path):
    """A batch whose sending broke off after it had arrived is found, not sent again."""
    todo = rows(4)
    with BatchServer(ReadingJudge(), Plan(submits=[429, 429, 503, "lost"], polls=[503, 429])) as server:
        reports = checked(server, provider, todo, tmp_path / "state")
        assert {report.verdict for report in reports} == {"supported", "contradicted"}
        assert server.sizes == [3, 4]
        assert set(server.billed.values()) == {1}


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_batch_that_is_not_taken_leaves_its_answers_unverified(status, tmp_path):
    with BatchServer(ReadingJudge(), Plan(submits=[status] * 4)) as server:
        reports = checked(server, "openai", rows(3), tmp_path / "state")
        assert sum(f"HTTP {status}" in str((r.reason, r.findings)) for r in reports) >= 2
        assert "supported" not in {report.verdict for report in reports[1:]}
        assert server.counts["chat"] == 1


def test_a_batch_that_the_state_holds_is_not_taken_for_another(tmp_path):

    with BatchServer(ReadingJudge(), Plan(stuck=True)) as server:
        service = model(server, "anthropic").batch_service()
        state = BatchState(tmp_path / "state")
        sender = Sender(service, state, BatchSettings(state=tmp_path / "state", longest_poll=0.01))
        line = b'{"custom_id": "%s", "params": {}}'
        first = sender.send({"a": line % b"a"})
        server.plan.submits = [503]
        second = sender.send({"b": line % b"b"})
        assert first.id != second.id
        state.close(remove=False)


@pytest.mark.parametrize(
    ("most_lines", "most_bytes", "sizes"), [(2, 10_000, [2, 2, 1]), (50, 25, [2, 2, 1]), (50, 1, [1] * 5)]
)
def test_requests_are_cut_into_files_that_a_batch_may_hold(monkeypatch, most_lines, most_bytes, sizes, tmp_path):
    """None is lost, and one that is too large goes alone."""
    service = AnthropicLLM("m", base_url="http://localhost:9", api_key="k").batch_service()
    monkeypatch.setattr(service, "most_lines", most_lines, raising=False)
    monkeypatch.setattr(service, "most_bytes", most_bytes, raising=False)
    monkeypatch.setattr(service, "line", lambda ident, prompt: f"{ident}: {prompt.user}".encode())
    state = BatchState(tmp_path / "state")
    sender = Sender(service, state, BatchSettings(state=tmp_path / "state"))
    prompts = {f"k{n}": Prompt(identity="x", system="", user=f"data {n}") for n in range(5)}
    files = list(sender.files(prompts))
    assert [len(lines) for lines in files] == sizes
    assert {key: line for lines in files for key, line in lines.items()} == {
        f"k{n}": f"k{n}: data {n}".encode() for n in range(5)
    }
    assert list(sender.files({})) == []
    state.close(remove=True)


def test_waits_grow_up_to_the_longest():
    settings = BatchSettings(state="s", longest_poll=4.0)
    assert list(waits(settings, 5, 2.0)) == [1.0, 2.0, 4.0, 4.0, 4.0]
    assert list(waits(BatchSettings(state="s", longest_poll=0.5), 2)) == [0.5, 0.5]
    assert list(waits(settings, 0)) == []
