"""``guardrail mcp`` over standard input and output, by the official client."""

import asyncio
import json
import os
import sys

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="mcp 2 is not installed")
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.support.dialect_server import SOURCE


@pytest.mark.slow
def test_the_command_with_the_real_engine(tmp_path):
    arguments = ["-m", "guardrail.cli.main", "mcp", "--policy", "strict", "--records", str(tmp_path / "r.db")]

    async def talked():
        async with Client(
            stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ)))
        ) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            given = {"answer": "The dam is 94 metres high.", "passages": [SOURCE]}
            return tools, await client.call_tool("check_answer", given)

    tools, result = asyncio.run(talked())
    assert tools == ["check_answer", "worst_answers"]
    assert result.structured_content["verdict"] == "contradicted"
    assert json.loads(result.content[0].text)["action"] == "block"
