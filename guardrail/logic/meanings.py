"""Other meanings of connectives: words right before or after them that tell "since 1950" from "since it rained"."""

from __future__ import annotations

import re

# Each is looked for in the 12 characters before, or the 14 after, the connective.
NOT_AFTER = {
    "all": re.compile(r"(?:\bat|\bafter|\babove|\bof|\bthe)\s$", re.IGNORECASE),
    "only": re.compile(r"\bnot\s$", re.IGNORECASE),
    "once": re.compile(r"(?:\bat|\bleast|\bthan|\bwas|\bhad)\s$", re.IGNORECASE),
    "but": re.compile(r"\b(?:nothing|all|anything|none)\s$", re.IGNORECASE),
    "so": re.compile(r"(?<![,;—–:.])(?<!\band)\s$|\b(?:do|did|not|even|or)\s$", re.IGNORECASE),
    "like": re.compile(r"(?<!s)\s$|\b(?:is|looks|sounds|feels|seems|was|tastes|acts)\s$", re.IGNORECASE),
    "then": re.compile(r"\b(?:since|until|by|than|the|from)\s$", re.IGNORECASE),
    "cause": re.compile(r"\b(?:the|a|of|main|an)\s$", re.IGNORECASE),
    "causes": re.compile(r"\b(?:the|its|of|other|main|natural)\s$", re.IGNORECASE),
    "required": re.compile(r"\b(?:is|are|was|were|be|not)\s$", re.IGNORECASE),
    "for example": re.compile(r"(?<=[.!?]\s)$|^$"),
    "made": re.compile(r"\b(?:is|are|was|were|be|been)\s$", re.IGNORECASE),
    "given": re.compile(r"\b(?:is|are|was|were|be|been|has|have|had|a|any)\s$", re.IGNORECASE),
    "following": re.compile(r"\b(?:the|is|was|are|were)\s$", re.IGNORECASE),
    "meant to": re.compile(r"(?:\bis|\bnot)\s$", re.IGNORECASE),
    "部分": re.compile(r"[大一]$"),
    "因": re.compile(r"[原起基成病诱]$"),
    "比": re.compile(r"[对相占评同环分类]$"),
    "都": re.compile(r"[首成古]$"),
    "只": re.compile(r"[一二两三四五六七八九十百千几多船\d每这那]$"),
    "后，": re.compile(r"[先前]$"),
    "若": re.compile(r"[假倘]$"),
    "如": re.compile(r"[例比诸假不]$"),
    "所以": re.compile(r"之$"),
    "须": re.compile(r"[无必]$"),
    "需要": re.compile(r"[不无]$"),
    "再": re.compile(r"[不]$"),
    "当": re.compile(r"[相应适不]$"),
    "造成": re.compile(r"[建制]$"),
}
NOT_BEFORE = {
    "since": re.compile(
        r"\s(?:\d|then\b|the\s(?:\d|early|late|mid|start|beginning|end)|(?:early|late|mid)\b|last\b|its\b|"
        r"(?:jan|feb|march|april|may|june|july|aug|sept|oct|nov|dec|spring|summer|autumn|winter)\w*\b)",
        re.IGNORECASE,
    ),
    "once": re.compile(r"\s?(?:[,.;]|$|\s(?:a|an|every|per|again|more|daily|weekly|in|at|or|each)\b)", re.IGNORECASE),
    "so": re.compile(r"\s(?:far|much|many|that|called|long|as)\b|-", re.IGNORECASE),
    "no": re.compile(r"\.|\s(?:longer|more than|later than|less than|fewer than|doubt)\b", re.IGNORECASE),
    "given": re.compile(r"\s(?:to|by|in|at|for|as)\b", re.IGNORECASE),
    "like": re.compile(r"\s(?:to|that)\b", re.IGNORECASE),
    "following": re.compile(r"\s?[:,]"),
    "all": re.compile(r"\s(?:over|but)\b", re.IGNORECASE),
    "any": re.compile(r"\s(?:more|longer|further)\b", re.IGNORECASE),
    "but": re.compile(r"\s(?:also|for)\b", re.IGNORECASE),
    "each": re.compile(r"\sother\b", re.IGNORECASE),
    "因": re.compile(r"[素子果]"),
    "比": re.compile(r"[例赛较重如率]"),
    "若": re.compile(r"干"),
    "只": re.compile(r"[是要有]"),
    "如": re.compile(r"[何此今下同上图]"),
    "使": re.compile(r"[用者命]"),
    "当": re.compile(r"[地年天时月日前事局作选]"),
    "每": re.compile(r"[当]"),
    "所以": re.compile(r"之$"),
    "须": re.compile(r"知"),
    "结果": re.compile(r"[显表的]"),
    "各": re.compile(r"种各"),
    "令": re.compile(r"[牌]"),
}
