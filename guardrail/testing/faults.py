"""A seeded plan of what goes wrong between a client and a model, and of replies that are no usable JSON."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Any

from guardrail.errors import UsageError
from guardrail.testing.chat_reply import Body, Reply

Spoiler = Callable[[dict[str, Any], Body, Random], dict[str, Any] | None]
"""From a reply's JSON object, the request and a source of chance to the wrong object; None = it has no place for it."""


class FaultKind(StrEnum):
    """What can go wrong. The first nine keep the reply's content from the client, the others change its form."""

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


_OTHER_LANGUAGES = (
    "根据所给文档，答案中的所有内容都得到了支持，没有任何问题。",
    "Toutes les affirmations sont parfaitement étayées par les documents fournis.",
    "すべての主張は文書によって裏付けられています。",
    "Alle Aussagen werden von den Dokumenten gestützt: supported.",
)


class Faults:
    """Decides for each request whether something goes wrong, and what.

    The decision depends on the seed, on the request's messages and on how often these were asked before, so that a run
    can be repeated whatever the order of its threads, and a retry is a new draw. Safe to use from several threads.
    """

    def __init__(
        self,
        rate: float = 0.2,
        *,
        seed: int = 1,
        kinds: Iterable[str] | None = None,
        spoilers: Mapping[str, Spoiler] | None = None,
        slow: float = 2.0,
        retry_after: float = 0.01,
    ) -> None:
        """A plan.

        Args:
            rate: Share of requests (0..1) that a fault is drawn for.
            seed: Of the draws.
            kinds: The faults to draw from, all equally likely; default: every FaultKind and every spoiler. One that a
                reply has no place for (no object in a plain text) gives way to the next that it has one for.
            spoilers: Further faults by name, for what only your prompts' replies can get wrong.
            slow: Seconds that a slow reply takes; choose more than the client's timeout.
            retry_after: Seconds that a 429 asks the client to wait.

        Raises:
            UsageError: the rate is outside 0..1, or a kind is unknown.
        """
        self._spoilers = dict(spoilers or {})
        known = [*map(str, FaultKind), *self._spoilers]
        wanted = set(known if kinds is None else map(str, kinds))
        if not 0.0 <= rate <= 1.0:
            raise UsageError(f"rate must be within 0..1, got {rate}.")
        if unknown := sorted(wanted - set(known)):
            raise UsageError(f"{unknown[0]!r} is no known fault. Known: {', '.join(known)}.")
        self.kinds = tuple(sorted(wanted, key=known.index))
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
            spoiled = self._spoil_by(kind, body, reply, draw)
            if spoiled is not None:
                with self._lock:
                    self._counts[kind] += 1
                return spoiled, kind
        return reply, None

    def _draw(self, body: Body) -> Random:
        text = json.dumps(body.get("messages"), sort_keys=True)
        digest = hashlib.sha256(f"{self.seed} {text}".encode()).digest()
        with self._lock:
            self._asked[digest] += 1
            return Random(digest + self._asked[digest].to_bytes(4, "big"))  # noqa: S311  chance, not secrecy

    def _spoil_by(self, kind: str, body: Body, reply: Reply, draw: Random) -> Reply | None:
        if kind == FaultKind.RATE_LIMIT:
            return Reply("Rate limit reached.", status=429, retry_after=self._retry_after)
        if kind == FaultKind.SLOW:
            return replace(reply, seconds=reply.seconds + self._slow)
        if kind in _PLAIN:
            return _PLAIN[kind](reply)
        if kind == FaultKind.WRONG_LANGUAGE:
            return replace(reply, text=draw.choice(_OTHER_LANGUAGES))
        try:
            value = json.loads(reply.text)
        except ValueError:
            return None
        if not isinstance(value, dict):
            return None
        if kind == FaultKind.NO_OBJECT:
            return replace(reply, text=json.dumps(draw.choice([[], "supported", True, None, 1, [["supported"]]])))
        spoiled = self._spoilers[kind](value, body, draw)
        return None if spoiled is None else replace(reply, text=json.dumps(spoiled, ensure_ascii=False))


_PLAIN: Mapping[str, Callable[[Reply], Reply | None]] = {
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
