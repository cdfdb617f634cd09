"""Claims of the caller's own, checked by the real engine over HTTP; and ``guardrail extract`` with a model behind it."""

from __future__ import annotations

import asyncio
import json

import pytest
from typer.testing import CliRunner

from guardrail import Guard, Policy
from guardrail.cli.main import app
from guardrail.engines.llm import CallSettings, LLMEngine, OpenAILLM
from guardrail.testing import FaultKind, Faults, OpenAIServer
from tests.support.judge_script import ReadingJudge

ANSWER = "Larkmoor Dam is 64 metres high. Rita Halloway designed it because Tom Reed had died. 大坝是灰色的。"
PASSAGES = ["Larkmoor Dam is 64 metres high.", "Tom Reed designed it.", "大坝是灰色的。"]
CLAIMS = [
    "Larkmoor Dam is 64 metres high.",
    ("Rita Halloway", "designed", "Larkmoor Dam"),
    "Rita Halloway designed it because Tom Reed had died",
    ("大坝", "是", "灰色的"),
    "Bees dance at noon.",
]
WANTED = ["supported", "unsupported", "unsupported", "supported", "unsupported"]


def engine(server, **options):
    llm = OpenAILLM("scripted", base_url=server.base_url, api_key="k")
    return LLMEngine(llm=llm, settings=CallSettings(attempts=1), **options)


@pytest.mark.parametrize(("plan", "calls"), [("fast", 1), ("thorough", len(CLAIMS))])
def test_each_claim_has_its_verdict_for_each_passage_and_the_answer_is_not_taken_apart(plan, calls):
    """Sync and async; thorough: a call per claim."""
    with OpenAIServer(ReadingJudge()) as server:
        reports = [
            Guard(engine=engine(server, plan=plan)).check(ANSWER, PASSAGES, claims=CLAIMS),
            asyncio.run(Guard(engine=engine(server, plan=plan)).acheck(ANSWER, PASSAGES, claims=CLAIMS)),
        ]
        assert server.call_count == 2 * calls
    for report in reports:
        assert [f.verdict for f in report.findings] == [c.verdict for c in report.claims] == WANTED
        assert [c.span and c.span.of(ANSWER) for c in report.claims] == [
            "Larkmoor Dam is 64 metres high",
            "Rita Halloway designed",
            "Rita Halloway designed it because Tom Reed had died",
            "大坝是灰色的",
            None,
        ]
        assert [v for _, v in report.claims[0].by_passage] == ["supported", "unsupported", "unsupported"]
        assert [v for _, v in report.claims[3].by_passage] == ["unsupported", "unsupported", "supported"]


def test_no_claims_make_no_call():
    """There is nothing to ask."""
    with OpenAIServer(ReadingJudge()) as server:
        assert Guard(engine=engine(server)).check(ANSWER, PASSAGES, claims=[]).verdict == "abstained"
        assert server.call_count == 0


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.TRUNCATED, FaultKind.REFUSAL])
def test_a_model_that_fails_leaves_each_claim_unverified(kind):
    """None is lost, none is supported, and a strict policy delivers nothing of it."""
    with OpenAIServer(ReadingJudge(), faults=Faults(rate=1.0, kinds=(kind,))) as server:
        guarded = Guard(engine=engine(server), policy=Policy.load("strict")).run(ANSWER, PASSAGES, claims=CLAIMS)
    assert [c.verdict for c in guarded.report.claims] == ["unverified"] * len(CLAIMS)
    assert {v for c in guarded.report.claims for _, v in c.by_passage} == {"unverified"}
    assert guarded.action == "block"


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run ``guardrail VERB FILE`` on records with a model: its result."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def run(verb, records, server, *options):
        path = tmp_path / "in.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        return CliRunner().invoke(
            app, [verb, str(path), "--engine", "llm", "--model", "m", "--base-url", server.base_url, *options]
        )

    return run


def test_extract_writes_triplets_with_their_places_and_check_reads_them(command):
    """Two steps, over HTTP; the bill on standard error."""
    record = {"id": 1, "answer": "Larkmoor Dam is 64 metres high, and Tom Reed was rich.", "passages": PASSAGES}
    with OpenAIServer(ReadingJudge()) as server:
        result = command("extract", [record], server)
        taken = json.loads(result.stdout)
        assert (result.exit_code, "1 calls" in result.stderr, "warning" in result.stderr) == (0, True, False)
        assert [(c["triplet"], record["answer"][slice(*c["span"])]) for c in taken["claims"]] == [
            (["Larkmoor Dam", "is", "64 metres high"], "Larkmoor Dam is 64 metres high"),
            (["Tom Reed", "was", "rich"], "Tom Reed was rich"),
        ]
        checked = command("check", [taken], server, "--claims")
    assert [c["verdict"] for c in json.loads(checked.stdout)["claims"]] == ["supported", "unsupported"]


@pytest.mark.parametrize(
    ("verb", "says", "strict"),
    [
        ("extract", "were not wholly taken apart by the model", []),
        ("check", "could not be judged", ["--aggregator", "strict"]),
    ],
)
def test_an_outage_does_not_pass_for_a_result(verb, says, strict, command):
    """In RefChecker's files too."""
    items = [{"response": ANSWER, "reference": PASSAGES}] * 3
    with OpenAIServer(ReadingJudge(), faults=Faults(rate=1.0, kinds=(FaultKind.SERVER_ERROR,))) as server:
        result = command(verb, items, server, "--format", "refchecker", *strict)
    assert f"warning: 3 of 3 answers {says}" in result.stderr
    assert "Entailment" not in result.stdout
