"""Logic errors: cause and effect, sufficient and necessary conditions, order in time, and other connectives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source, like, replaced, whole
from guardrail.evaluation.stress.grammar import exchanged, has_pronoun, lowered, read_pair, read_two, sentence
from guardrail.evaluation.stress.words import table
from guardrail.types import ErrorType, Span

_CAUSE, _CONDITION, _OTHER = ErrorType.CAUSAL_CONFUSION, ErrorType.SUFFICIENT_NECESSARY, ErrorType.OTHER_LOGIC
_LIMITS = re.compile(r"(?:only|not|also|even|never|still|no|then)\b")
_HEDGED = re.compile(r"\b(?:not|no|never|neither|may|might|although|if|while)\b")
_JOINING = re.compile(r"\b(?:because|so|if|when|although|after|before|unless|since|while|but|until|not|no|never)\b")
_ONLY = re.compile(r"\bonly (?P<word>if|when|where|once|after)\b")
_IF = re.compile(
    r"(?<=\w )(?<!even )(?<!as )(?<!only )(?<!and )(?<!or )(?<!but )(?<!than "
    r")(?<!what )(?:if|provided that|as long as|whenever) (?!not\b|so\b|any\b|"
    r"necessary|possible|needed|only)"
)
_REPORTED = re.compile(
    r"\b(?:ask|asked|asks|know|see|check|decide|doubt|wonder|unclear|tell|unless|"
    r"only|not|no|never|cannot|nor)\b[^,;]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:the|an?|it|they|he|she|you|we|one|no|all|both|each|every|its|their|his|her|your|[a-z-]+s|[A-Z][\w-]*)\b"
)
_MODAL = re.compile(r"\b(?:must|can|may|will|is|are|[a-z]+s)\b")
_NEEDS = re.compile(r"\b(?:requires?|needs?) (?=(?:an?|the|proof|written|two|three|approval)\b)")
_WHEN = re.compile(
    r"(?<!look )(?<!looks )(?<!looked )(?<!named )(?<!sought )(?<!day )(?<!one )(?<!soon )(?<!year )(?<!taken )(?<!-)"
    r"\b(?:before|after)\b(?! all\b| each other| long\b| (?:which|whom)\b|-)(?= \w)",
    re.IGNORECASE,
)
_NOT_A_TIME = re.compile(
    r"\b(?:and|or|not|never|only|until|long|look\w*|nam\w+|even|than|soon|from|once|as|day|ever) $", re.IGNORECASE
)
_CONNECTIVES = table("connectives")
_CONNECTIVE = re.compile(
    r"(?<!more )(?<!other )(?<!just )(?<!only )(?<!not )(?<!mainly )(?<!partly )(?<!chiefly )(?<!largely )(?<!mostly )"
    r"(?<!simply )(?<!precisely )(?<!probably )(?<!perhaps )(?<!merely )(?<!part )(?<!is )(?<!are )(?<!was )(?<!were )"
    rf"\b(?:{'|'.join(sorted(_CONNECTIVES, key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def exchanged_cause(source: Source, rng: Random) -> Iterator[Change]:
    """Cause and effect exchanged."""
    two = read_two(source)
    if two is not None and two.word == "because" and not _JOINING.search(f"{two.main} {two.side}"):
        new = exchanged(two.main, two.side)
        if new is not None and not has_pronoun(two.main.split(" ", 1)[0]):
            ahead = rng.random() < 0.4
            yield whole(_CAUSE, sentence(f"because {new[1]}, {new[0]}" if ahead else f"{new[0]} because {new[1]}"))
    pair = read_pair(source)
    if pair is not None and pair.word == "so" and not has_pronoun(pair.second):
        main = lowered(pair.first, source)
        if main is not None and not has_pronoun(main):
            yield whole(_CAUSE, sentence(f"{pair.second}, so {main}"))


def contrast_as_cause(source: Source, _: Random) -> Iterator[Change]:
    """Although, but and whereas made because and so."""
    two = read_two(source)
    if two is not None and two.word in {"although", "even though"}:
        built = sentence(f"because {two.side}, {two.main}" if two.ahead else f"{two.main} because {two.side}")
        at = 0 if two.ahead else built.index(" because ") + 1
        yield Change(_CAUSE, built, (Span(at, at + len("because")),))
    pair = read_pair(source)
    if pair is None:
        return
    at = len(pair.first) + 2
    if pair.word == "but" and not _LIMITS.match(pair.second) and not _HEDGED.search(pair.first):
        yield replaced(_CAUSE, source.sentence, at, at + len("but"), "so")
    if pair.word == "whereas":
        yield replaced(_CAUSE, source.sentence, at, at + len("whereas"), "because")


def necessary_as_sufficient(source: Source, rng: Random) -> Iterator[Change]:
    """Only if made whenever."""
    text = source.sentence
    for match in _ONLY.finditer(text):
        if re.search(r"(?:\b(?:not|but|and|or|if)|[;:,]) $", text[: match.start()]):
            continue
        word = {"if": rng.choice(("whenever", "every time")), "when": "whenever", "where": "wherever"}.get(
            match["word"]
        )
        if match["word"] in {"once", "after"} and re.match(
            r" (?:the|an?|it|they|both|all) [^,;.]*\b(?:is|are|has|have|was|were)\b", text[match.end() :]
        ):
            word = "as soon as"
        if word is not None:
            yield replaced(_CONDITION, text, match.start(), match.end(), word)


def sufficient_as_necessary(source: Source, _: Random) -> Iterator[Change]:
    """If made only if."""
    text = source.sentence
    for match in _IF.finditer(text):
        clause = re.split(r"[,;]", text[: match.start()])[-1]
        if (
            len(clause.split()) < 3
            or not _MODAL.search(clause)
            or _REPORTED.search(clause)
            or re.match(r"\s*(?:or|and|but)\b", clause)
            or re.search(r"\b(?:any|always|free|at once|so|better|best|even)\b", clause)
            or not _SUBJECT.match(text, match.end())
        ):
            continue
        yield replaced(_CONDITION, text, match.start(), match.start() + len(match[0].strip()), "only if")
    two = read_two(source)
    if two is None or not two.ahead or two.word not in {"if", "provided that", "as long as"} or has_pronoun(two.main):
        return
    if not re.search(r"\b(?:not|no|never|cannot|only|unless|still|also|even)\b", two.main):
        start = len(two.main) + 1
        yield Change(_CONDITION, sentence(f"{two.main} only if {two.side}"), (Span(start, start + len("only if")),))


def needs_nothing_else(source: Source, rng: Random) -> Iterator[Change]:
    """What is needed made all that is needed: "requires a permit" becomes "requires only a permit"."""
    text = source.sentence
    for match in _NEEDS.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if re.search(r"\b(?:not|no|never|only|also|to|that|what|who|which|and|the|an?|any|their|its) $", before):
            continue
        if not re.match(r"[^.]*\b(?:and also|as well as|to be|to)\b", after):
            added = rng.choice(("only ", "nothing but ", "nothing more than "))
            yield replaced(_CONDITION, text, match.end(), match.end(), added)


def turned_order(source: Source, _: Random) -> Iterator[Change]:
    """Before made after, and the other way round."""
    text = source.sentence
    for match in _WHEN.finditer(text):
        new = "after" if match[0].lower() == "before" else "before"
        if _NOT_A_TIME.search(text[: match.start()]) or re.search(rf"\b{new}\b", text, re.IGNORECASE):
            continue
        if not re.match(r" (?:that|then|this)\b", text[match.end() :]):
            yield replaced(_OTHER, text, match.start(), match.end(), like(match[0], new))


def other_connective(source: Source, _: Random) -> Iterator[Change]:
    """A connective replaced by one that says something else: because and although, unless and if, and similar."""
    text = source.sentence
    for match in _CONNECTIVE.finditer(text):
        word, before, after = match[0].lower(), text[: match.start()], text[match.end() :]
        if word == "unless" and re.match(r" (?:otherwise|not)\b", after):
            continue
        if word == "rather than" and re.search(r"\b(?:would|better|er) [^,]*$", before):
            continue
        if word == "due to" and before and not before.rstrip().endswith((",", "ed", "n")):
            continue
        yield replaced(_OTHER, text, match.start(), match.end(), like(match[0], _CONNECTIVES[word]))


LOGIC: tuple[Rule, ...] = (
    exchanged_cause, contrast_as_cause, necessary_as_sufficient, sufficient_as_necessary, needs_nothing_else,
    turned_order, other_connective,
)  # fmt: skip
