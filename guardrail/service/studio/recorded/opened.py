"""The recorded answers of a studio, and replies about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from starlette.responses import Response

from guardrail.service.replies import json_reply
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.recorded.chosen import Chosen, FieldError, read_chosen
from guardrail.service.studio.recorded.file_source import FileSource
from guardrail.service.studio.recorded.source import Source, StoreSource
from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore

NO_SOURCE = (
    "The studio was started without recorded answers. Start it with a record store or a file of JSON lines: "
    "guardrail studio guardrail.db. In a service, set `records`."
)

_known: WeakKeyDictionary[Studio, Source] = WeakKeyDictionary()


def source_of(studio: Studio) -> Source:
    """The recorded answers; the same object for all views.

    Raises:
        StudioError: there are none (404, field ``source``).
    """
    if studio.records is None:
        raise StudioError(404, NO_SOURCE, "source")
    found = _known.get(studio)
    if found is None:
        records = studio.records
        found = StoreSource(records.path) if isinstance(records, RecordStore) else FileSource(records)
        found = _known.setdefault(studio, found)
    return found


def chosen_of(query: Mapping[str, str], now: float) -> Chosen:
    """``read_chosen``; what it does not understand as an error of the API."""
    try:
        return read_chosen(query, now)
    except FieldError as error:
        raise as_refusal(error) from error


def as_refusal(error: FieldError) -> StudioError:
    """The error with its field."""
    return StudioError(422, str(error), error.field)


def about(source: Source) -> dict[str, Any]:
    """The source as the page shows it."""
    skipped, wrong = (source.skipped, source.wrong) if isinstance(source, FileSource) else ([], 0)
    return {"name": source.name, "kind": source.kind, "wrong": wrong, "skipped": skipped}


def reply(content: Any) -> Response:
    """JSON; a number of a file that is none (NaN, Infinity) becomes null."""
    try:
        return json_reply(content)
    except ValueError:
        return json_reply(_finite(content))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value
