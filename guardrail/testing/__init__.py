"""For tests: the conformance suite for engines, a scripted engine, and a scripted OpenAI-protocol server with faults.

No test framework is needed.

from guardrail.testing import OpenAIServer, ReadingJudge, check_engine
check_engine(MyEngine())
with OpenAIServer(ReadingJudge()) as server:
    ...  # point any OpenAI client at server.base_url
"""

from guardrail.testing.chat_reply import Reply, estimate_tokens
from guardrail.testing.conformance import TOLERANCE, check_engine
from guardrail.testing.fake_engine import FakeEngine
from guardrail.testing.faults import FaultKind, Faults
from guardrail.testing.gullible_judge import GullibleJudge
from guardrail.testing.judge_script import ByPrompt, ReadingJudge
from guardrail.testing.openai_server import Call, OpenAIServer
from guardrail.testing.prompt_names import prompt_name

__all__ = [
    "TOLERANCE",
    "ByPrompt",
    "Call",
    "FakeEngine",
    "FaultKind",
    "Faults",
    "GullibleJudge",
    "OpenAIServer",
    "ReadingJudge",
    "Reply",
    "check_engine",
    "estimate_tokens",
    "prompt_name",
]
