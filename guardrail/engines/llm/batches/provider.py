"""What both providers' batches have in common: errors in our words, half the price, batches that are gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from guardrail.engines.llm.batches.service import HALF, Progress
from guardrail.engines.llm.protocol import Completion, LLMError, Reply
from guardrail.engines.llm.requests.failures import failure
from guardrail.types import Cause

T = TypeVar("T")

TIMEOUT = 300.0
"""Seconds for one request: a file of 200 MB takes its time."""

LISTED = 100
"""Batches that are looked through for one of ours."""

_LOST = "HTTP 404"


def asked(call: Callable[[], T]) -> T:
    """What the provider replied; its error as one of ours."""
    try:
        return call()
    except Exception as error:
        raise failure(error) from None


def progress_without(error: LLMError) -> Progress:
    """How far a batch is that could not be asked for: at its end, if the provider knows it no more.

    Raises:
        LLMError: the failure, if it is another.
    """
    if _LOST not in str(error):
        raise error
    return Progress(ended=True, done=0, total=0, failed="the provider knows the batch no more")


def at_half_price(read: Callable[[], Completion]) -> Reply:
    """A reply of a batch, or why it is none; both are charged half."""
    try:
        return replace(read(), price_share=HALF)
    except LLMError as error:
        if error.spent is not None:
            error.spent = replace(error.spent, price_share=HALF)
        return error


def unanswered(*, expired: bool, why: str = "") -> LLMError:
    """A request that the batch did not answer."""
    if expired:
        said = "the batch expired before this request was answered"
        return LLMError(said, retryable=True, cause=Cause.TIMEOUT)
    return LLMError(f"the request failed in the batch{why}", retryable=True, cause=Cause.ENGINE)
