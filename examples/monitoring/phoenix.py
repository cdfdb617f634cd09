"""Send guarded answers to Arize Phoenix: traces with the guard's spans, and evaluations as annotations.

    pip install "rag-guardrail[langchain,llm,monitoring]" openinference-instrumentation-langchain arize-phoenix
    phoenix serve
    python examples/monitoring/phoenix.py --phoenix http://127.0.0.1:6006

A LangChain chain answers three questions. The first answer is right; the second is written anew; the third is judged by
an LLM, and its false sentence goes. The models replay recorded replies, so that no key is needed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from guardrail_langchain import guard_chain
from guardrail_langchain.demo import WordEmbeddings
from http_calls import post
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import Runnable, chain
from langchain_core.vectorstores import InMemoryVectorStore
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import format_span_id

from guardrail import Action, Guard, Policy
from guardrail.engines.llm import LLMEngine, OpenAILLM
from guardrail.telemetry import Telemetry
from guardrail.testing import OpenAIServer

DOCUMENTS = [
    Document(
        id="visits",
        metadata={"title": "Visiting Larkmoor Dam"},
        page_content="The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October. "
        "Dogs are allowed only on a lead.",
    ),
    Document(
        id="tours",
        metadata={"title": "Guided tours"},
        page_content="Guided tours of the turbine hall start at 11:00 on Saturdays. A ticket costs 8 euros.",
    ),
    Document(
        id="history",
        metadata={"title": "History"},
        page_content="Larkmoor Dam was built between 1961 and 1965. "
        "It was closed in 2019 because the spillway cracked.",
    ),
]
VISITS = "When is the walkway on Larkmoor Dam open?"
TOURS = "When do the guided tours start, and what does a ticket cost?"
HISTORY = "When was Larkmoor Dam built, and why was it closed in 2019?"
RECORDED = {
    VISITS: ["The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October."],
    TOURS: [
        "Guided tours of the turbine hall start at 11:00 on Saturdays. A ticket costs 12 euros.",
        "Guided tours of the turbine hall start at 11:00 on Saturdays. A ticket costs 8 euros.",
    ],
    HISTORY: ["Larkmoor Dam was built between 1961 and 1965. It was closed in 2019 because the mayor resigned."],
}
DRAFT = {
    "who": ["a: Larkmoor Dam"],
    "segments": [
        {"units": [unit], "part": "", "text": "", "who": "a", "relation": "", "points": [f"Larkmoor Dam|was|{said}"]}
        for unit, said in ((1, "built between 1961 and 1965"), (2, "closed in 2019 because the mayor resigned"))
    ],
    "no_claim": [],
    "abstains": False,
}
JUDGEMENT = {
    "who": [],
    "points": [
        ["s1.1", "d1 S Larkmoor Dam was built between 1961 and 1965.", "ok"],
        ["s2.1", "no document names the mayor", "causal_confusion"],
    ],
}
AGAIN = Policy(
    name="regenerate",
    actions={"contradicted": Action.REGENERATE, "unsupported": Action.REGENERATE},
    deadline=60,
)


class Annotations(LogRecordExporter):
    """Turns evaluation events, which Phoenix does not take as they are, into annotations of the spans they are for."""

    def __init__(self, phoenix: str) -> None:
        self._url = f"{phoenix}/v1/span_annotations"

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Post those of a batch; Phoenix keeps them until their spans have come."""
        found = [self._annotation(one.log_record) for one in batch]
        try:
            post(self._url, {"data": [each for each in found if each is not None]})
        except OSError:
            return LogRecordExportResult.FAILURE
        return LogRecordExportResult.SUCCESS

    def _annotation(self, record: Any) -> dict[str, Any] | None:
        told = dict(record.attributes or {})
        if record.event_name != "gen_ai.evaluation.result" or told.get("guardrail.target") == "claim":
            return None
        result = {"score": told.get("gen_ai.evaluation.score.value"), "label": told["gen_ai.evaluation.score.label"]}
        return {
            "span_id": format_span_id(record.span_id),
            "name": told["gen_ai.evaluation.name"],
            "annotator_kind": "LLM" if str(told["guardrail.engine"]).startswith("llm") else "CODE",
            "identifier": f"guardrail:{told['guardrail.policy']}",
            "result": result | {"explanation": told.get("gen_ai.evaluation.explanation")},
        }

    def force_flush(self, timeout_millis: int = 10_000) -> bool:  # noqa: ARG002  the SDK's interface
        """Nothing waits here."""
        return True

    def shutdown(self) -> None:
        """Nothing is open."""


def rag_chain(question: str) -> tuple[Runnable[Any, Any], Callable[[dict[str, Any]], str]]:
    """A chain ``{"input"}`` -> ``{"input", "context", "answer"}``, and what answers again on the same documents."""
    store = InMemoryVectorStore(WordEmbeddings())  # stands for your embeddings
    store.add_documents(DOCUMENTS)
    retriever = store.as_retriever(search_kwargs={"k": 2})
    model = FakeListChatModel(responses=RECORDED[question])  # and for your model

    def written(asked: str, documents: list[Document]) -> str:
        context = "\n\n".join(document.page_content for document in documents)
        return str(model.invoke(f"Answer from the documents only.\n{context}\nQuestion: {asked}").text)

    @chain
    def answer(given: dict[str, Any]) -> dict[str, Any]:
        documents = retriever.invoke(given["input"])
        return {**given, "context": documents, "answer": written(given["input"], documents)}

    return answer, lambda given: written(f"{given['question']}\n\n{given['feedback']}", given["passages"])


def judge_reply(body: dict[str, Any]) -> str:
    """What a model says of the third answer: its claims, then what the documents say of them."""
    return json.dumps(JUDGEMENT if '<data name="documents">' in str(body["messages"][-1]["content"]) else DRAFT)


def main() -> None:
    """Answer three questions and tell Phoenix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phoenix", default="http://127.0.0.1:6006", help="its address")
    parser.add_argument("--project", default="larkmoor", help="Phoenix's name for the traces")
    given = parser.parse_args()

    resource = Resource({"service.name": "support", "openinference.project.name": given.project})
    tracers, loggers = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{given.phoenix}/v1/traces")))
    loggers.add_log_record_processor(BatchLogRecordProcessor(Annotations(given.phoenix)))
    with suppress(ImportError):  # the chain's own spans; without it the guard's stand alone
        from openinference.instrumentation.langchain import LangChainInstrumentor

        LangChainInstrumentor().instrument(tracer_provider=tracers)
    telemetry = Telemetry(
        labels={"application": "support", "model": "recorded"},
        capture_content=True,  # these texts are no secret; off by default
        tracer_provider=tracers,
        logger_provider=loggers,
    )
    with OpenAIServer(judge_reply, models=["judge"]) as server:
        judge = LLMEngine(llm=OpenAILLM("judge", server.base_url, "no-key-needed"))
        guards = {
            VISITS: Guard(policy=Policy.monitor(), telemetry=telemetry),
            TOURS: Guard(policy=AGAIN, telemetry=telemetry),
            HISTORY: Guard(policy=Policy.repair().with_(deadline=60), engine=judge, telemetry=telemetry),
        }
        for question, guard in guards.items():
            answer, again = rag_chain(question)
            checked = guard_chain(answer, guard, regenerate=again if question == TOURS else None)
            output = checked.invoke({"input": question})
            guarded = output["guardrail"]
            print(f"{question}\n  {guarded.action}, {guarded.report.verdict}: {output['answer']}")
    tracers.shutdown()
    loggers.shutdown()
    print(f"See {given.phoenix}/projects, project {given.project!r}.")


if __name__ == "__main__":
    main()
