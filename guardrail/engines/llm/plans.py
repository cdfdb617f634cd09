"""Call plans: which prompts fill the matrix, in which rounds. All prompts of an answer begin with the same documents.

``fast``: one call judges all segments with their logic. ``thorough``: one call per segment, all at once, so that each
is read alone. A reply that cannot be read is asked for once more. Points that it leaves out, or where quotes, values or
names do not bear its verdict out, get a second look in one call (the prompt ``review``), which says what is in doubt.
What is remembered is not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guardrail.check.contract import DecomposeRequest, Draft, NotJudged, VerifyRequest
from guardrail.engines.llm import second_look
from guardrail.engines.llm.caches.memory import Cache
from guardrail.engines.llm.draft import answer_units, read_draft
from guardrail.engines.llm.judgement import (
    Judgement,
    claims_of,
    nothing,
    read_segment,
    with_inner_logic,
)
from guardrail.engines.llm.prompts import LEAST_TOKENS, ask, in_calls, instructions
from guardrail.engines.llm.protocol import LLMError, Reply, Steps
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.relation_words import tie_words
from guardrail.engines.llm.replies import answer_of, workings_of
from guardrail.engines.llm.reply_memory import ReplyMemory, digest, with_ids, without_ids
from guardrail.engines.llm.second_look import Call
from guardrail.engines.llm.short_forms import TIE, ShortDraft, ShortJudgement, long_draft, long_judgement
from guardrail.types import Cause, EntityGroup, Segment, SupportMatrix, Usage

_TRIES = 2
_SHORT_TOKENS = 90
"""Of a terse reply, for each point or relation at most."""
_UNFIT = NotJudged("the judge's reply does not fit what was asked", Cause.REPLY)
_UNCLEAR = NotJudged("the judge gave no verdict, or several, for this segment", Cause.REPLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a plan needs beside the request."""

    language: str
    model: str
    cache: Cache | None = None


def decompose(request: DecomposeRequest, setting: Setting) -> Steps[Draft]:
    """Segments, points, relations and individuals of the answer, by one call."""
    units = answer_units(request)
    data = [("answer", units)] if request.question is None else [("question", request.question), ("answer", units)]
    prompt = ask("decompose", setting.language, ShortDraft, data, 1024 + 3 * len(request.answer))
    memory = ReplyMemory(setting.cache, digest(prompt.identity, setting.model))
    key = memory.key(prompt.user)
    if (kept := memory.recall(key)) is not None:
        return replace(read_draft(long_draft(kept), request), usage=Usage(cache_hits=1))
    why = ""
    for _ in range(_TRIES):
        (reply,) = yield (prompt,)
        raw = answer_of(reply)
        if isinstance(raw, NotJudged):
            why = raw.reason
        elif isinstance(raw.get("segments"), list):
            draft = read_draft(long_draft(raw), request)
            if any(segment.claims for segment in draft.parts.checked):  # something of the reply could be used
                memory.remember(key, raw)
            return draft
        if isinstance(reply, LLMError):
            break
    return Draft(parts=request.parts, reason=f"The rules decomposed: {why or 'the reply has no segments'}.")


def judge_all(request: VerifyRequest, setting: Setting) -> Steps[SupportMatrix]:
    """The plan ``fast``: all segments, facts and logic, in one call; very long answers in several at once."""
    return (yield from _judge(request, setting, alone=False))


def judge_each(request: VerifyRequest, setting: Setting) -> Steps[SupportMatrix]:
    """The plan ``thorough``: a call per segment, facts and logic."""
    return (yield from _judge(request, setting, alone=True))


