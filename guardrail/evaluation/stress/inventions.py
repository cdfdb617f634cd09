"""Hallucination: a plausible detail, drawn so that nothing of it occurs in the passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source
from guardrail.evaluation.stress.words import words
from guardrail.types import ErrorType, Span

_K = ErrorType.HALLUCINATION
_PLACES, _GIVEN, _FAMILY = words("places"), words("given_names"), words("family_names")
_MONTHS = "January February March April June July August September October November December".split()
_WHO, _DID, _WHEN, _ASIDE = words("sources"), words("confirmed"), words("moments"), words("asides")


def added_remark(source: Source, rng: Random) -> Iterator[Change]:
    """A remark at the end of the sentence: who confirmed it and when, or why."""
    text = source.sentence
    if text.endswith(".") and not text.endswith(("..", "a.m.", "p.m.", "etc.")):
        remark, start = _remark(source, rng), len(text) + 1
        yield Change(_K, f"{text[:-1]}, {remark}.", (Span(start, start + len(remark)),))


def _remark(source: Source, rng: Random) -> str:
    if rng.random() < 0.5:
        return _filled(rng.choice(_ASIDE if "because" not in source.sentence else _ASIDE[3:]), source, rng)
    who, did = rng.choice(_WHO), rng.choice(_DID)
    when = f"in {rng.choice(_MONTHS)} {_free_year(source, rng)}" if rng.random() < 0.5 else rng.choice(_WHEN)
    return f"as {who} {did} {when}"


def _filled(form: str, source: Source, rng: Random) -> str:
    person = f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"
    free = [place for place in _PLACES if place not in source.all]
    return form.format(
        place=rng.choice(free or _PLACES),
        person=person,
        year=_free_year(source, rng),
    )


def _free_year(source: Source, rng: Random) -> int:
    """A year that the passages do not name, not long after the latest that they do."""
    years = [int(number) for number in source.numbers if re.fullmatch(r"(?:1[6-9]|20)\d\d", number)]
    latest = max(years, default=2015)
    return rng.choice([year for year in range(latest + 1, latest + 6) if str(year) not in source.numbers])
