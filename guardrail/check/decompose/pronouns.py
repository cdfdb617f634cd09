"""Puts the referent in place of a leading pronoun, where it is safe: a wrong referent is worse than none."""

from __future__ import annotations

import re
from dataclasses import replace

from guardrail.check.decompose.subjects import (
    INTRO,
    Sort,
    Subject,
    asked_about,
    gender,
    is_thing,
    relative_in,
    subject_of,
)
from guardrail.text.facts.verb_forms import may_be_past

_PERSONAL = {
    "he": frozenset({Sort.MALE, Sort.PERSON, Sort.UNKNOWN}),
    "she": frozenset({Sort.FEMALE, Sort.PERSON, Sort.UNKNOWN}),
    "it": frozenset({Sort.THING, Sort.UNKNOWN}),
    "they": frozenset({Sort.MANY}),
}
_NOMINATIVE = {"his": "he", "her": "she", "its": "it", "their": "they"}
_ENGLISH = re.compile(
    rf"(?P<intro>(?:{INTRO})?)"
    r"(?P<pronoun>(?i:he|she|it|they|his|her|its|their|this (?:company|firm|city|town|building|tower|bridge|film|book"
    r"|band|team|club|university|school|organi[sz]ation|museum|castle|river|island|device|product)"
    r"|the (?:former|latter)))"
    r"(?P<short>['’]s)? (?P<next>\S+)"
)
_EXPLETIVE = re.compile(
    r"it(?:['’]s)? (?:(?:is|was|seems?|appears?|has been|remains|should be|must be|can be"
    r"|may be) (?:\w+ )?(?:\w+ )?(?:that|to|whether|why|how|who)\b|(?:is|was) (?:only|not|because|when|in|until"
    r"|during)\b|rain|snow|seem|appear|take|took|follow|turn|depend|happen|help|cost|mean)",
    re.IGNORECASE,
)
_SHORT_HAS = frozenset("been had got gotten become gone grown won risen fallen".split())
"""What makes "it's" mean "it has"; of people, irregular participles do too ("he's written", but "it's written")."""
_HAN = re.compile(
    r"(?P<intro>(?:(?:\d{2,4}年(?:\d{1,2}月)?(?:\d{1,2}日)?|后来|此后|随后|目前|当时|此外|同时|因此|所以|但是?|然而)，?)?)(?P<pronoun>(?:他们|她们|它们"
    r"|该公司|该组织|该机构|该大学|该校|该市|该建筑|该塔|该桥|他(?![人国乡日者山])|她|它|其(?![中他它余实次间]))的?)"
)
_HAN_SORTS = {
    "他": _PERSONAL["he"],
    "她": _PERSONAL["she"],
    "它": _PERSONAL["it"],
    "其": frozenset(Sort) - {Sort.MANY},
    "该": frozenset({Sort.THING, Sort.UNKNOWN}),
}


