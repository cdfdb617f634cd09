"""An OpenAI client whose chat completions are checked against the passages given in the call.

from guardrail.openai_client import GuardedOpenAI
client = GuardedOpenAI(openai.OpenAI(), Guard(policy=Policy.repair()))
completion = client.chat.completions.create(model=..., messages=[...], passages=[...])
completion.choices[0].message.content  # checked
completion.guardrail                   # the GuardedAnswer
"""

from guardrail.errors import MissingExtraError

try:
    import openai  # noqa: F401
except ImportError as error:
    raise MissingExtraError('guardrail.openai_client needs openai. Run: pip install "rag-guardrail[openai]"') from error

from guardrail.openai_client.client import GuardedAsyncOpenAI, GuardedOpenAI
from guardrail.openai_client.completion import GuardedCompletion
from guardrail.openai_client.stream import GuardedAsyncStream, GuardedStream

__all__ = ["GuardedAsyncOpenAI", "GuardedAsyncStream", "GuardedCompletion", "GuardedOpenAI", "GuardedStream"]
