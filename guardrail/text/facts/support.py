"""For each kind of fact: does the evidence support it, and if not, how sure is that?

Weights are no probabilities: they are signals, which the local engine's fitted scorer weighs with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.text.facts.alignment import FactEvidence, rival
from guardrail.text.facts.arithmetic import computed, same, shifted_minute, shifted_year
from guardrail.text.facts.fact import Amount, Bound, Fact, Facts, Mismatch, Moment, Value, mismatch
from guardrail.text.facts.names import missing_tokens, name_weight, normal_quote
from guardrail.text.facts.ranges import follows_from_range
from guardrail.text.facts.schedules import MIXED_UP, times_instead

_BEFORE_HOUR = re.compile(r"\b(?:at|from|to|till|until|by|before|after|between|and)\s$|[0-9]\s?[-–]\s?$", re.IGNORECASE)
_AFTER_HOUR = re.compile(
    r"\s*$|\s?[-–]|[.,;!?)](?!\d)"
    r"|\s(?:to|until|till|and|on|every|each|daily|sharp|because|but|so|if|when|while)\b"
)
_UP_TO_HOUR = re.compile(r"\s?[-–]\s?[0-9]|\s(?:to|until|till)\b")
_IN_RANGE = 0.2
"""Weight of a value that follows from a range of the evidence."""

_NEXT = frozenset("next following previous later earlier before prior last 翌 次 明 去".split())


def judge_amount(claim: Facts, fact: Fact, amount: Amount, evidence: FactEvidence) -> Mismatch | None:
    """A number or quantity: equal, hedged, or computed from the nearest sentences is fine."""
    if _is_stated(amount, evidence) or _is_hour(claim, fact, amount, evidence):
        return None
    other = rival(claim, fact, evidence)
    # Near-verbatim claims change a number rather than compute one.
    copied = other is not None and other.cover >= 0.7 and other.local >= (5 if _is_chinese(claim) else 2)
    may_follow = not copied or evidence.computing
    derived = _is_derived(claim, fact, amount, evidence)
    if may_follow and (derived or _is_hedged(claim, fact, amount, evidence)):
        return None
    if not copied and (weight := _example_weight(amount, evidence)):
        return mismatch(fact, weight)
    weight = 0.5 + 0.4 * other.cover if other is not None else 0.35 + 0.4 * evidence.cover
    weight -= 0.15 * evidence.computing + 0.15 * derived + 0.1 * evidence.supposing
    weight -= 0.1 * (amount.small and not amount.unit) + 0.1 * ("point" in fact.surface)
    return mismatch(fact, max(0.2, weight), other.surface if other is not None else None)


def _is_stated(amount: Amount, evidence: FactEvidence) -> bool:
    """Whether the evidence has the number itself, as a quantity, or in a date or time."""
    exact = amount._replace(bound=Bound.EXACT)
    in_unit = amount.unit and any(other.unit == amount.unit for other in evidence.amounts)
    # Where the evidence states such quantities, a bare equal number elsewhere is another thing.
    if any(same(exact, other) and (other.unit or not in_unit) for other in evidence.amounts):
        return True
    if not amount.unit:
        return any(amount.raw in (m.years and m.years[0], m.month, m.day) for m in evidence.moments)
    return amount.unit == "s" and any(  # "十日" is ten days or the tenth
        m.day == amount.raw or (m.minute is not None and m.minute * 60.0 == amount.base) for m in evidence.moments
    )


def _is_hour(claim: Facts, fact: Fact, amount: Amount, evidence: FactEvidence) -> bool:
    """Whether a bare number is a full hour that the evidence has: "from 8 to 6" and 8:00, 18:00."""
    if amount.unit or amount.raw > 24 or not _follows_hour_word(claim, fact):
        return False
    hours = any(m.minute is not None and (amount.raw * 60 - m.minute) % 720 == 0 for m in evidence.moments)
    return hours and _AFTER_HOUR.match(claim.text, fact.span.end) is not None


def _is_hedged(claim: Facts, fact: Fact, amount: Amount, evidence: FactEvidence) -> bool:
    """Whether a hedged number rests on a number near by that the claim does not repeat: those are spoken for."""
    if amount.bound is Bound.EXACT:
        return False
    used = {(f.value.unit, f.value.base) for f in claim.counted if isinstance(f.value, Amount) and f is not fact}
    free = (a for a in evidence.near_amounts if (a.unit, a.base) not in used and a.bound is not amount.bound)
    return any(same(amount, other) for other in free)


def _example_weight(amount: Amount, evidence: FactEvidence) -> float:
    """The weight of a number that is only an instance of what the evidence says; 0 if it is none."""
    hedged = any(a.unit == amount.unit and a.bound is not Bound.EXACT for a in evidence.near_amounts)
    if hedged and amount.bound is Bound.EXACT and evidence.cover < 0.7:
        return 0.3  # "only 40 GB" under "at least 64 GB" is an instance of the rule, not another rule
    # "A customer who pays 250": an example that the evidence need not state.
    return 0.4 if evidence.supposing and evidence.cover < 0.8 else 0.0


def _is_derived(claim: Facts, fact: Fact, amount: Amount, evidence: FactEvidence) -> bool:
    near = [(evidence.near_amounts, evidence.near_moments)]
    # Reworded claims may share no word with the sentence whose numbers they compute from.
    for sentence in evidence.sentences:
        values = [f.value for f in sentence.counted]
        if len(values) > 1:
            near.append(
                (tuple(v for v in values if isinstance(v, Amount)), tuple(v for v in values if isinstance(v, Moment)))
            )
    if any(computed(amount, amounts, moments) for amounts, moments in near):
        return True
    if not evidence.supposing:
        return False
    given = tuple(f.value for f in claim.counted if isinstance(f.value, Amount) and f is not fact)
    return bool(given) and computed(amount, (*given, *evidence.near_amounts), ())


def _is_chinese(facts: Facts) -> bool:
    return bool(facts.bag) and max(facts.bag) >= "\u3400"


def is_same_value(claim: Value, other: Value) -> bool:
    """Whether a value of the evidence states the claim's, which may say less."""
    if isinstance(claim, Amount) and isinstance(other, Amount):
        return same(claim._replace(bound=Bound.EXACT), other)
    return isinstance(claim, Moment) and isinstance(other, Moment) and _covers(claim, other)


