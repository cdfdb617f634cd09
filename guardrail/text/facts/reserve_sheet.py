"""The word lists of reserve: patterns in lower case, by what they govern and how they withhold assent.

A line break inside a pattern counts for nothing; blanks count.
"""

from __future__ import annotations

from enum import StrEnum


class Reserve(StrEnum):
    """How a text withholds assent from what it says."""

    REPORTED = "reported"
    DENIED = "denied"
    UNTRUE = "untrue"
    FICTION = "fiction"
    PLANNED = "planned"
    PROPOSED = "proposed"
    SUPPOSED = "supposed"
    POSSIBLE = "possible"
    TRIED = "tried"
    FAILED = "failed"
    FORMER = "former"
    ASKED = "asked"


_LY = r"(?:(?:\w+ly|also|now|still|first|then|long|once|again|even|only) ){0,2}"
_BE = r"\b(?:is|are|was|were|be|been|being|'s|'re) " + _LY
_HAVE = r"(?:having been |have been |been |having |have |being |be )?"
_ING, _DONE_FORM = r"(?=\w+ing\b)", r"(?=\w+(?:ing|ed)\b)"
_SAID = r"(?:said|alleged|rumou?red|believed|thought|reputed|suspected|claimed|supposed|assumed|understood|reported)"
_TALK = r"""(?:rumou?rs?|speculation|allegations?|claims?|accusations?|suspicions?|gossip|suggestions?|reports?
    |stor(?:y|ies)|idea|notion|charges?)"""
_MEDIUM = r"(?:novel|film|movie|series|play|game|tale|legend|comic|drama|book|story|episode)s?"

