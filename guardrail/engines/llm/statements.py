"""Statements that no quote can bear out: talk to the reader, and what the answer says of the documents themselves.

A model may call a piece one of these. It is believed only where these patterns, written to fit little else, agree.
"""

from __future__ import annotations

import re

from guardrail.check.decompose.abstention import SOURCES
from guardrail.check.decompose.courtesies import is_courtesy
from guardrail.text.facts import extract
from guardrail.text.wording import negations, words
from guardrail.text.words import content_words, stem

_FIRST_PERSON = re.compile(r"\b(?:i|me|let['’]s|please|happy|glad|thanks?)\b", re.IGNORECASE)
_WISHES = re.compile(r"(?:i|we)\s+(?:wish|hope)\b", re.IGNORECASE)
_OFFERS = re.compile(
    "我(?:还|也|很)?(?:可以|能|愿意|乐意)?(?:继续|再|进一步)?(?:帮|为|给|向|告诉)[您你]"
    "(?:继续|进一步|详细|更多|提供|比较|介绍|查询|查找|说明|解释|解答|整理|信息|一下|的)*[。！!]?"
)
_TALK = frozenset(
    stem(word)
    for word in "answer ask assist course explain feel free further glad good happy help hope information know let "
    "like luck need please provide question sure tell thank welcome wish else anything".split()
)
"""Words of talk that the rules do not know as a greeting."""
_WISHED = 2
"""Other words that a wish may have ("I wish you a good ride")."""

_REQUEST = re.compile(
    r"(?:please|kindly|could\ you|can\ you|would\ you)\ (?:please\ )?(?:"
    r"(?:specify|clarify|rephrase|indicate|let\ me\ know|tell\ me|confirm)"
    r"\ (?:which|what|who|whom|whether|where|when|your\ question|more|the\ (?:question|name|person))\b"
    r"|(?:provide|give|share|send)\ (?:me\ |us\ )?(?:with\ )?(?:more|further|additional)"
    r"\ (?:details?|information|context)\b)[^.;,:\d]{0,80}[.?!]?"
    r"|请(?:您)?(?:具体|再|进一步)?(?:告知|告诉我|说明|补充|明确|确认|指明)(?:一下)?(?:您|你|具体|更多|是哪|哪|所指)"
    r"[^，。；：\d]{0,30}[。？！?]?",
    re.IGNORECASE,
)
"""A question back to the reader; after a comma it could state something."""
_REFERRAL = re.compile(
    r"(?:please\ |you\ (?:should|may\ want\ to|can|could)\ |kindly\ |it(?:['’]s|\ is|\ would\ be)\ best\ to\ )?"
    r"(?:talk\ (?:to|with)|speak\ (?:to|with)|ask|see|consult|contact)\ "
    r"(?:(?:to|with|at|your|a|an|the|our|their|local|qualified|licen[cs]ed|medical|legal|financial|tax|health\s?care"
    r"|customer|technical|front|reception|help|or|(?-i:[A-Z][a-z]+(?:['’]s)?))\ ){0,6}"
    r"(?:(?:doctor|nurse|midwife|pharmacist|lawyer|bank),?\ ){0,2}(?:or\ )?"
    r"(?:doctor|physician|pharmacist|nurse|dentist|vet|campsite|hotel|airline|landlord|bank|embassy|shop|seller|provider|professional|lawyer|solicitor|attorney|adviser|advisor"
    r"|accountant|expert|specialist|support|service|manufacturer|desk|staff|administrator)s?"
    r"(?:\ (?:team|hotline))?(?:\ or\ (?:check|see)\ the(?:ir)?\ (?:page|website|site)(?:\ on\ [a-z]+)?)?"
    r"(?:,\ if\ there\ is\ one)?"
    r"(?:\ (?:first|directly|for\ (?:more|further)\ (?:information|details|advice)|about\ (?:this|that|it)"
    r"|if\ (?:you(?:\ are|['’]re)\ )?(?:in\ doubt|unsure|not\ sure|uncertain)))?"
    r"(?:\ before\ you\ [a-z]+(?:\ (?:any|it|them|this|there))?)?[.!]?"
    r"|(?:请|建议您?|您?可以?)(?:先)?向[^，。；：\d]{0,8}(?:客服|医生|律师|专家|厂家|工作人员)(?:咨询|询问)[。！]?"
    r"|(?:请|建议(?:您)?|可以?|您可以?)?(?:先)?(?:咨询|询问|联系)(?:您的|专业|相关|当地|主治|一下|官方)*"
    r"(?:医生|医师|药师|律师|客服|专业人士|专家|厂家|工作人员)[。！]?",
    re.IGNORECASE,
)
"""Sends the reader to somebody else, and says nothing of what will be found there."""

