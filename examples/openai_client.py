"""Guard an OpenAI client: completions and streams hold checked text only. A scripted server stands for the model.

pip install "rag-guardrail[openai]"
python examples/openai_client.py
"""

from __future__ import annotations

import openai

from guardrail import Guard, Policy
from guardrail.testing import OpenAIServer
from guardrail.wrap.openai import GuardedOpenAI

PASSAGES = ["Larkmoor Dam was built between 1958 and 1963. It is 64 metres high."]
SAID = "Larkmoor Dam is 64 metres high. It was designed by Rita Halloway in 1971."


def main() -> None:
    """One completion, one stream."""
    guard = Guard(policy=Policy.repair().with_(max_attempts=1))
    with OpenAIServer(lambda _: SAID) as server:
        client = GuardedOpenAI(openai.OpenAI(base_url=server.base_url, api_key="none"), guard)
        create, messages = client.chat.completions.create, [{"role": "user", "content": "How high is Larkmoor Dam?"}]

        completion = create(model="scripted", messages=messages, passages=PASSAGES)
        print(completion.choices[0].message.content)
        if completion.guardrail is not None:
            print(f"{completion.guardrail.action}: {completion.guardrail.report.findings[1].reason}")

        for chunk in create(model="scripted", messages=messages, passages=PASSAGES, stream=True):
            print(chunk.choices[0].delta.content or "", end="|")
        print()


if __name__ == "__main__":
    main()