PREDICATES: tuple[tuple[str, Reserve, str], ...] = (
    ("said to", Reserve.REPORTED, rf"{_BE}{_SAID} to {_HAVE}"),
    ("allegedly", Reserve.REPORTED, rf"\b(?:allegedly|reportedly|supposedly|purportedly|ostensibly) {_HAVE}"),
    ("accused", Reserve.REPORTED, rf"""\b(?:accus(?:e|es|ed)|suspect(?:s|ed)?|suspicion|allegations?|accusations?
        |rumou?rs|charged)(?: \w+){{0,4}}? (?:of|with|about) {_HAVE}{_DONE_FORM}"""),
    ("on trial", Reserve.REPORTED, rf"""\b(?:on trial|under investigation|investigated|wanted|questioned
        |fac(?:e|es|ed|ing) charges) (?:for|over|about|on|of) {_HAVE}{_DONE_FORM}"""),
    ("denied doing", Reserve.DENIED, rf"""\b(?:den(?:y|ies|ied|ying)|dismiss(?:es|ed)|reject(?:s|ed))
        [ ](?:ever |(?:any |the |all )?{_TALK} (?:of|about) )?{_HAVE}{_DONE_FORM}"""),
    ("plans to", Reserve.PLANNED, rf"""\b(?:plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|intention|hop(?:e|es|ed|ing)
        |aim(?:s|ed|ing)?|wish(?:es|ed)?|expect(?:s|ed)?|promis(?:e|es|ed)|threaten(?:s|ed)?|pledg(?:e|es|ed)
        |vow(?:s|ed)?|propos(?:e|es|ed)|proposals?|motion|offer(?:s|ed)?|want(?:s|ed)?|prepar(?:e|es|ed|ing)|decision
        |decid(?:e|es|ed)|agree(?:s|d)?)(?: by [\w ]{{3,40}}?)? to {_HAVE}"""),
    ("due to", Reserve.PLANNED, rf"""{_BE}(?:due|set|scheduled|expected|planned|projected|predicted|forecast|likely
        |about|slated|poised|going|ready|asked|told|urged|ordered) to {_HAVE}"""),
    ("is to", Reserve.PLANNED, rf"\b(?:is|are) to {_HAVE}"),
    ("ordered", Reserve.PLANNED, r"""\b(?:order(?:s|ed)?|ask(?:s|ed)?|told|urg(?:e|es|ed)|call(?:s|ed)?\ on
        |requir(?:e|es|ed)|advis(?:e|es|ed)) (?:(?!and|but|that)[\w.]+ ){1,4}to """),
    ("will", Reserve.PLANNED, rf"(?:\bwill|'ll|\bwon't) {_LY}{_HAVE}"),
    ("plan doing", Reserve.PLANNED, rf"""\b(?:consider(?:s|ed|ing)?|plan(?:s|ned|ning)?|propos(?:e|es|ed|ing)
        |discuss(?:es|ed|ing)?|weigh(?:s|ed|ing)?|talks\ about|think(?:s|ing)?\ (?:of|about)|plans?\ (?:for|of)
        |dream(?:s|ed|t)\ of) {_HAVE}{_DONE_FORM}"""),
    ("draft would", Reserve.PROPOSED, rf"""\b(?:draft|proposal|motion|bill|plan|amendment)\b
        [^.;:]{{0,60}}?[ ]would {_LY}"""),
    ("would have", Reserve.SUPPOSED, r"\b(?:would|should)(?: \w+ly)? have (?:been )?"),
    ("may", Reserve.POSSIBLE, rf"(?:\bmay|\bmight|\bcould) (?!have\b){_LY}(?:be )?(?!includ)"),
    ("may have", Reserve.POSSIBLE, r"(?:\bmay|\bmight|\bcould) (?:\w+ly )?have (?:been )?"),
    ("perhaps", Reserve.POSSIBLE, rf"\b(?:perhaps|possibly|probably|maybe|presumably|apparently) {_HAVE}"),
    ("tried to", Reserve.TRIED, r"""\b(?:tr(?:y|ies|ied|ying)|attempt(?:s|ed|ing)?|sought|seeks?|struggl(?:e|es|ed|ing)
        |bid)(?: (?:by|of) [\w ]{3,30}?)? to """),
    ("failed to", Reserve.FAILED, r"""\b(?:fail(?:s|ed|ing|ure)?|refus(?:e|es|ed|ing|al)|declin(?:e|es|ed|ing)
        |neglect(?:s|ed|ing)?|omit(?:s|ted)?|forg(?:et|ets|ot)|unable|not\ manage|not\ able
        |pretend(?:s|ed|ing)?) to """),
    ("nearly", Reserve.FAILED, r"""\b(?:almost|nearly|all\ but|c[oa]me\ (?:very\ |so\ )?close\ to
        |within\ \w+(?:\ \w+){0,3}\ of|narrowly\ (?:missed|avoided|escaped)|just\ (?:missed|avoided)|avoid(?:s|ed)
        |stopped\ short\ of) (?=(?:\w+(?:ing|ed|en)|won|lost|sold|fell|broke|died|sank|became|left|hit|went|ran)\b)"""),
    ("kept from", Reserve.FAILED, rf"""\b(?:prevent(?:s|ed)?|ke(?:ep|eps|pt)|stop(?:s|ped)?|bar(?:s|red)?
        |discourag(?:e|es|ed)|ban(?:s|ned)?|prohibit(?:s|ed)?)(?: \w+){{1,5}}? from {_ING}"""),
    ("no success in", Reserve.FAILED, rf"""\b(?:(?:not|n't|never)\ succeed(?:ed)?|no\ success
        |unsuccessful(?:ly)?(?: \w+){{0,2}}?|without\ success) (?:in|at) {_ING}"""),
    ("without", Reserve.FAILED, rf"\b(?:without|instead of|rather than) (?:ever |even )?{_ING}"),
    ("used to", Reserve.FORMER, r"""(?<!is )(?<!are )(?<!get )(?<!be )(?<!was )(?<!were )\bused to[ ]
        |\bno longer (?!to\b|than\b)"""),
    ("former", Reserve.FORMER, r"\b(?:former|erstwhile|one-time|previous)(?:ly)? |\bex-"),
    ("until", Reserve.FORMER, r"""\b(?:was|were) (?=[^.;]{3,120}?(?:\ until\ (?!now|today)
        |,\ but\ (?:not\ any ?more|no\ longer)))"""),
)  # fmt: skip
_NOT_FILED = "".join(
    rf"(?<!\b{word} )"
    for word in "the a an your my his her our their all any no each every such this these those warranty insurance "
    "expense expenses liability damage travel can may must should could to pay pays paid file files filed".split()
)
_FILED = r"""[ ](?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|shall|should|for
    |of|in|on|at|by|with|within|under|against|from|over|above|up|and|or|not|get|gets|form|forms|expire|expires|a|an)\b"""
"""Claims that are filed, and suspects who are arrested, are no allegations ("All claims are settled in 30 days")."""

