"""Rewording that keeps an English sentence true: words, digits, clause order, connectives, dropped asides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Rewording, Source, like
from guardrail.evaluation.stress.grammar import has_pronoun, lowered, read_pair, read_two, sentence, split_subject
from guardrail.evaluation.stress.words import table, words

# Safe in every context, one direction each; a pattern guards words with several senses or forms.
_RULES = tuple((re.compile(pattern), new) for pattern, new in table("same").items())
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SMALL = re.compile(
    rf"(?<![\w.,:/$£€-])(?<!to )(?<!or )(?<!and )(?P<word>{'|'.join(_NUMBERS[2:])})(?= "
    rf"[a-z]{{3,}}s\b)(?! (?:times|others|years-))"
)
_DIGIT = re.compile(r"(?<![\w.,:/$£€=–-])(?<![A-Z][a-z] )(?P<digit>[2-9]|1[0-2])(?= [a-z]{4,}s\b)(?<!No\. )")
_BRACKETS = re.compile(r" \((?![^()]*\b(?:not|except|only|unless|if|but)\b)[^()]{2,80}\)")
_WHICH = re.compile(r", (?:which|who|where) (?:[^,;:()]|(?<=\d),(?=\d)){6,120}\.$")
_HALF = re.compile(r"^(?P<one>[^;:()\"“”?]{25,220}); (?P<two>[^;:()\"“”?]{20,220})\.$")
LEADS = words("leads")
_SEMI_BAD = re.compile(
    r"^(?:but|and|or|otherwise|however|so|then|the (?:former|latter|rest|others?)|"
    r"others?|half|one|two|both|neither|none|afterwards|later|there|here|instead|"
    r"by contrast|after that|before that|until then|since then|each|all|some|"
    r"most|only|even|still|also|in (?:that|this) case|this|that|"
    r"these|those)\b"
)


def reword_words(source: Source, rng: Random) -> Iterator[str]:
    """One to three words said otherwise."""
    text = source.sentence
    usable = [(pattern, new) for pattern, new in _RULES if pattern.search(text)]
    if usable:
        for pattern, new in rng.sample(usable, min(len(usable), rng.choice((1, 1, 2, 3)))):
            found = pattern.search(text)
            if found is not None:
                text = text[: found.start()] + _written(found[0], new, source) + text[found.end() :]
        yield text


def _written(old: str, new: str, source: Source) -> str:
    if not new.startswith("@"):
        return like(old, new)
    clause = split_subject(source.sentence)
    if clause is None or clause.verb != "must":
        return old
    return ("have to" if clause.plural else "has to") + new.removeprefix("@must")


def reword_numbers(source: Source, _: Random) -> Iterator[str]:
    """A small number as digits, or digits as a word."""
    text = source.sentence
    match = _SMALL.search(text)
    if match:
        yield text[: match.start()] + str(_NUMBERS.index(match["word"])) + text[match.end() :]
    match = _DIGIT.search(text)
    if match and not re.search(
        r"[A-Z][\w.]* $|\b(?:page|type|level|grade|class|step|day|week|version|room|gate)s? $", text[: match.start()]
    ):
        yield text[: match.start()] + _NUMBERS[int(match["digit"])] + text[match.end() :]


def reword_order(source: Source, _: Random) -> Iterator[str]:
    """Clauses turned round their connective."""
    two = read_two(source)
    if two is not None and not (two.ahead and has_pronoun(two.main)) and two.word != "only if":
        yield sentence(f"{two.main} {two.word} {two.side}" if two.ahead else f"{two.word} {two.side}, {two.main}")


def reword_connective(source: Source, _: Random) -> Iterator[str]:
    """The same relation by another connective: because and so, although and but."""
    two = read_two(source)
    if two is not None and not has_pronoun(two.side) and not two.ahead:
        if two.word == "because":
            yield sentence(f"{two.side}, so {two.main}")
        if two.word in {"although", "even though"}:
            yield sentence(f"{two.side}, but {two.main}")
    pair = read_pair(source)
    main = None if pair is None else lowered(pair.first, source)
    if pair is None or main is None:
        return
    if pair.word == "so":
        yield sentence(f"because {main}, {pair.second}")
    if pair.word == "but" and not re.match(r"(?:not|only|never|then|no)\b", pair.second):
        yield sentence(f"although {main}, {pair.second}")
    if pair.word in {"while", "whereas"} and not has_pronoun(pair.second):
        yield sentence(f"{pair.second}, {pair.word} {main}")


def reword_halves(source: Source, _: Random) -> Iterator[str]:
    """One half of a sentence alone, or the halves joined otherwise."""
    text = source.sentence
    pair = read_pair(source)
    if (
        pair is not None
        and pair.word in {"and", "but"}
        and not re.search(r"\b(?:if|only|unless|when|not|until|may|neither|both|between|either)\b", pair.first)
    ):
        yield pair.first + "."
    match = _HALF.match(text)
    if match is None:
        return
    yield match["one"] + "."
    if _SEMI_BAD.match(match["two"]):
        return
    if not has_pronoun(match["two"]) and not re.match(r"(?:if|when|from|in|at|on)\b", match["two"]):
        yield sentence(match["two"])
    if not re.match(r"(?:If|When|Neither|Either)\b", text):
        yield f"{match['one']}, and {match['two']}."


def drop_aside(source: Source, _: Random) -> Iterator[str]:
    """Brackets, or a clause at the end that begins with which or who, left out."""
    text = source.sentence
    match = _BRACKETS.search(text)
    if match:
        yield text[: match.start()] + text[match.end() :]
    match = _WHICH.search(text)
    head = text[: match.start()] if match else ""
    if len(head.split()) >= 6 and not re.search(r"\b(?:if|not|only|unless|no|few|when)\b|,", head):
        yield head + "."


def lead_in(source: Source, rng: Random) -> Iterator[str]:
    """A lead-in before the sentence."""
    if ":" not in source.sentence and rng.random() < 0.5:
        body = lowered(source.sentence, source)
        if body is not None:
            yield f"{rng.choice(LEADS)} {body}"


ENGLISH_REWORDING: tuple[Rewording, ...] = (
    reword_words, reword_numbers, reword_order, reword_connective, reword_halves, drop_aside, lead_in,
)  # fmt: skip
