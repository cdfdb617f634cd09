"""Other logic errors: before and after, and and or, unless and if, because and although, instead of and besides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, like, replaced
from guardrail.types import ErrorType, Span

_K = ErrorType.OTHER_LOGIC
_WHEN = re.compile(
    r"(?<!look )(?<!looks )(?<!looked )(?<!named )(?<!sought )(?<!day )(?<!one )(?<!soon )(?<!year )(?<!taken )(?<!-)"
    r"\b(?:before|after)\b(?! all\b| each other| long\b| (?:which|whom)\b|-)(?= \w)",
    re.IGNORECASE,
)
_TIMES = {
    "before": "after", "after": "before", "unless": "if", "because of": "despite", "owing to": "despite",
    "thanks to": "despite", "due to": "despite", "despite": "because of", "in spite of": "because of",
    "instead of": "in addition to", "rather than": "as well as", "because": "although", "as well as": "instead of",
    "in addition to": "instead of", "therefore": "nevertheless", "even if": "only if", "regardless of": "depending on",
    "unlike": "like", "even when": "only when", "whether or not": "only if", "not only when": "only when",
}  # fmt: skip
_SWAP = re.compile(
    r"(?<!more )(?<!other )(?<!just )(?<!only )(?<!not )(?<!mainly )(?<!partly "
    r")(?<!chiefly )(?<!largely )(?<!mostly )(?<!simply )(?<!precisely )(?<!probably "
    r")(?<!perhaps )(?<!merely )(?<!part )(?<!is )(?<!are )(?<!was )(?<!were )"
    r"\b(?:because of|owing to|thanks to|due to|despite|in spite of|instead of|rather than|because|unless|unlike|"
    r"as well as|in addition to|regardless of|even if|even when|whether or not)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\bboth (?P<one>[^,;.]{2,40}?) and (?P<two>[\w])")
_EITHER = re.compile(r"\beither (?P<one>[^,;.]{2,60}?) or (?P<two>[\w])")
_NEITHER = re.compile(
    r"\b[Nn]either (?P<one>[^,;.]{2,60}?) nor (?P<two>[^,;.]{2,60}?) (?P<verb>is|"
    r"was|has|does|had|can|may|could|will|may)\b"
)
_MANY = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PERMIT = re.compile(
    r"\bmay (?=be (?:taken|booked|used|paid|sent|kept|returned|shared|split|"
    r"parked|sold|given|carried|moved|opened|cancelled)\b)"
)
_AND_IF = re.compile(
    r"\b(?P<if>if|when|unless|only if|provided that) (?P<one>[^,;.]{6,80}?) "
    r"(?P<word>and|or) (?=(?:if|the|it|they|he|she|a|an|at|has|have|is|are|was) [a-z])"
)
_WHO = re.compile(
    r"^(?P<who>(?:[A-Z][a-z]+ )?[A-Za-z]+s) (?P<may>may|can) (?!only|not|also|be |have|cause|still|even|no)"
)
_PRONOUNS = frozenset("This His Its Hers Ours Theirs Yours Others Ones Sometimes Perhaps Always".split())
_FIRST = {
    "first": "last",
    "latest": "earliest",
    "earliest": "latest",
    "the former": "the latter",
    "the latter": "the former",
}
_ORDER = re.compile(r"\bthe (?:former|latter)\b|\b(?<=the )(?:earliest|latest)\b", re.IGNORECASE)


def order(source: Source, _: Random) -> Iterator[Change]:
    """One logical word replaced by one that says something else."""
    text = source.sentence
    for match in _WHEN.finditer(text):
        if re.search(
            r"\b(?:and|or|not|never|only|until|until|long|look\w*|nam\w+|even|than|soon|from|once|as|day|ever) $",
            text[: match.start()],
            re.IGNORECASE,
        ):
            continue
        new = _TIMES[match[0].lower()]
        if re.search(rf"\b{new}\b", text, re.IGNORECASE) or re.match(r" (?:that|then|this)\b", text[match.end() :]):
            continue
        yield replaced(_K, text, match.start(), match.end(), like(match[0], new))
    for match in _SWAP.finditer(text):
        new = _TIMES[match[0].lower()]
        if match[0].lower() == "unless" and re.match(r" (?:otherwise|not)\b", text[match.end() :]):
            continue
        if match[0].lower() == "rather than" and re.search(r"\b(?:would|better|er) [^,]*$", text[: match.start()]):
            continue
        if (
            match[0].lower() == "due to"
            and not text[: match.start()].rstrip().endswith((",", "ed", "n"))
            and match.start()
        ):
            continue
        yield replaced(_K, text, match.start(), match.end(), like(match[0], new))
    yield from _junctions(text)
    for match in _PERMIT.finditer(text):
        if not re.search(r"\b(?:not|no|only|neither|nor|never)\b", text[: match.start()], re.IGNORECASE):
            yield replaced(_K, text, match.start(), match.end() - 1, "must")
    form = _WHO.match(text)
    if form and form["who"].split(" ")[0] not in _PRONOUNS:
        who = form["who"]
        small = who if len(who.split()) > 1 and who.split()[1][:1].isupper() else who[0].lower() + who[1:]
        yield Change(_K, f"Only {small}{text[len(who) :]}", (Span(0, 4),))
    named = list(_ORDER.finditer(text))
    for match in named if len(named) == 1 else ():
        yield replaced(_K, text, match.start(), match.end(), like(match[0], _FIRST[match[0].lower()]))


def _junctions(text: str) -> Iterator[Change]:
    for match in _BOTH.finditer(text):
        joint = match.start("two") - 4
        if " and " not in match["one"] and not re.search(
            r"\b(?:not|never|no|in|of|for|are|were|have|have|is)\b$", text[: match.start()].rstrip()
        ):
            end = text[joint:]
            if not re.match(r"and [^,;.]*\b(?:are|were|have|do)\b", end) or re.search(
                r"\b(?:must|need|needs|require|requires|has|have)\b", text[: match.start()]
            ):
                yield _two(text, Span(match.start(), match.start() + 4), "either", Span(joint, joint + 3), "or")
    for match in _EITHER.finditer(text):
        joint = match.start("two") - 3
        if " or " not in match["one"] and not re.search(
            r"\b(?:not|never|no|cannot|nor|without)\b", text[: match.start()]
        ):
            yield _two(text, Span(match.start(), match.start() + 6), "both", Span(joint, joint + 2), "and")
    for match in _NEITHER.finditer(text):
        if match["verb"] in _MANY or match["verb"] in {"had", "can", "may", "could", "will"}:
            joint, at = match.start("two") - 4, match.start("verb")
            many = _MANY.get(match["verb"], match["verb"])
            text_ = text[:at] + many + text[match.end() :]
            if re.search(r"\b(?:any|either|ever|yet)\b", text[match.end() :]):
                continue
            yield _two(
                text_, Span(match.start(), match.start() + 7), like(match[0], "both"), Span(joint, joint + 3), "and"
            )
    for match in _AND_IF.finditer(text):
        new = "or" if match["word"] == "and" else "and"
        yield replaced(_K, text, match.start("word"), match.end("word"), new)


def _two(text: str, one: Span, first: str, two: Span, second: str) -> Change:
    """Both stretches replaced."""
    moved = two.start + len(first) - (one.end - one.start)
    changed = text[: one.start] + first + text[one.end : two.start] + second + text[two.end :]
    return Change(_K, changed, (Span(one.start, one.start + len(first)), Span(moved, moved + len(second))))
