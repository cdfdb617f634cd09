"""Which language a text is written in: told by its script, and between Latin scripts by its commonest words."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile(r"[\u00c0-\u024f]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_SCRIPTS = {
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
}
_COMMON = {
    "en": "the of and is are was were what who which when where why how does did do in to for it not from with this",
    "de": """der die das und ist sind war wer wie wann warum wo welche welcher nicht ein eine den dem des mit für von zu
        auf sich auch wurde im sie er es wird werden haben bei nach bis aus oder nur kann können sein ihr ihre zum zur
        vom über wenn kein keine einer einem einen eines durch ohne seit dass diese dieser dieses beim zwischen""",
    "fr": """le la les des du et est sont qui que quoi quel quelle quand pourquoi où comment une un dans pour pas sur
        avec plus aux ce cette il elle au ces cet vous nous ils elles ses leur leurs par être peut doivent doit mais
        comme entre depuis après jusqu tous toute toutes aucun aucune qu chaque dont soit était ont""",
    "es": """el la los las de y es son quién qué cuál cuándo cuánto dónde cómo por una un en para no del está fue
        con se su como más al lo que pero desde hasta puede pueden debe deben ser tiene tienen ya muy todos todas cada
        este esta estos estas sus según hay entre fueron han""",
    "it": """il lo la gli i di e è sono chi che cosa quale quando perché dove come una un per non del della fu nel
        alla più""",
    "pt": """o a os as de e é são quem que qual quando onde como por uma um em para não do da foi quantos está no na
        com mais dos ao""",
    "nl": """de het een en is zijn was wie wat welke wanneer waarom waar hoe niet van voor met op te aan dit dat werd
        ook""",
    "pl": """i w z na jest są był kto co który która kiedy dlaczego gdzie jak nie do od się czy ile jaki jaka przez
        że oraz""",
    "sv": "och är var vem vad vilken vilket när varför hur inte en ett den det som på för med av till från i",
    "da": "og er var hvem hvad hvilken hvornår hvorfor hvor hvordan ikke en et den det som på for med af til fra i",
    "tr": "ve bir bu ne kim hangi nerede nasıl neden kaç mi mı mu değil için ile olan da de kadar zaman",
}
_FREQUENT = {code: frozenset(words.split()) for code, words in _COMMON.items()}
"""Common words by language, from which a text in Latin script is told."""

UNKNOWN = "und"
"""ISO 639-2 for a language that cannot be told."""

_KNOWN = (*_FREQUENT, *_SCRIPTS, "ja", "zh")

_ENGLISH = _FREQUENT["en"] | frozenset("that as by on at an be or have has".split())
_FOREIGN = (
    frozenset().union(*(words for code, words in _FREQUENT.items() if code != "en"))
    - _ENGLISH
    - frozenset(
        """a e i no o w z die per van la el de du da di er var den mi mu ne as war son come com chi kim hay han ser este
        ya au es il dom plus""".split()
    )
)
"""Words that English texts have neither as words of their own nor in names."""

_ENGLISH_ALONE = _ENGLISH - frozenset("in an on as at was do or were".split())
"""Common English words that no other language here has."""


def language(text: str) -> str:
    """ISO 639-1 code by script, from the first 600 characters; "en" stands for every Latin-script language."""
    sample = text[:600]
    if sample.isascii():
        return "en"
    letters = len(_LETTER.findall(sample)) or 1
    if len(_KANA.findall(sample)) * 10 > letters:
        return "ja"
    if len(_HAN.findall(sample)) * 5 > letters:  # one Han character says as much as several Latin letters
        return "zh"
    return next((code for code, script in _SCRIPTS.items() if len(script.findall(sample)) * 2 > letters), "en")


def language_among(codes: Collection[str], text: str) -> str:
    """The code among ``codes`` (ISO 639-1) that ``text`` is written in, else ``en``."""
    script = language(text)
    if script != "en":
        return script if script in codes else "en"
    words = [word.lower() for word in _WORD.findall(text[:600])]
    counts = {code: sum(word in _FREQUENT[code] for word in words) for code in ("en", *codes) if code in _FREQUENT}
    return max(counts, key=lambda code: counts[code])  # the first of equals is English


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """The likeliest language (ISO 639-1): English where nothing speaks against it (``may_be_english``), or UNKNOWN."""
    if may_be_english(text):
        return "en"
    found = language_among(_KNOWN, text)
    return UNKNOWN if found == "en" else found


@lru_cache(maxsize=4096)
def may_be_english(text: str) -> bool:
    """Whether the text is in Latin script and, as far as its common words tell, in English.

    What the English model reads; guessing in another language would be worse than saying so.
    """
    sample = text[:4000]
    letters = len(_LETTER.findall(sample))
    if letters == 0:
        return True
    if len(_LATIN.findall(sample)) < 0.75 * letters:
        return False
    words = _WORD.findall(sample.replace("et al.", ""))
    english = sum(word.lower() in _ENGLISH for word in words)
    foreign = sum(word.lower() in _FOREIGN for word in words if len(word) == 1 or not word.isupper())
    if foreign:  # by themselves letters with accents may be those of names
        foreign += sum(word.islower() and word not in _FOREIGN and bool(_ACCENTED.search(word)) for word in words)
    return not (foreign >= 2 and foreign > 2 * english)


def is_english_among(text: str, whole: str) -> bool:
    """Whether a part of a longer text is in English, as far as can be told.

    In a text of another language a part without a common English word is in that language, too.
    """
    if not may_be_english(text):
        return False
    return may_be_english(whole) or any(word.lower() in _ENGLISH_ALONE for word in _WORD.findall(text[:4000]))
