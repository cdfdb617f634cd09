"""Chinese sentences: made wrong by their connectives, quantifiers, negation and figures, or reworded and true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from random import Random

from guardrail.evaluation.stress.change import Change, Rewording, Rule, Source, replaced, swapped, whole
from guardrail.evaluation.stress.words import pairs, table, words
from guardrail.types import ErrorType, Span

_E = ErrorType
_NUMBER = re.compile(
    r"(?<![\d.,:/A-Za-z第至到~～\-])(?P<number>\d+(?:\.\d+)?)(?![\d.:/A-Za-z~～\-]|"
    r"至|到|以上|以下|以内|及以|或)(?=[万亿]?[年月日天个人次元米公克千吨名件台座所家小分秒%‰岁周层册只头张种类项度毫厘升平条位支本艘辆户辑届集章枚斤亩里])"
)
_BOUND = re.compile(
    r"(?:至少|至多|最多|最少|不少于|不超过|超过|不得少于|多达|高达|约|近|大约|不足|低于|高于|未满|满|不到|每|以|仅|只|达到|上限为|下限为|少于|多于|不低于|不高于|为期|于|和|与|、|—|–)$"
)
_FLIPS = table("zh_opposites")
_FLIP = re.compile("|".join(sorted(_FLIPS, key=len, reverse=True)))
_FLIP_KEPT = re.compile(
    r"不得不|不能不|能不能|会不会|可不可|没有?有|不可[或避逆]|大多数|绝大|少数民族|提前[量]|免费(?:电话|版)|必须(?:不|先)|"
    r"不可以|不在[乎意]|只可以|才可以|都没有|不得(?:少|多|超|低|高|早|晚)|没有[一任]|不会[使让因]"
)
_ALL = table("zh_all")
_ALL_WORD = re.compile("|".join(sorted(_ALL, key=len, reverse=True)))
_ALL_KEPT = re.compile(
    r"(?:大|上|下|这|那|各|局|内|外|东|西|南|北|中|大|一|两|三|绝大|不|尽|少|第.|头|腹|胸|腰|全|组成)部分|部分(?:地区别)|"
    r"少数民族|不可能|可能性|有可能|一般(?![会在为需由是都只不])|超出部分|剩余部分|其余部分|不(?:一般|通常)|(?:一定|尽)可能|占多数|"
    r"多数票|不少于|很少(?:的|量)|的(?:一些|部分)|有一些|比一般|许多年|(?:高|低|大|小|长|好|快|慢|早|晚|多|少|更)一些|更?多一些"
)
_SWAP = table("zh_order")
_ORDER = re.compile("|".join(_SWAP))
_DE = r"[^，。；、：！？（）「」]"
_BECAUSE = re.compile(rf"^(?P<w>因为|由于)(?P<one>{_DE}{{4,40}})，(?P<so>所以|因此|因而)?(?P<two>{_DE}{{4,40}})。$")
_BUT = re.compile(r"，(?P<but>但是|但|不过|然而)(?!不|没|未|无|仅|只|若|如|须|必|不限|凡|在|[^，。]{0,8}[也仍])")
_ONLY = re.compile(rf"只有(?P<one>{_DE}{{2,30}})，?才(?P<can>能够?|可以?|会|有资格)?")
_ENOUGH = re.compile(rf"只要(?P<one>{_DE}{{2,30}}?)，?(?P<then>就能|就可以|便可|即可|就会|就)")
_THEN = {"就能": "才能", "就可以": "才可以", "便可": "才可", "即可": "方可", "就会": "才会", "就": "才"}
_LIST = re.compile(
    r"(?:包括|有|含|分为|出售|提供|设有|种植|记录|销售)(?P<one>[^，。；、：和与及\d一二两三四五六七八九十]{2,6})、(?P<two>[^，。；、：和与及\d一二两三四五六七八九十]{2,6})(?:和|"
    r"与|及)(?P<three>[^，。；、：和与及\d的一二两三四五六七八九十]{2,6})(?=[，。；])"
)
_AMOUNT = re.compile(
    r"(?<![\d.,:A-Za-z第])(?P<number>\d+(?:\.\d+)?)(?P<unit>万?(?:%|元|天|年|米|公里|"
    r"千米|公斤|克|吨|人|个|次|小时|分钟|秒|岁|度|周|名|册|毫米|厘米|毫克|毫升|升|分贝))(?!以|至|到)"
)
_PAIRS = dict(pairs("zh_neighbours"))
_PAIR = re.compile("|".join(sorted(_PAIRS, key=len, reverse=True)))
_AGENTS, _VERBS, _LEADS = words("zh_sources"), words("zh_confirmed"), words("zh_leads")
_REFER = re.compile(r"[他她它其此该这那]|前者|后者|二者|两者|同样|也|又|还|仍|则|就")
_SAME = tuple(table("zh_same").items())
_GUARD = re.compile(
    r"不得(?:不|少|多|超|低|高|早|晚|已)|由于(?:是|其)|(?:不|就|也|而)因为|(?:是|正|不)由于|所以(?:然)|大约(?:是)|(?:每|各)目前|方可|通常(?:性)"
)
_HALF = re.compile(r"^(?P<one>(?:(?!如|若|除|当|一是|首先)[^；。：！？])[^；。：！？]{9,120})；[^。：！？]{6,120}。$")
_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:1[5-9]|20)\d\d)年(?!代|度|前|后?的?\d)")


def chinese_number(source: Source, rng: Random) -> Iterator[Change]:
    """Another number."""
    text = source.sentence
    for match in _NUMBER.finditer(text):
        unit = text[match.end() : match.end() + 1]
        if _BOUND.search(text[: match.start()]) or (unit in {"月", "日"} and float(match["number"]) > 31):
            continue
        new = _free_number(match["number"], unit, source, rng)
        if new is not None:
            yield replaced(_E.CONTRADICTION, text, match.start(), match.end(), new)


def _free_number(number: str, unit: str, source: Source, rng: Random) -> str | None:
    value = float(number)
    if len(number) > 9 or value < 2:
        return None
    if "." in number:
        new = f"{value * rng.choice((0.5, 0.7, 1.4, 1.8)):.{len(number.split('.')[1])}f}"
    elif unit == "年" and 1500 <= value <= 2100:
        new = str(int(value) + rng.choice((-7, -5, -4, -3, -2, 2, 3, 4, 5)))
    elif unit in {"月", "日"}:
        most = 12 if unit == "月" else 28
        new = str(rng.choice([n for n in range(1, most + 1) if n != int(value)]))
    elif unit in {"%", "‰"} and value <= 100:
        new = str(rng.choice([n for n in range(2, 99) if abs(n - value) > 3]))
    elif value <= 12:
        new = str(rng.choice([n for n in range(2, 16) if abs(n - value) > 1]))
    else:
        step = 10 ** (len(number) - len(number.rstrip("0")))
        new = str(max(step, round(value * rng.choice((0.6, 0.7, 1.3, 1.5, 1.8)) / step) * step))
    return None if new in source.numbers else new


def chinese_opposite(source: Source, _: Random) -> Iterator[Change]:
    """A word replaced by its opposite, or a negation dropped."""
    yield from _by_table(source.sentence, _FLIP, _FLIPS, _FLIP_KEPT, _E.CONTRADICTION)


def chinese_all(source: Source, _: Random) -> Iterator[Change]:
    """Some made all, usually made always."""
    yield from _by_table(source.sentence, _ALL_WORD, _ALL, _ALL_KEPT, _E.OVERGENERALIZATION)


def _by_table(
    text: str, pattern: re.Pattern[str], table: dict[str, str], kept: re.Pattern[str], kind: ErrorType
) -> Iterator[Change]:
    for match in pattern.finditer(text):
        around = kept.search(text, max(match.start() - 2, 0), match.end() + 2)
        if around is None or around.end() <= match.start() or around.start() >= match.end():
            yield replaced(kind, text, match.start(), match.end(), table[match[0]])


def chinese_order(source: Source, _: Random) -> Iterator[Change]:
    """Before made after, above made below."""
    text = source.sentence
    for match in _ORDER.finditer(text):
        kind = _E.CONTRADICTION if match[0] in {"以上", "以下"} else _E.OTHER_LOGIC
        if (
            _SWAP[match[0]] not in text
            and not re.match(r"[几各两]|(?:方法|规定|情况|条件|问题)", text[match.end() :])
            and text[match.start() - 1 : match.start()] not in {"", "，", "。", "；", "在"}
        ):
            yield replaced(kind, text, match.start(), match.end(), _SWAP[match[0]])


def chinese_concept(source: Source, rng: Random) -> Iterator[Change]:
    """One concept replaced by a neighbouring one."""
    text = source.sentence
    for match in _PAIR.finditer(text):
        new = _PAIRS[match[0]]
        if new not in text and (new not in source.all or rng.random() < 0.4):
            yield replaced(_E.CONCEPTUAL_SUBSTITUTION, text, match.start(), match.end(), new)


def chinese_cause(source: Source, _: Random) -> Iterator[Change]:
    """Cause and effect exchanged."""
    form = _BECAUSE.match(source.sentence)
    if form and not _REFER.search(form["one"] + form["two"]):
        yield whole(_E.CAUSAL_CONFUSION, f"{form['w']}{form['two']}，{form['so'] or ''}{form['one']}。")


def chinese_contrast(source: Source, _: Random) -> Iterator[Change]:
    """A contrast made a cause."""
    if not re.search("虽|尽管|即使|因此|所以", source.sentence):
        for match in _BUT.finditer(source.sentence):
            yield replaced(_E.CAUSAL_CONFUSION, source.sentence, match.start("but"), match.end("but"), "因此")


def chinese_condition(source: Source, _: Random) -> Iterator[Change]:
    """只有…才 and 只要…就 exchanged."""
    text, kind = source.sentence, _E.SUFFICIENT_NECESSARY
    for match in _ONLY.finditer(text):
        joint = "，" if text[match.end("one") :].startswith("，") else ""
        yield replaced(kind, text, match.start(), match.end(), f"只要{match['one']}{joint}就{match['can'] or ''}")
    for match in _ENOUGH.finditer(text):
        joint = "，" if text[match.end("one") :].startswith("，") else ""
        yield replaced(kind, text, match.start(), match.end(), f"只有{match['one']}{joint}{_THEN[match['then']]}")


def chinese_nesting(source: Source, _: Random) -> Iterator[Change]:
    """Members of a list made parts of the first."""
    for match in _LIST.finditer(source.sentence):
        new = f"{match['one']}（如{match['two']}和{match['three']}）"
        yield replaced(_E.INCLUSION_RELATION, source.sentence, match.start("one"), match.end("three"), new)


def chinese_values(source: Source, rng: Random) -> Iterator[Change]:
    """Two amounts of one unit, in two clauses, exchanged."""
    text = source.sentence
    pairs = [
        (one, two)
        for one, two in combinations(_AMOUNT.finditer(text), 2)
        if one["unit"] == two["unit"] and one["number"] != two["number"]
        if re.search(r"[，；]", text[one.end() : two.start()]) and not re.search(r"[由从至到]$", text[: one.start()])
        if not text[: two.start()].endswith(("至", "到", "升至", "降至", "增至"))
    ]
    if pairs:
        one, two = rng.choice(pairs)
        if one["unit"] != "年" or not (1500 < float(one["number"]) < 2100):
            yield swapped(_E.ENTITY_INVERSION, text, Span(*one.span("number")), Span(*two.span("number")))


def chinese_remark(source: Source, rng: Random) -> Iterator[Change]:
    """A clause that the passages do not give."""
    text = source.sentence
    if text.endswith(("”。", "」。")):
        return
    years = [n for n in source.numbers if re.fullmatch(r"(?:1[5-9]|20)\d\d", n)]
    latest = max(map(int, years), default=2015)
    free = [year for year in range(latest + 1, latest + 6) if str(year) not in source.numbers]
    added = f"{rng.choice(_AGENTS)}在{rng.choice(free)}年{rng.choice(_VERBS)}了这一点"
    start = len(text)
    yield Change(_E.HALLUCINATION, f"{text[:-1]}，{added}。", (Span(start, start + len(added)),))


def reword_chinese_words(source: Source, rng: Random) -> Iterator[str]:
    """One or two words said otherwise."""
    text = source.sentence
    usable = [(old, new) for old, new in _SAME if old in text and not _is_guarded(old, text)]
    if usable:
        for old, new in rng.sample(usable, min(len(usable), rng.choice((1, 1, 2)))):
            text = text.replace(old, new, 1)
        yield text


def _is_guarded(old: str, text: str) -> bool:
    return any(old in match[0] for match in _GUARD.finditer(text)) and old != "方可"


def reword_chinese_parts(source: Source, rng: Random) -> Iterator[str]:
    """The first half of a sentence alone, a year in other digits, a lead-in."""
    text = source.sentence
    match = _HALF.match(text)
    if match:
        yield f"{match['one']}。"
    match = _YEAR.search(text)
    if match:
        yield text[: match.start()] + match["year"].translate(_DIGITS) + text[match.end("year") :]
    yield rng.choice(_LEADS) + text


CHINESE: tuple[Rule, ...] = (
    chinese_number, chinese_opposite, chinese_all, chinese_order, chinese_concept, chinese_cause, chinese_contrast,
    chinese_condition, chinese_nesting, chinese_values, chinese_remark,
)  # fmt: skip
CHINESE_REWORDING: tuple[Rewording, ...] = (reword_chinese_words, reword_chinese_parts)
