"""Ask the MCP server about an answer, as an assistant would.

    pip install "rag-guardrail[mcp]"
    python examples/mcp_client.py

The server runs in this process; `guardrail mcp` serves the same tools over standard input and output.
"""

from __future__ import annotations

import asyncio

from guardrail_mcp import make_server
from mcp import Client

from guardrail import Guard, Policy

PASSAGES = ["The garage opens at 6:00 and closes at 23:00. A day costs 14 euros."]
ANSWER = "The garage opens at 6:00. A day costs 19 euros."


async def main() -> None:
    """One call of check_answer."""
    async with Client(make_server(Guard(policy=Policy.load("strict")))) as client:
        result = await client.call_tool("check_answer", {"answer": ANSWER, "passages": PASSAGES})
    found = result.structured_content or {}
    print(found["verdict"], found["action"])
    for finding in found["findings"]:
        print(f"  {finding['verdict']}: {finding['text']}  {[e['quote'] for e in finding['evidence']]}")


if __name__ == "__main__":
    asyncio.run(main())
