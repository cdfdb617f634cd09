"""Words by which an answer says that a value is not exact, in six languages: "algo menos de 340 g", "540mlくらい"."""

from __future__ import annotations

import re
from itertools import chain

_ABOUT, _UNDER, _OVER = (0.99, 1.01), (0.99, 1.0), (1.0, 1.01)
"""Between which shares of the value that is said the true one may lie."""

_LATIN = r"\b(?:{words})\s(?:an?\s|the\s)?$"
_BEFORE = (
    (
        _UNDER,
        re.compile(
            _LATIN.format(
                words=r"nearly|almost|(?:just|a\s(?:little|bit)|slightly)\s(?:under|below|less\sthan|short\sof)|not\squite"
                r"|casi|(?:algo|un\spoco|poco)\smenos\sde|fast|knapp|beinahe|nahezu|etwas\s(?:weniger\sals|unter)"
                r"|presque|près\sde|un\speu\smoins\sd[e’']|à\speine"
            )
            + r"|(?:将近|接近|不到|近)\s?$",
            re.IGNORECASE,
        ),
    ),
    (
        _OVER,
        re.compile(
            _LATIN.format(
                words=r"(?:just|a\s(?:little|bit)|slightly)\s(?:over|above|more\sthan)|(?:algo|un\spoco|poco)\smás\sde"
                r"|gut|etwas\s(?:mehr\sals|über)|un\speu\splus\sd[e’']"
            )
            + r"|(?:略超|略多于|稍多于)\s?$",
            re.IGNORECASE,
        ),
    ),
    (
        _ABOUT,
        re.compile(
            _LATIN.format(
                words=r"about|around|approximately|roughly|some|circa|close\sto|unos|unas|aproximadamente"
                r"|alrededor\sde|cerca\sde|en\storno\sa|más\so\smenos|etwa|ungefähr|rund|in\setwa|environ"
                r"|à\speu\sprès|approximativement|autour\sde|quelque"
            )
            + r"|\b(?:approx|ca|env)\.\s?$"
            r"|(?:[~～≈]|约|約|大约|大概|约合|约为|差不多|ほぼ|およそ|おおよそ|だいたい)\s?$",
            re.IGNORECASE,
        ),
    ),
)
_BEHIND = (
    (_UNDER, re.compile(r"\s?(?:弱|足らず)")),
    (_OVER, re.compile(r"\s?(?:強|余り|あまり|出头)")),
    (
        _ABOUT,
        re.compile(
            r"\s?(?:左右|上下|ほど|くらい|ぐらい|程度|前後)|\s(?:or\sso|aproximadamente|más\so\smenos|environ)\b",
            re.IGNORECASE,
        ),
    ),
)
_NEAR = 32
"""Characters in which a hedge is looked for."""


def leeway(value: str, said: str) -> tuple[float, float] | None:
    """Between what shares of a value the true one may lie, as a text hedges it wherever it has it; None if exact.

    Args:
        value: As the claim has it.
        said: The sentence of the answer.
    """
    places = list(re.finditer(rf"(?<![\d.,]){re.escape(value)}(?!\d)", said))
    found = [_hedge(said, place.start(), place.end()) for place in places]
    shares = [share for share in found if share is not None]
    if not shares or len(shares) < len(found):
        return None
    return max(low for low, _ in shares), min(high for _, high in shares)


def _hedge(said: str, start: int, end: int) -> tuple[float, float] | None:
    before = (share for share, words in _BEFORE if words.search(said, max(0, start - _NEAR), start))
    behind = (share for share, words in _BEHIND if words.match(said, end))
    return next(chain(before, behind), None)
