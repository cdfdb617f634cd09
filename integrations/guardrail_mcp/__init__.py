"""The guard for assistants: an MCP server with the tools ``check_answer`` and ``worst_answers`` (``guardrail mcp``)."""

from guardrail.errors import MissingExtraError

try:
    import mcp.server.mcpserver  # noqa: F401
except ImportError as error:
    raise MissingExtraError('guardrail_mcp needs mcp 2. Run: pip install "rag-guardrail[mcp]"') from error

from guardrail_mcp.server import make_server

__all__ = ["make_server"]
