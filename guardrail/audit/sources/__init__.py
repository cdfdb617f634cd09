"""Where logged answers lie: files of tables, traces, exports and logs, and our record store."""

from guardrail.audit.sources.opened import FORMATS, open_source
from guardrail.audit.sources.source import Piece, Source

__all__ = ["FORMATS", "Piece", "Source", "open_source"]
