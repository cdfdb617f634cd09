"""Sufficient and necessary conditions confused (Face4RAG's LConf)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, replaced
from guardrail.evaluation.stress.clauses import has_pronoun, read_two, sentence
from guardrail.types import ErrorType, Span

_K = ErrorType.SUFFICIENT_NECESSARY
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
_MUST = re.compile(
    r"^(?P<aim>To [a-z]+[^,;:.]{0,50}), (?P<who>(?:the|an?|you|we|each|every|both|all)\b[^,;:.]{0,50}?|[a-z]+s) "
    r"(?:must|needs? to|has to|have to) (?P<what>(?!not\b|also\b|only\b|first\b|"
    r"at\b|either\b|still\b|both\b)[^;:.]{6,120})\.$"
)
_NEEDS = re.compile(r"\b(?:requires?|needs?) (?=(?:an?|the|proof|written|two|three|approval)\b)")
_SUBJECT = re.compile(
    r"(?:the|an?|it|they|he|she|you|we|one|no|all|both|each|every|its|their|his|her|your|[a-z-]+s|[A-Z][\w-]*)\b"
)
_ENOUGH = re.compile(r"\b(is|are) (?:enough|sufficient) (?=to\b|for\b)")
_MODAL = re.compile(r"\b(?:must|can|may|will|is|are|[a-z]+s)\b")


def conditions(source: Source, rng: Random) -> Iterator[Change]:
    """A necessary condition made sufficient, or a sufficient one necessary."""
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
            yield replaced(_K, text, match.start(), match.end(), word)
        if match["word"] == "if" and text.endswith(".") and not re.search(r"[,;]", text[match.end() :]):
            start = len(text) - 1 - len("only ")
            tail = rng.choice(
                (", and nothing more is needed", ", and that alone is enough", ", with no further condition")
            )
            built = text[: match.start()] + "if" + text[match.end() : -1] + tail + "."
            yield Change(_K, built, (Span(match.start(), match.start() + 2), Span(start - 0, start + len(tail))))
    yield from _necessary(source)
    form = _MUST.match(text)
    if form and not re.search(r"\b(?:must|and|or|but|unless|needs? to|has to|not)\b", form["what"]):
        head, what = f"{form['aim']}, ", form["what"]
        wrong = f"it is enough for {form['who']} to {what}"
        yield Change(_K, head + wrong + ".", (Span(len(head), len(head) + len("it is enough")),))
    for match in _NEEDS.finditer(text):
        if not re.search(
            r"\b(?:not|no|never|only|also|to|that|what|who|which|and) $|\b(?:the|an?|no|any|their|its) $",
            text[: match.start()],
        ) and not re.match(r"[^.]*\b(?:and also|as well as|to be|to)\b", text[match.end() :]):
            yield replaced(
                _K, text, match.end(), match.end(), rng.choice(("only ", "nothing but ", "nothing more than "))
            )
    for match in _ENOUGH.finditer(text):
        yield replaced(
            _K,
            text,
            match.start(),
            match.end(),
            f"{match[1]} {'indispensable' if text[match.end() :].startswith('for') else 'the only way'} ",
        )


def _necessary(source: Source) -> Iterator[Change]:
    text = source.sentence
    for match in _IF.finditer(text):
        before = text[: match.start()]
        clause = re.split(r"[,;]", before)[-1]
        if (
            _REPORTED.search(clause)
            or len(clause.split()) < 3
            or re.match(r"\s*(?:or|and|but)\b", clause)
            or re.search(r"\b(?:any|always|free|at once|so|better|best|even)\b", clause)
            or not _MODAL.search(clause)
        ):
            continue
        if not _SUBJECT.match(text, match.end()):
            continue
        word = match[0].strip()
        yield replaced(_K, text, match.start(), match.start() + len(word), "only if")
    two = read_two(source)
    if two is None or not two.ahead or two.word not in {"if", "provided that", "as long as"}:
        return
    if has_pronoun(two.main) or re.search(r"\b(?:not|no|never|cannot|only|unless|still|also|even)\b", two.main):
        return
    start = len(two.main) + 1
    yield Change(_K, sentence(f"{two.main} only if {two.side}"), (Span(start, start + len("only if")),))
