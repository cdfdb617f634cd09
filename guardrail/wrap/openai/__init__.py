"""An OpenAI client whose chat completions and responses are checked against the passages given in the call.

from guardrail.wrap.openai import GuardedOpenAI
client = GuardedOpenAI(openai.OpenAI(), Guard(policy=Policy.repair()))
completion = client.chat.completions.create(model=..., messages=[...], passages=[...])
completion.choices[0].message.content  # checked
completion.guardrail                   # the GuardedAnswer
"""

from guardrail.errors import MissingExtraError

try:
    import openai  # noqa: F401
except ImportError as error:
    raise MissingExtraError('guardrail.wrap.openai needs openai. Run: pip install "rag-guardrail[openai]"') from error

from guardrail.wrap.openai.client import GuardedAsyncOpenAI, GuardedOpenAI
from guardrail.wrap.openai.completion import GuardedCompletion, GuardedParsedCompletion
from guardrail.wrap.openai.stream import GuardedAsyncStream, GuardedStream

__all__ = [
    "GuardedAsyncOpenAI",
    "GuardedAsyncStream",
    "GuardedCompletion",
    "GuardedOpenAI",
    "GuardedParsedCompletion",
    "GuardedStream",
]
