"""For tests: the conformance suite for engines, a scripted engine, and a scripted OpenAI-protocol server with faults.

No test framework is needed.

from guardrail.testing import Faults, OpenAIServer, check_engine
check_engine(MyEngine())
with OpenAIServer(lambda body: "Hello.", faults=Faults(0.2)) as server:
    ...  # point any OpenAI client at server.base_url
"""

from guardrail.testing.chat_reply import Reply, estimate_tokens
from guardrail.testing.conformance import TOLERANCE, check_engine
from guardrail.testing.fake_engine import FakeEngine
from guardrail.testing.faults import FaultKind, Faults
from guardrail.testing.openai_server import Call, OpenAIServer

__all__ = [
    "TOLERANCE",
    "Call",
    "FakeEngine",
    "FaultKind",
    "Faults",
    "OpenAIServer",
    "Reply",
    "check_engine",
    "estimate_tokens",
]
