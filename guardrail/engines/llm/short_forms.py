"""The terse forms in which our own plans are answered, and the long ones that the readers take.

A reply costs the time of its tokens, so what can be told from the rest is not written: a document that is not named is
silent on a point, the verdict over all documents follows from the letters, and a text that stands alone is not copied.
The long forms are those of ``replies``; whatever does not fit its form comes out so that the readers refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from guardrail.engines.llm.replies import FoundError, LogicError

TIE = ".r"
"""What follows a segment's id in the id of its relation."""

_EQUALS = re.compile(r"(?<![<>!=≤≥])=(?!=)")
_LEADS_TO = re.compile(r"(?P<sum>[^=→⇒]*\d\s*[-+*/x×÷−]\s*\d[^=→⇒]*)[→⇒](?P<result>[^=→⇒]+)")
_EVIDENCE = re.compile(r"(d\d+)[ :]+([SPCO])(?:[ :]+(.*))?", re.DOTALL)
_LOGIC = frozenset(get_args(LogicError))
_FOUND = frozenset(get_args(FoundError))
_OF_ANOTHER = frozenset({"mixed_entities", "conflation"})
_STRENGTH = "NPSOC"
"""Letters of one document for one point: the later one stands."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class ShortPart(_Form):
    """A segment: ``text`` is "" where the words as written do, ``points`` are "head|relation|tail"."""

    units: list[int]
    part: str = ""
    text: str = ""
    who: str = ""
    relation: str = ""
    points: list[str] = Field(default_factory=list)


class ShortDraft(_Form):
    """Reply to the prompt ``decompose``. ``who``: "key: name"; ``no_claim``: units that state nothing."""

    who: list[str]
    segments: list[ShortPart]
    no_claim: list[int]
    abstains: bool


class ShortJudgement(_Form):
    """Reply to the prompt ``judge``. ``points``: id, "d1 S words" for each document that speaks of it, note, verdict.

    ``who`` names the documents about each individual whose name others bear: the first decision of the judge.
    """

    who: list[str]
    points: list[list[str]]


class ShortReview(_Form):
    """Reply to the prompt ``review``: ``points`` as in ShortJudgement."""

    points: list[list[str]]


def long_draft(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the form that ``draft.read_draft`` takes."""
    segments = raw.get("segments")
    return {
        "individuals": [_individual(each) for each in _listed(raw.get("who"))],
        "segments": [_part(each) for each in segments] if isinstance(segments, list) else segments,
        "no_claim": raw.get("no_claim"),
        "abstains": raw.get("abstains"),
    }


def _individual(raw: object) -> object:
    if not isinstance(raw, str):
        return raw
    key, mark, name = raw.partition(":")
    return {"key": key.strip(), "name": name.strip() if mark else key.strip()}


def _part(raw: object) -> object:
    if not isinstance(raw, Mapping):
        return raw
    rest = {key: value for key, value in raw.items() if key not in ("who", "points")}
    points = raw.get("points", [])
    triplets = _triplets(points) if isinstance(points, list) else points
    return {"text": "", **rest, "individual": raw.get("who", ""), "points": triplets}


def _triplets(points: Sequence[object]) -> list[object]:
    """Heads that are left out are those of the point before."""
    made: list[object] = []
    head = ""
    for point in points:
        parts = [part.strip() for part in point.replace("｜", "|").split("|")] if isinstance(point, str) else []
        if len(parts) != 3:
            made.append([])  # left out by the reader, which then checks the whole text beside the other points
            continue
        head = parts[0] or head
        made.append([head, parts[1], parts[2]])
    return made


def long_judgement(raw: Mapping[str, Any], asked: Sequence[str], documents: Sequence[str]) -> dict[str, Any] | None:
    """The same as segments with ``points`` and ``logic``, one item for each segment that is spoken of.

    Args:
        raw: The reply.
        asked: Ids of the segments that it should speak of.
        documents: Ids of the documents.

    Returns:
        None if it is no such reply.
    """
    listed = raw.get("points")
    if not isinstance(listed, list):
        return None
    found: dict[str, dict[str, Any]] = {}
    for item in listed:
        if not isinstance(item, list) or not item or not isinstance(item[0], str):
            return None
        ident = item[0].strip()
        segment = ident.rpartition(".")[0]
        if segment not in asked:
            return None
        whole = found.setdefault(segment, {"id": segment, "points": [], "logic": None})
        if not ident.endswith(TIE):
            whole["points"].append(_point(ident, item[1:], documents))
        else:  # two verdicts on one relation are none
            whole["logic"] = _logic(item[1:]) if whole["logic"] is None else {}
    return {"segments": list(found.values())}


