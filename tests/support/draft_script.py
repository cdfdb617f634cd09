"""How the scripted judge takes an answer apart: a piece is a segment, by a handful of plain rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from guardrail.testing.chat_reply import Body

_NAME = re.compile(r"(?:(?<=^)|(?<=\s))[A-Z][\w'-]+(?: [A-Z][\w'-]+)+")
_PRONOUN = re.compile(r"^(?:He|She|It|They)\b")
_LINKS = r"\b(?:therefore|thus|hence|consequently|as a result|because of this)\b|因此|所以|于是"
_STARTS = re.compile(_LINKS, re.IGNORECASE)
_RELATIONS = re.compile(
    rf"{_LINKS}|\b(?:because|since|so that|unless|only if|if|although|though|such as|all|most)\b"
    r"|因为|由于|除非|只有|如果|虽然|尽管|例如",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\b(?:I (?:do not|don't) know|(?:cannot|can't|unable to) answer)\b|我不知道|无法回答", re.IGNORECASE
)
_COPULA = re.compile(r"\s(is|are|was|were|has|have|had|will|can|may|must)\s|(是|在|有|于|为)")

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*")


def sentences(text: str) -> list[str]:
    """Sentences as they stand in the text, without the white space around them."""
    return [s for s in (m.group().strip() for m in _SENTENCE.finditer(text)) if s]


def draft(data: Mapping[str, Any], _: Body | None = None) -> dict[str, Any]:
    """Reply to ``decompose``: in its long form.

    One segment per piece. A piece that starts with a connective joins the one before; one with a semicolon becomes
    two; questions claim nothing. Two or more capitalised words that follow each other are an individual, and a pronoun
    at the start of a piece stands for the latest.
    """
    individuals: dict[str, str] = {}
    segments: list[dict[str, Any]] = []
    no_claim: list[int] = []
    latest = ""
    pieces = [(each["unit"], each["text"].strip()) for each in data["answer"] if each["unit"] is not None]
    for unit, text in pieces:
        if text.endswith(("?", "？")) or _DECLINES.search(text):
            no_claim.append(unit)
            continue
        if (name := _NAME.search(text)) is not None:
            latest = individuals.setdefault(name.group(), f"i{len(individuals) + 1}")
        if _STARTS.match(text) and segments and segments[-1]["units"][-1] == unit - 1:
            _join(segments[-1], unit, text)
            continue
        named = next((name for name, key in individuals.items() if key == latest), "")
        parts = [part.strip() for part in text.split(";")]
        for part in parts if len(parts) == 2 and all(parts) else [text]:
            alone = _PRONOUN.sub(named, part) if named else part
            segments.append(
                {
                    "units": [unit],
                    "part": "" if part == text else part,
                    "text": alone,
                    "individual": latest,
                    "relation": _relation(alone),
                    "points": _points(alone),
                }
            )
    return {
        "individuals": [{"key": key, "name": name} for name, key in individuals.items()],
        "segments": segments,
        "no_claim": no_claim,
        "abstains": bool(pieces) and not segments and any(_DECLINES.search(text) for _, text in pieces),
    }


def _join(segment: dict[str, Any], unit: int, text: str) -> None:
    segment["units"].append(unit)
    segment["part"] = ""
    segment["text"] += f" {text}"
    segment["relation"] = _relation(segment["text"])
    segment["points"] += _points(text)


def _relation(text: str) -> str:
    return " / ".join(dict.fromkeys(m.group() for m in _RELATIONS.finditer(text)))


def _points(text: str) -> list[list[str]]:
    """One triplet, or two around ``, and``: what stands before the first auxiliary, it, and the rest."""
    plain = text.rstrip(".!。！")
    halves = plain.split(", and ")
    triplets = [_triplet(half) for half in (halves if len(halves) == 2 else [plain])]
    return [triplet for triplet in triplets if triplet is not None]


def _triplet(text: str) -> list[str] | None:
    verb = _COPULA.search(text)
    if verb is not None and text[: verb.start()].strip() and text[verb.end() :].strip():
        return [text[: verb.start()].strip(), verb.group().strip(), text[verb.end() :].strip()]
    words = text.split()
    return [words[0], words[1], " ".join(words[2:])] if len(words) > 2 else None
