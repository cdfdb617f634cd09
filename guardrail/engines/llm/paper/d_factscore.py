"""D-FActScore's own calls (ACL'24, section 5.1 and appendix C): n for atomic facts, 1 to group, m*T to verify.

Each atomic fact is a segment of one claim, so that FS, D-FS, #bios and #entities count facts. The authors' code drops
the first fact of an answer and those that the grouping model does not repeat; here every fact is verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from guardrail.check.contract import DecomposeRequest, Draft, NotJudged, VerifyRequest
from guardrail.check.entities import cluster
from guardrail.check.entities.names import split_title
from guardrail.check.logic import find_relations
from guardrail.engines.llm.draft import answer_units
from guardrail.engines.llm.judgement import claims_of
from guardrail.engines.llm.paper.inputs import by_sentence, context_blocks, keeps, replies_to
from guardrail.engines.llm.paper.replies import FactsReply, GroupReply, GroupsReply, TruthReply, items
from guardrail.engines.llm.paper.verdicts import NOT_BACKED, NOT_JUDGED, Label, Locator, merged, strict
from guardrail.engines.llm.prompts import ask
from guardrail.engines.llm.protocol import Reply, Steps
from guardrail.engines.llm.replies import answer_of
from guardrail.types import Cell, Claim, Entity, EntityGroup, Row, Segment, SupportMatrix

PROMPTS = ("d_factscore_facts", "d_factscore_groups", "d_factscore_verify")

_REASONS = ("", "The passages of no individual support this fact.")


def decompose(request: DecomposeRequest, language: str) -> Steps[Draft]:
    """One call per sentence for its atomic facts, then one that groups all facts by individual.

    Facts go to the grouping by id and come back by id. One that is not named there stays with the fact before it.

    Args:
        request: The answer and what the rules made of it. A sentence whose facts cannot be read, or leave out most of
            it, becomes a fact itself.
        language: Of the instructions, ``en`` or ``zh``.
    """
    single = by_sentence(request)
    sentences = single.parts.checked
    if not sentences:
        return Draft(parts=request.parts)
    answer = ("answer", answer_units(single))
    replies = yield tuple(
        ask(PROMPTS[0], language, FactsReply, [answer, ("sentence", {"unit": n, "text": s.text})])
        for n, s in enumerate(sentences, 1)
    )
    facts = {s.id: _facts(reply) for s, reply in zip(sentences, replies, strict=True)}
    lossy = {s.id for s in sentences if not facts[s.id] or not keeps(facts[s.id], s.text)}
    facts |= {s.id: (*facts[s.id], s.text) for s in sentences if s.id in lossy}
    segments = tuple(_segments(single.parts.segments, facts))
    checked = [s for s in segments if s.skipped is None]
    listed = [{"id": s.id, "text": s.text} for s in checked]
    (reply,) = yield (ask(PROMPTS[1], language, GroupsReply, [answer, ("facts", listed)]),)
    groups, reason = _groups(reply, [s.id for s in checked])
    if lossy:
        reason = f"{len(lossy)} of {len(sentences)} sentences are checked whole: no facts say all of them. {reason}"
    return Draft(parts=replace(request.parts, segments=segments), groups=groups, reason=reason.strip())


def verify(request: VerifyRequest, language: str) -> Steps[SupportMatrix]:
    """One call per fact and individual: is the fact true by that individual's passages?

    All passages of an individual are read together. Where they bear a fact out, the cell stands at the passage that
    holds most of its words, with the sentences found there (located, not quoted by the model); its others have none.
    """
    entities = cluster(request.passages)
    facts = [claim for segment in request.segments for claim in claims_of(segment)]
    readable = [e for e in entities if any(request.passages[n].text.strip() for n in e.passages)]
    asked = [(fact, entity) for entity in readable for fact in facts]
    replies = yield from replies_to(
        ask(
            PROMPTS[2],
            language,
            TruthReply,
            [*context_blocks(request, entity.passages), ("fact", {"id": fact.id, "text": fact.text})],
        )
        for fact, entity in asked
    )
    told = {(f.id, e.id): _truth(reply, f.id) for (f, e), reply in zip(asked, replies, strict=True)}
    locator = Locator(request)
    rows = {fact.id: _row(fact, readable, told, locator, len(request.passages)) for fact in facts}
    return SupportMatrix(
        rows=tuple(strict(s.id, [rows[c.id] for c in claims_of(s)]) for s in request.segments),
        claims=tuple(rows[c.id] for s in request.segments for c in s.claims),
    )


def _facts(reply: Reply) -> tuple[str, ...]:
    raw = answer_of(reply)
    listed = raw.get("facts") if isinstance(raw, dict) else None
    texts = [" ".join(f.split()) for f in listed if isinstance(f, str)] if isinstance(listed, list) else []
    return tuple(dict.fromkeys(text for text in texts if text))


def _segments(sentences: Sequence[Segment], facts: Mapping[str, Sequence[str]]) -> Iterator[Segment]:
    """Facts in the order of the answer, each at the span of its sentence."""
    number = 0
    for sentence in sentences:
        for text in facts.get(sentence.id, (sentence.text,)):
            number += 1
            ident = f"s{number}"
            if sentence.skipped is not None:
                yield replace(sentence, id=ident)
                continue
            claim = Claim(id=f"{ident}.1", text=text, span=sentence.span)
            relations = find_relations(text)
            yield replace(sentence, id=ident, text=text, relations=relations, claims=(claim,))


def _groups(reply: Reply, ids: Sequence[str]) -> tuple[tuple[EntityGroup, ...] | None, str]:
    """Each fact in exactly one group, in order of first mention; None where the rules are to group."""
    raw = answer_of(reply)
    found = items(raw, "groups", GroupReply)
    home: dict[str, int] = {}
    for number, group in enumerate(found):
        for ident in group.facts:
            if ident in ids:
                home.setdefault(ident, number)
    if not home:
        why = raw.reason if isinstance(raw, NotJudged) else "the reply names no facts"
        return None, f"The rules grouped: {why}."
    missing = [ident for ident in ids if ident not in home]
    current = next(home[ident] for ident in ids if ident in home)
    for ident in ids:
        current = home.setdefault(ident, current)
    numbers = dict.fromkeys(home[ident] for ident in ids)
    groups = tuple(
        EntityGroup(
            id=f"g{place}",
            name=split_title(" ".join(found[number].name.split()))[0],
            segments=tuple(ident for ident in ids if home[ident] == number),
        )
        for place, number in enumerate(numbers, 1)
    )
    note = f"{len(missing)} of {len(ids)} facts were in no group and stay with the fact before." if missing else ""
    return groups, note


def _truth(reply: Reply, ident: str) -> bool | NotJudged:
    """Whether the fact is true, or why that is not known."""
    raw = answer_of(reply)
    if isinstance(raw, NotJudged):
        return raw
    said = items({"said": [raw]}, "said", TruthReply)
    return said[0].verdict == "true" if said and said[0].id == ident else NOT_JUDGED


def _row(
    fact: Claim,
    entities: Sequence[Entity],
    told: Mapping[tuple[str, str], bool | NotJudged],
    locator: Locator,
    passages: int,
) -> Row:
    cells: list[Cell | None] = [None] * passages
    fault = None
    for entity in entities:
        verdict = told[fact.id, entity.id]
        best = locator.best(fact.text, entity.passages) if verdict is True else None
        if best is not None:
            number, spans = best
            cells[number] = Label.ENTAILMENT.cell(spans)
        elif verdict is False:
            for number in entity.passages:
                cells[number] = Label.NEUTRAL.cell()
        else:
            fault = verdict if isinstance(verdict, NotJudged) else NOT_BACKED
    return merged(fact.id, cells, fault, _REASONS)
