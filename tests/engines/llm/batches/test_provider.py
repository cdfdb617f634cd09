"""What both providers' batches have in common."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.batches.provider import asked, at_half_price, progress_without, unanswered
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.types import Cause


def test_errors_are_ours() -> None:
    def fails() -> None:
        raise TimeoutError

    assert asked(lambda: 1) == 1
    with pytest.raises(LLMError, match="TimeoutError"):
        asked(fails)


def test_a_batch_that_is_gone_is_at_its_end_and_another_failure_is_raised() -> None:
    gone = progress_without(LLMError("NotFoundError (HTTP 404)"))
    assert (gone.ended, gone.failed) == (True, "the provider knows the batch no more")
    with pytest.raises(LLMError, match="HTTP 500"):
        progress_without(LLMError("InternalServerError (HTTP 500)"))


def test_a_failed_reply_is_half_price_too() -> None:
    def refuses() -> Completion:
        raise LLMError("the model refused to reply", spent=Completion(text="", calls=1))

    good, bad = at_half_price(lambda: Completion(text="x")), at_half_price(refuses)
    assert isinstance(good, Completion)
    assert isinstance(bad, LLMError)
    assert bad.spent is not None
    assert (good.price_share, bad.spent.price_share) == (0.5, 0.5)


def test_why_a_request_was_not_answered() -> None:
    late, failed = unanswered(expired=True, why=" (expired)"), unanswered(expired=False, why=" (HTTP 500)")
    assert (late.cause, str(late)) == (Cause.TIMEOUT, "the batch expired before this request was answered")
    assert (failed.cause, str(failed)) == (Cause.ENGINE, "the request failed in the batch (HTTP 500)")
