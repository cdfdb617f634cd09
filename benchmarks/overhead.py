"""What a wrapper costs when it checks nothing: the same chain bare and wrapped, in turn, in one run.

    python benchmarks/overhead.py [--runs 500] [--also PYTHON ...] [--only langchain,nemo,...] [--json]

Our guard is replaced by one that does nothing; NeMo's RunnableRails has no rails, guardrails-ai's GuardRunnable no
validators. These two go into environments of their own (pip install nemoguardrails langchain-core; pip install
guardrails-ai langchain-core), whose interpreters ``--also`` names: they run the same chain right after ours. Rows whose
packages are missing are left out. The chain's model answers at once, so that nothing hides the wrapper.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = os.environ["DO_NOT_TRACK"] = os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["LANGCHAIN_TRACING_V2"] = "false"

PASSAGES = [f"Passage {n}. " + "The dam of Larkmoor is 64 metres high and was opened in 1963. " * 8 for n in range(5)]
ANSWER = "The dam is 64 metres high. " * 6
QUESTION = "How high is the dam?"
BLOCK = 10
WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Row:
    """Medians over calls, in milliseconds; ``added`` is the median of the differences of neighbouring blocks."""

    wrapper: str
    call: str
    bare: float
    wrapped: float
    added: float

    @property
    def percent(self) -> float:
        """Added time, of the bare chain's."""
        return 100 * self.added / self.bare


Block = tuple[list[float], list[float]]
"""Seconds of a block of bare calls, and of the block of wrapped ones after it."""

Pair = tuple[str, str, Callable[[], Any], Callable[[], Any]]
"""Wrapper, call, and the two calls; those named a... return awaitables."""


def chain() -> Any:
    """Passages, prompt, model and parser of langchain-core: ``{"input"}`` -> ``{"input", "context", "answer"}``."""
    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough

    documents = [Document(page_content=text, id=str(n)) for n, text in enumerate(PASSAGES)]
    prompt = ChatPromptTemplate.from_template("Answer from the documents.\n{context}\nQuestion: {input}")
    generate = prompt | FakeListChatModel(responses=[ANSWER]) | StrOutputParser()
    return RunnablePassthrough.assign(context=lambda _: documents).assign(answer=generate)


def idle_guard() -> Any:
    """A guard that looks at nothing."""
    from guardrail import Action, Decision, Guard, GuardedAnswer, Policy, Report, Verdict
    from guardrail.testing import FakeEngine

    report = Report(verdict=Verdict.SUPPORTED, score=1.0, answer="", passages=())
    decision = Decision(action=Action.ALLOW, rule="none", policy="none")

    class IdleGuard(Guard):
        def run(self, answer: str, *_: Any, **__: Any) -> GuardedAnswer:
            return GuardedAnswer(text=answer, action=Action.ALLOW, report=report, decision=decision)

        async def arun(self, answer: str, *_: Any, **__: Any) -> GuardedAnswer:
            return self.run(answer)

    return IdleGuard(policy=Policy.monitor(), engine=FakeEngine())


def calls(wrapper: str, bare: Any, wrapped: Any, given: Any) -> Iterator[Pair]:
    """Both calls of two Runnables."""
    for call in ("invoke", "ainvoke"):
        one, other = getattr(bare, call), getattr(wrapped, call)
        yield wrapper, call, lambda one=one: one(given), lambda other=other: other(given)


def langchain() -> Iterator[Pair]:
    """guard_chain."""
    from guardrail_langchain import guard_chain

    inner = chain()
    yield from calls("guardrail: guard_chain", inner, guard_chain(inner, idle_guard()), {"input": QUESTION})


def llamaindex() -> Iterator[Pair]:
    """GuardedQueryEngine."""
    from guardrail_llamaindex import GuardedQueryEngine
    from llama_index.core import PromptHelper
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [NodeWithScore(node=TextNode(text=text, id_=str(n)), score=1.0) for n, text in enumerate(PASSAGES)]

    class Fixed(BaseRetriever):
        def _retrieve(self, _: Any) -> list[NodeWithScore]:
            return nodes

    helper = PromptHelper(context_window=100_000, tokenizer=str.split)
    synthesizer = get_response_synthesizer(llm=MockLLM(), prompt_helper=helper)
    inner = RetrieverQueryEngine(Fixed(), synthesizer)
    wrapped = GuardedQueryEngine(inner, idle_guard())
    name = "guardrail: GuardedQueryEngine"
    yield name, "query", lambda: inner.query(QUESTION), lambda: wrapped.query(QUESTION)
    yield name, "aquery", lambda: inner.aquery(QUESTION), lambda: wrapped.aquery(QUESTION)


