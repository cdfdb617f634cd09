"""One tool checks the case over and over: started by run.py with the tool's own interpreter.

Imports nothing of guardrail but for our own plans, so that it runs where only the peers are installed. After a run for
warming up it waits for a line on standard input, checks once, and prints one line of JSON: seconds and what came out.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASE = json.loads(Path(__file__).with_name("case.json").read_text(encoding="utf-8"))
QUESTION, ANSWER = CASE["question"], " ".join(CASE["sentences"])
TEXTS = [passage["text"] for passage in CASE["passages"]]
MODEL, KEY = "gpt-4o-mini", "none"

Check = Callable[[], str]
"""Checks the answer once and says what came out."""


def ragas(url: str) -> Check:
    import openai
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    loop = asyncio.new_event_loop()
    client = openai.AsyncOpenAI(base_url=url, api_key=KEY)
    metric = Faithfulness(llm=llm_factory(MODEL, client=client, max_tokens=4096))

    def check() -> str:
        score = metric.ascore(user_input=QUESTION, response=ANSWER, retrieved_contexts=TEXTS)
        return f"score {loop.run_until_complete(score).value:.2f}"

    return check


def deepeval(url: str, *, reason: bool = True) -> Check:
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCase

    model = GPTModel(model=MODEL, base_url=url, api_key=KEY)
    metric = FaithfulnessMetric(model=model, include_reason=reason)
    case = LLMTestCase(input=QUESTION, actual_output=ANSWER, retrieval_context=TEXTS)

    def check() -> str:
        metric.measure(case, _show_indicator=False)
        return f"score {metric.score:.2f}"

    return check


def refchecker(url: str, *, joined: bool = False, joint: bool = True) -> Check:
    from refchecker import LLMChecker, LLMExtractor

    os.environ["OPENAI_API_KEY"] = KEY
    extractor = LLMExtractor(model=f"openai/{MODEL}", api_base=url)
    checker = LLMChecker(model=f"openai/{MODEL}", api_base=url)
    reference: Any = "\n".join(TEXTS) if joined else TEXTS

    def check() -> str:
        found = extractor.extract([ANSWER], batch_questions=[QUESTION], max_new_tokens=1000)
        claims = [claim.content for claim in found[0].claims]
        (labels,) = checker.check([claims], [reference], batch_questions=[QUESTION], is_joint=joint, merge_psg=True)
        return ", ".join(f"{n} {label}" for label, n in sorted(Counter(labels).items()))

    return check


def guardrail(url: str, plan: str) -> Check:
    from guardrail import Guard, Policy
    from guardrail.engines.llm.engine import LLMEngine
    from guardrail.engines.llm.models.openai import OpenAILLM
    from guardrail.engines.llm.requests.settings import CallSettings

    # Without its cache, which would answer the second run without a call, and without limits of time and calls.
    engine = LLMEngine(
        llm=OpenAILLM(MODEL, base_url=url, api_key=KEY),
        plan=plan,
        cache=None,
        settings=CallSettings(max_calls=None, timeout=300.0),
    )
    guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)

    def check() -> str:
        report = guard.check(ANSWER, CASE["passages"], question=QUESTION)
        facts = Counter(claim.verdict.value for claim in report.claims)
        segments = Counter(finding.verdict.value for finding in report.findings)
        shown = (", ".join(f"{n} {name}" for name, n in sorted(each.items())) for each in (segments, facts))
        return "; claims: ".join(filter(None, shown))

    return check


TOOLS: dict[str, Callable[[str], Check]] = {
    "guardrail fast": lambda url: guardrail(url, "fast"),
    "guardrail thorough": lambda url: guardrail(url, "thorough"),
    "guardrail paper:face4rag": lambda url: guardrail(url, "paper:face4rag"),
    "guardrail paper:d-factscore": lambda url: guardrail(url, "paper:d-factscore"),
    "guardrail paper:refchecker": lambda url: guardrail(url, "paper:refchecker"),
    "ragas Faithfulness": ragas,
    "deepeval Faithfulness": deepeval,
    "deepeval Faithfulness, no reason": lambda url: deepeval(url, reason=False),
    "RefChecker, list of passages": refchecker,
    "RefChecker, one joined reference": lambda url: refchecker(url, joined=True),
    "RefChecker, one claim a call": lambda url: refchecker(url, joint=False),
}


def main() -> None:
    """``clients.py TOOL URL``."""
    answers, sys.stdout = sys.stdout, sys.stderr  # tools print, too
    check = TOOLS[sys.argv[1]](sys.argv[2])
    check()
    print("ready", file=answers, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        result = check()
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "result": result}), file=answers, flush=True)


if __name__ == "__main__":
    main()