_ADVICE = re.compile(
    r"(?:please\ |kindly\ |you\ (?:may|might|can|could|should)\ (?:want\ to\ |wish\ to\ |also\ )?"
    r"|it(?:['’]s|\ is|\ would\ be)\ best\ to\ |i(?:['’]d|\ would)?\ (?:suggest|recommend)\ (?:that\ you\ )?)*"
    r"(?:ask(?:ing)?|contact(?:ing)?|consult(?:ing)?|check(?:ing)?\ with|reach(?:ing)?\ out\ to|turn(?:ing)?\ to"
    r"|(?:talk|speak)(?:ing)?\ (?:to|with)|get(?:ting)?\ in\ touch\ with)\ [^.;:\d]{2,100}[.!]?"
    r"|if\ you\ (?:can|could|have|share|send|provide|upload|give|would\ like|need|want)\b[^.;:,]{2,80},\ "
    r"(?:then\ )?i(?:['’]ll|['’]d|\ will|\ would|\ can|\ could)\ (?:be\ (?:happy|glad)\ to\ |gladly\ |happily\ )?"
    r"(?:look|check|try|help|take|review|go\ through|search|answer)\b[^.;:,\d]{0,60}[.!]?"
    r"|(?:bitte\ |am\ besten\ |(?:sie\ )?können\ sie\ |ich\ empfehle(?:\ ihnen)?,?\ )*"
    r"(?:wenden|fragen|kontaktieren|erkundigen|sprechen)\ sie\b[^.;:\d]{2,100}[.!]?"
    r"|(?:请|建议|可以?|您|你|也|可|先|直接|不妨|至于){0,6}(?:查看[^，。；：\d]{1,12}[，,]?或?)?"
    r"(?:向[^，。；：\d]{1,14}(?:咨询|询问|确认|了解)|(?:咨询|询问|联系)[^，。；：\d]{1,16})[。！]?"
    r"|(?:如果|如|若|要是)?[您你]?(?:能|可以|愿意|方便)?(?:提供|上传|补充|分享|发来)[^，。；：]{1,24}[，,]"
    r"我(?:可以|能|会|就能|很乐意|乐意|将)?(?:再|继续|重新)?(?:帮|为|替)?[您你]?[^，。；：\d]{1,14}[。！]?",
    re.IGNORECASE,
)
"""Where else to ask, and what would help to answer. Wider than the patterns above: never beside orders to the judge."""
_REASON = re.compile(
    r"\b(?:because|since|as|who|whom|which|that|where|so|weil|denn|da)\b|因为|由于|所以|就会|将会"
    r"|\bto\ (?!(?:the|your|our|an?|ask|check|consult|contact|talk|speak|get|confirm|find|be|help|answer|take)\b)\w+",
    re.IGNORECASE,
)
"""What could hold a claim within advice ("Contact HR, who refund the fee")."""

_NUMBERING = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]|[-*•]", re.IGNORECASE)

