"""Connectives of English and Chinese as data: what relation each states, where its sides stand, and its homographs."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from guardrail.types import RelationKind


class Form(StrEnum):
    """Where the sides of a connective stand."""

    CLAUSE = "clause"  # introduces a clause, before or after the main one: "because A, B", "B because A"
    BETWEEN = "between"  # stands between two sides: "A leads to B"
    LINK = "link"  # follows the clause or sentence it refers to: "A. Therefore, B"
    AFTER = "after"  # closes the clause it marks: "A 之后，B"
    QUANTITY = "quantity"  # ranges over what follows: "all A"


class Connective(NamedTuple):
    """How one connective works. ``later_first``: the side after the connective is the relation's first side."""

    kind: RelationKind
    form: Form
    later_first: bool
    weak: bool = False  # has other meanings too: it may entail a relation, but its absence is no fault


# One group a line: kind and form, whether the later side is the relation's first, weak or not: connectives.
_GROUPS = """
cause clause later-first: because of | because | due to | owing to | thanks to | on account of |
    as a result of | as a consequence of | given that | seeing that | for the reason that | inasmuch as |
    in response to | by virtue of
cause clause later-first weak: since | now that | in view of | in light of | given
cause link: therefore | consequently | as a result | as a consequence | accordingly | for this reason |
    for that reason | that is why | which is why | this is why | hence
cause link weak: thus | so | thereby
cause between: leads to | lead to | led to | leading to | results in | result in | resulted in |
    resulting in | causes | cause | caused | causing | brings about | brought about | gives rise to |
    gave rise to | is the reason for | was the reason for | is the reason why | was responsible for
cause between weak: triggers | triggered | prompts | prompted | prompting | forces | forced | forcing |
    makes | made | making | means | meant | meaning | leaves | leaving | lets | letting | allows | allowed |
    allowing | enables | enabled | enabling | prevents | prevented | preventing | helps | helped | helping |
    stops | stopped | drives | drove | contributes to | contributed to | explains | explained
cause between later-first: caused by | results from | resulted from | resulting from | result from |
    stems from | stemmed from | stem from | stemming from | arises from | arose from | brought about by |
    a result of | a consequence of | triggered by | prompted by | attributed to | attributes to |
    attributable to | explained by | blamed on | the effect of
purpose clause: in order to | in order that | so that | so as to | for the purpose of | with the aim of |
    in an effort to | intended to | meant to | designed to
condition clause later-first: if | provided that | providing that | as long as | so long as | whenever |
    on condition that | in case | every time | assuming | even if | as soon as | whether or not
condition between: is enough to | is enough for | was enough to | was enough for | were enough to |
    were enough for | is sufficient to | was sufficient to | was sufficient for | is by itself enough |
    alone was enough | enough for | are enough to | are enough for | be enough to | be enough for |
    is sufficient for | are sufficient for | suffices for | suffices to | is all that | is all you |
    are all you | alone is enough | is enough
condition clause later-first weak: when | once | provided | wherever
necessity clause later-first: only if | only when | only once | only after | only where | only with |
    only because | only for | unless | except when | except if | not until | not before | only provided that
necessity between later-first: requires | require | required | requiring | depends on | depend on |
    depended on | relies on | is subject to | must first
concession clause later-first: although | even though | though | despite | in spite of | notwithstanding |
    regardless of
concession link weak: but | however | yet | nevertheless | nonetheless | even so | all the same
sequence clause later-first: after | following | upon
sequence clause: before | prior to | until | till | ahead of
sequence link: then | afterwards | subsequently | thereafter | after that | followed by | later on |
    and later | before being
comparison clause: unlike | whereas | compared with | compared to | in contrast to | as opposed to | while
comparison clause: rather than | instead of
inclusion between: such as | including | includes | include | included | consists of | consist of |
    consisted of | comprises | comprise | comprised | made up of | for example | for instance | e.g. |
    namely | like
inclusion between later-first: is included in | are included in | was included in | were included in |
    be included in | included in | a kind of | one kind of | a type of | one type of | a form of |
    one form of | a sort of | a variety of | a version of | is one of | was one of | are one of | among the |
    are among | part of | a subset of | belongs to | belong to | belonged to | a member of | members of |
    a branch of | a division of | a subsidiary of | subsidiaries of | an offshoot of | a section of |
    section of | division of | branch of | subsidiary of | offshoot of | wing of | department of |
    chapter of | a subtype of | a special case of | an example of | counts as | count as | counted as |
    types of | kinds of | forms of
scope quantity: all | every | each | any | anyone | everyone | everything | anything | none | nobody |
    nothing | no one | no | both | neither | most | mostly | some | few | several | many | only | solely |
    exclusively | always | never | usually | sometimes | often | rarely | generally | entirely | whatever |
    whichever | regardless | without exception | half of | the majority of | the whole
cause clause later-first: 是因为 | 因为 | 由于 | 是由于 | 归因于 | 鉴于 | 原因是 | 理由是 | 多亏
cause clause later-first: 因
cause link: 因此 | 所以 | 因而 | 从而 | 于是 | 为此 | 结果
cause between: 导致 | 致使 | 引起 | 引发 | 造成 | 使得 | 促使 | 促成
cause between weak: 使 | 让 | 以致 | 令
purpose clause: 为了 | 以便 | 以免 | 旨在
condition clause later-first: 如果 | 只要 | 一旦 | 倘若 | 假如 | 要是 | 若 | 凡是 | 凡 | 每当 | 无论 | 不论 |
    不管
condition between: 即可 | 足以
condition clause later-first weak: 如 | 当
condition after later-first weak: 的话 | 时， | 时, | 期间 | 的，
necessity clause later-first: 只有 | 除非 | 唯有
necessity between later-first: 必须 | 须 | 需要 | 才能 | 方可 | 方能 | 取决于
concession clause later-first: 虽然 | 尽管 | 虽 | 即使 | 即便 | 哪怕
concession link weak: 但是 | 但 | 然而 | 不过 | 却 | 可是
sequence after later-first: 之后 | 以后 | 后， | 后才 | 后再 | 后,
sequence after: 之前 | 以前 | 前， | 前,
sequence link: 然后 | 随后 | 其后 | 而后 | 后来 | 此后 | 接着 | 继而 | 再由 | 再
comparison between: 高于 | 多于 | 大于 | 超过 | 早于 | 优于 | 而不是 | 而非 | 不同于 | 相比
comparison between later-first: 低于 | 少于 | 小于 | 晚于 | 不如
comparison between: 比
inclusion between: 包括 | 包含 | 例如 | 比如 | 诸如 | 分为 | 其中有
inclusion between later-first: 属于 | 是一种 | 隶属于 | 隶属 | 算作 | 归入 | 视为
scope quantity: 所有 | 全部 | 全体 | 每 | 任何 | 一切 | 均 | 都 | 总是 | 从不 | 从未 | 大多数 | 多数 | 大多 |
    部分 | 有些 | 一些 | 少数 | 仅 | 只 | 通常 | 往往 | 有时 | 一律 | 无一例外 | 全都 | 各
"""


