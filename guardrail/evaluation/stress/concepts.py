"""Conceptual substitution: one concept replaced by a neighbouring one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, like, replaced
from guardrail.types import ErrorType

_K = ErrorType.CONCEPTUAL_SUBSTITUTION
# Each line: concepts of one field that are easily taken for one another; plurals follow by rule.
_FIELDS = """
revenue profit|turnover profit|income savings|employee contractor|manager trainee|deposit fee
guarantee insurance|tenant landlord|pupil teacher|student lecturer|nurse doctor|patient visitor
buyer seller|shareholder creditor|passenger driver|customer supplier|guest employee|resident visitor
owner tenant|volunteer employee|director treasurer|mayor treasurer|minister ambassador
judge prosecutor|plaintiff defendant|lawyer accountant|engineer architect|painter sculptor
novel poem|painting drawing|river canal|lake marsh|bridge tunnel|church school|museum library
hospital clinic|station depot|road railway|farm forest|village suburb|island peninsula
valley plateau|harbour airport|child adult|daughter niece|son nephew|brother cousin|sister cousin
husband brother|wife sister|father uncle|mother aunt|temperature humidity|weight volume
height diameter|speed weight|density hardness|rain snow|drought flood|earthquake storm|frost heat
egg larva|root leaf|flower fruit|seed leaf|bark resin|wing tail|heart liver|kidney lung
bone muscle|skin hair|infection allergy|fever cough|headache nausea|tablet injection
vaccine antibiotic|password username|file folder|server client|upload download|keyboard screen
battery charger|cable adapter|browser printer|invoice receipt|refund voucher|discount surcharge
salary pension|loan grant|tax subsidy|wage bonus|rent mortgage|credit debit|contract invoice
licence patent|trademark patent|warranty refund|complaint suggestion|survey experiment
sample questionnaire|median minimum|oxygen nitrogen|carbon sulphur|copper zinc
iron copper|gold silver|steel aluminium|glass plastic|paper plastic|cotton wool
salt sugar|flour butter|wheat barley|rice maize|apple pear|sheep goat|cattle horse|dog cat
bird bat|fish crab|bee wasp|whale dolphin|salmon eel|translation edition|editor translator
author publisher|singer pianist|violin cello|orchestra choir|composer conductor|goal penalty
coach referee|goalkeeper striker|league cup|semi-final final|captain goalkeeper|spring autumn
summer winter|morning evening|sunrise sunset|noon midnight|weekday weekend|weekly monthly
daily weekly|annual quarterly|monthly yearly|petrol diesel|electricity gas|wind solar|coal timber
oil water|door window|wall floor|kitchen bathroom|red green|blue yellow|black grey
white brown|vertical horizontal|oral written|export import|arrival departure|birth death
wedding funeral|siege battle|monastery castle|bishop abbot|king duke|queen duchess|emperor general
army navy|soldier sailor|treaty ceasefire|election referendum|council parliament|board staff
committee secretary|union management|city province|town county|country region|north south
east west|quantity quality|damage loss|noise smell|colour shape|size colour
name address|website newsletter|bus tram|train ferry|car motorcycle
bicycle scooter|lorry van|ship aircraft|ticket reservation|platform carriage|hotel hostel
restaurant bakery|breakfast dinner|wine beer|coffee tea|milk juice|bread cheese|meat fish
chicken beef
"""
_NEIGHBOURS: dict[str, str] = {}
_MASS = frozenset(
    """income savings oxygen nitrogen carbon sulphur copper zinc iron gold silver steel aluminium glass plastic
    wood concrete paper cotton wool salt sugar flour butter wheat barley rice maize cattle sheep fish noise
    electricity gas wind solar coal timber red green blue yellow black grey white brown left right vertical
    horizontal oral written weekly monthly daily annual quarterly yearly humidity staff management rain snow
    bread cheese meat chicken beef milk juice wine beer tea coffee damage loss nausea resin credit debit
    petrol diesel third frost heat""".split()
)


def _plural(word: str) -> str:
    special = {
        "child": "children",
        "wife": "wives",
        "leaf": "leaves",
        "loss": "losses",
        "army": "armies",
        "larva": "larvae",
    }
    if word in special:
        return special[word]
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"


for _line in re.split(r"[|\n]", _FIELDS.strip()):
    _one, _two = _line.split()
    for _from, _to in ((_one, _two), (_two, _one)):
        _NEIGHBOURS.setdefault(_from, _to)
        if not {_one, _two} & _MASS:
            _NEIGHBOURS.setdefault(_plural(_from), _plural(_to))
_WORD = re.compile(r"(?<![\w-])[A-Za-z-]+(?![\w-])")
# Part of a compound, or another part of speech ("left the", "a third of", "may right").
_AFTER = re.compile(
    r" (?:tree|trees|school|house|room|paper|card|number|office|plant|line|market|"
    r"officer|engine|alarm|department|brigade|fund|scheme|value|change|level|"
    r"rate|oil|bread|code|park|box|top|pan|tea|leaf)s?\b|-"
)
_VERBAL = frozenset(
    "export import upload download patent salt damage left right risk cost "
    "name phone price number total mean rent left fire range complaint wood "
    "second weight coach file root flower seed rose judge tax discount refund "
    "survey sample colour shape size address email letter bark wind light heat "
    "frost fish water oil paper iron glass bus train ship".split()
)
_VERBAL |= {_plural(word) for word in _VERBAL} | {"leaf", "leaves", "root", "roots"}
_NOUN_BEFORE = re.compile(
    r"\b(?:the|an?|its|their|his|her|our|your|of|each|every|no|per|this|that|"
    r"any|all|both|some|two|three|four|five|six|in|by|for|with|\d+|new|old|first|"
    r"second|former|local|annual|main|own) $",
    re.IGNORECASE,
)


def neighbouring_concept(source: Source, rng: Random) -> Iterator[Change]:
    """One concept replaced by another of the same field that the passages do not name in this place."""
    text = source.sentence
    known = source.all.lower()
    for match in _WORD.finditer(text):
        word = match[0].lower()
        new = _NEIGHBOURS.get(word)
        if new is None or new in text.lower() or (match[0][0].isupper() and match.start()):
            continue
        if _AFTER.match(text, match.end()) or re.match(r"['’]s? \w+['’]", text[match.end() :]):
            continue
        if word in {"final", "general"} and not re.match(r" (?:of|was|is)\b", text[match.end() :]):
            continue
        if word in _VERBAL and not _NOUN_BEFORE.search(text[: match.start()]):
            continue
        if re.search(rf"\b{new}\b", known) and rng.random() < 0.5:
            continue  # the passages may say the same of the neighbour, less likely where they never name it
        article = re.search(r"\b([Aa])n? $", text[: match.start()])
        if article is None:
            yield replaced(_K, text, match.start(), match.end(), like(match[0], new))
        else:
            vowel = new == "uncle" or (new[0] in "aeiou" and not new.startswith(("un", "one", "eu")))
            yield replaced(_K, text, article.start(), match.end(), f"{article[1]}{'n' if vowel else ''} {new}")