CLAUSES: tuple[tuple[str, Reserve, str], ...] = (
    ("it is said", Reserve.REPORTED, rf"\bit {_BE}{_SAID} that "),
    ("alleges", Reserve.REPORTED, rf"""\b(?:alleg(?:e|es|ed|ing)|speculat(?:e|es|ed)|suspect(?:s|ed)? that
        |claim(?:s|ed|ing)? that|{_NOT_FILED}(?:claim(?:s|ed|ing)?|suspect(?:s|ed)?)(?!{_FILED}))
        [ ](?:that )?(?!to\b)"""),
    ("believes", Reserve.REPORTED, r"""\b(?:believ(?:e|es|ed)|thinks?|thought|assum(?:e|es|ed)|guess(?:es|ed)?
        |fear(?:s|ed)?|hop(?:e|es|ed)) that """),
    ("argues", Reserve.REPORTED, r"""\b(?:argu(?:e|es|ed)|suggest(?:s|ed)?|contend(?:s|ed)?|insist(?:s|ed)?
        |maintain(?:s|ed)?) that """),
    ("rumour", Reserve.REPORTED, r"""\b(?:rumou?rs?|speculation|allegations?|gossip|hearsay|suspicions?
        |unconfirmed\ reports?) (?:says? |has it |have it |suggests? )?(?:that|,)? ?(?!of\b|about\b|to\b)"""),
    ("unconfirmed", Reserve.REPORTED, r"""\baccording to (?:unconfirmed|unverified|rumou?rs?|gossip|speculation|hearsay
        |allegations)[^,]{0,30}, """),
    ("denied", Reserve.DENIED, rf"""\b(?:den(?:y|ies|ied|ying|ials?)|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?
        |refut(?:e|es|ed|ing)|disput(?:e|es|ed|ing)|contradict(?:s|ed)?|rul(?:e|es|ed)\ out) (?:of )?
        (?:(?:any|the|all|these|media|press|newspaper|earlier|recent|his|her|their) )*(?:{_TALK} )?that """),
    ("no evidence", Reserve.DENIED, r"""\b(?:no (?:evidence|proof|sign|indication|truth in \w+(?: \w+)?)(?: \w+){0,2}
        |not (?:proven|established|confirmed|certain)|doubts?|doubted) that """),
    ("untrue", Reserve.UNTRUE, r"""\b(?:not\ true|untrue|false|wrong|incorrect|myth|misconception|fallacy|legend|hoax
        |mistake|error)(?: to (?:say|think|write|believe|assume))? that """),
    ("wrongly", Reserve.UNTRUE, r"\b(?:wrongly|falsely|incorrectly|mistakenly|erroneously) (?!that)\w+ that "),
    ("contrary to", Reserve.UNTRUE, rf"""\b(?:made up the story that
        |earlier version (?:\w+ ){{0,4}}?(?:said|stated|gave|claimed) that
        |contrary to (?:the )?(?:(?:popular|common|widespread|earlier|media) )?(?:beliefs?|{_TALK})(?: that)?) """),
    ("are false", Reserve.UNTRUE, rf"""\b{_TALK} that (?=[^.;]{{3,100}} (?:is|are|was|were) (?:\w+ )?
        (?:false|untrue|wrong|baseless|unfounded|incorrect|a myth|a hoax)\b)"""),
    ("dream", Reserve.UNTRUE, r"""\bin (?:a|his|her|their|my|the|one) dreams?,? |\b(?:dream(?:s|ed|t)
        |pretend(?:s|ed)?) that """),
    ("struck", Reserve.UNTRUE, r"~~(?=\S[^~]*~~)|<(?:s|del|strike)>"),
    ("fiction", Reserve.FICTION, rf"\bin (?:the|an?|his|her|their|this|one) (?:\w+ ){{0,3}}{_MEDIUM}\b[^,]{{0,40}}, "),
    ("forecasts", Reserve.PLANNED, r"""\b(?:forecast(?:s|ed)?|predict(?:s|ed)?|expect(?:s|ed)?|project(?:s|ed)
        |anticipat(?:e|es|ed)) that """),
    ("draft", Reserve.PROPOSED, r"""\b(?:under|according to|in) (?:the |a )?(?:\w+ )?(?:draft|proposal|proposed)\b
        (?:(?: \w+){0,6},)? """),
    ("if", Reserve.SUPPOSED, r"""(?<!even )(?<!only )(?<!as )(?<!what )(?<!ask )(?<!asked )(?<!see )(?<!know )\b(?:if
        |unless|provided(?: that)?|as if|as though|supposing|assuming|assume|suppose|imagine|in case) (?:that )?
        (?!necessary|possible|so\b|not\b|any\b|needed)"""),
    ("wish", Reserve.SUPPOSED, r"""\bwish(?:es|ed)? (?:that )?(?=(?:\w+ ){1,4}(?:were|was|had|could|would)\b)
        |\bif only """),
    ("had", Reserve.SUPPOSED, r"^(?:had|were|should) "),
    ("is possible", Reserve.POSSIBLE, r"\b(?:possible|unlikely|conceivable|possibility|chance|risk) that "),
    ("whether", Reserve.ASKED, r"\bwhether |\b(?:wonder(?:s|ed)?|asked|unclear|ask|see|know) if "),
)  # fmt: skip


