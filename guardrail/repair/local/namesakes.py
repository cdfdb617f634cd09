"""Say of which namesake a sentence speaks: "Dick Hanley (swimmer) also won a medal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.check.entities import cluster
from guardrail.check.entities.names import split_title
from guardrail.check.entities.namesakes import NamesakeGroup, first_mention, namesake_groups
from guardrail.repair.edits import resolved_pronoun
from guardrail.repair.local.edits import Edit
from guardrail.types import Entity, ErrorType, Finding, Report, Span

_PRONOUN = re.compile(
    r"\b(?:(?P<possessive>his|her(?= [a-z])(?!e\b)|its)|he|she|it)\b|(?P<zh>[他她它](?!们|人))", re.IGNORECASE
)
_TAGGED = re.compile(r"\s*[(（]")


def name_apart(report: Report, faults: Sequence[Finding]) -> dict[str, tuple[Edit, ...]]:
    """Edits by the id of the finding: who is resolved_pronoun, by title, in each sentence that mixes namesakes up.

    The first sentence about the linked individual, and the next one after a sentence about another, say so as well.
    Findings that cannot be told apart (a namesake without a title of its own) are not in the result.
    """
    mixed = [f for f in faults if f.error_type is ErrorType.MIXED_ENTITIES]
    if not mixed:
        return {}
    entities = cluster(report.passages)
    kin = namesake_groups(entities)
    edits: dict[str, tuple[Edit, ...]] = {}
    spoken: dict[str, tuple[NamesakeGroup, Entity]] = {}  # of whom each sentence with a namesake is
    for finding in mixed:
        family = next((f for f in kin for m in f.members if m.title == finding.entity), None)
        other = _other(finding, family, report) if family else None
        named = _named(report.answer, finding, other, family) if family and other else None
        if family is None or other is None or named is None:
            continue
        edits[finding.id] = (named,)
        spoken[finding.id] = (family, other)
    for family in dict.fromkeys(family for family, _ in spoken.values()):
        _name_the_others(report, faults, family, spoken, edits)
    return edits


def _name_the_others(
    report: Report,
    faults: Sequence[Finding],
    family: NamesakeGroup,
    spoken: dict[str, tuple[NamesakeGroup, Entity]],
    edits: dict[str, tuple[Edit, ...]],
) -> None:
    """Sentences about the linked individual: named in full at first, and wherever the one before is of another."""
    before: Entity | None = None
    wrong = {finding.id for finding in faults}
    for finding in sorted(report.findings, key=lambda f: f.span):
        if finding.id in spoken:
            before = spoken[finding.id][1]
            continue
        member = next((m for m in family.members if m.title == finding.entity), None)
        if member is None or finding.id in wrong:
            continue
        if member != before and (named := _named(report.answer, finding, member, family)) is not None:
            edits[finding.id] = (named,)
        before = member


def true_namesake(finding: Finding, report: Report) -> Entity | None:
    """The namesake that a mixed-up sentence is true of; None where no title tells it from the others."""
    if finding.error_type is not ErrorType.MIXED_ENTITIES:
        return None
    kin = namesake_groups(cluster(report.passages))
    family = next((f for f in kin for m in f.members if m.title == finding.entity), None)
    return _other(finding, family, report) if family else None


def _other(finding: Finding, family: NamesakeGroup, report: Report) -> Entity | None:
    """The namesake whose passages support the sentence, if a title tells it from the others."""
    number_of = {passage.id: number for number, passage in enumerate(report.passages)}
    quoted = {number_of.get(each.passage_id) for each in finding.evidence}
    found = [m for m in family.members if m.title != finding.entity and quoted & set(m.passages)]
    known = " ".join(f"{p.title or ''} {p.text}" for p in report.passages)
    if len(found) != 1 or not (tag := split_title(found[0].title)[1]):
        return None
    return found[0] if all(word in known for word in re.findall(r"\w+", tag)) else None


def _named(answer: str, finding: Finding, entity: Entity, family: NamesakeGroup) -> Edit | None:
    """The first mention in the sentence, or else its first pronoun, gives way to the title."""
    text = finding.span.of(answer)
    if (mention := first_mention(text, family.names)) is not None:
        start, end = finding.span.start + mention.start, finding.span.start + mention.end
        if _TAGGED.match(answer, end):
            return None  # the title is there already
        possessive = "'s" if mention.of(text).endswith(("'s", "’s")) else ""
        return Edit(Span(start, end), entity.title + possessive)
    if (leading := resolved_pronoun(finding)) is not None:
        return Edit(leading[0], entity.title + ("'s" if leading[1].endswith(("'s", "’s")) else ""))
    pronoun = _PRONOUN.search(text)
    if pronoun is None:
        return None
    new = entity.title + ("'s" if pronoun["possessive"] else "")
    return Edit(Span(finding.span.start + pronoun.start(), finding.span.start + pronoun.end()), new)
