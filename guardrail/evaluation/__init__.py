"""Measure the guard on labelled answers, and set its threshold from them."""

from guardrail.evaluation.judged import Judged, judge
from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.evaluation.reading import read_labelled

__all__ = ["Judged", "LabelledAnswer", "judge", "read_labelled"]