WORLD: tuple[tuple[str, Reserve, str], ...] = (
    ("angeblich", Reserve.REPORTED, r"""\b(?:angeblich|mutmaßlich|vermeintlich|gerüchten zufolge|prétendument
        |supuestamente|presuntamente) """),
    ("selon des rumeurs", Reserve.REPORTED, r"\b(?:selon (?:des|les|la) rumeurs?|según (?:los )?rumores),? "),
    ("bestreitet", Reserve.DENIED, r"""\b(?:(?:bestreitet|bestritt|leugnete?|dementierte?), dass
        |(?:dément|démenti|nie|nié) que|(?:desmiente|desmintió|niega|negó) que) """),
    ("nicht wahr", Reserve.UNTRUE, r"""\b(?:(?:nicht (?:wahr|richtig)|unwahr|falsch|trifft nicht zu|stimmt nicht),
        [ ](?:dass )?|(?:pas (?:vrai|exact)|faux) qu(?:e |['’])|(?:no es (?:cierto|verdad)|es falso) que )"""),
    ("并非", Reserve.UNTRUE, r"并非|并不是|不是(?=所有|每)|误传"),
    ("ob", Reserve.ASKED, r", ob "),
    ("据称", Reserve.REPORTED, r"据称|据传|据说|传闻|传言|谣传|有消息称|涉嫌|疑似"),
    ("否认", Reserve.DENIED, r"否认|驳斥"),
    ("计划", Reserve.PLANNED, r"计划|打算|(?<!虚)拟(?=[在于将建定])|有意|预计|有望|将(?=[于在会要])"),
    ("如果", Reserve.SUPPOSED, r"如果|假如|倘若|要是"),
    ("未能", Reserve.FAILED, r"未能|没能|差点|险些"),
    ("是否", Reserve.ASKED, r"是否"),
)  # fmt: skip
"""Cues of other languages; the words before them count as the subject."""

LETTERS: dict[str, str] = {
    "said to": "d to |t to ", "allegedly": "edly |ensibly ",
    "accused": "accus|suspect|suspicion|allegation|rumo|charged",
    "on trial": "trial|investigat|wanted|questioned|charges", "denied doing": "den|dismiss|reject",
    "is to": "is to |are to ", "will": "will|'ll|won't",
    "plan doing": "consider|plan|propos|discuss|weigh|talks about|think|dream", "draft would": " would ",
    "would have": " have ", "may": "may |might |could ", "may have": " have ",
    "perhaps": "perhaps|ably|ibly|maybe|apparently",
    "nearly": "almost|nearly|all but|close to|within|narrowly|just |avoid|short of", "kept from": " from ",
    "no success in": "succe", "without": "without|instead|rather", "used to": "used to|no longer",
    "former": "former|erstwhile|one-time|previous|ex-", "until": "until|any more|anymore|no longer",
    "alleges": "alleg|claim|speculat|suspect", "unconfirmed": "according to",
    "rumour": "rumo|speculation|allegation|gossip|hearsay|suspicion|unconfirmed|claims",
    "contrary to": "contrary|made up|version", "dream": "dream|pretend", "struck": "~~|<",
    "fiction": "novel|film|movie|series|play|game|tale|legend|comic|drama|book|stor|episode", "draft": "draft|propos",
    "if": "if |unless|provided|suppos|assum|imagine|in case|though", "wish": "wish|if only",
    "whether": "whether| if ",
}  # fmt: skip
"""Letters of which a sentence needs some for a pattern to match; to look for them first is much faster."""
