"""Wrong replies made from right ones, for the forms of guardrail.engines.llm.replies: what models do on bad days.

Each function gets the reply's JSON, the data of the request and a source of chance, and returns the spoiled reply, or
None where the reply has no place for the fault. Where it can, the spoiled reply says that everything is supported, so
that whoever believes it is found out. The reply that comes in is left as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from tests.support.draft_script import sentences

Value = dict[str, Any]
Spoiler = Callable[[Value, Mapping[str, Any], Random], Value | None]

_UNKNOWN = "d99"


def missing_ids(value: Value, _: Mapping[str, Any], draw: Random) -> Value | None:
    """One item less in some list: a segment, a point, an individual."""
    spoiled = copy.deepcopy(value)
    lists = list(_lists(spoiled))
    if not lists:
        return None
    chosen = draw.choice(lists)
    del chosen[draw.randrange(len(chosen))]
    return spoiled


def surplus_ids(value: Value, data: Mapping[str, Any], draw: Random) -> Value | None:
    """One item more, with an id that nobody asked for."""
    spoiled = copy.deepcopy(value)
    lists = list(_lists(spoiled))
    if not lists:
        return None
    chosen = draw.choice(lists)
    extra = _praised(copy.deepcopy(draw.choice(chosen)), data)
    for key, stranger in (("id", f"{extra.get('id')}.99"), ("units", [999]), ("key", "i999")):
        if key in extra:
            extra[key] = stranger
    chosen.insert(draw.randrange(len(chosen) + 1), extra)
    return spoiled


def duplicated_ids(value: Value, data: Mapping[str, Any], draw: Random) -> Value | None:
    """One item twice; the second time all is supported."""
    spoiled = copy.deepcopy(value)
    lists = list(_lists(spoiled))
    if not lists:
        return None
    chosen = draw.choice(lists)
    chosen.append(_praised(copy.deepcopy(draw.choice(chosen)), data))
    return spoiled


def wrong_types(value: Value, data: Mapping[str, Any], draw: Random) -> Value | None:
    """All points are supported; in all of them (else in the draft's items) one key holds something of another type."""
    spoiled = copy.deepcopy(value)
    points, logics = list(_having(spoiled, "labels")), list(_having(spoiled, "comparison"))
    if points or logics:
        for point in points:
            _praise(point, data)
        for logic in logics:
            _license(logic, data)
        key, wrong = draw.choice([("verdict", True), ("verdict", "支持"), ("quotes", "all of it"), ("quotes", [7])])
        if points and draw.random() < 0.5:
            key, wrong = draw.choice([("id", 1), ("labels", {"d1": "S"}), ("labels", None), ("confidence", 1.0)])
        for item in points if key in ("id", "labels", "confidence") else [*points, *logics]:
            item[key] = wrong
        return spoiled
    keys = [key for key in ("segments", "individuals", "no_claim", "abstains") if key in spoiled]
    if not keys:
        return None
    spoiled[draw.choice(keys)] = draw.choice(["none", 1, {"1": "all"}, None])
    return spoiled


def invented_quotes(value: Value, data: Mapping[str, Any], draw: Random) -> Value | None:
    """Everything is supported, by words that no document has."""
    return _everywhere(
        value, data, lambda item: item.update(quotes=[{"document": draw.choice(_ids(data)), "text": _invention(item)}])
    )


def unknown_documents(value: Value, data: Mapping[str, Any], _: Random) -> Value | None:
    """Everything is supported, by a document that was never given."""

    def move(item: Value) -> None:
        item["quotes"] = [{"document": _UNKNOWN, "text": quote["text"]} for quote in item["quotes"]]
        if "labels" in item:
            item["labels"] = f"{_UNKNOWN}:S"

    return _everywhere(value, data, move)


def unfit_verdict(value: Value, data: Mapping[str, Any], draw: Random) -> Value | None:
    """Everything is supported and consistent, although each label says N, or an error is named."""
    denied = draw.random() < 0.5

    def contradict(item: Value) -> None:
        if "labels" not in item:
            item["error"] = "causal_confusion"
        elif denied:
            item["labels"] = " ".join(f"{ident}:N" for ident in _ids(data))
        else:
            item["error"] = "conflation"

    return _everywhere(value, data, contradict)


SPOILERS: Mapping[str, Spoiler] = {
    each.__name__: each
    for each in (
        missing_ids,
        surplus_ids,
        duplicated_ids,
        wrong_types,
        invented_quotes,
        unknown_documents,
        unfit_verdict,
    )
}
"""By the name of the fault (faults.FaultKind)."""


def _everywhere(value: Value, data: Mapping[str, Any], change: Callable[[Value], object]) -> Value | None:
    spoiled = copy.deepcopy(value)
    points, logics = list(_having(spoiled, "labels")), list(_having(spoiled, "comparison"))
    if not points and not logics:
        return None
    for point in points:
        _praise(point, data)
        change(point)
    for each in logics:
        _license(each, data)
        change(each)
    return spoiled


def _praised(item: Value, data: Mapping[str, Any]) -> Value:
    for point in _having(item, "labels"):
        _praise(point, data)
    for logic in _having(item, "comparison"):
        _license(logic, data)
    return item


def _praise(point: Value, data: Mapping[str, Any]) -> None:
    labels = " ".join(f"{ident}:{'N' if n else 'S'}" for n, ident in enumerate(_ids(data)))
    point |= {"labels": labels, "verdict": "supported", "error": "none", "confidence": "high", "quotes": [_real(data)]}


def _license(logic: Value, data: Mapping[str, Any]) -> None:
    logic |= {"verdict": "consistent", "error": "none", "quotes": [_real(data)]}


def _real(data: Mapping[str, Any]) -> Value:
    """A quote that the first document has."""
    documents = data.get("documents") or [{"id": "d1", "text": ""}]
    return {"document": documents[0]["id"], "text": next(iter(sentences(documents[0]["text"])), "")}


def _ids(data: Mapping[str, Any]) -> list[str]:
    return [each["id"] for each in data.get("documents") or ()] or ["d1"]


def _invention(item: Mapping[str, Any]) -> str:
    return f"The records of the archive confirm point {item.get('id', 'one')} in full and beyond doubt."


def _lists(value: Any) -> Iterator[list[Value]]:
    """All lists of items that can be told by an id, a key or the units they cover, at any depth."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _lists(each)
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        if any(key in value[0] for key in ("id", "key", "units")):
            yield value
        for each in value:
            yield from _lists(each)


def _having(value: Any, key: str) -> Iterator[Value]:
    """All objects with that key, at any depth."""
    if isinstance(value, dict):
        if key in value:
            yield value
        for each in value.values():
            yield from _having(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _having(each, key)
