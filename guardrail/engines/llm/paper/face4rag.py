"""L-Face4RAG's own calls (Face4RAG, KDD'24, section 4): decompose, then facts and logic of every segment: 1 + 2s.

The plans ``fast`` and ``thorough`` are cheaper: they judge logic only where a segment states a relation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from guardrail.check.contract import DecomposeRequest, Draft, NotJudged, VerifyRequest
from guardrail.engines.llm.draft import answer_units, read_draft
from guardrail.engines.llm.judgement import NO_REPLY, Judgement, logic_in, nothing, read_segment, with_logic
from guardrail.engines.llm.paper.inputs import context_blocks, keeps, question_block
from guardrail.engines.llm.paper.replies import FactCheckReply, InformationReply, PiecesReply, items
from guardrail.engines.llm.prompts import ask
from guardrail.engines.llm.protocol import Reply, Steps
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.replies import LogicOnlyReply, answer_of
from guardrail.engines.llm.statements import is_talk
from guardrail.types import Cause, Claim, Segment, SupportMatrix

PROMPTS = ("face4rag_decompose", "face4rag_facts", "face4rag_logic")

_LOST = NotJudged("the judge's points leave out parts of this segment", Cause.REPLY)


def decompose(request: DecomposeRequest, language: str) -> Steps[Draft]:
    """One call: segments that keep logic together and stand alone (section 4.1); the rules group them.

    Args:
        request: The answer and what the rules made of it; their piece stands where the reply loses anything of it.
        language: Of the instructions, ``en`` or ``zh``.
    """
    blocks = [*question_block(request.question), ("answer", answer_units(request))]
    (reply,) = yield (ask(PROMPTS[0], language, PiecesReply, blocks),)
    raw = answer_of(reply)
    if isinstance(raw, NotJudged) or not isinstance(raw.get("segments"), list):
        why = raw.reason if isinstance(raw, NotJudged) else "the reply has no segments"
        return Draft(parts=request.parts, reason=f"The rules decomposed: {why}.")
    draft = read_draft({"segments": raw["segments"]}, request)
    segments = tuple(replace(segment, claims=()) for segment in draft.parts.segments)
    return replace(draft, parts=replace(draft.parts, segments=segments), groups=None)


def verify(request: VerifyRequest, language: str) -> Steps[SupportMatrix]:
    """Two calls per segment, all at once: facts in three steps, then logic in three steps (section 4.2).

    A segment is supported only if all its informational points are, on quotes that are in the passages, and if its
    logic is consistent or it has none. All passages are read together, so only passages that are quoted have a cell.
    """
    if not request.segments:
        return SupportMatrix(rows=())
    question = request.question or ""
    read_too = (question, *(s.text for s in request.segments))
    documents = Documents(request.passages, read_too, question=question, answer=request.answer)
    shared = context_blocks(request, range(len(request.passages)))
    prompts = []
    for segment in request.segments:
        words = "; ".join(dict.fromkeys(r.connective for r in segment.relations))
        item: dict[str, Any] = {"id": segment.id, "text": segment.text}
        prompts.append(ask(PROMPTS[1], language, FactCheckReply, [*shared, ("segment", item)]))
        item = item | {"relation": words or None}
        prompts.append(ask(PROMPTS[2], language, LogicOnlyReply, [*shared, ("segment", item)]))
    replies = yield tuple(prompts)
    judged = [
        _without_points(_with_logic(_facts(facts, segment, documents, request.answer), logic, segment, documents))
        for segment, facts, logic in zip(request.segments, replies[::2], replies[1::2], strict=True)
    ]
    return SupportMatrix(
        rows=tuple(each.row for each in judged),
        logic=tuple(each.logic for each in judged if each.logic is not None),
    )


def _facts(reply: Reply, segment: Segment, documents: Documents, answer: str) -> Judgement:
    raw = answer_of(reply)
    if isinstance(raw, NotJudged):
        return nothing(segment, documents, raw)
    listed = raw.get("points")
    points = items(raw, "points", InformationReply)
    if raw.get("id") != segment.id or not isinstance(listed, list) or len(points) < len(listed):
        return nothing(segment, documents, NO_REPLY)
    written = segment.span.of(answer)
    if not points and not is_talk(written):
        return nothing(segment, documents, NO_REPLY)
    points = points or [InformationReply(point=written, verdict="consistent")]
    if not keeps((point.point for point in points), segment.text, written):
        return nothing(segment, documents, _LOST)
    named = [(f"{segment.id}.{n}", point) for n, point in enumerate(points, 1)]
    pointed = replace(segment, claims=tuple(Claim(id=ident, text=point.point) for ident, point in named))
    said = {"id": segment.id, "points": [_point(ident, point, documents) for ident, point in named]}
    return read_segment(said, pointed, documents, logic=False)


def _point(ident: str, point: InformationReply, documents: Documents) -> dict[str, Any]:
    """A point in the form of replies.PointReply: the documents that its context is from bear the verdict."""
    cited = {quote.document for quote in point.context}
    bearing = {"consistent": "S" if len(cited) == 1 else "P", "contradicted": "C", "not_found": "N"}[point.verdict]
    return {
        "id": ident,
        "quotes": [quote.model_dump() for quote in point.context if point.verdict != "not_found"],
        "analysis": point.analysis,
        "labels": " ".join(f"{d}:{bearing if d in cited else 'N'}" for d in documents.ids),
        "verdict": _verdict(point, documents),
        "confidence": "high",
        "error": point.error,
    }


def _verdict(point: InformationReply, documents: Documents) -> str:
    """In the words of replies.PointReply; consistent without a context is talk, or true of the passages' silence."""
    if point.verdict == "consistent" and not point.context:
        if is_talk(point.point):
            return "no_claim"
        if not documents.hostile and documents.lacks(point.point) is None:
            return "absent"
    return {"consistent": "supported", "contradicted": "contradicted"}.get(point.verdict, "unsupported")


def _with_logic(judged: Judgement, reply: Reply, segment: Segment, documents: Documents) -> Judgement:
    return with_logic(judged, logic_in(reply, segment), segment, documents)


def _without_points(judged: Judgement) -> Judgement:
    """The points are the judge's own, nobody asked for rows of them; a passage that is not quoted was not judged alone.

    Where nothing is quoted, the judge says of all passages that they do not hold it.
    """
    row = judged.row
    if row.evidence:
        row = replace(row, cells=tuple(cell if cell is not None and cell.evidence else None for cell in row.cells))
    return replace(judged, row=row, claims=())
