"""Replies of scripted models in the terse forms of guardrail.engines.llm.short_forms, made of the long ones.

Scripted judges and spoiled replies are written in the long forms. What has another shape there (a spoiled value) has
another shape here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardrail.engines.llm.short_forms import long_draft, long_judgement

CODES = {"supported": "ok", "consistent": "ok", "no_relation": "none", "no_claim": "none", "absent": "absent"}


def shortened(name: str | None, value: Any) -> Any:
    """The reply to the prompt of that name as a model writes it."""
    if name in ("judge", "review") and isinstance(value, dict) and "segments" in value:
        short = short_judgement(value)
        return short if name == "judge" else {"points": short["points"]}
    if name == "decompose" and isinstance(value, dict) and "individuals" in value:
        return short_draft(value)
    return value


def lengthened(name: str | None, value: Any, data: Mapping[str, Any]) -> Any:
    """The opposite; ``data``: of the request."""
    if name in ("judge", "review") and isinstance(value, dict) and "points" in value:
        asked = [segment["id"] for segment in data["segments"]]
        return long_judgement(value, asked, [document["id"] for document in data["documents"]])
    if name == "decompose" and isinstance(value, dict) and "who" in value:
        return long_draft(value)
    return value


def short_draft(value: Mapping[str, Any]) -> dict[str, Any]:
    """A reply to ``decompose``."""
    people = value["individuals"]
    segments = value["segments"]
    return {
        "who": [_individual(one) for one in people] if isinstance(people, list) else people,
        "segments": [_part(one) for one in segments] if isinstance(segments, list) else segments,
        "no_claim": value["no_claim"],
        "abstains": value["abstains"],
    }


def _individual(one: Any) -> Any:
    return f"{one['key']}: {one['name']}" if isinstance(one, dict) else one


def _part(one: Any) -> Any:
    if not isinstance(one, dict):
        return one
    rest = {key: value for key, value in one.items() if key not in ("individual", "points")}
    points = one.get("points")
    listed = ["|".join(map(str, each)) for each in points] if isinstance(points, list) else points
    return {**rest, "who": one.get("individual", ""), "points": listed}


def short_judgement(value: Mapping[str, Any]) -> dict[str, Any]:
    """A reply to ``judge``."""
    segments = value["segments"]
    if not isinstance(segments, list):
        return {"who": [], "points": segments}
    points: list[Any] = []
    for segment in segments:
        if not isinstance(segment, dict):
            points.append(segment)
            continue
        listed = segment.get("points")
        points += [_judged(point) for point in listed] if isinstance(listed, list) else [[segment["id"], listed]]
        if segment.get("logic") is not None:
            points.append(_tie(segment["id"], segment["logic"]))
    return {"who": [], "points": points}


def _judged(point: Any) -> Any:
    if not isinstance(point, dict):
        return point
    labels = dict(each.split(":") for each in point["labels"].split()) if isinstance(point.get("labels"), str) else None
    quotes = point.get("quotes", [])
    if point.get("verdict") == "supported" and point.get("error", "none") != "none":
        return [point.get("id"), "ok"]  # there is one verdict only: what does not fit it is that nothing bears it out
    if (
        labels is None
        or not isinstance(quotes, list)
        or point.get("confidence", "high") not in ("high", "medium", "low")
    ):
        return [point.get("id"), None]
    said = [_evidence(quote, labels) for quote in quotes]
    quoted = {quote["document"] for quote in quotes if isinstance(quote, dict)}
    said += [f"{ident} {letter}" for ident, letter in labels.items() if letter != "N" and ident not in quoted]
    code = CODES.get(point["verdict"], point["verdict"]) if point.get("error", "none") == "none" else point["error"]
    if point["verdict"] == "unsupported" and code == "unsupported":
        code = "hallucination"
    if isinstance(code, str) and point.get("confidence") == "low":
        code += "?"
    note = [] if code == "ok" else [point.get("analysis", "")]
    return [point.get("id"), *said, *note, code]


def _evidence(quote: Any, labels: Mapping[str, str]) -> Any:
    if not isinstance(quote, dict):
        return quote
    letter = labels.get(quote["document"], "S")
    return f"{quote['document']} {'P' if letter == 'N' else letter} {quote['text']}"


def _tie(ident: str, logic: Mapping[str, Any]) -> Any:
    quotes, verdict = logic.get("quotes", []), logic.get("verdict")
    if not isinstance(quotes, list):
        return [f"{ident}.r", None]
    letter = "C" if verdict == "contradicted" else "S"
    said = [f"{q['document']} {letter} {q['text']}" if isinstance(q, dict) else q for q in quotes]
    code = CODES.get(verdict, verdict) if logic.get("error", "none") == "none" else logic["error"]
    return [f"{ident}.r", *said, logic.get("comparison", ""), code]
