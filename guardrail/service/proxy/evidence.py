"""What a request brings, for the service: what is wrong with it is an error of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardrail.errors import UsageError
from guardrail.retrieval.request import evidence
from guardrail.retrieval.request.evidence import Trust
from guardrail.retrieval.request.found import Evidence
from guardrail.service.errors import Invalid


def find_evidence(body: Mapping[str, Any], trust: Trust | None = None) -> Evidence:
    """See guardrail.retrieval.request.evidence.

    Raises:
        Invalid: ``guardrail.passages`` holds what is no passage, or ``guardrail.question`` is no text.
    """
    try:
        return evidence.find_evidence(body, trust)
    except UsageError as error:
        raise Invalid(str(error)) from None
