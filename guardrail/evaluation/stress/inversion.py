"""Entity inversion: two things change places in a comparison, an action, or two set-off clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from random import Random

from guardrail.evaluation.stress.change import Change, Source, swapped
from guardrail.evaluation.stress.clauses import read_pair
from guardrail.evaluation.stress.wording import is_plural, lowered, raised, split_subject
from guardrail.types import ErrorType, Span

_K = ErrorType.ENTITY_INVERSION
_THING = r"(?:[Tt]he |[Aa]n? )?[A-Za-z][\w'’-]*(?: (?:of (?:the )?)?[\w'’-]+){0,4}?"
_COMPARED = re.compile(
    rf"^(?P<one>{_THING}) (?P<verb>is|are|was|were|weighs?|costs?|lasts?|grows?|"
    rf"grew|lasted|weighed|cost|runs?|ran|sold|"
    r"scored|rose|fell|holds?|uses?|used|needs?|needed|burns?|burned|takes?|took|earns?|earned|measures?) "
    r"(?P<how>(?:[\w£€$.,%-]+ ){0,4}(?:more|less|fewer|better|worse|[a-z]{2,10}er)(?: [a-z-]+){0,3}) than "
    rf"(?P<two>{_THING})(?P<rest>\.|[,;] .*)$"
)
_REVERSE = {
    one: two
    for pair in (
        "larger smaller", "longer shorter", "heavier lighter", "faster slower", "older younger", "higher lower",
        "thicker thinner", "wider narrower", "warmer colder", "stronger weaker", "deeper shallower", "bigger smaller",
        "taller shorter",
    )
    for one, two in (pair.split(), pair.split()[::-1])
}  # fmt: skip
_ACTS = (
    "beat|defeated|succeeded|replaced|bought|acquired|sued|hired|taught|followed|overtook|paid|lent|outsold|absorbed|"
    "preceded|criticised|accused|supported|appointed|praised|helped|thanked|blamed|invited|told|asked|warned|attacked|"
    "rescued|supplied|owns|controls|employs|dismissed|nominated|trained|assisted|commissioned|advised|interviewed|"
    "outvoted|recommended|contradicted|challenged|overruled"
)
_NAME = r"(?:[A-Z][\w'’-]+|[A-Z]\.)(?: (?:[A-Z][\w'’-]*\.?|of|de|van|von)){0,3}"
_ACTION = re.compile(
    rf"\b(?P<one>{_NAME}) (?P<verb>(?:(?:was|were|is|are) )?(?:{_ACTS})(?: by)?) (?P<two>{_NAME})(?![\w'’-])"
)
_MOVE = re.compile(
    rf"\b(?:moved|transferred|went|travelled|sailed|switched|relocated|migrated|flew|walked|sent|shipped|emigrated|"
    rf"brought|returned|upgraded|changed) (?:[a-z]+ ){{0,3}}from (?P<one>{_NAME}) to (?P<two>{_NAME})(?![\w'’-])"
)
_AMOUNT = re.compile(
    r"(?<![\w.,:/–-])(?P<sign>[£$€¥]?)(?P<number>\d+(?:[.,]\d+)*)(?P<unit>\s?%|"
    r"(?: [a-z]+| °C| [A-Z]{2}\b)?)(?![\w–:/]|-\d)"
)
_CONTRAST = re.compile(r"\b(?:while|whereas|but|and|compared with|against|instead of)\b|[,;]")
_RANGE = re.compile(r"\b(?:from|between|to|of|than|out|another|further)\b", re.IGNORECASE)
_NO_THING = re.compile(
    r"\b(?:rather|other|no|not|expected|planned|it|they|one|ones|that|those|any|before|ever|usual|most|average|in)$"
)
_NO_SECOND = re.compile(
    r"(?:in|on|at|with|for|from|by|to|of|it|they|he|she|any|all|every|those|"
    r"that|when|before|expected|planned|half|one|two|most|other|usual|"
    r"normal|average|\d|its?|their|his|her)\b"
)
_NO_FIRST = re.compile(
    r"(?:It|They|He|She|This|That|These|Those|There|No|None|Nothing|Both|All|In|On|At|For|If|When|But|One|Its|Their)\b"
)
_START = frozenset("In On At By For From After Before Since The A An If When Of And But As To It They".split())


def inversion(source: Source, rng: Random) -> Iterator[Change]:
    """Two entities, or the values of two entities, exchanged."""
    text = source.sentence
    yield from _comparison(source)
    for pattern in (_ACTION, _MOVE):
        for match in pattern.finditer(text):
            one, two = match["one"], match["two"]
            if one.split(" ")[0] in _START or set(one.split()) & set(two.split()) or one.endswith(("'s", "’s")):
                continue
            yield swapped(_K, text, Span(*match.span("one")), Span(*match.span("two")))
    yield from _subjects(source)
    yield from _values(text, rng)


def compared(source: Source) -> str | None:
    """A comparison said the other way round ("A is larger than B": "B is smaller than A"); None for other sentences."""
    parts = _comparable(source)
    if parts is None or parts["rest"] != "." or parts["verb"] not in {"is", "are", "was", "were"}:
        return None
    how = _REVERSE.get(parts["how"])
    first = lowered(parts["one"], source)
    return None if how is None or first is None else f"{raised(parts['two'])} {parts['verb']} {how} than {first}."


def _comparable(source: Source) -> re.Match[str] | None:
    match = _COMPARED.match(source.sentence)
    if match is None or _NO_THING.search(match["two"]) or _NO_SECOND.match(match["two"]):
        return None
    if _NO_FIRST.match(match["one"]):
        return None
    if "rather" in match["how"] or re.search(
        r"\b(?:other|whether|under|over|after|never|water|number|paper|number)$", match["how"]
    ):
        return None
    if match["verb"] in {"is", "are", "was", "were"} | {
        "weighs",
        "costs",
        "lasts",
        "runs",
        "uses",
        "needs",
        "takes",
    } and (is_plural(match["one"]) != is_plural(match["two"])):
        return None
    return match if split_subject(f"{match['one']} {match['verb']} x") else None


def _comparison(source: Source) -> Iterator[Change]:
    match = _comparable(source)
    first = lowered(match["one"], source) if match else None
    if match is None or first is None:
        return
    text = f"{raised(match['two'])} {match['verb']} {match['how']} than {first}{match['rest']}"
    end = len(match["two"])
    at = text.index(f" than {first}", end) + len(" than ")
    yield Change(_K, text, (Span(0, end), Span(at, at + len(first))))


def _subjects(source: Source) -> Iterator[Change]:
    """X and Y of "X did this, while Y did that" exchanged."""
    pair = read_pair(source)
    if pair is None or pair.word == "so":
        return
    first, second = split_subject(pair.first), split_subject(pair.second)
    if first is None or second is None or first.predicate == second.predicate:
        return
    if first.subject.split(" ")[-1] == second.subject.split(" ")[-1] and first.verb == second.verb == "also":
        return
    if pair.word == "and" and not (_is_name(first.subject, source) and _is_name(second.subject, source)):
        return  # "and" joins unlike things; a contrast joins like ones
    if first.plural != second.plural and not (first.agrees_with_all and second.agrees_with_all):
        return
    if (
        _own(first.subject)
        or _own(second.subject)
        or set(second.subject.split()) & {"latter", "others", "rest", "same"}
    ):
        return
    start = lowered(first.subject, source)
    if start is None:
        return
    head = raised(second.subject)
    text = f"{head} {first.predicate}, {pair.word} {start} {second.predicate}."
    at = len(head) + len(first.predicate) + len(pair.word) + 4
    yield Change(_K, text, (Span(0, len(head)), Span(at, at + len(start))))


def _is_name(subject: str, source: Source) -> bool:
    words = subject.split(" ")
    return all(word[:1].isupper() for word in words) and (len(words) > 1 or subject in source.names)


def _own(subject: str) -> bool:
    return re.match(r"(?:its?|their|his|her|our|another|other)\b", subject, re.IGNORECASE) is not None


def _values(text: str, rng: Random) -> Iterator[Change]:
    """Two amounts of one unit, in two parts of the sentence, exchanged."""
    found = [m for m in _AMOUNT.finditer(text) if m["sign"] or m["unit"].strip()]
    pairs = [
        (one, two)
        for one, two in combinations(found, 2)
        if one["sign"] == two["sign"] and (one["sign"] or one["unit"] == two["unit"]) and one["number"] != two["number"]
        if _exchangeable(text, one, two)
    ]
    if pairs:
        one, two = rng.choice(pairs)
        yield swapped(_K, text, Span(*one.span("number")), Span(*two.span("number")))


def _exchangeable(text: str, one: re.Match[str], two: re.Match[str]) -> bool:
    between = text[one.end() : two.start()]
    if len(between.split()) < 3 or not _CONTRAST.search(between) or _RANGE.search(between.split()[-1]):
        return False
    return not _RANGE.search(" ".join(text[: one.start()].split()[-1:]))
