"""One form for a word in all its inflections: "sold", "selling" and "sells" as "sell"."""

from __future__ import annotations

from functools import lru_cache

from guardrail.text.words import stem

_IRREGULAR = """beat/beat/beaten become/became begin/began/begun bend/bent bite/bit/bitten blow/blew/blown
    break/broke/broken bring/brought build/built buy/bought catch/caught choose/chose/chosen come/came deal/dealt
    dig/dug draw/drew/drawn drink/drank/drunk drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed feel/felt
    fight/fought find/found fly/flew/flown forget/forgot/forgotten freeze/froze/frozen get/got/gotten give/gave/given
    go/went/gone grow/grew/grown hang/hung hear/heard hide/hid/hidden hold/held keep/kept know/knew/known lay/laid
    lead/led leave/left lend/lent lie/lay/lain lose/lost make/made mean/meant meet/met pay/paid ride/rode/ridden
    ring/rang/rung rise/rose/risen run/ran say/said see/saw/seen sell/sold send/sent shake/shook/shaken shoot/shot
    show/shown sing/sang/sung sink/sank/sunk sit/sat sleep/slept speak/spoke/spoken spend/spent stand/stood
    steal/stole/stolen stick/stuck strike/struck swear/swore/sworn swim/swam/swum take/took/taken teach/taught
    tear/tore/torn tell/told think/thought throw/threw/thrown understand/understood wake/woke/woken wear/wore/worn
    win/won withdraw/withdrew/withdrawn write/wrote/written""".split()
_BASE = {form: entry.split("/")[0] for entry in _IRREGULAR for form in entry.split("/")[1:]}
_PAST = frozenset(_BASE) | frozenset(
    "cost cut hit hurt let put quit read set shut spread split was were had did".split()
)


@lru_cache(maxsize=65_536)
def base(form: str) -> str:
    """A key that all inflections of a word share; not a word itself."""
    root = stem(_BASE.get(form, form))
    if len(root) > 3 and root.isascii():
        if root[-1] == root[-2] and root[-1].isalpha():
            return root[:-1]
        return root.removesuffix("y").removesuffix("i") or root
    return root


def may_be_past(form: str) -> bool:
    """Whether the form can be a past tense or a past participle."""
    return form in _PAST or (form.endswith("ed") and len(form) > 4)
