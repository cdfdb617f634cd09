"""``create`` and ``parse`` of ``client.responses``, guarded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, Self, TypeVar

from openai.types.responses import ParsedResponse, Response

from guardrail.check.drivers import Program, arun, run
from guardrail.check.intake import PassageLike
from guardrail.errors import UsageError
from guardrail.policy.policy import Policy
from guardrail.wrap.kinds import same
from guardrail.wrap.openai.completion import Checked, Guardrails, Parsed
from guardrail.wrap.openai.endpoints import Resource
from guardrail.wrap.openai.request import Request, Settings, read_request
from guardrail.wrap.written import Written, written

T = TypeVar("T")

_CALLS = frozenset(
    "apply_patch_call computer_call custom_tool_call function_call local_shell_call mcp_approval_request "
    "shell_call".split()
)
"""Items that ask the caller to act: text beside them is no answer yet."""


class GuardedResponse(Guardrails, Response):
    """A Response whose text was checked; its dumps and fields are those of a Response."""

    @classmethod
    def of(cls, response: Response, checked: Checked | None) -> Self:
        """The response with the delivered text in its first text, and no other text."""
        output = list(_delivered(response, checked))
        return cls.made_of(response, (checked and checked[1],), output=output)


class GuardedParsedResponse(ParsedResponse[Parsed], GuardedResponse, Generic[Parsed]):
    """The same for a ParsedResponse: ``output_parsed`` holds the delivered text in the answer's field."""


class _Responses(Resource):
    """What ``create`` and ``parse`` do, for sync and async clients."""

    def _created(self, asked: Request, passages: Iterable[PassageLike] | None) -> Program[GuardedResponse]:
        return GuardedResponse.of(*(yield from self._asked(self._inner.create, asked, passages)))

    def _parsed(self, asked: Request, passages: Iterable[PassageLike] | None) -> Program[GuardedParsedResponse[Any]]:
        return GuardedParsedResponse.of(*(yield from self._asked(self._inner.parse, asked, passages)))

    def _asked(
        self, call: Any, asked: Request, passages: Iterable[PassageLike] | None
    ) -> Program[tuple[Response, Checked | None]]:
        def read(said: Response) -> list[Written | None]:
            return [_written_in(said, asked.field)]

        against = yield from self._passages(passages, asked)
        said: Response = yield same(call, **asked.body)
        (checked,) = yield from self._checked(call, said, read, asked, against)
        return said, checked


def _written_in(response: Response, field: str | None) -> Written | None:
    """What to check of a response; None where there is no text, or where it only goes along with calls of tools."""
    if any(item.type in _CALLS for item in response.output):
        return None
    parts = list(_texts(response))
    parsed = next((found for part in parts if (found := getattr(part, "parsed", None)) is not None), None)
    return written(parts[0].text if parsed is not None else "".join(part.text for part in parts), parsed, field)


def _texts(response: Response) -> Iterator[Any]:
    for item in response.output:
        if item.type == "message":
            yield from (part for part in item.content if part.type == "output_text")


def _delivered(response: Response, checked: Checked | None) -> Iterator[Any]:
    """The items of the output; what a model thought on the way is not checked, and left out."""
    if any(item.type in _CALLS for item in response.output):
        yield from response.output
        return
    unchanged = checked is None or checked[0].text == "".join(part.text for part in _texts(response))
    first = next(_texts(response), None)
    for item in response.output:
        if item.type == "reasoning":
            yield item.model_copy(update={"summary": [], "content": None})
        elif item.type != "message" or unchanged:
            yield item
        elif content := [part for part in item.content if part is first or part.type != "output_text"]:
            parts = [_part(part, checked[0]) if checked and part is first else part for part in content]
            yield item.model_copy(update={"content": parts})


def _part(part: Any, delivered: Written) -> Any:
    """Annotations have offsets in the withheld text, and tokens with their probabilities are that text again."""
    parsed = {"parsed": delivered.value} if "parsed" in part.model_fields_set else {}
    return part.model_copy(update={"text": delivered.text, "annotations": [], "logprobs": None, **parsed})


def _read(settings: Settings, request: dict[str, Any], **options: Any) -> Request:
    for name in ("stream", "background"):
        if request.get(name):
            raise UsageError(f"a response with {name}=True cannot be checked. Leave it out.")
    return read_request(settings, request, key="input", **options)


class Responses(_Responses):
    """``client.responses``."""

    def create(
        self,
        *,
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedResponse:
        """Ask the model, and check what it answers.

        Where the policy regenerates, the same request is sent again with the answer and the feedback behind its input
        (not within a ``conversation``, which would keep them). Responses that call tools of the caller are left as
        they are, and have no GuardedAnswer. What the vendor stores is the model's own text.

        Args:
            passages: See Completions.create, as for ``policy`` and ``answer_field``.
            question: What was asked; default: the last message of the user in ``input``.
            policy: See Completions.create.
            answer_field: See Completions.create.
            request: The request, as the vendor documents it: ``model``, ``input``, ...

        Raises:
            UsageError: there are no passages, or the answer cannot be checked: a stream, work in the background.
            openai.OpenAIError: as the client within.
        """
        asked = _read(self._settings, request, question=question, policy=policy, field=answer_field)
        return run(self._created(asked, passages))

    def parse(
        self,
        *,
        text_format: type[T],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedParsedResponse[T]:
        """Ask the model for an object, and check the field of it that holds the answer; see Completions.parse."""
        request = {"text_format": text_format, **request}
        asked = _read(self._settings, request, question=question, policy=policy, field=answer_field)
        return run(self._parsed(asked, passages))


class AsyncResponses(_Responses):
    """``client.responses`` of an async client."""

    async def create(
        self,
        *,
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedResponse:
        """See Responses.create; the event loop is not blocked."""
        asked = _read(self._settings, request, question=question, policy=policy, field=answer_field)
        return await arun(self._created(asked, passages))

    async def parse(
        self,
        *,
        text_format: type[T],
        passages: Iterable[PassageLike] | None = None,
        question: str | None = None,
        policy: Policy | str | None = None,
        answer_field: str | None = None,
        **request: Any,
    ) -> GuardedParsedResponse[T]:
        """See Responses.parse; the event loop is not blocked."""
        request = {"text_format": text_format, **request}
        asked = _read(self._settings, request, question=question, policy=policy, field=answer_field)
        return await arun(self._parsed(asked, passages))
