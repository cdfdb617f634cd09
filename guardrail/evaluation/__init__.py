"""Measure the guard on labelled answers, and set its threshold from them."""

from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.reading import read_labelled
from guardrail.evaluation.judged import Judged, judge

__all__ = ["Judged", "LabelledAnswer", "judge", "read_labelled"]