def _connectives(groups: str) -> dict[str, Connective]:
    found: dict[str, Connective] = {}
    for line in groups.replace("|\n", "|").strip().splitlines():
        head, words = line.split(":", 1)
        kind, form, *marks = head.split()
        connective = Connective(RelationKind(kind), Form(form), "later-first" in marks, "weak" in marks)
        found |= dict.fromkeys((word.strip() for word in words.split("|")), connective)
    return found


CONNECTIVES = _connectives(_GROUPS)


def is_ambiguous(connective: str) -> bool:
    """Whether the words have meanings that relate nothing ("given", "since", "provided")."""
    known = CONNECTIVES.get(" ".join(connective.split()).casefold())
    return known is not None and known.weak


def _prefix_tree(words: list[str]) -> str:
    """One expression that tries each letter once; a plain alternation would try 300 words at every position."""
    rests: dict[str, list[str]] = {}
    for word in words:
        if word:
            rests.setdefault(word[0], []).append(word[1:])
    branches = "|".join(
        (r"\s{1,3}" if letter == " " else re.escape(letter)) + _prefix_tree(rest) for letter, rest in rests.items()
    )
    if not branches:
        return ""
    return f"(?:{branches})?" if "" in words else f"(?:{branches})"


_LATIN = [words for words in CONNECTIVES if words[0].isascii()]
_HAN = [words for words in CONNECTIVES if not words[0].isascii()]

# For lower-cased text. One pass; longest first, so that "because of" wins over "because".
PATTERN = re.compile(
    rf"(?=[a-z])\b(?<!-){_prefix_tree(_LATIN)}(?![\w-])|(?=[\u4e00-\u9fff]){_prefix_tree(_HAN)}",
)

# "heavier than", "more often than": the comparative says which side is the greater.
COMPARATIVE = re.compile(
    r"\b((?:more|less|fewer|better|worse|earlier|later|further|rather)(?:\s[\w-]{2,20}){0,3}|"
    r"[a-z]{2,14}er(?:\s[\w-]{2,20}){0,2})"
    r"\sthan\b(?!\s(?:\d|half\b|a\s(?:third|quarter|dozen|fifth)|one\b|two\b|three\b|four\b|five\b|six\b|ten\b|[£$€]))",
    re.IGNORECASE,
)
LESSER = frozenset({"less", "fewer", "lower", "smaller", "shorter", "cheaper", "lighter", "slower", "worse", "younger"})
KIND_OF_ZH = re.compile(r"(?:[是为])(?P<class>[^，。；,.;]{1,20}?)(?:之一|的?(?:其中)?(?:一[种类个]|一部分))")

