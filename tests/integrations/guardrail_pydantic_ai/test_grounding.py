"""Real agents, with the framework's own scripted model."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai.capabilities", reason="pydantic-ai with capabilities is not installed")
from guardrail_pydantic_ai import Grounding
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryFeedbackPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from guardrail import Guard, Policy
from guardrail.repair.edits import BLOCKED
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG


def guard(action, engine=None):
    return Guard(policy=Policy(name="p", actions={"contradicted": action}), engine=engine or FakeEngine(VERDICTS))


def parts(messages, kind):
    return [part for message in messages for part in message.parts if isinstance(part, kind)]


def script(messages, info):
    """Search first, then answer wrongly, and rightly when told."""
    if not parts(messages, ToolReturnPart):
        return ModelResponse(parts=[ToolCallPart("search", {"query": "dam"})])
    text = RIGHT if "was checked against the passages" in str(messages) else f"{RIGHT} {WRONG}"
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"text": text, "pages": [1]})])
    return ModelResponse(parts=[TextPart(text)])


def ask(agent, question="How high is the dam?"):
    return asyncio.run(agent.run(question))


def agent(capability, **options):
    made = Agent(FunctionModel(script), capabilities=[capability], **options)

    @made.tool_plain
    def search(query: str) -> list[dict[str, str]]:
        """Find documents."""
        return [{"text": SOURCE, "title": "Dams"}]

    return made


@pytest.mark.parametrize(("action", "text"), [("redact", RIGHT), ("block", BLOCKED["en"]), ("regenerate", RIGHT)])
def test_delivered(action, text):
    heard = []
    result = ask(agent(Grounding(guard(action), listener=heard.append)), "How high is the dam?")
    assert result.output == text
    assert [p.text for p in heard[-1].report.passages] == [SOURCE]
    assert heard[-1].report.passages[0].title == "Dams"
    assert heard[-1].report.question == "How high is the dam?"


def test_told_what_was_wrong():
    result = ask(agent(Grounding(guard("regenerate"))), "How high is the dam?")
    (told,) = parts(result.all_messages(), RetryFeedbackPart)
    assert WRONG in told.content


def test_without_retries_the_policy_has_the_last_word():
    policy = Policy(name="p", actions={"contradicted": "regenerate"}, on_exhausted="redact")
    made = agent(Grounding(Guard(policy=policy, engine=FakeEngine(VERDICTS))), retries=0)
    assert ask(made, "How high is the dam?").output == RIGHT


class Reply(BaseModel):
    text: str
    pages: list[int]


def test_structured_output_keeps_its_type():
    result = ask(agent(Grounding(guard("redact"), answer_field="text"), output_type=Reply), "How high?")
    assert result.output == Reply(text=RIGHT, pages=[1])


def test_runs_at_once_do_not_mix():
    engine = FakeEngine(VERDICTS)
    made = agent(Grounding(guard("redact", engine)))

    async def both():
        return await asyncio.gather(*(made.run(f"How high is dam {n}?") for n in range(5)))

    assert [r.output for r in asyncio.run(both())] == [RIGHT] * 5
    assert all(len(request.passages) == 1 for request in engine.calls)
