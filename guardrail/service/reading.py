"""Bodies in JSON, made into models, or refused with what is wrong, where, and not more."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from guardrail.check.answer_lines import ClaimRecord, PassageRecord
from guardrail.errors import did_you_mean
from guardrail.service.errors import Invalid, Malformed

M = TypeVar("M", bound=BaseModel)

_FORMS = {PassageRecord.__name__, ClaimRecord.__name__, "str", "list[str]"}
"""Names that pydantic puts into a path for the branch of a union that it tried."""


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object of a body.

    Raises:
        Malformed: it is not UTF-8, no JSON (NaN is none), nested too deeply, or no object.
    """
    try:
        raw = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise Malformed(f"the body is not valid JSON: {error}") from None
    if not isinstance(raw, dict):
        raise Malformed(f"the body must be a JSON object, got {type(raw).__name__}.")
    return raw


def read_as(model: type[M], raw: object) -> M:
    """The model.

    Raises:
        Invalid: a field is missing, unknown, or of another type; the message names the first.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise Invalid(_first(error, model)) from None


def _first(error: ValidationError, model: type[BaseModel]) -> str:
    faults = error.errors(include_url=False)
    # A passage is a text or an object; of an object that is wrong, say what is wrong with it as an object.
    inside = [fault for fault in faults if {PassageRecord.__name__, ClaimRecord.__name__} & set(fault["loc"][:-1])]
    unknown = [fault for fault in faults if fault["type"] == "extra_forbidden"]  # mostly why another is missing
    first = (inside or unknown or faults)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in _FORMS)
    if first["type"] == "extra_forbidden":
        return f"{where[:100]}: there is no such field. {did_you_mean(str(first['loc'][-1])[:100], model.model_fields)}"
    if first["type"] == "missing":
        return f"{where}: this field is missing."
    return f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}, got {type(first['input']).__name__}."