def nemo() -> Iterator[Pair]:
    """RunnableRails around the chain."""
    from langchain_core.language_models import FakeListChatModel
    from nemoguardrails import RailsConfig
    from nemoguardrails.integrations.langchain.runnable_rails import RunnableRails

    inner = chain()
    config = RailsConfig.from_content(yaml_content="models: []")
    rails = RunnableRails(config, llm=FakeListChatModel(responses=[ANSWER]), runnable=inner, output_key="answer")
    yield from calls("NeMo: RunnableRails", inner, rails, {"input": QUESTION})


def guardrails_ai() -> Iterator[Pair]:
    """GuardRunnable behind the chain: it takes the answer alone, and has no await of its own."""
    from guardrails import Guard
    from langchain_core.runnables import RunnableLambda

    answer = chain() | RunnableLambda(lambda output: output["answer"])
    yield from calls("guardrails-ai: GuardRunnable", answer, answer | Guard().to_runnable(), {"input": QUESTION})


WRAPPERS = {
    "langchain": (langchain, "langchain_core"),
    "llamaindex": (llamaindex, "llama_index"),
    "nemo": (nemo, "nemoguardrails"),
    "guardrails-ai": (guardrails_ai, "guardrails"),
}


def measure(pair: Pair, runs: int) -> Row:
    """Both calls, ``runs`` times, in turn by blocks."""
    wrapper, name, bare, wrapped = pair
    for call in (bare, wrapped):
        got = asyncio.run(_once(call)) if name.startswith("a") else call()
        if "64 metres high" not in str(got):
            raise SystemExit(f"{wrapper}, {name}: the answer is not delivered, but {got!r:.200}")
    took = asyncio.run(_awaited(bare, wrapped, runs)) if name.startswith("a") else _called(bare, wrapped, runs)
    took = [(one[1:], other[1:]) for one, other in took[WARM_UP:]]  # the first of a block pays for what was before it
    p50 = [1000 * statistics.median(value for block in took for value in block[side]) for side in (0, 1)]
    added = statistics.median(statistics.median(other) - statistics.median(one) for one, other in took)
    return Row(wrapper, name, p50[0], p50[1], 1000 * added)


async def _once(call: Callable[[], Any]) -> Any:
    return await call()


def _called(bare: Callable[[], Any], wrapped: Callable[[], Any], runs: int) -> list[Block]:
    return [tuple([_time(call) for _ in range(BLOCK)] for call in (bare, wrapped)) for _ in _blocks(runs)]


def _time(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


async def _awaited(bare: Callable[[], Any], wrapped: Callable[[], Any], runs: int) -> list[Block]:
    return [([await _atime(bare) for _ in range(BLOCK)], [await _atime(wrapped) for _ in range(BLOCK)])
            for _ in _blocks(runs)]  # fmt: skip


async def _atime(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    await call()
    return time.perf_counter() - start


def _blocks(runs: int) -> range:
    return range(WARM_UP + -(-runs // BLOCK))


def table(rows: list[Row]) -> str:
    """As Markdown."""
    lines = [
        "| wrapper | call | bare p50 (ms) | wrapped p50 (ms) | added (ms) | added (%) |",
        "|---|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r.wrapper} | {r.call} | {r.bare:.2f} | {r.wrapped:.2f} | {r.added:.2f} | {r.percent:.0f} |" for r in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure what is installed, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--only", default=",".join(WRAPPERS))
    parser.add_argument("--also", nargs="*", default=[], help="interpreters of the peers' environments")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = [WRAPPERS[name] for name in arguments.only.split(",")]
    pairs = [pair for wrapper, package in chosen if find_spec(package) is not None for pair in wrapper()]
    gc.freeze()
    rows = [measure(pair, arguments.runs) for pair in pairs]
    for python in arguments.also:
        command = [python, __file__, "--json", "--runs", str(arguments.runs), "--only", "nemo,guardrails-ai"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows += [Row(**row) for row in json.loads(said.splitlines()[-1])]
    print(json.dumps([asdict(row) for row in rows]) if arguments.json else table(rows))


if __name__ == "__main__":
    main()