_LACKS = re.compile(
    r"\b(?:not|no|none|nothing|nowhere|neither|nor|never|without|lack\w*|silent|missing|absent|omits?|omitted|unclear"
    r"|unknown|unspecified|unstated|insufficient|cannot|unable|impossible|fails?|only)\b|n['’]t\b|[不没無无未缺]|仅|只",
    re.IGNORECASE,
)
_LACKS_ELSEWHERE = re.compile(
    r"\b(?:nichts?|kein\w*|fehl(?:t|en|te|ten)|weder|ohne|lediglich|pas|aucune?|rien|ning[uú]n\w*|nada|falta\w*|sin)\b"
    r"|\bstops?\ short\b",
    re.IGNORECASE,
)
"""The same in German, French and Spanish."""

_SOURCE = re.compile(
    rf"\b{SOURCES}\b|\b(?:manuals?|pages?|files?|records?|notes?|transcripts?|reports?|guides?|leaflets?|polic(?:y|ies))\b"
    r"|资料|文档|文本|文章|上下文|信息|段落|材料|内容|文献|片段|文件|文中|原文|手册|说明书|记录|公告|条款|规定",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:say|says|said|state[sd]?|mention(?:s|ed)?|specif(?:y|ies|ied)|indicate[sd]?|disclose[sd]?|reveal(?:s|ed)?"
    r"|describe[sd]?|detail(?:s|ed)|determined?|answer(?:ed)?|know|known|tell|confirm(?:ed)?|explain(?:s|ed)?|find|found"
    r"|discuss(?:es|ed)?|document(?:ed)?|verif(?:y|ied))\b"
    r"|提及|提到|说明|写明|给出|回答|确定|得知|判断|得出|知道|知晓|告诉|涉及|记载|介绍|指出|交代|列出|明确",
    re.IGNORECASE,
)

_IS_NOT_GIVEN = re.compile(
    r"(?:^\s*(?:who|whom|whose|when|where|what|which|how|why|whether)\b[^,;]*|\bwhich\s+)"
    r"\b(?:is|are|was|were)(?:n['’]t|\s+not)\s+(?:given|provided|listed|shown|included|recorded|named)\s*[.!?]?\s*$",
    re.IGNORECASE,
)
"""Of a question, and at the end: "Breakfast is not included", "Who is not named inherits nothing" are claims."""


_UNTOLD = re.compile(
    r"\bno\ (?:se\ )?(?:lo\ |la\ )?(?:indica|menciona|especifica|precisa|detalla|aclara)n?\b"
    r"|\bnin(?:gún|guna|guno)\b[^.;]{0,60}\b(?:indica|menciona|especifica|precisa|detalla|aclara)n?\b"
    r"|\bn(?:e\ |['’])(?:l['’]|le\ |la\ |les\ )?(?:indiqu|mentionn|précis|spécifi|évoqu)\w*\ (?:pas|rien|aucune?)\b"
    r"|\b(?:aucune?|rien)\b[^.;]{0,60}\bn(?:e\ |['’])(?:l['’]|le\ |la\ )?(?:indiqu|mentionn|précis|spécifi|évoqu)"
    r"|\bgeh(?:t|en)\b[^.;]{0,80}\bnicht\b[^.;]{0,20}\bhervor\b|\bnicht\ hervorgeh(?:t|en)\b"
    r"|\bführ(?:t|en)\b[^.;]{0,80}\bnicht\ auf\b"
    r"|\b(?:mach(?:t|en)|enth(?:ält|alten)|gibt\ es|finde[nt]\w*)\b[^.;]{0,60}\bkeine\ Angaben?\b"
    r"|(?:記載|記述|言及|明記)(?:[はがも]|されて)?(?:ありません|ない|いません|いない|見当たりません|見つかりません)"
    r"|(?:書かれて|触れられて|触れて|示されて|述べられて)(?:は)?い(?:ません|ない)",
    re.IGNORECASE,
)
_APPEARS_NOT = re.compile(
    r"\bno\ (?:figura|consta|aparece)n?\b|\bne\ (?:figure|figurent|apparaît|apparaissent)\ (?:pas|nulle)\b",
    re.IGNORECASE,
)
_SOURCE_ELSEWHERE = re.compile(
    r"\b(?:documentos?|textos?|fuentes?|fichas?|pasajes?|extractos?|documents?|textes?|sources?|extraits?|passages?)\b",
    re.IGNORECASE,
)
"""What documents do not tell in Spanish, French, German and Japanese; what does not appear may be on a list."""

