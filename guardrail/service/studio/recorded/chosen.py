"""Which records are asked for: the filters of the page, as they come in an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from guardrail.errors import UsageError
from guardrail.service.studio.recorded.source import UNCHECKED
from guardrail.telemetry.labels import KEYS
from guardrail.telemetry.records.queries import Selection

ORDERS = ("worst", "newest")

_IDENT = re.compile(r"[0-9a-f]{32}")
_AGO = re.compile(r"(\d{1,6})([mhdw])")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LONGEST = 500


class FieldError(UsageError):
    """A value that is not understood, with the name of its field, so that a page can say it beside it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Conditions that all have to hold.

    ``text`` is looked for in question, answer and passages, whatever the case; of 32 hex digits it is the id of a
    record or of a trace. ``unchecked``: only answers of a file that nobody checked yet.
    """

    selection: Selection = field(default_factory=Selection)
    policy: str | None = None
    engine: str | None = None
    unchecked: bool = False
    text: str = ""

    @property
    def needle(self) -> str:
        """What is to be looked for in the texts."""
        return "" if _IDENT.fullmatch(self.text) else self.text

    def where(self, now: float) -> tuple[str, list[object]]:
        """The condition in SQL with its values, without the search in texts.

        Raises:
            UsageError: no such verdict, error type or label.
        """
        where, values = self.selection.where(now)
        for column, value in (("policy", self.policy), ("engine", self.engine)):
            if value is not None:
                where += f" AND {column} = ?"
                values.append(value)
        if self.unchecked:
            where += " AND verdict = ?"
            values.append(UNCHECKED)
        if self.text and not self.needle:
            where += " AND (id = ? OR trace_id = ?)"
            values += [self.text, self.text]
        return where, values


def read_chosen(query: Mapping[str, str], now: float) -> Chosen:
    """The filters of an address: verdict, error_type, policy, engine, since, until, labelled, text, and labels.

    Times are Unix seconds, dates and times as ISO 8601 writes them, or ``30m``, ``24h``, ``7d``, ``2w`` ago.

    Raises:
        FieldError: a value is not understood.
    """
    given = {key: value.strip() for key, value in query.items() if value.strip()}
    if len(given.get("text", "")) > _LONGEST:
        raise FieldError("text", f"Search for at most {_LONGEST} characters.")
    verdict = given.get("verdict")
    labelled = {None: None, "yes": True, "no": False}.get(given.get("labelled"), "?")
    if labelled == "?":
        raise FieldError("labelled", f"labelled must be yes or no, got {given['labelled']!r:.40}.")
    wanted: dict[str, Any] = {
        "since": _time(given, "since", now),
        "until": _time(given, "until", now),
        "labels": {key: given[key] for key in KEYS if key in given},
        "verdict": None if verdict == UNCHECKED else verdict,
        "error_type": given.get("error_type"),
        "labelled": labelled,
    }
    chosen = Chosen(
        selection=Selection(**wanted),
        policy=given.get("policy"),
        engine=given.get("engine"),
        unchecked=verdict == UNCHECKED,
        text=given.get("text", ""),
    )
    for name in ("verdict", "error_type"):
        try:
            Selection(**{name: wanted[name]}).where(now)
        except UsageError as error:
            raise FieldError(name, str(error)) from error
    return chosen


def _time(given: Mapping[str, str], name: str, now: float) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    if ago := _AGO.fullmatch(value):
        return now - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return float(value) if re.fullmatch(r"\d{1,12}(\.\d+)?", value) else datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise FieldError(
            name, f"{name} must be a date, a time such as 2026-05-01T09:00, or 24h, 7d ago; got {value!r:.40}."
        ) from error
