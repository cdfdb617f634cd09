"""A claim against what a record says with yes, no or nothing: "gift_wrap": false, "delivered_at": null."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.text.facts.fact import EXACT, FactKind, Facts, Mismatch
from guardrail.text.language import may_be_english
from guardrail.text.records.names import Cells, is_named
from guardrail.text.words import content_words
from guardrail.types import Span

_YES = frozenset("yes true ✓ ✔ y included allowed permitted".split())
_NO = frozenset({*"no false ✗ ✘ n none excluded prohibited".split(), "not included", "not allowed", "not permitted"})
_NOTHING = frozenset({"not given", "n/a"})
_KEYED_LINE = re.compile(r"\W{0,4}(?P<key>[A-Za-z][\w /-]{1,39}):\s*(?P<value>\S[\w ✓✔✗✘/]{0,15})[.\s]*")
_PARTICLES = frozenset(content_words("is has at on by date time flag included available enabled allowed status"))
"""Words of a key that a claim about it need not repeat: "delivered_at", "is_remote"."""

_SEVERAL = re.compile(r"[,;:()]|\b(?:and|but|or|while|whereas|although|though|because|which|who|that)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:if|when|once|before|after|until|unless|whether|would|could|can|may|might|should|must|will|due|expected"
    r"|scheduled|planned|estimated|soon|yet|still|request\w*|ask\w*|want\w*|need\w*|option\w*|available|possible|offer\w*"
    r"|cost\w*|without|lacks?|lacking|missing|unknown|unspecified|empty|blank|open|pending|hardly|rarely|only|except"
    r"|avoid\w*|refus\w*|declin\w*|exclud\w*|waiv\w*|fails?|failed|disabled|off|free|prohibit\w*|forbid\w*|forbidden|bann?ed|extra|un\w+ed|non\w*|in\w+able)\b"
    r"|n['’]t\b|\b(?:no|not|never|none|neither|nor|nothing)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"n['’]t\b|\b(?:no|not|never)\b", re.IGNORECASE)
_LEAST_STEM = 4
_MOST_BESIDE = 2
"""Words of a claim that neither the key nor the record has; with more it speaks of something else."""


def keyed_line(line: str) -> Cells:
    """A line such as "Pets: no" as a cell; nothing for other lines."""
    match = _KEYED_LINE.fullmatch(line)
    known = match is not None and match["value"].strip().casefold() in _YES | _NO | _NOTHING
    return ((match["key"], match["value"].strip()),) if match and known else ()


def flag_clashes(claim: Facts, records: Sequence[Cells]) -> Iterator[Mismatch]:
    """What the claim affirms where a record has no or nothing under that key, and what it denies where it has yes.

    Only claims of one clause are judged, without words that leave the matter open or turn it. Where several records
    have the key, the claim must name exactly one of them.

    Args:
        claim: Facts of the claim.
        records: Cells of the rows and objects of the passages.
    """
    text = claim.text.rstrip(" .!")
    if not records or _SEVERAL.search(text) or not may_be_english(text):
        return
    turns = _OPEN.findall(text)
    denied = len(turns) == 1 and _NEGATION.search(text) is not None
    if turns and not denied:
        return
    keyed = [(cells, n) for cells in records for n in range(len(cells)) if _speaks_of(claim, cells, n)]
    headers = {cells[n][0] for cells, n in keyed}
    own = [(cells, n) for cells, n in keyed if is_named(cells, claim.text)] if len(keyed) > 1 else keyed
    if len(own) != 1 or len(headers) != 1:
        return
    cells, number = own[0]
    header, value = cells[number]
    value = value.casefold()
    nothing = value in _NOTHING
    if (value in _YES and denied) or ((value in _NO or nothing) and not denied):
        place = _place(claim, header)
        yield Mismatch(
            kind=FactKind.RECORD,
            span=place,
            claim_value=place.of(claim.text) + (" as a fact" if nothing else ""),
            evidence_value=f"{header}: {value}",
            contradicts=not nothing,
            weight=EXACT,
        )


def _speaks_of(claim: Facts, cells: Cells, number: int) -> bool:
    header, value = cells[number]
    if value.casefold() not in _YES | _NO | _NOTHING:
        return False
    key = set(content_words(header)) - _PARTICLES
    if not key or not all(any(_is_same(word, own) for own in claim.bag) for word in key):
        return False
    known = {word for head, cell in cells for word in content_words(f"{head} {cell}")}
    return len(claim.bag - known - key) <= _MOST_BESIDE


def _is_same(one: str, other: str) -> bool:
    """Whether two stems are of one word: "insured" and "insurance", "wrap" and "wrapped"."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _LEAST_STEM and long.startswith(short))


def _place(claim: Facts, header: str) -> Span:
    key = set(content_words(header)) - _PARTICLES
    words = [word for word in claim.words if any(_is_same(stem, word.stem) for stem in key if word.stem)]
    return Span(words[0].start, words[-1].end)
