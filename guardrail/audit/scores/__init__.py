"""Verdicts of an audit written back to the traces that they are about: Langfuse, LangSmith, Phoenix."""

from guardrail.audit.scores.sinks import SINKS, Sink, open_sink
from guardrail.audit.scores.writing import Written, write_scores

__all__ = ["SINKS", "Sink", "Written", "open_sink", "write_scores"]
