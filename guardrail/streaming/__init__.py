"""Checked answers as they are generated: ``guarded_stream`` and its typed events."""

from guardrail.streaming.events import MODES, Checked, Delta, Finished, Mode, StreamEvent, Withheld
from guardrail.streaming.stream import aguarded_stream, guarded_stream
from guardrail.streaming.work import PassageSource

__all__ = [
    "MODES",
    "Checked",
    "Delta",
    "Finished",
    "Mode",
    "PassageSource",
    "StreamEvent",
    "Withheld",
    "aguarded_stream",
    "guarded_stream",
]
