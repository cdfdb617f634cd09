"""A guarded RAG service that can be watched: this file is what you would write.

    python examples/monitoring/service.py --model-url http://127.0.0.1:9000/v1 --records records.db

``POST /ask`` {"question", "topic"} answers; ``POST /index`` {"name", ...} puts a refreshed index to work. Metrics are
on a port of their own. The first line printed is JSON with both addresses.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
from documents import Index
from guardrail_langchain import guard_chain
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough

from guardrail import Guard, Policy
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.monitor import serve_metrics
from guardrail.telemetry.records import RecordStore

MODEL = "answerer-1"
LABELS = {"application": "dam-guide", "model": MODEL, "retriever": "words", "release": "v41"}


def rag_chain(index: Index, client: openai.OpenAI) -> Runnable[Any, Any]:
    """An ordinary chain: ``{"input"}`` -> ``{"input", "context", "answer"}``."""
    retriever = index.retriever()
    prompt = ChatPromptTemplate.from_template("Answer from the documents.\n{context}\nQuestion: {input}")

    def ask(prompt: PromptValue) -> str:  # stands for ChatOpenAI(...) or your own chat model
        said = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": prompt.to_string()}])
        return said.choices[0].message.content or ""

    generate = prompt | ask | StrOutputParser()
    return RunnablePassthrough.assign(context=lambda given: retriever.invoke(given["input"])).assign(answer=generate)


@dataclass(frozen=True, slots=True)
class Serving:
    """The index at work, and the guarded chain over it."""

    index: str
    chain: Runnable[Any, Any]


class Service:
    """Answers questions; the guard checks each answer, and tells the metrics and the record store what it found."""

    def __init__(self, model_url: str, records: RecordStore) -> None:
        self.client = openai.OpenAI(base_url=model_url, api_key="none")
        self.guard = Guard(policy=Policy.monitor(), telemetry=Telemetry(labels=LABELS, recorder=records))
        self.refresh({"name": "2026-11-01"})

    def ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a question. Index and topic are known here only, so they are added here."""
        serving = self.serving
        with labels(index=serving.index, topic=body["topic"]):
            output = serving.chain.invoke({"input": body["question"]})
        return {"answer": output["answer"], "verdict": output["guardrail"].report.verdict}

    def refresh(self, body: dict[str, Any]) -> dict[str, Any]:
        """Build an index, and put it to work in place of the one before."""
        index = Index(**body)
        self.serving = Serving(index.name, guard_chain(rag_chain(index, self.client), self.guard))
        return {"index": index.name}


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model-url", required=True, help="an OpenAI-compatible endpoint")
    parser.add_argument("--records", type=Path, required=True, help="file of the record store")
    given = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))

    with RecordStore(given.records) as records, serve_metrics(port=0) as metrics:
        service = Service(given.model_url, records)
        with Server(("127.0.0.1", 0), handler(service)) as server:
            print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}", "metrics": metrics.url}), flush=True)
            server.serve_forever()


class Server(ThreadingHTTPServer):
    """Answers what it has begun to answer before it ends."""

    daemon_threads = False
    request_queue_size = 100


def handler(service: Service) -> type[BaseHTTPRequestHandler]:
    """The HTTP side: JSON in, JSON out."""
    calls = {"/ask": service.ask, "/index": service.refresh}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.path not in calls:
                self.send_error(404)
                return
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = json.dumps(calls[self.path](body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Handler


if __name__ == "__main__":
    main()