def _judge(request: VerifyRequest, setting: Setting, *, alone: bool) -> Steps[SupportMatrix]:
    question = request.question or ""
    read_too = (question, *(s.text for s in request.segments))
    documents = Documents(request.passages, read_too, question=question, answer=request.answer)
    shared = _shared(request, documents)
    names = _individuals(request.groups)
    prompts = [instructions(name, setting.language).identity for name in ("judge", "review")]
    memory = ReplyMemory(setting.cache, digest(*prompts, setting.model, shared, alone))
    keys = {s.id: memory.key(_said(s, names.get(s.id))) for s in request.segments}
    judged: dict[str, Judgement] = {}
    known = {
        s.id: with_ids(kept, s, claims_of(s))
        for s in request.segments
        if (kept := memory.recall(keys[s.id])) is not None
    }
    beside = workings_of(known.values())
    for segment in request.segments:
        remembered = _whole(known.get(segment.id), segment, documents, beside)
        if remembered.complete:
            judged[segment.id] = remembered
    hits = len(judged)
    raws: dict[str, Any] = {}
    for _ in range(_TRIES):
        open_ = [s for s in request.segments if not _is_done(s, judged.get(s.id), raws.get(s.id))]
        if not open_:
            break
        again = [s for s in open_ if s.id in judged and _may_doubt(raws.get(s.id), s, judged[s.id])]
        fresh = [s for s in open_ if s not in again]
        calls = _calls(fresh, shared, setting, names, alone=alone)
        doubted = [second_look.Doubted(s, judged[s.id].doubts, names.get(s.id), tie_words(s)) for s in again]
        looks = second_look.calls(doubted, shared, setting.language)
        replies = yield tuple(prompt for prompt, _ in (*calls, *looks))
        answered = [(asked, reply) for (_, asked), reply in zip(calls, replies[: len(calls)], strict=True)]
        found = _read(answered, documents)
        for (_, looked_at), reply in zip(looks, replies[len(calls) :], strict=True):
            found |= _read_second(looked_at, reply, known | raws, judged, documents)
        for segment in open_:
            new, raw = found[segment.id]
            raws[segment.id] = raw
            before = judged.get(segment.id)
            if before is None or before.row.unverified is not None or new.complete or segment in again:
                judged[segment.id] = new
            if new.complete:
                memory.remember(keys[segment.id], without_ids(raw, claims_of(segment)))
        if all(isinstance(reply, LLMError) for reply in replies):
            break
    done = [judged[s.id] for s in request.segments]
    return SupportMatrix(
        rows=tuple(each.row for each in done),
        claims=tuple(r for s, each in zip(request.segments, done, strict=True) if s.claims for r in each.claims),
        logic=tuple(each.logic for each in done if each.logic is not None),
        usage=Usage(cache_hits=hits),
    )


def _shared(request: VerifyRequest, documents: Documents) -> list[tuple[str, Any]]:
    """What all prompts of the answer begin with."""
    listed = [
        {"id": ident, "title": passage.title, "text": passage.text}
        for ident, passage in zip(documents.ids, request.passages, strict=True)
    ]
    data: list[tuple[str, Any]] = [("documents", listed)]
    return data if request.question is None else [*data, ("question", request.question)]


def _individuals(groups: Sequence[EntityGroup]) -> dict[str, str]:
    """Whom each segment is about, as the judge is told; those who share a name have a number each."""
    count = Counter(group.name for group in groups)
    seen: Counter[str] = Counter()
    told: dict[str, str] = {}
    for group in groups:
        seen[group.name] += 1
        name = f"{group.name} #{seen[group.name]}" if count[group.name] > 1 else group.name
        told |= dict.fromkeys(group.segments, name) if group.name else {}
    return told


def _connectives(segment: Segment) -> str | None:
    return "; ".join(dict.fromkeys(relation.connective for relation in segment.relations)) or None


def _said(segment: Segment, who: str | None) -> list[object]:
    """What a verdict depends on, of a segment."""
    said: list[object] = [segment.text, _connectives(segment), [claim.text for claim in claims_of(segment)]]
    return said if who is None else [*said, who]


def _points(segment: Segment) -> list[dict[str, str]]:
    return [{"id": claim.id, "text": claim.text} for claim in claims_of(segment)]


def _item(segment: Segment, who: str | None) -> dict[str, Any]:
    """A segment as ``judge`` is shown it: a relation that ties its points has an id and is judged like one."""
    words = tie_words(segment)
    tie = None if words is None else {"id": f"{segment.id}{TIE}", "words": words}
    return {"id": segment.id, "who": who, "text": segment.text, "points": _points(segment), "relation": tie}


