"""A seeded plan of what goes wrong between a client and a model, and what a model itself gets wrong."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from random import Random

from guardrail.errors import UsageError
from guardrail.testing.chat_reply import Body, Reply
from guardrail.testing.prompt_names import request_data
from guardrail.testing.spoiled_replies import SPOILERS


class FaultKind(StrEnum):
    """What can go wrong. The first eight keep the reply's content from the client, the others change it."""

    RATE_LIMIT = "rate_limit"  # status 429 with Retry-After
    SERVER_ERROR = "server_error"  # status 500
    UNAVAILABLE = "unavailable"  # status 503
    SLOW = "slow"  # longer than the client waits
    CUT_HEADERS = "cut_headers"  # the connection ends after the headers
    CUT_BODY = "cut_body"  # the connection ends in the middle of the body
    EMPTY_CHOICES = "empty_choices"
    REFUSAL = "refusal"
    EMPTY_CONTENT = "empty_content"
    TRUNCATED = "truncated"  # half a JSON object, finish_reason "length"
    PROSE = "prose"  # the right JSON inside prose
    CODE_FENCE = "code_fence"  # the right JSON inside a Markdown fence
    NO_OBJECT = "no_object"  # valid JSON that is no object
    WRONG_LANGUAGE = "wrong_language"  # a friendly text in another language instead of JSON
    MISSING_IDS = "missing_ids"
    SURPLUS_IDS = "surplus_ids"
    DUPLICATED_IDS = "duplicated_ids"  # the second one says that all is supported
    WRONG_TYPES = "wrong_types"
    INVENTED_QUOTES = "invented_quotes"  # everything is supported, by quotes that no document has
    UNKNOWN_DOCUMENTS = "unknown_documents"  # everything is supported, by a document that was never given
    MISSING_DOCUMENTS = "missing_documents"  # everything is supported, without labels of documents
    UNFIT_VERDICT = "unfit_verdict"  # everything is supported, by labels or error names that say otherwise


ALL = tuple(FaultKind)
_OTHER_LANGUAGES = (
    "根据所给文档，答案中的所有内容都得到了支持，没有任何问题。",
    "Toutes les affirmations sont parfaitement étayées par les documents fournis.",
    "すべての主張は文書によって裏付けられています。",
    "Alle Aussagen werden von den Dokumenten gestützt: supported.",
)


class Faults:
    """Decides for each request whether something goes wrong, and what.

    The decision hangs on the seed, on the request's messages and on how often these were asked before, so that a run
    can be repeated whatever the order of its threads, and a retry is a new draw. Safe to use from several threads.
    """

    def __init__(
        self,
        rate: float = 0.2,
        *,
        seed: int = 1,
        kinds: Iterable[FaultKind | str] = ALL,
        slow: float = 2.0,
        retry_after: float = 0.01,
    ) -> None:
        """A plan.

        Args:
            rate: Share of requests (0..1) that a fault is drawn for.
            seed: Of the draws.
            kinds: The faults to draw from, all alike often. One that a reply has no place for (no ids to drop in a
                plain text) gives way to the next that it has one for.
            slow: Seconds that a slow reply takes; choose more than the client's timeout.
            retry_after: Seconds that a 429 asks the client to wait.

        Raises:
            UsageError: the rate is outside 0..1, or a kind is unknown.
        """
        if not 0.0 <= rate <= 1.0:
            raise UsageError(f"rate must be within 0..1, got {rate}.")
        try:
            self.kinds = tuple(sorted({FaultKind(kind) for kind in kinds}, key=ALL.index))
        except ValueError as error:
            raise UsageError(f"{error}. Known: {', '.join(ALL)}.") from None
        self.rate = rate
        self.seed = seed
        self._slow = slow
        self._retry_after = retry_after
        self._lock = threading.Lock()
        self._asked: Counter[bytes] = Counter()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each fault was done so far."""
        with self._lock:
            return dict(self._counts)

    def spoil(self, body: Body, reply: Reply) -> tuple[Reply, str | None]:
        """The reply that is sent, and the fault that was done to it, None = the reply is as it was."""
        draw = self._draw(body)
        if draw.random() >= self.rate:
            return reply, None
        for kind in draw.sample(self.kinds, len(self.kinds)):
            spoiled = self._do(kind, body, reply, draw)
            if spoiled is not None:
                with self._lock:
                    self._counts[kind.value] += 1
                return spoiled, kind.value
        return reply, None

    def _draw(self, body: Body) -> Random:
        text = json.dumps(body.get("messages"), sort_keys=True)
        digest = hashlib.sha256(f"{self.seed} {text}".encode()).digest()
        with self._lock:
            self._asked[digest] += 1
            return Random(digest + self._asked[digest].to_bytes(4, "big"))  # noqa: S311  chance, not secrecy

    def _do(self, kind: FaultKind, body: Body, reply: Reply, draw: Random) -> Reply | None:
        if kind is FaultKind.RATE_LIMIT:
            return Reply("Rate limit reached.", status=429, retry_after=self._retry_after)
        if kind is FaultKind.SLOW:
            return replace(reply, seconds=reply.seconds + self._slow)
        if kind in _PLAIN:
            return _PLAIN[kind](reply)
        if kind is FaultKind.WRONG_LANGUAGE:
            return replace(reply, text=draw.choice(_OTHER_LANGUAGES))
        try:
            value = json.loads(reply.text)
        except ValueError:
            return None
        if not isinstance(value, dict):
            return None
        if kind is FaultKind.NO_OBJECT:
            return replace(reply, text=json.dumps(draw.choice([[], "supported", True, None, 1, [["supported"]]])))
        spoiled = SPOILERS[kind.value](value, request_data(body), draw)
        return None if spoiled is None else replace(reply, text=json.dumps(spoiled, ensure_ascii=False))


_PLAIN: Mapping[FaultKind, Callable[[Reply], Reply | None]] = {
    FaultKind.SERVER_ERROR: lambda _: Reply("The server had an error.", status=500),
    FaultKind.UNAVAILABLE: lambda _: Reply("Overloaded.", status=503),
    FaultKind.CUT_HEADERS: lambda reply: replace(reply, cut="headers"),
    FaultKind.CUT_BODY: lambda reply: replace(reply, cut="body"),
    FaultKind.EMPTY_CHOICES: lambda reply: replace(reply, text="", choices=0),
    FaultKind.REFUSAL: lambda reply: replace(reply, text="", refusal="I can't help with that."),
    FaultKind.EMPTY_CONTENT: lambda reply: replace(reply, text=""),
    FaultKind.TRUNCATED: lambda reply: replace(reply, text=reply.text[: len(reply.text) // 2], finish_reason="length"),
    FaultKind.PROSE: lambda reply: replace(reply, text=f"Sure, I compared {{all}}.\n\n{reply.text}\n\nAll clear?"),
    FaultKind.CODE_FENCE: lambda reply: replace(reply, text=f"```json\n{reply.text}\n```"),
}
