"""Hallucination: a plausible detail that the passages do not give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source
from guardrail.evaluation.stress.wording import split_subject
from guardrail.types import ErrorType, Span

_K = ErrorType.HALLUCINATION
_PLACES = (
    "Porto Leeds Ghent Malmo Turin Graz Bergen Tartu Utrecht Nantes Cork Gdynia "
    "Vigo Lodz Aarhus Basel Toledo Linz".split()
)
_MONTHS = "January February March April June July August September October November December".split()
_GIVEN = (
    "Anna Jonas Mira Peter Clara Tomas Helen Victor Nadia Oscar Ruth Simon Elena Felix Karin Leo Marta Hugo".split()
)
_FAMILY = (
    "Lindgren Novak Hartmann Silva Brandt Keller Moreau Jansen Eriksen Walsh "
    "Petrov Castelli Dunn Fischer Okafor".split()
)
_WHO = (
    "a spokesperson|an independent review|the annual report|a later study|two earlier studies|a local newspaper|"
    "an internal memo|the regional authorities|an outside expert|a survey of users|the accompanying brochure|"
    "a second inspection|several witnesses|the project's website|a follow-up report|a radio programme|trade journals"
).split("|")
_DID = "confirmed noted pointed@out reported emphasised mentioned announced".split()
_WHEN = (
    "a year later|the following day|some weeks later|at the time|shortly afterwards|"
    "in a separate statement|last spring".split("|")
)
_ASIDE = (
    "mainly for reasons of cost|chiefly for reasons of safety|mostly out of habit|as {person} showed in {year}|"
    "according to {person} of the university of {place}|according to {person}, an expert from {place}|"
    "as {person} wrote in {year}|as figures from {place} show"
).split("|")
_WHO_IS = (
    "who had trained in {place}|who was {age} at the time|who grew up in {place}|who had been ill for some weeks|"
    "who later moved to {place}|a native of {place}|a former teacher|who speaks four languages|who died in {place}|"
    "a graduate of the university of {place}|who had twice refused the post"
).split("|")
_PERSON = re.compile(
    r"(?<![\w-] )\b(?P<name>[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z'’-]+) (?=(?:said|"
    r"won|wrote|advised|married|told|asked|warned|argued|taught|"
    r"studied|retired|resigned|painted|published|replied|offered|noted|suggested|"
    r"added|joined|thanked|died|became|founded)\b)"
)
_DATED = re.compile(
    r"\b(?:1[5-9]|20)\d\d\b|\b(?:year|month|week|day|century|ago|after|before|"
    r"when|until|since|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|"
    r"January|February|March|April|May|June|July|August|September|October|November|"
    r"December)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:opened|closed|built|founded|bought|sold|won|signed|moved|launched|"
    r"published|elected|appointed|rejected|approved|adopted|completed|introduced|"
    r"installed|recorded|met|presented|painted|donated|hired|resigned|married|"
    r"tested|ordered|replaced|voted|agreed|restored|destroyed|renamed|started|"
    r"discovered|wrote|designed|planted)\b"
)
_ENDS = re.compile(r"[a-z]{3,}\.$")
_MEANS = (
    "with the help of {count} volunteers|with a loan of {sum}|at the request of {person}|at a cost of {sum}|"
    "on the advice of {person}|together with {person}|in the presence of {person}|"
    "with a grant from the city of {place}|"
    "under the supervision of {person}"
).split("|")


def inventions(source: Source, rng: Random) -> Iterator[Change]:
    """An added clause, date, helper, sum or description; drawn so that nothing of it occurs in the passages."""
    text = source.sentence
    if not text.endswith(".") or text.endswith(("..", "a.m.", "p.m.", "etc.")):
        return
    yield _appended(text, f", {_remark(source, rng)}")
    event = _EVENT.search(text)
    clause = split_subject(text[:-1])
    if (
        event
        and clause is not None
        and _ENDS.search(text)
        and not re.search(
            r"[,;:?\"]|\b(?:not|no|never|may|will|must|can|if|that|than|who|which|because|to)\b", text[:-1]
        )
    ):
        yield _appended(text, " " + _filled(rng.choice(_MEANS), source, rng))
        if not _DATED.search(text):
            yield _appended(text, f" in {rng.choice(_MONTHS)} {_year(source, rng)}")
    for match in _PERSON.finditer(text):
        start = match.end("name")
        added = f", {_filled(rng.choice(_WHO_IS), source, rng)},"
        yield Change(_K, text[:start] + added + text[start:], (Span(start + 2, start + len(added) - 1),))


def _appended(text: str, added: str) -> Change:
    start = len(text) - 1
    skipped = len(added) - len(added.lstrip(", "))
    return Change(_K, f"{text[:-1]}{added}.", (Span(start + skipped, start + len(added)),))


def _remark(source: Source, rng: Random) -> str:
    if rng.random() < 0.5:
        return _filled(rng.choice(_ASIDE if "because" not in source.sentence else _ASIDE[3:]), source, rng)
    who, did = rng.choice(_WHO), rng.choice(_DID).replace("@", " ")
    when = f"in {rng.choice(_MONTHS)} {_year(source, rng)}" if rng.random() < 0.5 else rng.choice(_WHEN)
    return f"as {who} {did} {when}"


def _filled(form: str, source: Source, rng: Random) -> str:
    person = f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"
    free = [place for place in _PLACES if place not in source.all]
    return form.format(
        place=rng.choice(free or _PLACES),
        person=person,
        year=_year(source, rng),
        age=rng.randint(24, 68),
        count=rng.choice((15, 22, 35, 45, 70, 110)),
        sum=f"{rng.choice('£€$')}{rng.randint(3, 95)},{rng.choice((0, 200, 400, 500, 800)):03d}",
    )


def _year(source: Source, rng: Random) -> int:
    """A year that the passages do not name, not long after the latest that they do."""
    years = [int(number) for number in source.numbers if re.fullmatch(r"(?:1[6-9]|20)\d\d", number)]
    latest = max(years, default=2015)
    return rng.choice([year for year in range(latest + 1, latest + 6) if str(year) not in source.numbers])
