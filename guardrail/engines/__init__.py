"""Who fills the support matrix: engines, and the names by which they are asked for."""

from guardrail.engines.by_name import CROSS_ENCODERS, NAMES, make_cascade, make_engine

__all__ = ["CROSS_ENCODERS", "NAMES", "make_cascade", "make_engine"]
