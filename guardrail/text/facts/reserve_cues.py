"""Words with which a text says something without asserting it, and the stretch of the sentence that they govern."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from guardrail.types import Span


class Reserve(StrEnum):
    """How a text withholds assent from what it says."""

    REPORTED = "reported"
    DENIED = "denied"
    UNTRUE = "untrue"
    PLANNED = "planned"
    PROPOSED = "proposed"
    SUPPOSED = "supposed"
    POSSIBLE = "possible"
    TRIED = "tried"
    FAILED = "failed"
    FORMER = "former"
    ASKED = "asked"
    FICTION = "fiction"


class Reach(StrEnum):
    """What a cue governs: the predicate after it, whose subject stands before it, or a clause of its own."""

    PREDICATE = "predicate"
    CLAUSE = "clause"


class Cue(NamedTuple):
    """A reserve and the stretch that it governs."""

    reserve: Reserve
    reach: Reach
    span: Span
    scope: Span
    name: str = ""


_LY = r"(?:(?:\w+ly|also|now|still|first|then|long|once|again|even|only|widely) ){0,2}"
_BE = r"\b(?:is|are|was|were|be|been|being|'s|'re) " + _LY
_HAVE = r"(?:have been |have |be |having been |having |being )?"
_SAID = r"(?:said|alleged|rumou?red|believed|thought|reputed|suspected|claimed|supposed|assumed|understood|reported)"
_TALK = r"(?:rumou?rs?|speculation|allegations?|claims?|accusations?|suspicions?|gossip|suggestions?|reports?|stor(?:y|ies)|idea|notion|charges?)"
_SHEET: tuple[tuple[str, Reserve, Reach, str], ...] = (
    ("said_to", Reserve.REPORTED, Reach.PREDICATE, _BE + _SAID + r" to " + _HAVE),
    ("adverb", Reserve.REPORTED, Reach.PREDICATE, r"\b(?:allegedly|reportedly|supposedly|purportedly|ostensibly) " + _HAVE),
    ("it_is_said", Reserve.REPORTED, Reach.CLAUSE, r"\bit " + _BE + _SAID + r" that "),
    ("alleges", Reserve.REPORTED, Reach.CLAUSE, r"\b(?:alleg(?:e|es|ed|ing)|claim(?:s|ed|ing)?|speculat(?:e|es|ed)|suspect(?:s|ed)?) (?:that )?(?!to\b)"),
    ("believes", Reserve.REPORTED, Reach.CLAUSE, r"\b(?:believ(?:e|es|ed)|thinks?|thought|assum(?:e|es|ed)|guess(?:es|ed)?|fear(?:s|ed)?|hop(?:e|es|ed)) (?:that )(?!to\b)"),
    ("argues", Reserve.REPORTED, Reach.CLAUSE, r"\b(?:argu(?:e|es|ed)|suggest(?:s|ed)?|contend(?:s|ed)?|insist(?:s|ed)?|maintain(?:s|ed)?) that "),
    ("rumour", Reserve.REPORTED, Reach.CLAUSE, r"\b(?:rumou?rs?|speculation|allegations?|gossip|hearsay|suspicions?|unconfirmed reports?|claims) (?:says? |has it |have it |suggests? |going round )?(?:that|,)? ?(?!of\b|about\b|to\b)"),
    ("unconfirmed", Reserve.REPORTED, Reach.CLAUSE, r"\baccording to (?:unconfirmed|unverified|rumou?rs?|gossip|speculation|hearsay|allegations)[^,]{0,30}, "),
    ("accused", Reserve.REPORTED, Reach.PREDICATE, r"\b(?:accus(?:e|es|ed)|suspect(?:s|ed)?|suspicion|allegations?|accusations?|rumou?rs|charged)(?: \w+){0,4}? (?:of|with|about) " + _HAVE + r"(?=\w+(?:ing|ed)\b)"),
    ("on_trial", Reserve.REPORTED, Reach.PREDICATE, r"\b(?:on trial|under investigation|investigated|wanted|questioned|fac(?:e|es|ed|ing) charges) (?:for|over|about|on|of) " + _HAVE + r"(?=\w+(?:ing|ed)\b)"),
    ("denied", Reserve.DENIED, Reach.CLAUSE, r"\b(?:den(?:y|ies|ied|ying)|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|refut(?:e|es|ed|ing)|disput(?:e|es|ed|ing)|contradict(?:s|ed)?|rul(?:e|es|ed) out|den(?:ial|ials)) (?:of )?(?:(?:any|the|all|these|media|press|newspaper|earlier|recent|his|her|their) )*(?:" + _TALK + r" )?that "),
    ("denied_doing", Reserve.DENIED, Reach.PREDICATE, r"\b(?:den(?:y|ies|ied|ying)|dismiss(?:es|ed)|reject(?:s|ed)) (?:ever |(?:any |the |all )?" + _TALK + r" (?:of|about) )?" + _HAVE + r"(?=\w+(?:ing|ed|en|t|d)\b)"),
    ("no_evidence", Reserve.DENIED, Reach.CLAUSE, r"\b(?:no (?:evidence|proof|sign|indication|truth in (?:the|reports?|rumou?rs?|claims?))(?: \w+){0,2}|not (?:true|proven|established|confirmed|certain)|doubts?|doubted) that "),
    ("untrue", Reserve.UNTRUE, Reach.CLAUSE, r"\b(?:(?:un|not )true|false|wrong|incorrect|myth|misconception|fallacy|legend|hoax|mistake|error)(?: to (?:say|think|write|believe|assume))? that "),
    ("wrongly", Reserve.UNTRUE, Reach.CLAUSE, r"\b(?:wrongly|falsely|incorrectly|mistakenly|erroneously) (?!that)\w+ that "),
    ("made_up", Reserve.UNTRUE, Reach.CLAUSE, r"\bmade up the story that |\bearlier version (?:\w+ ){0,4}?(?:said|stated|gave|claimed) that |\bcontrary to (?:the )?(?:(?:popular|common|widespread|earlier|media) )?(?:beliefs?|" + _TALK + r"|what (?:\w+ ){1,4})(?: that)? "),
    ("dream", Reserve.UNTRUE, Reach.CLAUSE, r"\bin (?:a|his|her|their|my|the|one) dreams?,? |\b(?:dream(?:s|ed|t)|imagin(?:e|es|ed)|pretend(?:s|ed)?|hallucinated) that "),
    ("fiction", Reserve.FICTION, Reach.CLAUSE, r"\bin (?:the|a|an|his|her|their|this|one) (?:\w+ ){0,3}(?:novel|film|movie|series|play|game|tale|legend|comic|drama|book|story|episode)s?\b[^,]{0,40}, "),
    ("struck", Reserve.UNTRUE, Reach.CLAUSE, r"~~|<(?:s|del|strike)>"),
    ("plans_to", Reserve.PLANNED, Reach.PREDICATE, r"\b(?:plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|intention|hop(?:e|es|ed|ing)|aim(?:s|ed|ing)?|wish(?:es|ed)?|expect(?:s|ed)?|promis(?:e|es|ed)|threaten(?:s|ed)?|pledg(?:e|es|ed)|vow(?:s|ed)?|propos(?:e|es|ed)|proposals?|motion|offer(?:s|ed)?|want(?:s|ed)?|prepar(?:e|es|ed|ing)|decision|decid(?:e|es|ed)|agree(?:s|d)?)(?: by [\w ]{3,40}?)? to " + _HAVE),
    ("due_to", Reserve.PLANNED, Reach.PREDICATE, _BE + r"(?:due|set|scheduled|expected|planned|projected|predicted|forecast|likely|about|slated|poised|going|supposed|ready) to " + _HAVE),
    ("is_to", Reserve.PLANNED, Reach.PREDICATE, r"\b(?:is|are) to " + _HAVE),
    ("ordered", Reserve.PLANNED, Reach.PREDICATE, r"\b(?:order(?:s|ed)?|ask(?:s|ed)?|told|urg(?:e|es|ed)|call(?:s|ed)? on|requir(?:e|es|ed)|advis(?:e|es|ed)) (?:(?!and|but|that)[\w.]+ ){1,4}to "),
    ("will", Reserve.PLANNED, Reach.PREDICATE, r"(?:\bwill|'ll|\bwon't) (?:" + _LY + r")" + _HAVE),
    ("plan_doing", Reserve.PLANNED, Reach.PREDICATE, r"\b(?:consider(?:s|ed|ing)?|plan(?:s|ned|ning)?|propos(?:e|es|ed|ing)|discuss(?:es|ed|ing)?|weigh(?:s|ed|ing)?|talks about|think(?:s|ing)? (?:of|about)|plans? (?:for|of)|dream(?:s|ed|t) of) " + _HAVE + r"(?=\w+(?:ing|ed)\b)"),
    ("forecasts", Reserve.PLANNED, Reach.CLAUSE, r"\b(?:forecast(?:s|ed)?|predict(?:s|ed)?|expect(?:s|ed)?|project(?:s|ed)|anticipat(?:e|es|ed)) (?:that )(?!to\b)"),
    ("draft", Reserve.PROPOSED, Reach.CLAUSE, r"\b(?:under|according to|in) (?:the |a )?(?:\w+ )?(?:draft|proposal|proposed)\b(?: \w+){0,6}?,? "),
    ("draft_would", Reserve.PROPOSED, Reach.PREDICATE, r"\b(?:draft|proposal|motion|bill|plan|amendment)\b[^.;:]{0,60}? would "+_LY),
    ("would_have", Reserve.SUPPOSED, Reach.PREDICATE, r"\b(?:would|could|should|might)(?: \w+ly)? have (?:been )?"),
    ("if", Reserve.SUPPOSED, Reach.CLAUSE, r"(?<!even )(?<!only )(?<!as )(?<!what )(?<!ask )(?<!asked )(?<!see )\b(?:if|unless|provided(?: that)?|as if|as though|supposing|assuming|assume|suppose|imagine|in case) (?:that )?(?!necessary|possible|so\b|not\b|any\b|needed)"),
    ("wish", Reserve.SUPPOSED, Reach.CLAUSE, r"\bwish(?:es|ed)? (?:that )?(?=(?:\w+ ){1,4}(?:were|was|had|could|would)\b)|\bif only "),
    ("had", Reserve.SUPPOSED, Reach.CLAUSE, r"^(?:had|were|should) "),
    ("may", Reserve.POSSIBLE, Reach.PREDICATE, r"(?:\bmay|\bmight|\bcould) (?!have\b)(?:" + _LY + r")(?:be )?"),
    ("may_have", Reserve.POSSIBLE, Reach.PREDICATE, r"(?:\bmay|\bmight|\bcould) (?:\w+ly )?have (?:been )?"),
    ("perhaps", Reserve.POSSIBLE, Reach.PREDICATE, r"\b(?:perhaps|possibly|probably|maybe|presumably|apparently) " + _HAVE),
    ("is_possible", Reserve.POSSIBLE, Reach.CLAUSE, r"\b(?:possible|unlikely|conceivable|possibility|chance|risk) that "),
    ("tried_to", Reserve.TRIED, Reach.PREDICATE, r"\b(?:tr(?:y|ies|ied|ying)|attempt(?:s|ed|ing)?|sought|seeks?|struggl(?:e|es|ed|ing)|bid)(?: (?:by|of) [\w ]{3,30}?)? to "),
    ("failed_to", Reserve.FAILED, Reach.PREDICATE, r"\b(?:fail(?:s|ed|ing|ure)?|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)|neglect(?:s|ed|ing)?|omit(?:s|ted)?|forg(?:et|ets|ot)|unable|not manage|not able|pretend(?:s|ed|ing)?) to "),
    ("nearly", Reserve.FAILED, Reach.PREDICATE, r"\b(?:almost|nearly|all but|very nearly|came (?:very |so )?close to|within \w+(?: \w+){0,3} of|narrowly (?:missed|avoided|escaped)|just (?:missed|avoided)|avoid(?:s|ed)|stopped short of) (?=(?:\w+(?:ing|ed|en)|" + "won|lost|sold|fell|broke|died|sank|became|left|hit|went|ran|drowned" + r")\b)"),
    ("kept_from", Reserve.FAILED, Reach.PREDICATE, r"\b(?:prevent(?:s|ed)?|ke(?:ep|eps|pt)|stop(?:s|ped)?|bar(?:s|red)?|discourag(?:e|es|ed)|ban(?:s|ned)?|prohibit(?:s|ed)?)(?: \w+){1,5}? from (?=\w+ing\b)"),
    ("no_success", Reserve.FAILED, Reach.PREDICATE, r"\b(?:(?:not|n't|never) succeed(?:ed)?|no success|unsuccessful(?:ly)?(?: \w+){0,2}?|without success) (?:in|at) (?=\w+ing\b)"),
    ("without", Reserve.FAILED, Reach.PREDICATE, r"\b(?:without|instead of|rather than) (?:ever |even )?(?=\w+ing\b)"),
    ("used_to", Reserve.FORMER, Reach.PREDICATE, r"(?<!\bis )(?<!\bare )(?<!get )(?<!be )(?<!was )(?<!were )\bused to |\bno longer  "),
    ("former", Reserve.FORMER, Reach.PREDICATE, r"\b(?:former|erstwhile|one-time|previous)(?:ly)? |\bex-"),
    ("until", Reserve.FORMER, Reach.PREDICATE, r"\b(?:was|were) (?=[^.;]{3,120}?(?: until (?!now|today)|, but (?:not any ?more|no longer)))"),
    ("whether", Reserve.ASKED, Reach.CLAUSE, r"\bwhether |\b(?:wonder(?:s|ed)?|asked|unclear|ask|see) if "),
)
_PATTERNS = [(name, reserve, reach, re.compile(text, re.IGNORECASE)) for name, reserve, reach, text in _SHEET]
_YES_NO = re.compile(
    r"(?:[\s\"'“(>*•-]|Q:|\d+\.)*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b", re.IGNORECASE
)
_BORDER = re.compile(
    r"[;:?—–()]| - |,(?=\s)|[.!](?=\s|$)|~~|</|\b(?:but|while|whereas|although|though|because|since|unless|until)\b"
    r"|\b(?:and|or) (?:(?:has|have|had|is|was|were|are|will|did|does|so|then|he|she|it|they|we|i|now|who|which)\b|\w+ed\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def read_reserves(text: str) -> tuple[Cue, ...]:
    """The cues of a sentence, each with what it governs, in text order."""
    plain = text.replace("’", "'")
    found = [
        Cue(reserve, reach, Span(*m.span()), Span(m.end(), _end(plain, m.end())), name)
        for name, reserve, reach, pattern in _PATTERNS
        for m in pattern.finditer(plain)
    ]
    if plain.rstrip(" \"')").endswith("?") and _YES_NO.match(plain):
        found.append(Cue(Reserve.ASKED, Reach.CLAUSE, Span(len(text.rstrip()) - 1, len(text.rstrip())), Span(0, len(text)), "question"))
    return tuple(sorted(found, key=lambda cue: cue.span))


def _end(text: str, start: int) -> int:
    border = _BORDER.search(text, start)
    return border.start() if border else len(text)
