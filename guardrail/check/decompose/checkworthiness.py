"""What needs no check, and why. When in doubt a sentence is checked: a skipped hallucination is the worst outcome."""

from __future__ import annotations

import re
from collections.abc import Collection

from guardrail.check.decompose.abstention import SOURCES
from guardrail.check.decompose.blocks import Kind
from guardrail.check.decompose.courtesies import is_courtesy
from guardrail.check.decompose.predicates import title_claims
from guardrail.check.decompose.references import CITATION, HEADING, URL, is_source_line, is_source_note
from guardrail.text.labels import is_label, without_label
from guardrail.text.words import has_words

GREETING = "greeting"
QUESTION = "question"
META = "meta"
CODE = "code"
TABLE_HEADER = "table header"
MARKUP = "markup"
DECLINES = "declines"

_INTERROGATIVE = re.compile(
    r"""["'“¿]*(?:(?:and|so|but|or)[ ])?(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|can
    |could|would|will|should|shall|have|has
    |may|am|did(?!\ you\ know)|any|anything|qui|que|quoi|quand|où|pourquoi|comment|quel|quelle|est-ce|wer|was|wann|wo
    |warum|wie|welche[rsn]?|quién|qué
    |cuándo|dónde|cómo|cuál|chi|che|cosa|quando|dove|perché|come|quale|quem|onde|como|qual|кто|что|когда|где|почему
    |как)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WH = re.compile(r"(?:who|what|when|where|why|how|which)\b", re.IGNORECASE)
_HAN_INTERROGATIVE = re.compile(r"[吗呢嗎]|什么|什麼|谁|誰|哪|怎|为何|是否|几|多少|何时|か|까")
_COURTESY = r"""(?:
    (?:hello|hi|hey|greetings|welcome|good\ (?:morning|afternoon|evening|day))(?:\ there|\ everyone|\ again
    |,?\ [A-Z]\w+)?
    |dear\ \w+(?:\ \w+)?|(?:yes,\ )?(?:sure(?:\ thing)?|certainly|of\ course|absolutely|okay|ok|great|no\ problem)
    |you(?:['’]re|\ are)\ (?:(?:very|most|so|always)\ )?welcome(?:,?\ (?-i:[A-Z])\w+)?
    |(?:no\ problem|no\ worries)(?:\ at\ all)?|sounds\ good|understood|got\ it|cheers|take\ care
    |good\ luck(?:\ with\ [^,;]{1,30})?|see\ you(?:\ (?:soon|later|then|around))?
    |(?:it(?:['’]s|\ is|\ was)\ )?my\ pleasure(?:\ to\ help(?:\ you)?)?
    |enjoy(?:\ (?:your|the)\ (?:day|evening|weekend|visit|stay|trip|holiday|time)(?:\ (?:at|in|with)\ the\ \w+)?)?
    |(?:I(?:['’]m|\ am)\ )?(?:(?:so|very|really|always|just)\ )?(?:glad|happy|pleased)\ (?:(?:that\ )?I\ could|to)
        \ (?:help|assist|hear\ (?:that|it|this))(?:\ you)?(?:\ (?:out|with\ (?:that|this|it)))?
    |I(?:['’]m|\ am)\ (?:(?:always|still)\ )?here\ (?:to\ help|for\ you|(?:if|when(?:ever)?)\ you\ (?:need|have)
        \ [^,;:]{1,50})
    |I(?:['’]m|\ am)\ (?:doing\ )?(?:well|fine|great)
    |I\ (?:really\ )?appreciate\ (?:it|that|your\ (?:feedback|patience|understanding|kind\ words))
    |(?:(?:I(?:['’]m|\ am)\ )?(?:(?:so|very|really)\ )?sorry|(?:I\ )?apologi[sz]e|(?:my\ )?apologies)
        (?:\ (?:for|about)\ (?:that|this|it|(?:the|any)\ (?:confusion|inconvenience|delay|mix-up|trouble|mistake)))?
    |how\ (?:can|may)\ I\ (?:help|assist)(?:\ you)?(?:\ (?:today|further))?\?
    |(?:that['’]s\ a\ |what\ a\ )?(?:great|good|excellent|interesting)\ question
    |(?:many\ )?thanks?(?:\ you)?(?:\ (?:so|very)\ much)?(?:\ for\ [^,;]{1,40})?
    |I['’]?(?:\ a|\ woul)?[md]\ (?:be\ )?(?:happy|glad|here)\ to\ (?:help|assist|answer)\b[^,;:]{0,50}
    |(?:I\ )?(?:sincerely\ )?hope\ (?:this|that|it|you)(?:['’]s|\ (?:was|is|will\ be))?\ (?:answer|information
    |explanation)?\s?(?:helps?|helpful|answers?|clarif\w+|find|useful)[^,;]{0,60}
    |(?:(?:please|just)\ )?(?:let\ me\ know|(?:feel\ free|do\ not\ hesitate|don['’]t\ hesitate)\ to
        \ (?:ask|reach|contact|let|share|provide))
        \b[^,;:]{0,100}(?:,\ (?:and\ |so\ |or\ )?(?:I|you|we|please)\b[^,;:]{0,60})?
    |if\ you\ (?:have|need|want|would\ like|['’]d\ like|are\ looking)\b[^;:]{0,100}(?:let\ me\ know
    |feel\ free\ to\ (?:ask|reach|let|contact)|just\ ask
        |I['’]?[^,;.]{1,8}(?:happy|glad)\ to|don['’]t\ hesitate)[^;:]{0,60}
    |(?:is\ there\ )?anything\ else(?:\ (?:I\ can|you(?:['’]d|\ would)?\ (?:like|need|want))\b[^.;:]{0,40})?\?
    |have\ a\ (?:great|nice|good|wonderful)\ \w+|(?:best|kind)\ regards
    |goodbye|bye
    |please\ (?:provide|share|clarify|rephrase|specify)\ (?:me\ with\ )?(?:more|additional|further|the|a|your|any|some)
        (?:\ \w+){0,2}\ (?:context|information|details?|questions?|documents?|passages?)[^,;:]{0,60}
    |(?:你好|您好|大家好|嗨|哈喽|早上好|晚上好)[呀啊]?|(?:很高兴|乐意)(?:为|能).{0,20}
    |希望(?:这|以上|我的|能|对|上述|這|這些).{0,24}(?:帮|用|幫|所了解|启发).{0,10}|(?:如果?|若|如).{0,4}(?:您
    |你)?.{0,4}(?:有|需要).{0,24}(?:随时|告诉我|問我|问我|联系我|提问|咨询我|继续提).{0,15}
    |祝(?:您|你).{0,14}|谢谢.{0,12}|不客气|当然(?:可以)?|好的|没问题|请(?:随时|告诉我|提供更多).{0,24}
    )"""
_AFFIRM = r"(?:sure|certainly|of\ course|absolutely|no\ (?:problem|worries)(?:\ at\ all)?|sounds\ good)"
_GREETING = re.compile(
    rf"(?:{_COURTESY}|(?!{_AFFIRM}|ok|great){_COURTESY},?\ (?:and\ )?{_COURTESY})[\s!.~,。！，～🙂😊👋]*",
    re.IGNORECASE | re.VERBOSE,
)
_CLAIM_SIGN = re.compile(r"\d{2}|\b(?:was|were|because|since|that(?! helps| you(?:['’]re| are)\b|\W*$))\b|因为")
_AFFIRMATION = re.compile(rf"(?:yes,?\ )?{_AFFIRM}(?:,?\ {_AFFIRM})?\W*|(?:当然(?:可以)?|好的)\W*", re.IGNORECASE)
_LEAD = re.compile(r"(?:these|the following|following|以下|下列)", re.IGNORECASE)
_TAIL = (
    r"(?:\ (?:provided|given|above|below|available|retrieved|supplied|here|you\ (?:provided|gave)|I\ have"
    r"|\d{1,3})){0,3}"
)
_TOPIC = (  # what an announcement may go on with: no verb
    r"(?:(?!\b(?:is|are|has|have|had|will|can|cannot|must|owns?|costs?|contains?|built"
    r"|(?!provided|retrieved|mentioned|described|related)\w{3,}ed)\b)[^.,;:：]){0,60}"
)
_META = re.compile(
    rf"""(?:
    (?:(?:based\ on|according\ to|using|from)\ (?:\w+\ ){{0,5}}{SOURCES}{_TAIL},?\ )?
        (?:(?:here(?:['’]s|\ is|\ are)|below\ (?:is|are))\b[^.;:：]{{0,100}}[:：]
        |(?:here(?:['’]s|\ is|\ are)|below\ (?:is|are))\ (?:\w+\ ){{0,3}}(?:answer|summary|overview|breakdown
            |information|list|response|explanation|details|points)(?:\ (?:to|of|for|about|on)\ [^.,;:]{{1,60}})?
        |(?:the|my)\ (?:answer|response|summary)\ is\ as\ follows)
    |(?:based\ on|according\ to)\ (?:the\ |these\ |your\ )?(?:\w+\ ){{0,3}}{SOURCES}{_TAIL}
    |let(?:['’]s|\ me|\ us)\ (?:look|see|take|break|explain|go|summarize|start|explore|walk
        |begin)\b{_TOPIC}[.:：]?
    |(?:I\ will|I['’]ll)\ (?:now\ )?(?:answer|explain|summarize|describe|list|provide)\b{_TOPIC}[.:：]?
    |(?:in\ (?:summary|conclusion|short)|to\ (?:summarize|conclude|sum\ up)|overall|summary|conclusion|answer|note
    |final\ answer)
    |(?:根据|基于|依据|按照|从).{{0,16}}(?:资料|文档|文本|信息|段落|材料|内容|文章).{{0,8}}[，,]?(?:以下|如下|下面
    |回答如下|答案如下|整理如下|总结如下)[^，。；：]{{0,20}}
    |(?:以下|下面)(?:是|为)[^，。；：]{{0,30}}(?:[:：]|答案|总结|信息|内容|要点|回答)|(?:总之|综上所述|综上|总结|回答|答案|如下)
    |(?:根据|基于).{{0,16}}(?:资料|文档|文本|信息|段落|材料|内容)
    )[\s:.,!：。，！]*""",
    re.IGNORECASE | re.VERBOSE,
)
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)[^*\n]{1,160}(?:\*\*|__)\s*[:：]?\s*$")
_VALUE = re.compile(r"[:：]\s*\w")  # "**Answer: Paris**"
_GENERIC = re.compile(
    r"[:：]\s*(?:an?\s|the\s|key\s|main\s)?(?:accounts|background|comparison|details|facts|features|figures|history"
    r"|instructions|numbers|overview|points|results|steps|summary|timeline|at\sa\sglance|in\sbrief|in\sfigures"
    r"|概述|概览|总结|对比|比较|步骤|要点)\W*$",
    re.IGNORECASE,
)
"""What a heading may have behind its colon without saying anything: "Folk Festival: accounts"."""
_FULL_STOP = re.compile(r"[.。!！؟।][\"'”’」』)）\]*_\s]*$")
_OPEN_LIST = re.compile(
    r"(?:\b(?:is|are|was|were|includes?|including|following|as follows|like this)|包括|有|如下|为|是|以下[^，。]{0,12})"
    r"\s*[:：]$",
    re.IGNORECASE,
)


def is_bold_line(raw: str) -> bool:
    """Whether the line is bold as a whole: a heading if something follows it, else an answer."""
    return _BOLD_LINE.match(raw) is not None


def affirms(text: str) -> bool:
    """Whether the text is a greeting that would be a claim if it were the whole answer ("Certainly.")."""
    return _AFFIRMATION.fullmatch(text) is not None


def _is_heading(text: str, raw: str, kind: Kind, *, alone: bool) -> bool:
    titled = alone and (kind is Kind.HEADING or is_bold_line(raw)) and not _VALUE.search(_GENERIC.sub("", text))
    asks = _WH.match(text) is not None and not re.search(r"\d", text)
    if titled and not _FULL_STOP.search(text) and (asks or not title_claims(text)):
        return True
    if not text.endswith((":", "：")) or len(text) > 120 or re.search(r"\d", text):
        return False
    # A line that leads in a list claims nothing before its items do.
    return not title_claims(text) or (
        len(text.split()) <= 12 and (_OPEN_LIST.search(text) or _LEAD.match(text)) is not None
    )


def skip_reason(text: str, raw: str, kind: Kind, *, alone: bool, names: Collection[str] = frozenset()) -> str | None:
    """Why a sentence needs no check, or None.

    Args:
        text: The sentence in plain text, citation marks removed.
        raw: The sentence as written.
        kind: Kind of its block.
        alone: Whether it fills its line.
        names: Of passages, see ``references.known_names``.
    """
    if not has_words(text):
        return CITATION if has_words(raw) and "<" not in raw else MARKUP
    if not has_words(URL.sub("", text)) or is_source_line(text, names) or (alone and is_source_note(raw)):
        return CITATION
    if len(text) <= 200 and not _CLAIM_SIGN.search(text) and (_GREETING.fullmatch(text) or is_courtesy(text)):
        return GREETING
    if len(text) <= 240 and not _CLAIM_SIGN.search(text) and _META.fullmatch(text):
        return META
    if _is_heading(text, raw, kind, alone=alone) or (alone and is_label(text)):
        return HEADING
    if text.rstrip("\"'”’」』)） ").endswith(("?", "？", "؟")) and (
        _INTERROGATIVE.match(text) or _HAN_INTERROGATIVE.search(text)
    ):
        return QUESTION
    return None


_PREFIX = re.compile(
    rf"""(?:
    (?:based\ (?:up)?on|according\ to|as\ (?:stated|mentioned|described|noted|shown|per)(?:\ (?:in|by))?|per|from
    |in)\ (?:the\ |these\ |those\ |your\ |our\ )?
        (?:(?:provided|given|supplied|available|retrieved|above|search|following|reference|context)\ ){{0,3}}{SOURCES}
        (?:\ (?:provided|given|above|you\ provided|you\ gave|available|\d{{1,3}})){{0,2}}\s*,\s*
    |(?:based\ (?:up)?on|according\ to)\ (?:the\ |these\ |those\ |your\ |our\ )?
        (?:(?:provided|given|supplied|available|retrieved|above|search|reference|context)\ ){{0,3}}{SOURCES}{_TAIL}\s
        (?!(?:of|in|from|on|at|by|for|about|with|that|which|and|or|to|as|is|was|are|were|has|have|had|\w+ed|given|you|I)\b)
    |(?:the\ )?(?:(?:provided|given|retrieved|above)\ )?{SOURCES}(?:\ \d{{1,3}})?\ (?:states?|says?|mentions?
    |indicates?|suggests?|shows?|notes?|reports?|confirms?)\ that\s
    |(?:in\ (?:summary|conclusion|short)|to\ (?:summarize|conclude|sum\ up)),\s
    |(?:根据|基于|依据|按照|从)(?:您|你|所|以上|上述|上面|现有|已有|给定|参考|检索到?|提供|给出|的){{0,6}}(?:资料|文档
    |文本|上下文|信息|段落|材料|内容|文章|文献)
        (?:\d{{1,3}}|显示|可知|来看|所述|中|可以(?:看出|得知)|的?内容){{0,3}}\s*[，,：:]\s*
    |(?:总之|综上所述|综上)[，,]\s*
    )(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)


def strip_prefix(text: str) -> str:
    """The claim without a label ("Answer 2:") or words about where it was read ("Based on the passages, ...")."""
    bare = without_label(text)
    text = bare if has_words(bare) else text
    found = _PREFIX.match(text)
    if found is None or not has_words(text[found.end() :]):
        return text
    rest = text[found.end() :]
    return rest[0].upper() + rest[1:]