# Homographs: words right before or after that tell "since 1950" from "since it rained".
# Each is looked for in the 12 characters before, or the 14 after, the connective.
_NOT = re.compile(r"\bnot\s(?:just\s|only\s)?$", re.IGNORECASE)
NOT_AFTER = {
    **dict.fromkeys(("because", "because of", "due to", "owing to", "caused by", "thanks to"), _NOT),
    "all": re.compile(r"\b(?:at|after|above|of|the)\s$", re.IGNORECASE),
    "only": re.compile(r"\bnot\s$", re.IGNORECASE),
    "once": re.compile(r"(?:\bat|\bleast|\bthan|\bwas|\bhad)\s$", re.IGNORECASE),
    "but": re.compile(r"\b(?:nothing|all|anything|none)\s$", re.IGNORECASE),
    "so": re.compile(r"(?<![,;—–:.])(?<!\band)\s$|\b(?:do|did|not|even|or)\s$", re.IGNORECASE),
    "like": re.compile(r"(?<!s)\s$|\b(?:is|looks|sounds|feels|seems|was|tastes|acts)\s$", re.IGNORECASE),
    "then": re.compile(r"\b(?:since|until|by|than|the|from)\s$", re.IGNORECASE),
    "cause": re.compile(r"\b(?:\w+'s|the|a|of|main|an|usual|common\w*|only|real|likely|one)\s$", re.IGNORECASE),
    "causes": re.compile(r"\b(?:the|its|of|other|main|natural)\s$", re.IGNORECASE),
    "required": re.compile(r"\b(?:is|are|was|were|be|not)\s$", re.IGNORECASE),
    "for example": re.compile(r"(?<=[.!?]\s)$|^$"),
    "made": re.compile(r"\b(?:is|are|was|were|be|been)\s$", re.IGNORECASE),
    "since": re.compile(r"\b(?:has|have|had|ever|long)\s$", re.IGNORECASE),
    "afterwards": re.compile(r"\bnot\s$", re.IGNORECASE),
    "the effect of": re.compile(r"(?<!\bis)(?<!\bare)(?<!\bwas)\s$", re.IGNORECASE),
    "given": re.compile(r"\b(?:never|is|are|was|were|be|been|has|have|had|a|any|the|not)\s$", re.IGNORECASE),
    "provided": re.compile(r"\b(?:is|are|was|were|be|been|has|have|had|the|not|as|also|all)\s$", re.IGNORECASE),
    "most": re.compile(r"\bthe\s$", re.IGNORECASE),
    "令": re.compile(r"[命指法下禁口司号]$"),
    "结果": re.compile(r"(?:的|检测|测试|检查|实验|试验|研究|比赛|选举|搜索|调查|计算|分析|评估)$"),
    "following": re.compile(r"\b(?:the|is|was|are|were)\s$", re.IGNORECASE),
    "meant to": re.compile(r"(?:\bis|\bnot)\s$", re.IGNORECASE),
    "部分": re.compile(r"[大一]$"),
    "因": re.compile(r"[原起基成病诱]$"),
    "比": re.compile(r"[对相占评同环分类]$"),
    "都": re.compile(r"[首成古]$"),
    "只": re.compile(r"[一二两三四五六七八九十百千几多船犬鸟\d每这那]$"),
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
    **dict.fromkeys(("before", "after", "ahead of", "prior to"), re.compile(r"\s(?:that|this|them)\b", re.IGNORECASE)),
    "due to": re.compile(
        r"\sbe\b|\s(?:start|begin|end|open|close|expire|launch|arrive|leave|finish|retire|return|resume|land)\b"
        r"(?=\s*(?:[.,;]|$|on\b|in\b|at\b|by\b|from\b|next\b|this\b|\d))",
        re.IGNORECASE,
    ),
    "so that": re.compile(r"['’]|\s(?:is|was|makes|means|comes|gives|leaves|adds)\b(?!\s(?:ho|wh))", re.IGNORECASE),
    "as long as": re.compile(r"\s(?:\d|two\b|three\b|four\b|five\b|six\b|ten\b|twelve\b|a\b)", re.IGNORECASE),
    "since": re.compile(
        r"\s(?:\d|then\b|the\s(?:\d|early|late|mid|start|beginning|end)|(?:early|late|mid)\b|last\b|its\b|"
        r"(?:jan|feb|march|april|may|june|july|aug|sept|oct|nov|dec|spring|summer|autumn|winter)\w*\b)",
        re.IGNORECASE,
    ),
    "once": re.compile(r"\s?(?:[,.;]|$|\s(?:a|an|every|per|again|more|daily|weekly|in|at|or|each)\b)", re.IGNORECASE),
    "so": re.compile(r"\s(?:far|much|many|that|called|long|as)\b|-", re.IGNORECASE),
    "no": re.compile(r"\.|\s(?:longer|more than|later than|less than|fewer than|doubt)\b", re.IGNORECASE),
    "given": re.compile(r"\s(?:to|by|in|at|for|as)\b", re.IGNORECASE),
    "provided": re.compile(r"\s(?:by|with|to|in|for|on|at|from|as)\b|\s?[,.;]", re.IGNORECASE),
    "like": re.compile(r"\s(?:to|that)\b", re.IGNORECASE),
    "following": re.compile(r"\s?[:,]"),
    "all": re.compile(r"\s(?:over|but|right|that|it|he|she|they|you|if)\b|\s?(?:[,.;]|$)", re.IGNORECASE),
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
    "结果": re.compile(r"[是为显表的中和与]"),
    "各": re.compile(r"种各"),
    "令": re.compile(r"[牌行]"),
}
