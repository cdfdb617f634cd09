"""A rate that one can defend: answers drawn for people to label, and the rate of all answers that their labels give."""

from guardrail.audit.rate.corrected import Corrected, corrected_rate
from guardrail.audit.rate.design import Design
from guardrail.audit.rate.sample import Drawn, draw_sample

__all__ = ["Corrected", "Design", "Drawn", "corrected_rate", "draw_sample"]
