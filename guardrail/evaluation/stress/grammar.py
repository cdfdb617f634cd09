"""Small English grammar for safe edits: capitals, subjects and verbs, sentences of two clauses with a connective."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from guardrail.evaluation.stress.change import Source
from guardrail.evaluation.stress.words import words

_LOWERABLE = frozenset(words("lowerable"))
_PLURAL_ENDINGS = re.compile(r"(?:ers|ors|ents|ants|ions|ings|ments|ees|ists|ages|ties|cies|rates|tests|ances)$")
PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|hers|this|these|those|both|one|ones|itself|themselves|himself|"
    r"herself|the (?:former|latter|same)|do so|did so|does so|otherwise|there|then|here)\b",
    re.IGNORECASE,
)
BE_AND_MODALS = frozenset(
    "is are was were has have had can may must will would could should might does do did cannot".split()
)
_PAST = frozenset(words("past"))
_PRESENT = frozenset(words("present"))
_DETERMINERS = frozenset("the a an its their his her no any some each every two three four five very most more".split())
_NOT_VERBS = frozenset(words("not_verbs"))


class Clause(NamedTuple):
    """A clause cut before its verb: ``subject`` + " " + ``predicate``."""

    subject: str
    predicate: str

    @property
    def verb(self) -> str:
        """The word that agrees with the subject."""
        return self.predicate.split(" ", 1)[0]

    @property
    def plural(self) -> bool:
        """Whether the subject looks plural."""
        return is_plural(self.subject)

    @property
    def agrees_with_all(self) -> bool:
        """Whether the verb has one form for singular and plural."""
        return self.verb in _PAST or self.verb.endswith("ed") or self.verb in ALIKE


ALIKE = frozenset("had can may must will would could should might did cannot".split())


def raised(text: str) -> str:
    """The first letter as a capital."""
    return text[:1].upper() + text[1:]


def lowered(text: str, source: Source) -> str | None:
    """The text to stand after other words; None where its first word may or may not be a name."""
    words = text.split(" ", 2)
    first = words[0].rstrip(",")
    if not first[:1].isupper():
        return text
    if len(first) > 1 and any(c.isupper() or c.isdigit() for c in first[1:]):
        return text  # an abbreviation or a product stays as it is
    small = first[0].lower() + first[1:]
    if small in _LOWERABLE:
        return small + text[len(first) :]
    if first in source.names or (len(words) > 1 and words[1][:1].isupper()):
        return text
    if small in source.small or _PLURAL_ENDINGS.search(first):
        return small + text[len(first) :]
    return None


def is_verb(word: str, before: str = "") -> bool:
    """Whether a word is surely a finite verb here (a past participle may pass)."""
    if word in BE_AND_MODALS or word in _PAST:
        return True
    if before.lower() in _DETERMINERS or word in _NOT_VERBS:
        return False
    return word in _PRESENT or (word.endswith("ed") and len(word) > 4)


@lru_cache(maxsize=4096)  # the other sentences of a passage are read for each of its sentences
def split_subject(text: str) -> Clause | None:
    """Cut a clause before its verb; None unless the subject is a plain noun phrase of at most eight words."""
    words = text.split(" ")
    for index, word in enumerate(words[1:9], 1):
        before = words[index - 1]
        if word.strip(",;:") != word or before.lower() in {"to", "and", "or", "not", "who", "which", "that", "whose"}:
            return None
        if is_verb(word, before):
            break
    else:
        return None
    subject = " ".join(words[:index])
    if re.search(r"[,;:()\"“”?]|\b(?:who|which|that|if|when|while|because|not)\b", subject):
        return None
    if not re.match(r"(?:The|the|A|a|An|an|Its|its|Their|their|Our|our|His|his|Her|her)\b|[A-Z]|[a-z]+s\b", subject):
        return None
    if re.match(
        r"(?:In|On|At|By|For|From|To|With|After|Before|Since|Until|If|When|While|Because|Although|Under|During|There|"
        r"This|That|Only|Both|Neither|Either|It|They|He|She|We|You|I|Not|No|Of|As|Among|Each|Here|What|How)\b",
        subject,
        re.IGNORECASE,
    ):
        return None
    return Clause(subject, " ".join(words[index:]))


def is_clause(text: str) -> bool:
    """Whether a text is surely a clause with a subject and a finite verb."""
    words = text.split(" ")
    if len(words) < 3 or re.match(r"(?:\w+ing|to|of|by|in|on|at|for|from|with|as|not)\b", text):
        return False
    if words[0].lower() in {"it", "they", "he", "she", "we", "you", "i", "this", "these", "nobody", "there"}:
        return True
    return any(
        is_verb(word, before) and (word in BE_AND_MODALS or index < 6)
        for index, (before, word) in enumerate(pairwise(words))
    )


def is_plural(subject: str) -> bool:
    """Whether a noun phrase looks plural by its head."""
    head = re.split(r" (?:of|in|at|for|with|from|on|to|under|above|below|by)\b", subject, maxsplit=1)[0]
    if " and " in head:
        return True
    last = head.split(" ")[-1]
    if last[:1].isupper() and (" " in head or not _PLURAL_ENDINGS.search(last)):
        return False
    return (last.endswith("s") and not last.endswith(("ss", "us", "is"))) or last in {
        "people",
        "children",
        "men",
        "women",
        "staff",
        "mice",
        "police",
        "feet",
        "teeth",
        "fish",
    }


_PLAIN = r"(?:[^,;:()?!.]|(?<=\d)[,.:](?=\d))"
_WORDS = "because|only if|if|although|even though|unless|before|after|when|provided that|as long as|since"
_BEHIND = re.compile(
    rf"^(?P<main>{_PLAIN}{{10,160}}?),? (?<!even )(?<!as )(?<!not )(?P<word>{_WORDS}) (?P<side>{_PLAIN}{{8,160}})\.$"
)
_AHEAD = re.compile(
    rf"^(?P<word>Because|If|Although|Even though|Unless|Before|After|When|Provided that|As long as|Since) "
    rf"(?P<side>{_PLAIN}{{8,160}}), (?P<main>{_PLAIN}{{10,160}})\.$"
)
_LINKED = re.compile(
    rf"^(?P<first>{_PLAIN}{{10,160}}), (?P<word>so|but|while|whereas|and) (?P<second>{_PLAIN}{{10,160}})\.$"
)
_ADVERB = re.compile(
    r" (?:mainly|only|just|partly|mostly|simply|even|shortly|soon|long|immediately|days?|weeks?|months?|"
    r"years?|hours?|minutes?|and|or|but|not|largely|chiefly|probably|until|than|except)$"
)


class Two(NamedTuple):
    """A main clause and a clause marked by ``word`` (lower case); neither has a full stop or a leading capital."""

    main: str
    word: str
    side: str
    ahead: bool  # the marked clause came first


class Pair(NamedTuple):
    """Two main clauses joined by ``word``; the second has no leading capital."""

    first: str
    word: str
    second: str


def read_two(source: Source) -> Two | None:
    """Main and marked clause of the sentence; None unless both are surely clauses and may stand in either order."""
    match = _BEHIND.match(source.sentence)
    ahead = match is None
    match = match or _AHEAD.match(source.sentence)
    if match is None or _ADVERB.search(match["main"]):
        return None
    main = lowered(match["main"], source)
    if main is None or not is_clause(main) or not is_clause(match["side"]):
        return None
    if re.match(r"(?:not|and|but|or|so|then|only|is|are|was|were|do|does|did|that)\b", main):
        return None
    if len(re.findall(rf"\b(?:{_WORDS}|and|but|so|while|whereas|than)\b", main)) > 1:
        return None
    return Two(main, match["word"].lower(), match["side"], ahead)


def read_pair(source: Source) -> Pair | None:
    """Two main clauses joined by a comma and so, but, while, whereas or and; None unless both are surely clauses."""
    match = _LINKED.match(source.sentence)
    if match is None or not is_clause(match["second"]) or not is_clause(match["first"]):
        return None
    if match["word"] == "so" and match["second"].startswith(("that ", "far ", "much ", "as ")):
        return None
    if is_verb(match["second"].split(" ", 1)[0]) or re.match(r"\w+ly\b|then\b|later\b", match["second"]):
        return None  # one subject for both: "rose early, but left late"
    return Pair(match["first"], match["word"], match["second"])


def has_pronoun(text: str) -> bool:
    """Whether the text points at something outside it."""
    return PRONOUN.search(text) is not None


def exchanged(main: str, side: str) -> tuple[str, str] | None:
    """Main and side changed over so that pronouns still have their nouns: (new main, new side), or None.

    "the pump failed" / "it was old" become "the pump was old" / "it failed".
    """
    if not has_pronoun(side):
        return side, main
    match = re.match(r"(it|they|he|she) (?=\w)", side)
    clause = split_subject(main)
    if match is None or clause is None or has_pronoun(side[match.end() :]) or has_pronoun(main):
        return None
    if (match[1] == "they") != clause.plural:
        return None
    return f"{clause.subject} {side[match.end() :]}", f"{match[1]} {clause.predicate}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return raised(text) + "."
