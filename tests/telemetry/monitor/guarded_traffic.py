"""A process with real guards behind the real Prometheus exporter, which uses all that has a metric.

python guarded_traffic.py PORT STORE: serves /metrics, prints "ready", then answers over and over until it is stopped.
A file ``once`` beside the store asks for one answer of the topic "once"; while there is a file ``rest``, no round begins,
and a file ``resting`` says that none is under way.
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import start_http_server

from guardrail import Guard, Passage, Policy
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.llm import LLMEngine, MemoryCache, OpenAILLM, Prices
from guardrail.engines.local.engine import LocalEngine
from guardrail.telemetry import Telemetry, labels
from guardrail.telemetry.records import RecordStore
from guardrail.testing import OpenAIServer, Reply

sys.path.insert(0, str(Path(__file__).parents[3]))  # run as a script

from tests.support.judge_script import ReadingJudge

PASSAGES = [
    Passage(id="dam", title="Larkmoor Dam", text="Larkmoor Dam is 64 metres high. It was built in 1958."),
    Passage(
        id="swimmer",
        title="Dick Hanley (swimmer)",
        text="Dick Hanley was a swimmer. He won a silver medal in the relay at the 1956 Summer Olympics.",
    ),
    Passage(
        id="coach",
        title="Dick Hanley (American football)",
        text="Dick Hanley was an American football player and coach who led Northwestern University.",
    ),
]
GOOD = "Larkmoor Dam is 64 metres high. It was built in 1958."
INVENTED = "Larkmoor Dam is 64 metres high. Monks painted the dam gold."
WRONG = "Larkmoor Dam is 46 metres high. It was built in 1985."
MIXED = "Dick Hanley was an American football coach. He won a silver medal in the relay at the 1956 Summer Olympics."
LABELS = {"application": "guide", "model": "writer-1", "retriever": "bm25", "index": "monday", "release": "v7"}


def judge(server: OpenAIServer) -> LLMEngine:
    llm = OpenAILLM("judge-1", base_url=server.base_url, api_key="any")
    return LLMEngine(llm=llm, prices=Prices(input=1.0, output=2.0), cache=MemoryCache())


def mend(guard: Guard, number: int) -> None:
    """A repair that succeeds, one that does not, one without a new answer, and what is withheld at last."""
    guard.run(INVENTED, PASSAGES, regenerate=lambda _: GOOD)
    guard.run(f"{WRONG} Note {number}.", PASSAGES, regenerate=lambda _: INVENTED)

    def fails(_: object) -> str:
        raise ConnectionError("the model is down")

    guard.run(MIXED, PASSAGES, regenerate=fails)


def stream(guard: Guard) -> None:
    for mode in ("buffer", "sentence"):
        list(guard.stream(iter([GOOD[:20], GOOD[20:]]), PASSAGES, mode=mode))


def main(port: int, store: str) -> None:
    once, rest, resting = (Path(store).with_name(name) for name in ("once", "rest", "resting"))
    set_meter_provider(MeterProvider([PrometheusMetricReader()]))
    start_http_server(port, addr="127.0.0.1")
    with (
        OpenAIServer(ReadingJudge()) as server,
        OpenAIServer(lambda _: Reply(status=400)) as broken,
        RecordStore(store) as records,
    ):
        telemetry = Telemetry(labels=LABELS, recorder=records)
        policy = Policy.repair().with_(deadline=30)
        cascade = CascadeEngine(first=LocalEngine(), second=judge(server), low=0.0, high=0.9)
        guards = {
            "cascade": Guard(policy=policy, engine=cascade, telemetry=telemetry),
            "local": Guard(policy=Policy.monitor(), telemetry=telemetry),
            "broken": Guard(policy=Policy.monitor().with_(deadline=30), engine=judge(broken), telemetry=telemetry),
        }
        for number in itertools.count():
            with labels(topic="dams"):
                mend(guards["cascade"], number)
                guards["cascade"].run(f"{GOOD} It is in Fennick {number}.", PASSAGES)
                stream(guards["cascade"])
            with labels(topic="people", retriever="dense"):
                guards["local"].run(MIXED, PASSAGES)
                guards["local"].apply(guards["local"].check(GOOD, PASSAGES))
                guards["local"].check(GOOD, [])
                guards["broken"].check(GOOD, PASSAGES)
            if once.exists():
                once.unlink()
                with labels(topic="once"):
                    guards["local"].run(INVENTED, PASSAGES)
            if number == 0:
                sys.stdout.write("ready\n")
                sys.stdout.flush()
            time.sleep(0.8)
            while rest.exists():
                resting.touch()
                time.sleep(0.1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
