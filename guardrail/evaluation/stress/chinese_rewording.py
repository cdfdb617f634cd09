"""Rewording that keeps a Chinese sentence true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Source

_SAME = (
    ("如果", "若"),
    ("虽然", "尽管"),
    ("因此", "所以"),
    ("由于", "因为"),
    ("不得", "不可以"),
    ("大约", "约"),
    ("但是", "但"),
    ("至少", "不少于"),
    ("不少于", "至少"),
    ("最多", "至多"),
    ("目前", "现在"),
    ("位于", "坐落于"),
    ("无需", "不需要"),
    ("例如", "比如"),
    ("通常", "一般"),
    ("方可", "才可以"),
    ("尚未", "还没有"),
    ("即可", "就可以"),
)
_GUARD = re.compile(
    r"不得(?:不|少|多|超|低|高|早|晚|已)|由于(?:是|其)|(?:不|就|也|而)因为|(?:是|正|不)由于|所以(?:然)|大约(?:是)|(?:每|各)目前|方可|通常(?:性)"
)
_DE = r"[^，。；：！？（）「」]"
_SO = re.compile(rf"^(?P<one>{_DE}{{5,60}})，(?P<so>因此|所以|因而)(?P<two>{_DE}{{4,60}})。$")
_BECAUSE = re.compile(rf"^(?:因为|由于)(?P<one>{_DE}{{4,60}})，(?:所以|因此)?(?P<two>{_DE}{{4,60}})。$")
_BUT = re.compile(
    rf"^(?P<one>(?!虽|尽管|如|若|除|只|既|即|不|无|凡){_DE}{{6,60}})，(?:但是|但)(?P<two>(?!不是|也|仍|须|必)[^。；]{{4,80}})。$"
)
_HALF = re.compile(r"^(?P<one>(?:(?!如|若|除|当|一是|首先)[^；。：！？])[^；。：！？]{9,120})；[^。：！？]{6,120}。$")
_BRACKETS = re.compile(r"（(?![^（）]*(?:不|除|仅|只|但|若|如))[^（）]{2,40}）")
_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:1[5-9]|20)\d\d)年(?!代|度|前|后?的?\d)")
_LEADS = ("根据资料，", "据文中所述，", "资料显示，", "根据所给内容，", "文中提到，")


def chinese_rewording(source: Source, rng: Random) -> Iterator[str]:
    """Words, connectives and clause order; an aside or a half left out; a lead-in."""
    text = source.sentence
    usable = [(old, new) for old, new in _SAME if old in text and not _guarded(old, text)]
    if usable:
        changed = text
        for old, new in rng.sample(usable, min(len(usable), rng.choice((1, 1, 2)))):
            changed = changed.replace(old, new, 1)
        yield changed
    match = _SO.match(text)
    if match and not match["one"].startswith(("如", "若", "虽", "因", "由于")):
        yield f"因为{match['one']}，所以{match['two']}。"
    match = _BECAUSE.match(text)
    if match:
        yield f"{match['one']}，因此{match['two']}。"
    match = _BUT.match(text)
    if match:
        yield f"虽然{match['one']}，但{match['two']}。"
    match = _HALF.match(text)
    if match:
        yield f"{match['one']}。"
    match = _BRACKETS.search(text)
    if match:
        yield text[: match.start()] + text[match.end() :]
    match = _YEAR.search(text)
    if match:
        yield text[: match.start()] + match["year"].translate(_DIGITS) + text[match.end("year") :]
    yield rng.choice(_LEADS) + text


def _guarded(old: str, text: str) -> bool:
    return any(old in match[0] for match in _GUARD.finditer(text)) and old != "方可"
