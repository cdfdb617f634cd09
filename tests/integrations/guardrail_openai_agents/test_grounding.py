"""Real agents and runs; the model is a server on loopback that speaks OpenAI's protocol."""

import asyncio
import json

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed (docs/plugins.md says how it is tested)")
from agents import Agent, OpenAIChatCompletionsModel, OutputGuardrailTripwireTriggered, RunConfig, Runner, function_tool
from guardrail_openai_agents import Grounding, delivered
from openai import AsyncOpenAI
from pydantic import BaseModel

from guardrail import Guard, Policy
from guardrail.repair.edits import BLOCKED
from guardrail.testing import FakeEngine, OpenAIServer, Reply
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG

QUIET = RunConfig(tracing_disabled=True)


def search(query: str) -> str:
    """Find documents."""
    return json.dumps([{"text": SOURCE, "title": "Dams"}])


def script(text):
    def reply(body):
        if any(m["role"] == "tool" for m in body["messages"]):
            return Reply(text)
        return Reply('{"query": "dam"}', tool="search")

    return reply


def grounding(action, engine=None, **options):
    policy = Policy(name="p", actions={"contradicted": action})
    return Grounding(Guard(policy=policy, engine=engine or FakeEngine(VERDICTS)), **options)


def run(server, guardrails, runs=1, **options):
    async def ran():
        client = AsyncOpenAI(base_url=server.base_url, api_key="any")
        model = OpenAIChatCompletionsModel(model="m", openai_client=client)
        agent = Agent(name="a", instructions="Search.", model=model, tools=[function_tool(search)], **options)
        try:
            made = guardrails.attach(agent)
            return await asyncio.gather(
                *(Runner.run(made, "How high is it?", run_config=QUIET) for _ in range(runs)), return_exceptions=True
            )
        finally:
            await client.close()

    return asyncio.run(ran())


def test_a_supported_answer_passes():
    with OpenAIServer(script(RIGHT)) as server:
        (result,) = run(server, grounding("block"))
    assert result.final_output == RIGHT
    (found,) = result.output_guardrail_results
    report = found.output.output_info.report
    assert [(p.text, p.title) for p in report.passages] == [(SOURCE, "Dams")]
    assert report.question == "How high is it?"


@pytest.mark.parametrize(("action", "text"), [("block", BLOCKED["en"]), ("redact", RIGHT)])
def test_the_run_ends_and_tells_what_to_show(action, text):
    with OpenAIServer(script(f"{RIGHT} {WRONG}")) as server:
        (error,) = run(server, grounding(action))
    assert isinstance(error, OutputGuardrailTripwireTriggered)
    assert delivered(error).text == text


def test_only_a_block_ends_it_where_that_is_wanted():
    with OpenAIServer(script(f"{RIGHT} {WRONG}")) as server:
        (result,) = run(server, grounding("redact", trips_on="block"))
    assert result.output_guardrail_results[0].output.output_info.text == RIGHT


def test_runs_at_once_have_passages_of_their_own():
    engine = FakeEngine(VERDICTS)
    guardrails = grounding("block", engine)
    with OpenAIServer(script(RIGHT)) as server:
        results = run(server, guardrails, runs=4)
    assert [r.final_output for r in results] == [RIGHT] * 4
    assert [len(c.passages) for c in engine.calls] == [1] * 4
    del results
    import gc

    gc.collect()
    assert not guardrails._found  # nothing of a run outlives it


class Answer(BaseModel):
    text: str
    page: int


def test_the_field_of_a_structured_output():
    said = json.dumps({"text": f"{RIGHT} {WRONG}", "page": 3})
    with OpenAIServer(script(said)) as server:
        (error,) = run(server, grounding("redact", answer_field="text"), output_type=Answer)
    assert delivered(error).text == RIGHT
