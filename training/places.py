"""Names and values in a text of the six languages, each with its kind.

Those of a kind may change places (training.swaps).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CLOSED_SETS = [
    frozenset(words.split())
    for words in (
        "January February March April May June July August September October November December",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "two three four five six seven eight nine ten eleven twelve",
        "Januar Februar März Mai Juni Juli Oktober Dezember",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "montags dienstags mittwochs donnerstags freitags samstags sonntags",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "deux trois quatre cinq sept huit neuf dix onze douze",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "lunes martes miércoles jueves viernes",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
]
_CLOSED = re.compile(rf"\b(?:{'|'.join(sorted({word for words in _CLOSED_SETS for word in words}))})(?=s?\b)")
_CLOCK = re.compile(r"(?<![\d:.,])\d{1,2}[:.]\d\d(?![\d:.,]?\d)")
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥]\s?)?(?<![\w.,:/–-])(?P<number>\d+(?:[.,]\d+)*)"
    r"(?P<unit>\s?%|\s?°C|\s?[€$£¥]|[ -][^\W\d_]+|)(?![\w:/–]|[.,-]\d)"
)
_UNSPACED = re.compile(r"(?<![\dA-Za-z.,:/–~〜-])(?P<number>\d+(?:[.,]\d+)*)(?P<unit>[\u3040-\u9fff%％℃])")
"""A number of Chinese or Japanese and the sign after it."""

_WRITTEN = re.compile(
    r"(?<![一二三四五六七八九十百千万两〇])(?P<number>[二三四五六七八九十两]{1,2})"
    r"(?P<unit>[天个個名周週次人日年月岁歳件台本])"
)
_WEEKDAY = re.compile(r"(?:(?<=星期)|(?<=周))[一二三四五六]|[月火水木金土日](?=曜)")
IDEOGRAM = re.compile("[\u3040-\u9fff]")

_GERMAN = re.compile(r"\b(?:der|das|den|dem|und|ist|nicht|wird|werden|darf|für|im|zum|zur|bei|auf|eine?[nmr]?)\b|[äöß]")

_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_NAME = re.compile(
    rf"\b{_CAPITAL}[\w'’&-]*\w(?: (?:(?:of|de|del|du|van|von|the) )?(?:{_CAPITAL}[\w'’&-]*\w|[A-Z]\b|\d[\w.]*\b))*"
)
_NO_NAMES = frozenset(
    """The A An In On At By For From After Before Since If When Of And But As To It They This That
    These Those There He She We You I Yes No Not Only All Both Each Every Some Most Neither Either While Although
    Because Unless Until Under With Without Once Between Its Their His Her Our Your One Two Three Four Five Six Seven
    Eight Nine Ten More Less Anyone Everyone Nobody Nothing Where Which Who Whoever What During According Instead Any
    Despite Since Though Whereas Here Now Then First Second Third Last Next Per Up Out Over Row
    Der Die Das Den Dem Des Ein Eine Einen Einem Einer Im Am Bei Beim Für Von Vom Mit Nach Zu Zum Zur Wer Wenn Wird Es
    Sie Er Ihr Ihre Ihren Ihrem Sein Seine Auch Nur Alle Jede Jeder Jedes Kein Keine Diese Dieser Dieses Laut Ab Bis Vor
    Bisher Seit Ohne Unter Über Um Auf Aus Als Da Damit Dann Dort Hier Nicht Noch Neben Statt Während Weil Wie Zwei Drei
    Le La Les Un Une Du En Au Aux Pour Si Il Elle Ils Elles On Ce Cette Ces Son Sa Ses Leur Leurs Vous Votre Nous
    Qui Que Quand Comme Mais Et Ou Dans Par Sur Sous Selon Chaque Tout Tous Toute Toutes Aucun Aucune Avec Sans Avant
    El Los Las Unos Unas Del Al Ella Ellos Este Esta Estos Estas Su Sus Quien Cuando Como Pero Con Sin Para
    Moins Plus Jusqu'à Environ Más Menos Mehr Weniger Etwa Rund
    Por Sobre Según Cada Todo Todos Toda Todas Ningún Ninguna Entre Hasta Desde Tras Antes Después""".split()
)


class Place(NamedTuple):
    """Where a name or value stands in a text; those of the same ``kind`` may change places."""

    start: int
    end: int
    kind: str
    text: str


def places(text: str) -> list[Place]:
    """Names and values of a text in order, but for a single word at its very start, which may be any."""
    found = sorted(_unspaced(text) if IDEOGRAM.search(text) else _spaced(text))
    return [p for i, p in enumerate(found) if not any(q.start < p.end and p.start < q.end for q in found[:i])]


def _spaced(text: str) -> Iterator[Place]:
    for match in _CLOCK.finditer(text):
        yield Place(match.start(), match.end(), "clock", match[0])
    for match in _CLOSED.finditer(text):
        number = next(i for i, words in enumerate(_CLOSED_SETS) if match[0] in words)
        yield Place(match.start(), match.end(), f"closed {number}", match[0])
    for match in _NUMBER.finditer(text):
        unit, number = match["unit"].strip(" -").lower().removesuffix("s"), match["number"]
        year = len(number) == 4 and number[:2] in ("18", "19", "20") and not match["sign"]
        kind = "year" if year else f"number {(match['sign'] or '').strip()}{unit}"
        yield Place(*match.span("number"), kind, number)
    nouns = bool(_GERMAN.search(text))  # all have a capital letter; within a sentence two in a row are mostly a name
    for match in _NAME.finditer(text):
        words = match[0].split()
        before = text[: match.start()].rstrip(" \n\"“„«'(")
        if words[0] in _NO_NAMES or _CLOSED.search(match[0]) or (len(words) == 1 and (nouns or match.start() == 0)):
            continue
        if nouns and (not before or before[-1] in ".:!?–-"):
            continue
        shape = "code" if any(c.isdigit() for c in match[0]) else str(min(len(words), 3))
        yield Place(match.start(), match.end(), f"name {shape}", match[0])


def _unspaced(text: str) -> Iterator[Place]:
    """Values of Chinese and Japanese; nothing tells their names from other words."""
    for match in _CLOCK.finditer(text):
        yield Place(match.start(), match.end(), "clock", match[0])
    for match in _WEEKDAY.finditer(text):
        yield Place(match.start(), match.end(), "weekday", match[0])
    for pattern, kind in ((_UNSPACED, "number"), (_WRITTEN, "written")):
        for match in pattern.finditer(text):
            long = "long " if len(match["number"]) == 4 else ""  # a year, not so many years
            yield Place(*match.span("number"), f"{kind} {long}{match['unit']}", match["number"])
