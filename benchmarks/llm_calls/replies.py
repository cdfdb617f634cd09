"""What the scripted model replies: the same findings (case.json) in the form that each tool asks for.

A prompt is known by our own instructions or by its reply schema (deepeval), else by its wording (ragas, RefChecker).
Nothing is judged here: a claim's verdict, quotes and reason are written down in the case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from guardrail.testing import Reply
from guardrail.testing.chat_reply import Body, message_text
from tests.support.prompt_names import prompt_name, request_data
from tests.support.short_replies import shortened

CASE: dict[str, Any] = json.loads(Path(__file__).with_name("case.json").read_text(encoding="utf-8"))
ANSWER = " ".join(CASE["sentences"])
PASSAGES: list[dict[str, str]] = CASE["passages"]
SEGMENTS: list[dict[str, Any]] = CASE["segments"]
CLAIMS: list[dict[str, Any]] = [claim for segment in SEGMENTS for claim in segment["claims"]]
REFCHECKER = {"supported": "Entailment", "contradicted": "Contradiction", "unsupported": "Neutral"}


def said(claim: Mapping[str, Any]) -> str:
    """A claim as a sentence without its stop."""
    return " ".join(claim["triplet"])


TRIPLET = re.compile(r"^\(\"(.*)\", \"(.*)\", \"(.*)\"\)$|^\['(.*)', '(.*)', '(.*)'\]$", re.MULTILINE)
"""A claim in RefChecker's prompts, joint or alone."""

BY_TEXT = {said(claim): claim for claim in CLAIMS}


def reply(body: Body) -> Reply:
    """Reply to a request of any tool; status 400 for a prompt that is not known."""
    ours = prompt_name(body)
    if ours in OURS:
        return Reply(_compact(shortened(ours, OURS[ours](request_data(body)))))
    if (schema := _schema_name(body)) in SCHEMAS:
        return Reply(_compact(SCHEMAS[schema](body)))
    text = "\n".join(message_text(message) for message in body["messages"])
    if "Break down each sentence into one or more fully understandable statements" in text:
        return Reply(_compact(_statements()))
    if "judge the faithfulness of a series of statements" in text:
        return Reply(_compact(_ragas_verdicts()))
    if "extract a KG" in text:
        return Reply("\n".join('("{}", "{}", "{}")'.format(*claim["triplet"]) for claim in CLAIMS))
    if "Your answer should always be only" in text:
        return Reply(_refchecker_labels(text))
    return Reply(f"unknown prompt: {text[:200]}", status=400)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _schema_name(body: Body) -> str:
    form = body.get("response_format") or {}
    return str((form.get("json_schema") or {}).get("name", ""))


def _refchecker_labels(text: str) -> str:
    """One label a line, for the claims and the passage in the prompt."""
    reference = text.split("### Reference:")[1].split("### Claim", maxsplit=1)[0]
    inside = {passage["id"] for passage in PASSAGES if passage["text"] in reference}
    asked = TRIPLET.findall(text.split("### Claim")[1])
    return "\n".join(_label(BY_TEXT[" ".join(filter(None, parts))], inside) for parts in asked)


def _label(claim: Mapping[str, Any], passages: set[str]) -> str:
    quoted = any(quote["passage"] in passages for quote in claim["quotes"])
    return REFCHECKER[claim["verdict"]] if quoted else "Neutral"


def _statements() -> dict[str, Any]:
    return {"statements": [f"{said(claim)}." for claim in CLAIMS]}


def _ragas_verdicts() -> dict[str, Any]:
    return {
        "statements": [
            {"statement": f"{said(claim)}.", "reason": claim["reason"], "verdict": int(claim["verdict"] == "supported")}
            for claim in CLAIMS
        ]
    }


def _truths(_: object) -> dict[str, Any]:
    """Each sentence of the passages is a truth: the fewest that lose nothing."""
    return {"truths": [line for passage in PASSAGES for line in re.split(r"(?<=\.) ", passage["text"])]}


def _claims(_: object) -> dict[str, Any]:
    return {"claims": [f"{said(claim)}." for claim in CLAIMS]}


def _deepeval_verdicts(_: object) -> dict[str, Any]:
    word = {"supported": "yes", "contradicted": "no", "unsupported": "borderline"}
    return {
        "verdicts": [
            {"verdict": word[claim["verdict"]], "reason": None if claim["verdict"] == "supported" else claim["reason"]}
            for claim in CLAIMS
        ]
    }


def _deepeval_reason(_: object) -> dict[str, Any]:
    wrong = " ".join(claim["reason"] for claim in CLAIMS if claim["verdict"] == "contradicted")
    return {"reason": f"The score is 0.95 because of one contradiction. {wrong}"}


SCHEMAS: dict[str, Callable[[Body], dict[str, Any]]] = {
    "Truths": _truths,
    "Claims": _claims,
    "Verdicts": _deepeval_verdicts,
    "FaithfulnessScoreReason": _deepeval_reason,
}
"""Replies to deepeval by name of the schema."""


def _units(segment: Mapping[str, Any], data: Mapping[str, Any]) -> list[int]:
    """Numbers of the pieces, as the prompt has them, that the segment's sentences are in."""
    sentences = [CASE["sentences"][number - 1] for number in segment["sentences"]]
    return [piece["unit"] for piece in data["answer"] if any(text in piece["text"] for text in sentences)]