def _calls(
    segments: Sequence[Segment],
    shared: list[tuple[str, Any]],
    setting: Setting,
    names: Mapping[str, str],
    *,
    alone: bool,
) -> list[Call]:
    batches = [[each] for each in segments] if alone else in_calls(segments, lambda each: len(claims_of(each)))
    calls: list[Call] = []
    for batch in batches:
        ties = sum(tie_words(segment) is not None for segment in batch)
        tokens = LEAST_TOKENS + _SHORT_TOKENS * (ties + sum(len(claims_of(segment)) for segment in batch))
        data = [*shared, ("segments", [_item(segment, names.get(segment.id)) for segment in batch])]
        calls.append((ask("judge", setting.language, ShortJudgement, data, tokens), tuple(batch)))
    return calls


def _is_done(segment: Segment, judged: Judgement | None, raw: Any) -> bool:
    """Whether nothing of a segment is open; of a refusal only what contradicts it counts."""
    if judged is None or judged.complete:
        return judged is not None
    refusal = segment.skipped is not None and raw is not None
    return refusal and all(point.get("verdict") != "contradicted" for point in raw["points"])


def _may_doubt(raw: Any, segment: Segment, judged: Judgement) -> bool:
    """Whether a reply could be read but for some points, and speaks of no others."""
    if raw is None or not judged.doubts:
        return False
    known = {claim.id for claim in claims_of(segment)}
    return all(point["id"] in known for point in raw["points"])


def _read_second(
    asked: Sequence[Segment],
    reply: Reply,
    raws: Mapping[str, Any],
    before: Mapping[str, Judgement],
    documents: Documents,
) -> Found:
    items, _ = _items(_lengthened(reply, asked, documents), asked)
    looked = {s.id: second_look.merged(raws[s.id], items.get(s.id), before[s.id].doubts) for s in asked}
    beside = workings_of([*(raw for ident, raw in raws.items() if ident not in looked), *looked.values()])
    return {s.id: (_whole(looked[s.id], s, documents, beside), looked[s.id]) for s in asked}


def _whole(raw: Any, segment: Segment, documents: Documents, beside: Sequence[tuple[str, str]] = ()) -> Judgement:
    """A reply about facts and relation."""
    logic = tie_words(segment) is not None
    return with_inner_logic(read_segment(raw, segment, documents, logic=logic, beside=beside), segment)


Answered = list[tuple[tuple[Segment, ...], Reply]]
Found = dict[str, tuple[Judgement, Any]]


def _read(answered: Answered, documents: Documents) -> Found:
    found: Found = {}
    for asked, reply in answered:
        items, why = _items(_lengthened(reply, asked, documents), asked)
        for segment in asked:
            raw = items.get(segment.id)
            judged = nothing(segment, documents, why) if raw is None else _whole(raw, segment, documents)
            found[segment.id] = judged, raw
    return found


def _lengthened(reply: Reply, asked: Sequence[Segment], documents: Documents) -> Mapping[str, Any] | NotJudged:
    raw = answer_of(reply)
    if isinstance(raw, NotJudged):
        return raw
    return long_judgement(raw, [segment.id for segment in asked], documents.ids) or _UNFIT


def _items(raw: Mapping[str, Any] | NotJudged, asked: Sequence[Segment]) -> tuple[dict[str, Any], NotJudged]:
    """Items of a reply by segment, and why one may be missing. Segments that nobody asked for spoil the whole reply."""
    if isinstance(raw, NotJudged):
        return {}, raw
    listed = raw.get("segments")
    ids = [item.get("id") for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    known = [segment.id for segment in asked]
    if not isinstance(listed, list) or len(ids) < len(listed) or not all(ident in known for ident in ids):
        return {}, _UNFIT
    return {item["id"]: item for item in listed if ids.count(item["id"]) == 1}, _UNCLEAR