def _covers(claim: Moment, other: Moment) -> bool:
    """Whether every component that the claim states is stated so by the other moment."""
    if claim.years and not (other.years and claim.years[0] <= other.years[0] and other.years[1] <= claim.years[1]):
        return False
    if claim.month and claim.day:
        pair = (other.month, other.day)
        swapped = (other.day, other.month) if other.swap else pair
        turned = (claim.day, claim.month) if claim.swap else (claim.month, claim.day)
        return bool({(claim.month, claim.day), turned} & {pair, swapped})
    if claim.month and claim.month != other.month and not (other.swap and other.day == claim.month):
        return False
    if claim.day and claim.day != other.day:
        return False
    if claim.weekdays and not (other.weekdays and _same_days(claim.weekdays, other.weekdays)):
        return False
    return claim.minute is None or _same_minute(claim, other)


def _same_days(claim: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether both are the same days, or the claim names one day of the other's."""
    first, last = other
    return claim == other or (claim[0] == claim[1] and (claim[0] - first) % 7 <= (last - first) % 7)


def _same_minute(claim: Moment, other: Moment) -> bool:
    if claim.minute is None or other.minute is None:
        return False
    if claim.sure and other.sure:
        return claim.minute == other.minute
    return claim.minute % 720 == other.minute % 720


def _parts(moment: Moment) -> Iterable[Moment]:
    """The components that may be spread over sentences: the year, and the day within it."""
    if moment.years:
        yield Moment(years=moment.years)
    if moment.month or moment.day:
        yield moment._replace(years=None)
    if moment.weekdays or moment.minute is not None:
        yield moment


def judge_moment(claim: Facts, fact: Fact, moment: Moment, evidence: FactEvidence) -> Mismatch | None:
    """A date or time: less precise than the evidence is fine, and so is one computed from a stated distance."""
    if moment.minute is not None and (instead := times_instead(claim, fact, evidence.sentences)):
        return mismatch(fact, MIXED_UP, instead)
    if any(_covers(moment, other) for other in evidence.moments):
        return None
    lacking = [part for part in _parts(moment) if not any(_covers(part, other) for other in evidence.moments)]
    lacking = [part for part in lacking if not _is_stated_elsewhere(part, evidence)]
    if not lacking:
        return None
    if follows_from_range(claim, fact, evidence.nearest):
        return mismatch(fact, _IN_RANGE)
    other = rival(claim, fact, evidence)
    year = lacking[0].years is not None
    if other is not None and (year or other.cover >= 0.6):
        weight = 0.5 + 0.1 * year + 0.3 * other.cover - 0.1 * (evidence.computing or evidence.supposing)
        return mismatch(fact, weight, other.surface)
    # Months, weekdays and hours are often instances of a range that the evidence states.
    weight = 0.35 + 0.15 * year + 0.3 * evidence.cover - 0.15 * (evidence.computing or evidence.supposing)
    return mismatch(fact, weight)


def _is_stated_elsewhere(part: Moment, evidence: FactEvidence) -> bool:
    if part.years:
        first, last = part.years
        if any(first <= a.raw <= last and not a.unit for a in evidence.amounts):
            return True
        return first == last and shifted_year(
            first, evidence.near_amounts, evidence.near_moments, next_to=not _NEXT.isdisjoint(evidence.forms)
        )
    if part.minute is not None:
        if any(_has_bare_hour(sentence, part.minute) for sentence, _ in evidence.nearest):
            return True
        return shifted_minute(part.minute, evidence.near_amounts, evidence.near_moments)
    if part.weekdays:  # "Saturday and Sunday" are the weekend
        first, last = part.weekdays
        named = {m.weekdays for m in evidence.moments}
        return all((day % 7, day % 7) in named for day in range(first, first + (last - first) % 7 + 1))
    # "The 14th" in the evidence is a bare ordinal; a month's other forms are computed ("the month after").
    days = {a.raw for a in evidence.near_amounts if a.ordinal or not a.unit}
    months = {m.month for m in evidence.moments}
    return bool(part.day and part.day in days and (part.month is None or part.month in months))


def _has_bare_hour(sentence: Facts, minute: int) -> bool:
    """Whether a bare number may be this full hour: in "from 8 to 6", not in "7 am (stand 9)"."""
    hours = {minute / 60, minute / 60 - 12}
    bare = [f for f in sentence.counted if isinstance(f.value, Amount) and f.value.raw in hours]
    if not bare or not any(isinstance(f.value, Moment) and f.value.minute is not None for f in sentence.counted):
        return bool(bare)
    return any(_follows_hour_word(sentence, f) or _UP_TO_HOUR.match(sentence.text, f.span.end) for f in bare)


def _follows_hour_word(facts: Facts, fact: Fact) -> bool:
    """Whether a number stands behind "at", "from", "until" or a dash, as hours do."""
    return _BEFORE_HOUR.search(facts.text, max(0, fact.span.start - 9), fact.span.start) is not None


def judge_name(fact: Fact, evidence: FactEvidence) -> Mismatch | None:
    """A name: its tokens must occur, in some form."""
    name = str(fact.value)
    if name.startswith("«"):
        return judge_quote(fact, evidence)
    lacking = missing_tokens(name, fact.surface, evidence.forms, evidence.initials)
    return mismatch(fact, name_weight(name, lacking)) if lacking else None


def judge_quote(fact: Fact, evidence: FactEvidence) -> Mismatch | None:
    """A quotation: the same words in the same order."""
    wanted = str(fact.value)[1:]
    whole = normal_quote(" ".join(s.text for s in evidence.sentences))
    return None if wanted in whole else mismatch(fact, 0.6)