def _draft(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "individuals": [{"key": "i1", "name": "Larkmoor Dam"}],
        "segments": [
            {
                "units": _units(segment, data),
                "part": "",
                "text": segment["text"],
                "individual": "i1",
                "relation": segment["relation"],
                "points": [claim["triplet"] for claim in segment["claims"]],
            }
            for segment in SEGMENTS
        ],
        "no_claim": [],
        "abstains": False,
    }


def _quotes(listed: list[dict[str, str]], data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Quotes of the documents that the prompt holds, under their ids there."""
    ids = {document["text"]: document["id"] for document in data["documents"]}
    of_passage = {passage["id"]: ids[passage["text"]] for passage in PASSAGES if passage["text"] in ids}
    return [{"document": of_passage[q["passage"]], "text": q["text"]} for q in listed if q["passage"] in of_passage]


def _judged(item: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    claim = BY_TEXT[item["text"].rstrip(".")]
    quotes = _quotes(claim["quotes"], data)
    letter = "S" if claim["verdict"] == "supported" else "C"
    cited = {quote["document"] for quote in quotes}
    return {
        "id": item["id"],
        "quotes": quotes,
        "analysis": claim["reason"],
        "labels": " ".join(f"{d['id']}:{letter if d['id'] in cited else 'N'}" for d in data["documents"]),
        "verdict": claim["verdict"],
        "confidence": "high",
        "error": claim["error"],
    }


def _logic(item: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any] | None:
    segment = next(each for each in SEGMENTS if each["text"] == item["text"])
    if not item.get("relation") or "logic" not in segment:
        return None
    return segment["logic"] | {"quotes": _quotes(segment["logic"]["quotes"], data)}


def _judge(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"segments": [_judged_whole(item, data) for item in data["segments"]]}


def _judged_whole(item: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """A segment; a relation inside a point is judged with that point: its error is the point's."""
    points = [_judged(point, data) for point in item["points"]]
    logic = next((each.get("logic") for each in SEGMENTS if each["text"] == item["text"]), None)
    wrong = [point for point in points if point["verdict"] != "supported"]
    if item["relation"] is None and logic is not None and wrong:
        wrong[-1]["error"] = logic["error"]
    return {"id": item["id"], "points": points, "logic": _logic(item, data)}


def _logic_alone(data: Mapping[str, Any]) -> dict[str, Any]:
    item = data["segment"]
    none = {
        "quotes": [],
        "answer_structure": "no connective",
        "passage_structure": "no connective",
        "comparison": "Nothing to compare.",
        "verdict": "no_relation",
        "error": "none",
    }
    return {"id": item["id"], "logic": _logic(item, data) or none}


def _pieces(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"segments": [{"units": _units(s, data), "part": "", "text": s["text"]} for s in SEGMENTS]}


def _face4rag_facts(data: Mapping[str, Any]) -> dict[str, Any]:
    segment = next(each for each in SEGMENTS if each["text"] == data["segment"]["text"])
    word = {"supported": "consistent", "contradicted": "contradicted", "unsupported": "not_found"}
    points = [
        {
            "point": said(claim),
            "context": _quotes(claim["quotes"], data),
            "analysis": claim["reason"],
            "verdict": word[claim["verdict"]],
            "error": claim["error"],
        }
        for claim in segment["claims"]
    ]
    return {"id": data["segment"]["id"], "points": points}


def _sentence_facts(data: Mapping[str, Any]) -> dict[str, Any]:
    number = data["sentence"]["unit"]
    return {"facts": [f"{said(claim)}." for claim in CLAIMS if claim["sentence"] == number]}


def _groups(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"groups": [{"name": "Larkmoor Dam", "facts": [fact["id"] for fact in data["facts"]]}]}


def _truth(data: Mapping[str, Any]) -> dict[str, Any]:
    claim = BY_TEXT.get(data["fact"]["text"].rstrip("."))
    holds = claim is not None and claim["verdict"] == "supported" and _quotes(claim["quotes"], data)
    return {"id": data["fact"]["id"], "verdict": "true" if holds else "false"}


def _triplets(_: object) -> dict[str, Any]:
    return {"triplets": [claim["triplet"] for claim in CLAIMS]}


def _labels(data: Mapping[str, Any]) -> dict[str, Any]:
    inside = {p["id"] for p in PASSAGES if any(p["text"] == document["text"] for document in data["documents"])}
    labels = []
    for item in data["claims"]:
        text = item["claim"] if isinstance(item["claim"], str) else " ".join(item["claim"])
        claim = BY_TEXT.get(text.rstrip("."))
        labels.append({"id": item["id"], "label": _label(claim, inside) if claim else "Neutral"})
    return {"labels": labels}


OURS: dict[str | None, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "decompose": _draft,
    "judge": _judge,
    "face4rag_decompose": _pieces,
    "face4rag_facts": _face4rag_facts,
    "face4rag_logic": _logic_alone,
    "d_factscore_facts": _sentence_facts,
    "d_factscore_groups": _groups,
    "d_factscore_verify": _truth,
    "refchecker_triplets": _triplets,
    "refchecker_check": _labels,
}
"""Replies to our own prompts by name of the prompt file."""
