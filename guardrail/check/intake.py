"""What comes in from outside, made into our types, or refused with a message that says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from guardrail.errors import UsageError
from guardrail.types import Claim, Passage, Span

PassageLike = str | Passage | Mapping[str, object]
"""A passage as a caller may give it: its text, a Passage, or a mapping with ``text``, perhaps ``id`` and ``title``."""

ClaimLike = str | Sequence[str] | Claim
"""A claim as a caller may give it: a text, a triplet (head, relation, tail), or a Claim."""

_CJK_JOINT = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) | (?=[\u3040-\u30ff\u3400-\u9fff])")
_CJK_END = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]$")
_STOPS = tuple(".!?。！？")


def read_answer(answer: object, name: str = "answer") -> str:
    """The answer, if it is a string."""
    if not isinstance(answer, str):
        raise UsageError(f"{name} must be a str, got {type(answer).__name__}. Pass the generated text itself.")
    return answer


def lines_of(value: object, name: str = "") -> Iterator[str]:
    """The leaves of plain JSON, each a line of an answer: texts as they are, others with the name of their field."""
    if isinstance(value, Mapping):
        items: Mapping[object, object] = value
        for key, inner in items.items():
            yield from lines_of(inner, str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from lines_of(inner, name)
    elif isinstance(value, str):
        yield value
    elif value is not None:
        yield f"{name.replace('_', ' ')}: {value}"


def read_question(question: object) -> str | None:
    """The question; an empty one counts as none."""
    return None if question is None else read_answer(question, "question") or None


def read_passages(passages: object) -> tuple[Passage, ...]:
    """Passages with unique ids; those that come without an id are numbered from "1".

    Raises:
        UsageError: not an iterable of passages, a text that is not a str, or an id used twice.
    """
    if isinstance(passages, (str, bytes, Passage, Mapping)) or not isinstance(passages, Iterable):
        raise UsageError(
            f"passages must be a list of str, Passage or dict, got {type(passages).__name__}. "
            "For one passage write [passage]; for none write []."
        )
    read = [_read_passage(passage, number) for number, passage in enumerate(passages, 1)]
    given = {passage.id for passage in read}
    read = [p if p.id else Passage(id=_free(str(n), given), text=p.text, title=p.title) for n, p in enumerate(read, 1)]
    seen: dict[str, int] = {}
    for number, passage in enumerate(read, 1):
        if passage.id in seen:
            raise UsageError(
                f"passages {seen[passage.id]} and {number} have the same id {passage.id!r}. "
                "Ids must be unique, or left out: then they are numbered."
            )
        seen[passage.id] = number
    return tuple(read)


def read_claims(claims: object) -> tuple[Claim, ...] | None:
    """The claims in order, with the ids "s1.1", "s2.1", ...; None for None.

    A triplet is read as a sentence: its parts in order (RefChecker, claim-triplets).

    Raises:
        UsageError: not a list of claims, a claim without words, or a triplet that has not three parts.
    """
    if claims is None:
        return None
    if isinstance(claims, (str, bytes, Claim, Mapping)) or not isinstance(claims, Iterable):
        raise UsageError(
            f"claims must be a list of str, (head, relation, tail) or Claim, got {type(claims).__name__}. "
            "For one claim write [claim]; leave it out to have the answer taken apart."
        )
    return tuple(_read_claim(claim, number) for number, claim in enumerate(claims, 1))


def _read_claim(claim: object, number: int) -> Claim:
    text, triplet, span = claim, None, None
    if isinstance(claim, Claim):
        text, triplet, span = claim.text, claim.triplet, _read_span(claim.span, number)
    elif isinstance(claim, Sequence) and not isinstance(claim, (str, bytes)):
        if len(claim) != 3 or not all(isinstance(part, str) for part in claim):
            raise UsageError(f"claim {number} must be a text or [head, relation, tail] of texts, got {claim!r:.80}.")
        triplet = (claim[0], claim[1], claim[2])
        text = sentence_of(triplet)
    if not isinstance(text, str):
        raise UsageError(f"claim {number} must be a str, (head, relation, tail) or Claim, got {type(text).__name__}.")
    if not text.strip():
        raise UsageError(f"claim {number} is empty. Leave it out.")
    return Claim(id=f"s{number}.1", text=text.strip(), triplet=triplet, span=span)


def _read_span(span: object, number: int) -> Span | None:
    if span is None:
        return None
    if not isinstance(span, tuple) or len(span) != 2 or not all(type(end) is int for end in span):
        raise UsageError(f"claim {number}: span must be a Span(start, end) of int or None, got {span!r:.60}.")
    return Span(*span)


def sentence_of(triplet: Sequence[str]) -> str:
    """A triplet as a sentence: parts in order, without spaces beside Chinese; "" if no part has words."""
    text = _CJK_JOINT.sub("", " ".join(part.strip() for part in triplet if part.strip()))
    if not text or text.endswith(_STOPS):
        return text
    return text + ("。" if _CJK_END.search(text) else ".")


def _read_passage(passage: object, number: int) -> Passage:
    if isinstance(passage, str):
        return Passage(text=passage)
    if isinstance(passage, Mapping):
        unknown = set(passage) - {"id", "title", "text"}
        if "text" not in passage:
            raise UsageError(f"passage {number} has no 'text'; its keys are {sorted(map(str, passage))}.")
        if unknown:
            raise UsageError(f"passage {number} has unknown keys {sorted(map(str, unknown))}. Known: id, title, text.")
        ident = passage.get("id")
        passage = Passage(text=passage["text"], id="" if ident is None else ident, title=passage.get("title"))
    if not isinstance(passage, Passage):
        raise UsageError(f"passage {number} must be a str, Passage or dict, got {type(passage).__name__}.")
    for name, value in (("text", passage.text), ("id", passage.id)):
        if not isinstance(value, str):
            raise UsageError(f"passage {number}: {name} must be a str, got {type(value).__name__} ({value!r:.60}).")
    if passage.title is not None and not isinstance(passage.title, str):
        raise UsageError(f"passage {number}: title must be a str or None, got {type(passage.title).__name__}.")
    return passage


def _free(ident: str, given: set[str]) -> str:
    """The number as an id, marked where the caller gave that id to another passage."""
    while ident in given:
        ident += "*"
    return ident
