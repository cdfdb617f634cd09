"""The guarded routes: a request read, the upstream asked, its reply checked and delivered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from guardrail.repair.feedback import Feedback
from guardrail.retrieval.request.found import distinct
from guardrail.service.errors import Malformed, ServiceError, TooLarge
from guardrail.service.proxy import chat, responses
from guardrail.service.proxy.answers import Checked, Work, checked_text
from guardrail.service.proxy.chat_stream import ChatRelay
from guardrail.service.proxy.chunks import ErrorEvent, read_object
from guardrail.service.proxy.delivery import BytesReply, plain_reply, stream_reply
from guardrail.service.proxy.errors import error_body
from guardrail.service.proxy.headers import delivered_headers
from guardrail.service.proxy.json_text import dumps, with_member
from guardrail.service.proxy.relay import Relay
from guardrail.service.proxy.reply import told, told_headers
from guardrail.service.proxy.request import OURS, Asked, Key, Mode, read_json, read_request
from guardrail.service.proxy.responses_stream import ResponsesRelay
from guardrail.service.proxy.sse import DONE, Event, events
from guardrail.service.proxy.upstream import Reply, Upstream, UpstreamFailed, Upstreams

if TYPE_CHECKING:
    from starlette.requests import Request

    from guardrail.service.service import Service


@dataclass(frozen=True, slots=True)
class Api:
    """One of the guarded APIs: its path, where its messages are, and how its replies are read."""

    path: str
    key: Key
    module: ModuleType
    relay: Callable[[Work, AsyncIterator[Event], Mode], Relay]

    def readable(self, reply: Mapping[str, Any]) -> bool:
        """Whether its texts can be found."""
        is_one: bool = (chat.is_completion if self.module is chat else responses.is_response)(reply)
        return is_one


APIS = (
    Api("chat/completions", "messages", chat, ChatRelay),
    Api("responses", "input", responses, ResponsesRelay),
)


class Guarded:
    """A route of which the answers are checked."""

    def __init__(self, service: Service, upstreams: Upstreams, api: Api) -> None:
        self._service = service
        self._upstreams = upstreams
        self._api = api

    async def answer(self, request: Request) -> Response:
        """The reply to a request."""
        settings = self._service.settings
        asked = read_request(await request.body(), self._api.key, settings.proxy.trust)
        most = settings.limits.passages
        if len(asked.evidence.found) > most:
            raise TooLarge(f"{len(asked.evidence.found)} passages were found, and the limit is {most}.")
        upstream = self._upstreams.choose(request, asked.body.get("model"))
        name = request.headers.get("x-guardrail-guard") or asked.guard or upstream.settings.guard
        guard = self._service.guard(name)

        async def again(feedback: Feedback) -> str:
            return await self._again(upstream, request, asked, feedback)

        work = Work(
            service=self._service,
            guard=guard,
            asked=asked,
            options=settings.proxy,
            evidence=asked.evidence,
            again=again,
        )
        async with AsyncExitStack() as stack:
            reply = await stack.enter_async_context(
                self._upstreams.asked(upstream, request, self._api.path, asked.sent.encode(), changed=True)
            )
            if reply.response.status_code != 200:
                return plain_reply(reply, await reply.whole())
            if reply.is_stream:
                mode = self._mode(work, name)
                return await self._stream(work, reply, mode, stack.pop_all())
            raw = await reply.whole()
        return await self._whole(work, reply, raw)

    async def _whole(self, work: Work, reply: Reply, raw: bytes) -> Response:
        text, body = _read_reply(raw)
        if not self._api.readable(body):
            if isinstance(body.get("error"), Mapping):
                code = body["error"].get("code")
                known = isinstance(code, int) and 400 <= code <= 599
                return plain_reply(reply, raw, status=code if known else 502)
            raise UpstreamFailed(502, "upstream_malformed", "the upstream's reply holds no answer that could be read.")
        work = _with_looked_up(work, body)
        checks = [
            (path, replace(await checked_text(work, each), index=path[0]))
            for path, each in self._api.module.texts(body)
        ]
        found = [each for _, each in checks]
        if work.options.block == "error" and (blocked := next((each for each in found if each.blocked), None)):
            return _refused(work, reply, blocked, found)
        text = self._api.module.delivered(text, body, checks, work.options)
        text = with_member(text, (), OURS, dumps(told(work, found)))
        headers = [*delivered_headers(reply.headers, changed=True), *told_headers(work, found)]
        return BytesReply(200, headers, text.encode())

    async def _stream(self, work: Work, reply: Reply, mode: Mode, stack: AsyncExitStack) -> Response:
        try:
            stream: AsyncGenerator[Event, None] = events(reply.pieces())
            stack.push_async_callback(stream.aclose)
            peeked = await _peeked(stream)
        except BaseException:
            await stack.aclose()
            raise
        relay = self._api.relay(work, _chained(peeked, stream), mode)
        headers = delivered_headers(reply.headers, changed=True)
        headers += [
            (b"x-guardrail-stream", mode.encode()),
            (b"x-guardrail-passages", str(len(work.evidence.found)).encode()),
        ]
        return stream_reply(200, headers, relay.pieces(), stack)

    def _mode(self, work: Work, name: str | None) -> Mode:
        """When text leaves. Where words may go along with a call of a tool, or are JSON, not before all is there."""
        asked = work.asked
        settings = self._service.settings
        known = settings.guard_settings().get(name or settings.default_guard)
        mode = asked.mode or (known.stream if known is not None else "buffer")
        whole = asked.structured or asked.field is not None or (asked.may_call_tools and not work.evidence.found)
        return "buffer" if whole and mode == "sentence" else mode

    async def _again(self, upstream: Upstream, request: Request, asked: Asked, feedback: Feedback) -> str:
        """The text of a new answer; empty where there is none."""
        content = asked.with_feedback(feedback).encode()
        async with self._upstreams.asked(upstream, request, self._api.path, content, changed=True) as reply:
            if reply.response.status_code != 200:
                return ""
            _, body = _read_reply(await reply.whole())
        if not self._api.readable(body):
            return ""
        return next((text for _, text in self._api.module.texts(body)), "")


def _with_looked_up(work: Work, body: Mapping[str, Any]) -> Work:
    """The same, with what the upstream looked up itself as evidence; not where the request says what counts."""
    explicit = any(each.kind == "guardrail.passages" for each in work.evidence.found)
    more = [] if explicit else responses.looked_up(body.get("output"))
    if not more:
        return work
    return replace(work, evidence=replace(work.evidence, found=distinct([*work.evidence.found, *more])))


def _read_reply(raw: bytes) -> tuple[str, dict[str, Any]]:
    try:
        return read_json(raw)
    except Malformed:
        raise UpstreamFailed(502, "upstream_malformed", "the upstream's reply is no JSON object.") from None


def _refused(work: Work, reply: Reply, blocked: Checked, found: Sequence[Checked]) -> Response:
    """A blocked answer as an error."""
    error = ServiceError(400, "content_filter", blocked.guarded.text if blocked.guarded is not None else "Blocked.")
    body = dumps({**error_body(error), OURS: told(work, found)})
    headers = [*delivered_headers(reply.headers, changed=True), *told_headers(work, found)]
    return BytesReply(error.status, headers, body.encode())


async def _peeked(stream: AsyncIterator[Event]) -> list[Event]:
    """The events up to the first that says something: an upstream that fails at once gets a real status."""
    peeked: list[Event] = []
    async for event in stream:
        peeked.append(event)
        if event.data is None:
            continue
        if event.data.strip() == DONE:
            break
        said = read_object(event.data)
        if said.get("error") is not None or said.get("type") == "error":
            raise ErrorEvent(event.data, said.get("error") or said)
        return peeked
    raise UpstreamFailed(502, "upstream_broke_off", "the upstream ended its reply before it began.")


async def _chained(first: Sequence[Event], rest: AsyncIterator[Event]) -> AsyncIterator[Event]:
    for event in first:
        yield event
    async for event in rest:
        yield event
