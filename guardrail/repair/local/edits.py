"""Edits of an answer: stretches replaced or taken out, with what that leaves hanging set right. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guardrail.check.decompose.connectives import Link, discourse_link
from guardrail.repair.edits import cut_out
from guardrail.types import Span

_LEADING = re.compile(
    r"""(?:and[ ])?(?:
    however|but|yet|nevertheless|nonetheless|even\ so|conversely|still(?=,)|instead|rather(?=,)
    |(?:in|by)\ contrast|on\ the\ (?:other\ hand|contrary)|(?:in\ spite\ of|despite)\ (?:this|that)(?=,)
    |for\ (?:example|instance)|similarly|likewise
    |then|after(?:wards?|\ (?:that|this)(?=,))|thereafter|subsequently|before\ (?:that|this)(?=,)|next(?=,)
    |consequently|therefore|thus|hence|accordingly|otherwise|so(?=,|[ ])
    |as\ (?:a|an)\ (?:direct\ )?(?:result|consequence)(?!\ of)|in\ consequence(?!\ of)
    |(?:because|as\ a\ result|as\ a\ consequence|in\ consequence)\ of\ (?:this|that|these)(?=,)
    |(?:due|owing|thanks)\ to\ (?:this|that|these)(?=,)|for\ (?:this|that|these)\ reasons?
    |in\ this\ (?:case|way)
    )(?:,[ ]*|[ ]+)
    |(?:因此|因而|所以|于是|從而|从而|故而|由此|为此|為此|否则|否則|不然|那么|那麼|然而|但是|但|不过|不過|可是|相反|相比之下
    |与此相反|反之|尽管如此|儘管如此|另一方面|例如|比如|譬如|然后|然後|随后|隨後|之后|之後|接着|此后|此後)[，,]?""",
    re.IGNORECASE | re.VERBOSE,
)


class Edit(NamedTuple):
    """``answer[span.start:span.end]`` becomes ``new``; "" takes it out, with the list marker and spaces around."""

    span: Span
    new: str = ""


def edited(answer: str, edits: Iterable[Edit]) -> str:
    """The answer with all edits made; of edits that overlap, the one that starts first (then the longer) counts."""
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.span.start, -edit.span.end)):
        if not chosen or edit.span.start >= chosen[-1].span.end:
            chosen.append(edit)
    for (start, end), new in reversed(chosen):
        answer = answer[:start] + new + answer[end:] if new else cut_out(answer, start, end)
    return answer


def unhung(answer: str, start: int) -> Sequence[Edit] | None:
    """What to change where the sentence before ``start`` goes: a connective that hangs on it is dropped.

    None where it hangs on more than a word ("This led to ..."): the sentence cannot stay without the one before.
    """
    head = answer[start : start + 80]
    if discourse_link(head) is Link.NONE:
        return ()
    found = _LEADING.match(head)
    if found is None or found.end() >= len(head):
        return None
    end = start + found.end()
    return (Edit(Span(start, end + 1), answer[end].upper()),)
