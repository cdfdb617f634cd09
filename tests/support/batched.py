"""Answers judged in batches: what is asked, by which engine, and what its reports say."""

from __future__ import annotations

from guardrail import Guard, Policy
from guardrail.engines.llm import AnthropicLLM, BatchSettings, CallSettings, LLMEngine, OpenAILLM, Prices

PASSAGES = ["The dam is 64 metres high.", "The repair took eleven weeks because the gate was stuck."]
PROVIDERS = ("openai", "anthropic")
PRICES = Prices(input=1000.0, output=4000.0)
PATIENT = Policy.monitor().with_(deadline=None)


def rows(count):
    """Answers in turn right and wrong, with passages of their own."""
    return [
        {
            "answer": f"The dam is {64 if n % 2 else 71} metres high. Report {n} says so.",
            "passages": [*(f"{text} (Sheet {n}.)" for text in PASSAGES), f"Report {n} says so."],
        }
        for n in range(count)
    ]


def model(server, provider):
    if provider == "anthropic":
        return AnthropicLLM("m", base_url=server.url, api_key="k")
    return OpenAILLM("m", base_url=f"{server.url}/v1", api_key="k")


def engine(server, provider, state=None, *, plan="fast", llm=None, **options):
    batches = state and BatchSettings(state=state, longest_poll=0.01, **options)
    quick = CallSettings(first_wait=0.0, longest_wait=0.0)
    llm = llm or model(server, provider)
    return LLMEngine(llm=llm, plan=plan, batches=batches, prices=PRICES, settings=quick)


def checked(server, provider, todo, state=None, **options):
    guard = Guard(engine=engine(server, provider, state, **options), policy=PATIENT)
    return list(guard.check_many(todo))


def told(reports):
    """What a report says of its answer, beside time and cost."""
    return [
        (r.answer, r.verdict, r.score, r.findings, r.claims, r.reason, r.usage.calls, r.usage.rounds) for r in reports
    ]


def causes(reports):
    return [{finding.cause for finding in report.findings} - {None} for report in reports]


def spoil_judging(server, fault):
    """One request of the second batch goes wrong."""
    end = server._end

    def ending(name, batch):
        server.plan.lines = [fault] if name == "batch_1" else []
        end(name, batch)

    server._end = ending


def others_batch(server, count):
    """A batch of another client under way at the endpoint, that has as many requests."""
    lines = [(f"theirs{n}", {"model": "m", "messages": [], "system": []}) for n in range(count)]
    name = f"batch_{len(server._batches)}"
    made = {"lines": lines, "ours": True, "looks": 0, "ended": False, "metadata": None, "failed": ""}
    server._batches[name] = made
    return name
