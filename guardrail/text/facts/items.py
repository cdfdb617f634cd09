"""A text as a row of items: its content words and its values, each with the function word that governs it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guardrail.text.facts.fact import Amount, Fact, Item, Moment
from guardrail.text.words import Word
from guardrail.types import Span

NEUTRAL = frozenset(
    """a an the this these those that its his her their our my your it he she they we you i who whom which what there
    has have had having do does did will would can could may might must shall should
    and or but while whereas though although yet so also both each either all any some such own then just even very
    的 了 是 在 也 都 而 就 并 或 其 这 那 和 与 及 所 他 她 它""".split()
)
"""Function words that say nothing about the role of the word behind them."""

BE = frozenset("is are was were be been being am gets got get".split())
"""All one marker: what stands before a participle in the passive voice."""


def read_items(text: str, words: Sequence[Word], values: Iterable[Fact]) -> tuple[Item, ...]:
    """The items of a text in order.

    Args:
        text: The text.
        words: Its words.
        values: Its amounts and moments; where two overlap, the longer one counts.
    """
    taken: dict[int, Fact] = {}
    for longest in sorted(values, key=lambda f: f.span.start - f.span.end):
        places = range(*longest.span)
        if not any(place in taken for place in places):
            taken.update(dict.fromkeys(places, longest))
    found: list[Item] = []
    markers: list[str] = []
    last: Fact | None = None
    for number, word in enumerate(words):
        fact = taken.get(word.start)
        if fact is not None and fact is last:
            continue
        last = fact
        key = _value_key(fact) if fact is not None else None
        if fact is not None and key is not None:
            found.append(Item(key, str(key[0]), tuple(markers), fact.span))
        elif word.stem or _is_letter(text, word) or word.form[:1].isdigit():
            proper = text[word.start].isupper() and number > 0
            kind = "name" if proper else "word"
            found.append(Item((word.stem or word.form,), kind, tuple(markers), Span(word.start, word.end)))
        else:
            if word.form not in NEUTRAL:
                markers.append("be" if word.form in BE else word.form)
            continue
        markers = []
    return tuple(found)


def _is_letter(text: str, word: Word) -> bool:
    """A single capital that is a name ("Model A"), not the article that begins a sentence."""
    return word.end - word.start == 1 and text[word.start].isupper() and word.start > 0 and word.form != "i"


def _value_key(fact: Fact) -> tuple[object, ...] | None:
    value = fact.value
    if isinstance(value, Amount):
        if value.label or (value.small and value.raw <= 1):  # "one" is mostly a pronoun
            return None
        return (f"amount {value.unit}{' no.' if value.ordinal else ''}", round(value.base, 9))
    if isinstance(value, Moment):
        shape = "".join("-x"[part is not None] for part in value[:5])
        return (f"moment {shape}", *(value.minute if n == 4 else part for n, part in enumerate(value[:5])))
    return None