_LABEL_WORDS = 2
_LABEL = re.compile(r"\s*(?:[-*•]\s+)?(?:(?P<mark>\*\*|__)[^*_\d\n]{1,40}(?P=mark)|[^:：\d\n]{1,60}[:：])\s*")


def is_label(written: str) -> bool:
    """Whether a piece of an answer, as it is written there, is a word or two in bold, or leads in what follows it."""
    return (
        _LABEL.fullmatch(written) is not None and len(content_words(written)) <= _LABEL_WORDS and not negations(written)
    )


_DECLINES = re.compile(
    r"\bI\ (?:cannot|can['’]t|am\ unable\ to)\ (?:answer|say|tell|confirm)\b|无法(?:回答|确定|判断|确认)"
)


def declines(text: str) -> bool:
    """Whether a text says that it cannot answer; the passages cannot be quoted for that."""
    return _DECLINES.search(text) is not None


_REFUSES = re.compile(
    r"\bI\s?(?:cannot|can['’]t|could\ not|couldn['’]t|(?:am|['’]m)\ (?:not\ able|unable)\ to)\ "
    r"(?:give|tell|provide|offer|name|determine|calculate|work\ out|confirm|say|answer|find)\b"
    r"|\bkann\ ich\b[^.;]{0,60}\b(?:kein\w*|nicht)\b[^.;]{0,60}\b(?:nennen|sagen|beantworten|angeben|finden)\b"
    r"|(?=.*\b(?:nicht|kein\w*|nur|lediglich)\b)(?=.*\b(?:Unterlagen|Dokument\w*|Passagen?|Quellen?|Text\w*)\b)"
    r".*\b(?:steht|stehen|nenn\w+|genannt|erwähn\w+|angegeben|Angaben?|enthalten|enthält|lässt\ sich|hervor)\b"
    r"|(?:无法|無法)(?:得出|给出|提供|算出|回答|确定)",
)
"""A refusal in the first person, and what documents lack in German."""


def is_about_documents(text: str) -> bool:
    """Whether a text says that something is not told: by the documents, or so that it cannot be told."""
    if any(pattern.search(text) for pattern in (_IS_NOT_GIVEN, _REFUSES, _UNTOLD)):
        return True
    if _APPEARS_NOT.search(text) and _SOURCE_ELSEWHERE.search(text):
        return True
    return _LACKS.search(text) is not None and bool(_SOURCE.search(text) or _TELLS.search(text))


def denies(text: str) -> bool:
    """Whether a text says that something is lacking, in whatever words."""
    return _LACKS.search(text) is not None or _LACKS_ELSEWHERE.search(text) is not None


def is_advice(text: str) -> bool:
    """Whether a text only says where else to ask, or what would help to answer, as far as a judge may say so."""
    text = " ".join(text.split())
    return _ADVICE.fullmatch(text) is not None and not _REASON.search(text)


def is_talk(text: str) -> bool:
    """Whether a text may be left unchecked on a model's word: talk to the reader that speaks of nothing.

    Greetings, questions and refusals are known to the rules; "You can cancel" or "I can confirm that ..." are claims.
    """
    text = " ".join(text.split())
    if is_courtesy(text) or any(p.fullmatch(text) for p in (_OFFERS, _REQUEST, _REFERRAL, _NUMBERING)):
        return True
    if extract(text).facts or _FIRST_PERSON.search(text) is None:
        return False
    return len(words(text) - _TALK) <= (_WISHED if _WISHES.match(text) else 0)