class Topic:
    """Follows the subject from sentence to sentence. One per answer; read the sentences in order."""

    def __init__(self, question: str | None, lang: str) -> None:
        self._asked = self._subject = asked_about(question, lang)
        self._steady = False  # the last two sentences had the same subject

    @property
    def state(self) -> tuple[Subject | None, bool]:
        """What is known so far, for ``resume``."""
        return self._subject, self._steady

    def resume(self, state: tuple[Subject | None, bool]) -> None:
        """Go on from there."""
        self._subject, self._steady = state

    def reset(self) -> None:
        """Forget the subject, except the one that was asked about."""
        self._subject, self._steady = self._asked, False

    def resolve(self, sentence: str, lang: str) -> str:
        """The (plain) sentence with its leading pronoun replaced, and note what it is about."""
        text, found = sentence, None
        if lang == "zh":
            found = _HAN.match(sentence)
            text = self._chinese(sentence, found) if found else sentence
        elif lang == "en":
            found = _ENGLISH.match(sentence[:300])
            text = self._english(sentence, found) if found else sentence
        self._note(text, lang, sentence, pronoun=found is not None)
        return text

    def _note(self, text: str, lang: str, sentence: str, *, pronoun: bool) -> None:
        resolved = text != sentence
        subject = subject_of(text, lang, self._subject)
        if resolved and self._subject is not None:
            if subject is None or subject.name != self._subject.name:
                subject = Subject(
                    self._subject.name, self._subject.sort, describes=subject is not None and subject.describes
                )
            elif subject.sort is not self._subject.sort:
                subject = replace(subject, sort=self._subject.sort)
            relative = relative_in(text)
            if relative:  # "Her father was ...": from here on "he" is the father, "she" still she
                subject = replace(subject, rivals=(*subject.rivals, relative), agents=(*subject.agents, relative))
            self._steady = not relative
        else:
            self._steady = subject is not None and self._subject is not None and subject.name == self._subject.name
        if pronoun and not resolved:
            self._subject = None  # somebody else may be meant from here on
        else:
            self._subject = subject

    def _fits(self, sorts: frozenset[Sort], called: Sort = Sort.UNKNOWN) -> bool:
        subject = self._subject
        if subject is None or subject.sort not in sorts:
            return False
        if Sort.THING in sorts:  # an object of the last sentence could be meant as well
            return subject.describes and not any(is_thing(rival) for rival in subject.rivals)
        rivals = subject.agents if subject.describes else subject.rivals
        other = {Sort.MALE: Sort.FEMALE, Sort.FEMALE: Sort.MALE}.get(called)
        return self._steady or all(gender(rival) is other and other is not None for rival in rivals)

    def _english(self, sentence: str, found: re.Match[str]) -> str:
        pronoun = found["pronoun"].lower()
        start, end = found.span("pronoun")
        if pronoun.startswith("the ") or (pronoun == "it" and _EXPLETIVE.match(sentence, start)):
            return sentence
        possessive = pronoun in _NOMINATIVE
        sorts = _PERSONAL["it"] if pronoun.startswith("this") else _PERSONAL[_NOMINATIVE.get(pronoun, pronoun)]
        subject = self._subject
        called = Sort.MALE if pronoun in {"he", "his"} else Sort.FEMALE if pronoun in {"she", "her"} else Sort.UNKNOWN
        if subject is None or not self._fits(sorts, called):
            return sentence
        if subject.sort in {Sort.UNKNOWN, Sort.PERSON} and called is not Sort.UNKNOWN:
            self._subject = subject = replace(subject, sort=called)  # what the answer calls it, it is
        name = _cased(subject.name, start)
        if possessive:
            name += "'" if name.endswith("s") and subject.sort is Sort.MANY else "'s"
        if found["short"]:
            if possessive:
                return sentence
            name += " has" if _is_short_for_has(pronoun, found["next"]) else " is"
            end += 2
        return sentence[:start] + name + sentence[end:]

    def _chinese(self, sentence: str, found: re.Match[str]) -> str:
        pronoun = found["pronoun"]
        start, end = found.span("pronoun")
        sorts = frozenset({Sort.MANY}) if "们" in pronoun else _HAN_SORTS[pronoun[0]]
        subject = self._subject
        if subject is None or not self._fits(sorts):
            return sentence
        possessive = "的" if pronoun.endswith("的") or pronoun == "其" else ""
        return sentence[:start] + subject.name + possessive + sentence[end:]


def _cased(name: str, start: int) -> str:
    return name[0].upper() + name[1:] if start == 0 else name


def _is_short_for_has(pronoun: str, word: str) -> bool:
    """Whether the "'s" of a pronoun before a word is "has"; mostly it is "is"."""
    word = word.strip(".,;:!?").lower()
    irregular = may_be_past(word) and not word.endswith("ed") and word not in ("born", "known", "left", "lost")
    return word in _SHORT_HAS or (pronoun in {"he", "she"} and irregular)
