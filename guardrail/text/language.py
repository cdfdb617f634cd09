"""Which texts the English model can read. Guessing in another language would be worse than saying so."""

from __future__ import annotations

import re
from functools import lru_cache

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")

_ENGLISH = frozenset(
    "the of and to in is was are were that for with as by on it from at an be this which or not have has".split()
)
_OTHER = (
    frozenset(
        """le la les des du une et est dans pour que qui sur avec pas plus sont aux ce cette il elle
    el los las del y en por con para una un es se su como más fue al lo
    der die das und ist nicht mit von den dem ein eine auf für sich auch wurde im zu
    il di che è gli della per non una sono nel alla più come
    o os da do em não uma com para foi mais dos ao
    het een van niet zijn voor met op aan ook werd
    w i na nie się jest do z że oraz przez""".split()
    )
    - _ENGLISH
    - {"die", "a", "on", "in", "as", "at", "do", "me", "o", "i", "no", "w", "z", "per", "van", "la", "el", "de", "du"}
)


@lru_cache(maxsize=4096)
def readable(text: str) -> bool:
    """Whether the text is in a script and, as far as its function words tell, the language that the model reads."""
    sample = text[:4000]
    letters = len(_LETTER.findall(sample))
    if letters == 0:
        return True
    if len(_LATIN.findall(sample)) < 0.75 * letters:
        return False
    words = [word.lower() for word in _WORD.findall(sample)]
    english = sum(word in _ENGLISH for word in words)
    other = sum(word in _OTHER for word in words)
    return not (other >= 2 and other > 2 * english)
