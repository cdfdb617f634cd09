"""Small numbers in German, Spanish and French words."""

from __future__ import annotations

import re

_SMALL_WORDS = {
    word: number
    for first, words in (
        (2, "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn"),
        (18, "achtzehn neunzehn zwanzig"),
        (3, "tres cuatro cinco seis siete ocho nueve diez"),
        (12, "doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte"),
        (2, "deux trois quatre cinq"),
        (10, "dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt"),
    )
    for number, word in enumerate(words.split(), start=first)
}
_SMALL_WORDS |= {
    word: number
    for number, words in (
        (24, "vierundzwanzig veinticuatro vingt-quatre"),
        (30, "dreißig treinta trente"),
        (36, "sechsunddreißig trente-six"),
        (40, "vierzig cuarenta quarante"),
        (48, "achtundvierzig quarante-huit"),
        (50, "fünfzig cincuenta cinquante"),
        (60, "sechzig sesenta soixante"),
    )
    for word in words.split()
}
_LONGEST_FIRST = sorted(_SMALL_WORDS, key=len, reverse=True)
_SMALL_WORD = re.compile(
    rf"(?<!-)\b(?:{'|'.join(_LONGEST_FIRST)}|dos(?=\s(?:años|meses|semanas|días|horas|minutos|veces)\b))\b(?!-)",
    re.IGNORECASE,
)
"""Before other words "dos" may be Portuguese, French or a system's name."""
_DIGITS = {word: str(number) for word, number in _SMALL_WORDS.items()} | {"dos": "2"}


def in_digits(text: str) -> str:
    """The text with small numbers in digits that German, Spanish and French words name, and nothing else ("neuf")."""
    return _SMALL_WORD.sub(lambda match: _DIGITS[match.group().casefold()], text)