class _Said:
    """What follows an id: evidence, notes, verdict."""

    def __init__(self, raw: Sequence[object]) -> None:
        parts = [part.strip() for part in raw if isinstance(part, str)]
        self.whole = len(parts) == len(raw) and bool(parts)
        word = parts[-1] if parts else ""
        self.unsure = word.endswith("?")
        self.verdict = re.sub(r"[\s-]+", "_", word.rstrip("?").strip().casefold())
        matches = [_EVIDENCE.fullmatch(part) for part in parts[:-1]]
        self.evidence = [(m[1], m[2], (m[3] or "").strip(" \"'“”")) for m in matches if m]
        self.notes = [part for part, match in zip(parts[:-1], matches, strict=True) if match is None and part]

    @property
    def pairs(self) -> list[list[str]]:
        """Both sides of each "=" of the notes; "a = b = c" has two."""
        told = (part for note in self.notes for part in re.split(r"[;；]", note))
        sides = ([side.strip() for side in _sides(part)] for part in told)
        return [list(pair) for each in sides if all(each) for pair in pairwise(each)]

    @property
    def quotes(self) -> list[dict[str, str]]:
        return [{"document": ident, "text": words} for ident, _, words in self.evidence]


def _sides(note: str) -> list[str]:
    """What "=" parts; an arrow does only behind a sum ("390 / 40 → 10")."""
    sum_ = _LEADS_TO.fullmatch(note)
    return [sum_["sum"], sum_["result"]] if sum_ else _EQUALS.split(note)


def _point(ident: str, raw: Sequence[object], documents: Sequence[str]) -> dict[str, Any]:
    said = _Said(raw)
    if not said.whole:
        return {"id": ident}
    wrong = said.verdict in _FOUND and said.verdict != "none"
    letters = _letters(said, wrong=wrong)
    named = [*documents, *(each for each in letters if each not in documents)]
    verdict = {"ok": "supported", "none": "no_claim"}.get(said.verdict, said.verdict)
    if wrong:
        verdict = "contradicted" if "C" in letters.values() else "unsupported"
    return {
        "id": ident,
        "quotes": said.quotes,
        "analysis": "; ".join(said.notes),
        "labels": " ".join(f"{each}:{letters.get(each, 'N')}" for each in named),
        "verdict": verdict,
        "confidence": "low" if said.unsure else "high",
        "error": said.verdict if wrong else "none",
        "aliases": said.pairs,
    }


def _letters(said: _Said, *, wrong: bool) -> dict[str, str]:
    """One letter for each document; two parts that one document says are all of it where the verdict says so.

    What one document says in full is no error: beside an error, it says it of another, or only a part of it.
    """
    letters: dict[str, str] = {}
    parts: dict[str, int] = {}
    for ident, letter, _ in said.evidence:
        parts[ident] = parts.get(ident, 0) + (letter == "P")
        letters[ident] = max(letters.get(ident, "N"), letter, key=_STRENGTH.index)
    for ident, letter in letters.items():
        if wrong and letter == "S":
            letters[ident] = "O" if said.verdict in _OF_ANOTHER else "P"
        elif said.verdict == "ok" and letter == "P" and parts[ident] > 1:
            letters[ident] = "S"
    return letters


def _logic(raw: Sequence[object]) -> dict[str, Any]:
    said = _Said(raw)
    if not said.whole:
        return {}
    verdict, error = {"ok": "consistent", "none": "no_relation"}.get(said.verdict, said.verdict), "none"
    if said.verdict in _FOUND and said.verdict != "none":
        verdict = "contradicted" if any(letter == "C" for _, letter, _ in said.evidence) else "unlicensed"
        error = said.verdict if said.verdict in _LOGIC else "other_logic"
    notes = {"comparison": "; ".join(said.notes), "aliases": said.pairs}
    return {"quotes": said.quotes, **notes, "verdict": verdict, "error": error}


def _listed(raw: object) -> list[Any]:
    return raw if isinstance(raw, list) else []
