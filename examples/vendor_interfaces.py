"""Call the service as clients of AWS, Azure and Google call theirs.

    pip install "rag-guardrail[service]"
    python examples/vendor_interfaces.py [URL of a running `guardrail serve`]

Without a URL the service runs in this process. Real clients need only another endpoint: docs/service-dialects.md.
"""

from __future__ import annotations

import asyncio
import sys

import httpx

from guardrail.service import Settings, create_app

SOURCE = "The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."
ANSWER = "The garage opens at 6:00. A day costs 19 euros."

REQUESTS = {
    "/guardrail/default/version/1/apply": {
        "source": "OUTPUT",
        "content": [
            {"text": {"text": SOURCE, "qualifiers": ["grounding_source"]}},
            {"text": {"text": ANSWER, "qualifiers": ["guard_content"]}},
        ],
    },
    "/contentsafety/text:detectGroundedness": {
        "text": ANSWER,
        "groundingSources": [SOURCE],
        "reasoning": True,
        "correction": True,
    },
    "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check": {
        "answerCandidate": ANSWER,
        "facts": [{"factText": SOURCE}],
        "groundingSpec": {"enableClaimLevelScore": True},
    },
}


async def main(url: str | None) -> None:
    """One answer, three interfaces."""
    app = None if url else httpx.ASGITransport(create_app(Settings()))
    async with httpx.AsyncClient(base_url=url or "http://localhost", transport=app, timeout=60) as client:
        for path, body in REQUESTS.items():
            reply = await client.post(path, json=body)
            print(path, reply.status_code)
            print(reply.text)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
