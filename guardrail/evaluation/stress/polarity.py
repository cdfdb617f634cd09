"""Contradictions in polarity: a verb negated or no longer negated, a word replaced by its opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source, like, replaced
from guardrail.evaluation.stress.words import pairs, table, words
from guardrail.types import ErrorType

_K = ErrorType.CONTRADICTION
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|only|nor|neither|none|nobody|nothing|without|cannot|hardly|rarely|seldom|few|little|any|unless|"
    r"either|anything|anyone|ever|than|whether|even|least|\w+n't)\b",
    re.IGNORECASE,
)
_WEIRD = (
    r"(?! (?:not|no|never|only|nor|both|each|either|some|any|also|too|already|"
    r"just|most|many|several|all|every|at|still|"
    r"few|one|what|why|how|because|why|far|so|almost|nearly|about|often|always|usually|sometimes|probably|mainly|"
    r"therefore|then|thus|even|soon|then|of|in|on|the result|due|more|less|that|where|when|clearly|another|to|from)\b)"
)
_AUXILIARY = re.compile(
    rf"(?<!there )(?<!There )\b(is|are|was|were|can|must|will|may|could|would|should)\b{_WEIRD}(?= [a-z])"
)
_NOT = re.compile(
    r"\b(?P<verb>is|are|was|were|must|will|should|could|would|has|have|had) not "
    r"(?!(?:only|until|yet|because|just|but|all|every|necessarily|more|less|least|as|so|even|merely|always|enough|to)\b)"
    r"|\b(?P<can>cannot|can not) (?!be more|help|yet|only|but)"
)
_DO = re.compile(r"\b(?P<do>does|do|did) not (?P<verb>[a-z]+)\b")
_REGULAR = frozenset(words("regular"))
_IRREGULAR = table("irregular")
_PAIRS: dict[str, str] = {}
for _one, _two in pairs("opposites"):
    _PAIRS.setdefault(_one, _two)
_PAIR = re.compile(r"(?<![-\w])[A-Za-z]+(?![-\w])")
_KEPT = re.compile(
    r"(?:above|below) (?:all|the law)|(?:best|worst) (?:of|known|practice)|"
    r"public (?:holiday|school|house|opinion|prosecutor)|common (?:sense|ground|room|land)|"
    r"(?:agreed|refused|failed|succeeded|allowed|permitted|forbidden|refuse) (?:to|in|on|with|that|by|upon)|"
    r"(?:north|south|east|west)(?:[ -](?:east|west)|ern|ward)|(?:no|any) longer|"
    r"longer (?:be|accepts?|valid)|no (?:later|earlier)|(?:inside|outside) out|"
    r"later (?:on|became|years|in|that)|(?:later|earlier)[,.;]|confirmed by|opened (?:fire|up)|"
    r"lost(?! the (?:case|election|match|game|final|vote|race|war|battle|appeal))|older (?:people|than)|"
    r"profit (?:and|from)|raised (?:in|by|funds|money|concerns)|won (?:by|over|the right)|present(?:s|ed)",
    re.IGNORECASE,
)
_INCLUDED = re.compile(
    r"(?:include|contain|cover|belong to|count as|included|covered|part of|counted|one of|among|considered)\b"
)
_BOUNDS = {"at least": "at most", "at most": "at least", "up to": "at least"}
_BOUND = re.compile(r"\b(?:at least|at most|up to)(?= (?:\d|two|three|four|five|six|seven|eight|nine|ten|twelve))")
_MODALS = {"may": "cannot", "can": "cannot", "must": "need not", "will": "will not"}


def opposite(source: Source, _: Random) -> Iterator[Change]:
    """A word replaced by its opposite."""
    text = source.sentence
    for match in _PAIR.finditer(text):
        if match[0].lower() not in _PAIRS or _KEPT.search(text[max(match.start() - 8, 0) : match.end() + 14]):
            continue
        new = like(match[0], _PAIRS[match[0].lower()])
        if new.lower() not in text.lower():
            yield replaced(_K, text, match.start(), match.end(), new)


def turned_bound(source: Source, _: Random) -> Iterator[Change]:
    """At least made at most, and the other way round."""
    text = source.sentence
    for match in _BOUND.finditer(text):
        yield replaced(_K, text, match.start(), match.end(), _BOUNDS[match[0]])


def denied(source: Source, rng: Random) -> Iterator[Change]:
    """The main verb negated; sentences with other negative words in them are not negated a second time."""
    text = source.sentence
    if _NEGATIVE.search(text):
        return
    found = list(_AUXILIARY.finditer(text))
    if not found:
        return
    match = found[0] if rng.random() < 0.7 else rng.choice(found)
    if re.search(
        r"\b(?:if|when|because|who|which|that|where|while|although|since|unless|so|and|what|how)\b",
        text[: match.start()],
    ):
        return  # denied inside a side clause, the sentence may still be taken for true
    if re.match(
        r"[^,;.]*\b(?:because|so that|in order|and|or|but|if|when|after|before|until|due to|by \w+ing|as)\b",
        text[match.end() :],
    ):
        return  # "was not closed because of rain" may mean that it was closed
    yield replaced(_K, text, match.start(), match.end(), _MODALS.get(match[1], f"{match[1]} not"))


def affirmed(source: Source, _: Random) -> Iterator[Change]:
    """A negated verb no longer negated; of what is not included it is an error of inclusion."""
    text = source.sentence
    tail = (
        r"[^,;.]*\b(?:any\w*|either|nor|or|at all|whether|until|because|but|even|"
        r"yet|ever|both|all|enough|much|many|necessarily)\b"
    )
    for match in _NOT.finditer(text):
        if re.match(tail, text[match.end() :]) or re.match(r"neither|nor", text, re.IGNORECASE):
            continue
        new = f"{match['verb']} " if match["verb"] else "can "
        yield replaced(_kind(text[match.end() :]), text, match.start(), match.end(), new)
    for match in _DO.finditer(text):
        verb = _finite(match["do"], match["verb"])
        if verb is not None and not re.match(tail, text[match.end() :]):
            yield replaced(_kind(match["verb"] + text[match.end() :]), text, match.start(), match.end(), verb)


def _kind(rest: str) -> ErrorType:
    return ErrorType.INCLUSION_RELATION if _INCLUDED.match(rest) else _K


def _finite(do: str, verb: str) -> str | None:
    if verb not in _REGULAR and verb not in _IRREGULAR:
        return None
    if do == "do":
        return verb
    stem = verb[:-1] + "i" if verb.endswith("y") and verb[-2] not in "aeiou" else verb
    if do == "did":
        regular = "stopped" if verb == "stop" else verb + "d" if verb.endswith("e") else stem + "ed"
        return _IRREGULAR.get(verb, regular)
    if verb == "have":
        return "has"
    return stem + ("es" if stem != verb or verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


POLARITY: tuple[Rule, ...] = (opposite, denied, affirmed, turned_bound)
