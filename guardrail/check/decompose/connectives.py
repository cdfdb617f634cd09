"""Connectives that link a sentence to the one before (L-Face4RAG, section 4.1: keep logical connections together)."""

from __future__ import annotations

import re
from enum import IntEnum

MAX_CHARACTERS = 600


class Link(IntEnum):
    """How a sentence depends on the one before; the value is the most sentences that may stay together."""

    NONE = 1
    LOOSE = 2  # contrast, example, sequence
    LOGICAL = 3  # cause, condition, consequence: the claim is the connection itself


_LOGICAL = re.compile(
    r"""(?:and[ ])?(?:
    consequently|therefore|thus|hence|accordingly|thereby|as\ (?:a|an)\ (?:direct\ )?(?:result|consequence)
    |(?:because|as\ a\ result|as\ a\ consequence|in\ consequence)\ of\ (?:this|that|these|which)|(?:due|owing
    |thanks)\ to\ (?:this|that|these)
    |for\ (?:this|that|these|which)\ reasons?|that\ is\ why|that['’]s\ why|this\ is\ why|(?:this|that)\ is\ because
    |the\ reason\ (?:is|was)
    |in\ (?:this|that|such\ a)\ (?:case|way)|if\ (?:so|not|this|that)\b|otherwise|or\ else|only\ then|given\ (?:this
    |that)\b
    |so(?=,|\ (?:the|a|an|he|she|it|they|we|you|if|this|that|there)\b)|it\ follows\ that|to\ (?:do|achieve)\ (?:this
    |that|so)
    |(?:this|that|which)\ (?:in\ turn\ )?(?:leads?|led|results?|resulted|causes?|caused|means?|meant|allows?|allowed
    |enables?|enabled
        |makes?|made|ensures?|ensured|prevents?|prevented|explains?|explained|implies|implied)
    |donc|par\ conséquent|ainsi|c['’]est\ pourquoi|sinon|daher|deshalb|deswegen|folglich|somit|infolgedessen
    |andernfalls|sonst
    |por\ (?:lo\ tanto|eso|consiguiente|ello)|en\ consecuencia|así\ que|de\ lo\ contrario|quindi|pertanto|perciò
    |di\ conseguenza|altrimenti
    |portanto|por\ isso|consequentemente|assim|caso\ contrário|daarom|dus|dlatego|поэтому|следовательно|таким\ образом
    |иначе
    )\b
    |因此|因而|所以|于是|從而|从而|故而|因为这|因為這|由于这|由於這|由此|正因|为此|為此|这就是|因为如此|这导致|这使得?
    |这意味着|结果[，,是]|否则|否則|不然
    |那么|那麼|在(?:这种|该|此|這種)(?:情况|情況)下|如果不(?:这样|是)|只有这样|这样一来|可见
    |したがって|従って|そのため|だから|その結果|それゆえ|さもなければ|따라서|그러므로|그래서|그\ 결과|그렇지\ 않으면
    |لذلك|وبالتالي|इसलिए
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LOOSE = re.compile(
    r"""(?:
    however|but|yet|in\ contrast|by\ contrast|on\ the\ (?:other\ hand|contrary)|conversely|nevertheless|nonetheless
    |even\ so|despite\ (?:this|that)
    |in\ spite\ of\ (?:this|that)|still(?=,)|instead|rather(?=,)|for\ (?:example|instance)|such\ as
    |examples\ (?:include|are)
    |then|after\ (?:that|this|which)|afterwards?|thereafter|subsequently|before\ (?:that|this)|next(?=,)|similarly
    |likewise
    |cependant|pourtant|toutefois|par\ exemple|ensuite|jedoch|dennoch|trotzdem|zum\ Beispiel|danach|sin\ embargo
    |no\ obstante|por\ ejemplo
    |después\ de\ eso|tuttavia|ad\ esempio|no\ entanto|porém|por\ exemplo|echter|jednak|однако|например|затем
    )\b
    |然而|但是|但|不过|不過|可是|相反|相比之下|与此相反|反之|尽管如此|儘管如此|另一方面|例如|比如|譬如|然后|然後|随后
    |隨後|之后|之後|接着|此后|此後
    |しかし|一方|例えば|その後|それから|그러나|하지만|예를\ 들어|لكن|ومع\ ذلك|लेकिन
    """,
    re.IGNORECASE | re.VERBOSE,
)


def discourse_link(sentence: str) -> Link:
    """How the (plain) sentence is linked to the one before it."""
    head = sentence[:60].lstrip("\"'“‘「(（")
    if _LOGICAL.match(head):
        return Link.LOGICAL
    return Link.LOOSE if _LOOSE.match(head) else Link.NONE
