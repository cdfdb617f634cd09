"""The MCP server, by the official client, in memory."""

import asyncio

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="mcp 2 is not installed")
from guardrail_mcp import make_server
from mcp import Client

from guardrail import Guard, Policy
from guardrail.telemetry import Telemetry
from guardrail.telemetry.records import RecordStore
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG


@pytest.fixture
def store(tmp_path):
    with RecordStore(tmp_path / "records.db", sample=1) as made:
        yield made


def server(store=None, action="redact"):
    policy = Policy(name="p", actions={"contradicted": action}, fail="open")
    telemetry = Telemetry(recorder=store)
    return make_server(Guard(policy=policy, engine=FakeEngine(VERDICTS), telemetry=telemetry), store)


def call(server, tool, **arguments):
    async def called():
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(called())


def test_check_answer_tells_each_sentence_and_what_to_show():
    found = call(server(), "check_answer", answer=f"{RIGHT} {WRONG}", passages=[SOURCE]).structured_content
    assert found["text"] == RIGHT
    assert (found["verdict"], found["action"]) == ("contradicted", "redact")
    assert [f["verdict"] for f in found["findings"]] == ["supported", "contradicted"]
    wrong = found["findings"][1]
    assert wrong["text"] == WRONG
    assert (wrong["start"], wrong["end"]) == (27, 50)
    assert found["findings"][0]["evidence"][0]["quote"] == SOURCE


def test_what_is_not_verified_has_no_score():
    found = call(server(), "check_answer", answer=RIGHT, passages=[]).structured_content
    assert found["verdict"] == "unverified"
    assert found["score"] is None
    assert found["findings"][0]["score"] is None


def test_passages_with_ids_and_a_mistake_of_the_caller():
    given = [{"text": SOURCE, "id": "a", "title": "Dams"}, {"text": "Other.", "id": "a"}]
    result = call(server(), "check_answer", answer=RIGHT, passages=given)
    assert result.is_error
    assert "'a'" in result.content[0].text


def test_worst_answers_come_from_the_store(store):
    at_work = server(store)
    for answer in (RIGHT, f"{RIGHT} {WRONG}"):
        call(at_work, "check_answer", answer=answer, passages=[SOURCE], question="How high is it?")
    store.flush()
    found = call(at_work, "worst_answers", n=5, hours=1).structured_content["answers"]
    assert [a["verdict"] for a in found] == ["contradicted"]
    assert found[0]["question"] == "How high is it?"
    assert [f["text"] for f in found[0]["faults"]] == [WRONG]
    assert call(at_work, "worst_answers", verdict="nonsense").is_error


def test_without_a_store_there_is_one_tool():
    async def names(server):
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return [tool.name for tool in tools], tools[0].output_schema

    (listed, schema) = asyncio.run(names(server()))
    assert listed == ["check_answer"]
    assert set(schema["required"]) >= {"verdict", "findings", "text"}
