"""Sentences that say only what the passages lack ("They give no price.") or what they are about, for whole answers.

Such a sentence may be a claim about a document, so it counts as declining only where the answer holds nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from guardrail.check.decompose.abstention import claims_nothing, refuses, split_clauses
from guardrail.check.decompose.predicates import predicates


class Tells(Enum):
    """What a sentence tells: that the passages lack something, what they hold, or something about the world."""

    ABSENCE = "absence"
    CONTENTS = "contents"
    WORLD = "world"


_MODIFIER = (
    r"(?:(?:two|three|four|five|several|many|few|provided|given|supplied|retrieved|available|above|same|other|source"
    r"|text|reference|search|context|present|following)\ ){0,3}"
)
_TEXTS = r"(?:passages?|documents?|texts?|sources?|articles?|excerpts?|extracts?|snippets?|paragraphs?|context|results)"
_HELD = rf"(?:(?:any|all|both|each|either)\ of\ )?(?:the|these|those|this|your|my|both|all)\ {_MODIFIER}{_TEXTS}\b"
_PRONOUN = r"(?:they|it)\b"
_FACT = (  # what a text gives; "no refund is given", "the articles provide no exemption" are claims
    r"(?:information|info|details?|data|facts?|figures?|numbers?|prices?|costs?|amounts?|sums?|totals?|dates?|years?"
    r"|names?|reasons?|explanations?|descriptions?|definitions?|answers?|indications?|hints?|clues?|mention|word"
    r"|account|reference|specifics|durations?|lengths?|heights?|widths?|depths?|weights?|sizes?|ages?|address(?:es)?"
    r"|locations?|distances?|speeds?|percentages?|statistics|values?|estimates?|deadlines?|timelines?|timetables?"
    r"|opening\ (?:hours|times?)|phone\ numbers?)"
)
_GIVEN = r"(?:given|mentioned|stated|specified|named|cited|quoted|listed|provided|recorded|reported|found|indicated)"
_GIVE = (
    r"(?:gives?|puts?|names?|states?|mentions?|offers?|contains?|provides?|quotes?|cites?|includes?|lists?|specif(?:y|ies)"
    r"|supply|supplies|has|have|hold|holds|makes?|says?|records?|indicates?)"
)
_LITTLE = r"(?:(?:simply|also|however|themselves|unfortunately)\ )?"
_NO = rf"no\ (?:(?!(?:longer|one)\b)[\w-]+\ ){{0,2}}{_FACT}\b(?!-)"
_LACK = (  # what follows the subject that stands for the passages
    rf"\ {_LITTLE}(?:{_GIVE}\ {_NO}"
    r"|(?:says?|states?|mentions?|tells?\ (?:us|me|you)|reveals?|contains?|offers?|provides?|gives?|has|have)\ nothing"
    r"\ (?:at\ all\ )?(?:about|on|of|regarding|concerning|as\ to)\b"
    r"|(?:is|are|remains?|stays?)\ (?:entirely\ |completely\ )?silent\ (?:on|about|as\ to|regarding)\b"
    r"|(?:do(?:es)?\ not|don['’]t|doesn['’]t)\ (?:\w+\ )?(?:say|state|mention|tell|name|specify|quote|cite|note"
    r"|go\ into|touch\ (?:up)?on|deal\ with)\b)"
)
_ABSENT = re.compile(
    rf"""
    ^(?:{_HELD}){_LACK}
    |^{_HELD}\ (?:do(?:es)?\ not|don['’]t|doesn['’]t)\ (?:\w+\ )?cover\b
    |^there\ (?:is|are)\ (?:simply\ )?(?:nothing|{_NO})\b[^.;]{{0,60}}\b(?:in|from)\ (?:any\ of\ )?{_HELD}
    |^nothing\ (?:is\ (?:said|stated|mentioned|written)\ )?(?:about|on|regarding|concerning)\b[^.;]{{0,60}}\bin\ {_HELD}
    |^nothing\ in\ {_HELD}\ (?:says|states|tells|indicates|mentions)\b
    |^nowhere\ (?:in\ {_HELD}\ (?:is|are|do(?:es)?)\b[^.;]{{0,60}}\b(?:mention|state|say|give|specif)\w*)
    |^{_NO}(?:\ or\ {_FACT})?\ (?:is|are)\ (?:ever\ )?{_GIVEN}(?:\ (?:for|of|as\ to|about|on|regarding|in|by|there|here)
        \b|$)
    |^[^.;]{{1,60}}\b(?:is|are)\ (?:never|nowhere)\ {_GIVEN}\ (?:anywhere\ )?in\ {_HELD}
    |^[^.;]{{1,60}}\b(?:do(?:es)?\ not|doesn['’]t|don['’]t)\ (?:appear|come\ up)\ (?:anywhere\ )?in
        \ (?:any\ of\ )?{_HELD}
    |^[^.;]{{1,60}}\b(?:is|are)\ (?:absent|missing)\ from\ {_HELD}
    |(?:资料|文中|文章|文本|文档|段落|材料|原文|文件)[中里内]?(?:都|均|也|并|完全|根本){{0,2}}(?:只字未提|没提|未提(?:及|到)?
        |没有(?:写明?|交代|列出|谈到|讲到?|标明|注明|任何(?:说明|信息|记载))|没(?:写|说|讲))
    |(?:无法|不能|没法)(?:据此)?(?:告诉|回答|作答|答复)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THEY_LACK = re.compile(
    rf"(?:{_PRONOUN}{_LACK}|not\ (?:for\ |at\ |by\ |in\ |on\ |to\ |from\ )?(?:how|when|where|who|whom|why|what|which"
    r"|whether)\b|not\ (?:its|their|the|his|her)\ \w+$"
    r"|(?:但|却)?(?:都|均|也|并|完全)?(?:没有|未)(?:说明|提到|提及|给出|写明|交代|列出|谈到))",
    re.IGNORECASE,
)
_ONLY = r"(?:(?:also|only|just|merely|solely|mainly|mostly|instead|simply|do|does|rather|all)\ ){0,2}"
_ABOUT = (
    r"(?:deals?\ (?:only\ |just\ |solely\ )?with|describes?|discuss(?:es)?|mentions?|talks?\ (?:only\ )?about|speaks?"
    r"\ (?:only\ )?(?:of|about)|focus(?:es)?\ (?:only\ |solely\ )?on|(?:is|are)\ (?:only\ |all\ |solely\ )?(?:about"
    r"|limited\ to|confined\ to|concerned\ with)|refers?\ (?:only\ )?to|touch(?:es)?\ (?:up)?on|states?|says?|reports?)"
)
_HOLDS = r"(?:covers?|outlines?|explains?|lists?|names?|addresses|address|concerns?|contains?|gives?|provides?)"
_DESCRIBED = re.compile(
    rf"""(?:
    (?:(?:while|although|though|instead|rather)\ )?(?:{_HELD}|(?P<pronoun>they|it))\ {_ONLY}
        (?:{_ABOUT}|(?P<holds>{_HOLDS}))
    |(?:what\ (?:you\ (?:will\ |can\ |do\ )?find(?:\ (?:here|there|in\ {_HELD}))?|(?:they|{_HELD})
        \ (?:do\ )?(?:contain|offer|cover|describe|discuss))\ (?:is|are)\ (?:only\ )?
        (?:(?:information|details|facts|notes|material)\ (?:on|about))?)
    )\ (?:only\ |just\ )?(?P<content>\S.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ALL_THEY_SAY = re.compile(
    rf"(?:all|the only thing) (?:that )?(?:they|it|{_HELD}) (?:says?|tells? (?:us|you|me)|states?|mentions?)"
    r"(?: (?:about|of|on) [^,;]{1,40}?)? is (?:that )?(?P<content>\S.*)",
    re.IGNORECASE,
)
_HAN_DESCRIBED = re.compile(
    r"(?:(?:这些|这几[段篇]|上述|所给|以上)?(?:资料|文中|文章|文本|文档|段落|材料|原文|文件|它们|其中|里面)[中里内]?)?"
    r"(?:只是|仅仅|只|仅|主要|都是)(?:说明|介绍|描述|提到|提及|讲述|讲到|谈到|谈及|涉及|讨论|列出|写到|关于)了?"
    r"(?P<content>[^，。；]{1,24})"
)
_HAN_TOPIC = re.compile(r"(?:关于|至于|对于)(?P<content>[^，。；]{1,20})")
_HAN_FACT = re.compile(r"[\d零〇一二两三四五六七八九十百千万亿是为由被将了在有使让会能已曾]")
_ASKS = re.compile(r"(?:who|whom|whose|what|when|where|why|how|which|whether)\b", re.IGNORECASE)
_ASKS_AFTER = re.compile(r"\s" + _ASKS.pattern, re.IGNORECASE)
_LIMIT = re.compile(r"(?:^|\s)(?:only|alone|instead|respectively)\b", re.IGNORECASE)
_RELATES = re.compile(r"\b(?:that|as|who|whom|which|where|when|because|since|if)\b", re.IGNORECASE)
_ITEM = re.compile(r"(?:the|its|his|her|their|a|an|of|in|for|on|about|to|how|where|what|when|who)\b", re.IGNORECASE)
_AGENT = re.compile(r"\b[A-Z]\w+['’]s?\b|\bby [A-Z]")  # "NASA's sabotage of the dam" states who did it
_SOURCED = re.compile(rf"\b{_HELD}|(?:资料|文中|文章|文本|文档|段落|材料|原文|文件)", re.IGNORECASE)
_SOURCED_FIRST = re.compile(rf"(?:\w+,? ){{0,2}}{_HELD}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_MAX_CHARACTERS = 500


def _names(text: str, asked: set[str]) -> bool:
    """Whether the fragment, which starts no sentence, holds a name that nobody asked about."""
    return any(word[0].isupper() and word != "I" and word.lower() not in asked for word in _WORD.findall(text))


def _is_topic(content: str, asked: set[str]) -> bool:
    """Whether the content is a thing or an indirect question, and brings no statement of its own."""
    content = _LIMIT.sub("", content).strip(" .!\"'”")
    words = len(_WORD.findall(content))
    if _ASKS.match(content):
        return words <= 10 and not _names(content, asked)
    return 0 < words <= 12 and not _RELATES.search(content) and not _AGENT.search(content) and not predicates(content)


def _is_item(clause: str, asked: set[str]) -> bool:
    """Whether the clause continues a list of topics: "its history", "the plans for a new bridge only"."""
    bare = _LIMIT.sub("", clause).strip(" .!\"'”")
    return len(_WORD.findall(bare)) <= (8 if _ITEM.match(bare) else 3) and _is_topic(bare, asked)


def _describes(clause: str, asked: set[str], before: str) -> bool:
    """Whether the clause only names topics of the passages; ``before``: the text that a pronoun points back to."""
    if found := _HAN_DESCRIBED.fullmatch(clause.strip(" .。！")):
        return not _HAN_FACT.search(found["content"]) and not predicates(found["content"])
    found = _DESCRIBED.fullmatch(clause)
    if found is None or not _is_topic(found["content"], asked):
        return False
    if found["pronoun"] and not _SOURCED.search(before):
        return False
    # "They cover theft." may speak of what the sentence before is about, unless that is the passages.
    return not (found["pronoun"] and found["holds"]) or _SOURCED_FIRST.match(before) is not None


def _is_han_topic(clause: str) -> bool:
    """Whether the clause is "as to ...", without a statement of its own."""
    found = _HAN_TOPIC.fullmatch(clause)
    return found is not None and not _HAN_FACT.search(found["content"])


def _only_says(clause: str, asked: set[str]) -> bool:
    """Whether the clause gives the little that the passages say, without a number or a name of its own."""
    found = _ALL_THEY_SAY.fullmatch(clause)
    return found is not None and len(_WORD.findall(found["content"])) <= 10 and not _names(found["content"], asked)


def tells(sentence: str, question: str | None, before: str = "") -> Tells:
    """What the (plain) sentence tells, when in doubt of the world; ``before``: the last one that named the passages."""
    asked = {word.lower() for word in _WORD.findall(question or "")}
    numbers = set(_NUMBER.findall(question or ""))
    if len(sentence) > _MAX_CHARACTERS or not numbers.issuperset(_NUMBER.findall(sentence)):
        return Tells.WORLD
    absent = described = listing = asking = facts = False
    for clause in (piece.strip(" .!。！") for piece in split_clauses(sentence)):
        if refuses(clause) or _ABSENT.search(clause) or (_SOURCED.search(before) and _THEY_LACK.match(clause)):
            absent, listing = True, False
        elif _describes(clause, asked, before):
            described = listing = True
            asking = _ASKS_AFTER.search(clause) is not None
        elif _only_says(clause, asked):
            facts = True
        elif listing and _ASKS.match(clause) and not asking:
            return Tells.WORLD  # "They mention the mayor, who died in prison."
        elif not ((listing and _is_item(clause, asked)) or _is_han_topic(clause) or claims_nothing(clause, question)):
            return Tells.WORLD
        before = clause if _SOURCED.search(clause) else before
    if absent:
        return Tells.ABSENCE
    return Tells.CONTENTS if described and not facts else Tells.WORLD


def only_declines(sentences: Sequence[tuple[str, bool]], question: str | None) -> bool:
    """Whether each sentence, given with whether it is known to decline, states an absence or describes the passages."""
    found, before = [], ""
    for sentence, declining in sentences:
        found.append(Tells.ABSENCE if declining else tells(sentence, question, before))
        before = sentence if _SOURCED.search(sentence) else before
    return Tells.ABSENCE in found and Tells.WORLD not in found
