"""The reader's language among those that there are texts for."""

from __future__ import annotations

import re
from collections.abc import Collection

from guardrail.text.sentences import language

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": "the of and is are was were what who which when where why how does did do in to for it not from with this",
    "de": "der die das und ist sind war wer wie wann warum wo welche welcher nicht ein eine den dem des mit für von zu",
    "fr": "le la les des du et est sont qui que quoi quel quelle quand pourquoi où comment une un dans pour pas sur",
    "es": "el la los las de y es son quién qué cuál cuándo cuánto dónde cómo por una un en para no del está fue",
    "it": "il lo la gli i di e è sono chi che cosa quale quando perché dove come una un per non del della fu nel",
    "pt": "o a os as de e é são quem que qual quando onde como por uma um em para não do da foi quantos está no na",
    "nl": "de het een en is zijn was wie wat welke wanneer waarom waar hoe niet van voor met op te aan dit dat werd",
    "pl": "i w z na jest są był kto co który która kiedy dlaczego gdzie jak nie do od się czy ile jaki jaka przez",
    "sv": "och är var vem vad vilken vilket när varför hur inte en ett den det som på för med av till från i",
    "da": "og er var hvem hvad hvilken hvornår hvorfor hvor hvordan ikke en et den det som på for med af til fra i",
    "tr": "ve bir bu ne kim hangi nerede nasıl neden kaç mi mı mu değil için ile olan da de kadar zaman",
}
_FREQUENT = {code: frozenset(words.split()) for code, words in _COMMON.items()}
"""Common words by language; of other languages in Latin script, English is taken to be read."""


def language_among(codes: Collection[str], text: str) -> str:
    """The code among ``codes`` (ISO 639-1) that ``text`` is written in, else ``en``.

    Told by its script, and between languages in Latin script by their common words; English where these do not tell.
    """
    script = language(text)
    if script != "en":
        return script if script in codes else "en"
    words = [word.lower() for word in _WORD.findall(text[:600])]
    counts = {code: sum(word in _FREQUENT[code] for word in words) for code in ("en", *codes) if code in _FREQUENT}
    return max(counts, key=lambda code: counts[code])  # the first of equals is English
