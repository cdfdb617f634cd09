"""Drop passages of namesakes that the question does not mean, before an answer is generated from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from guardrail import Passage
from guardrail.check.entities import cluster
from guardrail.check.entities.names import is_cjk, looks_personal, may_be_same_name, name_key, roles, split_title
from guardrail.check.entities.subjects import subject_of
from guardrail.check.entities.words import BEARERS, FIELD_OF, KIND_HEADS
from guardrail.types import Entity
from guardrail_llamaindex.answers import to_passages
from guardrail_llamaindex.events import NamesakesEvent, tell

_INTRODUCED = re.compile(r"\b(?:is|was|are|were)\b[^.,;]*|(?:是|为|系|曾任|现任|担任)[^。，；]*")
_OCCUPATIONS = frozenset({*FIELD_OF, *BEARERS, *KIND_HEADS})
_AGENT = re.compile(r"\w{3,}(?:er|or|ist|ian|man)")
_NO_CUES = frozenset("the and for was are born from with who what when where which how did does about".split())


class NamesakePostprocessor(BaseNodePostprocessor):
    """Keeps the nodes of the namesake that the question means: "Dick Hanley the swimmer" loses the coach's.

    The question tells namesakes apart by what their titles or openings say of them: an occupation, a birth year or a
    word of the title's parenthesis. Where it does not, or names nobody, all nodes are kept; a NamesakesEvent says so.
    Nodes about anybody else are kept, and so are untitled ones that also speak of the one meant.
    """

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "NamesakePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            return nodes
        passages = to_passages(nodes)
        dropped: set[int] = set()
        asked = ambiguous = False
        for bearers in _named(cluster(passages), query_bundle.query_str):
            unmeant = _unmeant(bearers, query_bundle.query_str, passages)
            asked, ambiguous = True, ambiguous or not unmeant
            dropped |= unmeant
        if asked:
            ids = [nodes[number].node.node_id for number in sorted(dropped)]
            tell(NamesakesEvent(dropped=ids, ambiguous=ambiguous))
        return [node for number, node in enumerate(nodes) if number not in dropped]


def _named(entities: Sequence[Entity], question: str) -> Iterator[list[Entity]]:
    """Namesakes whose name the question says."""
    rest = [one for one in entities if one.shares_name]
    while rest:
        bearers = [rest.pop(0)]
        for one in bearers:  # grows while it is read: kin of kin
            kin = [other for other in rest if may_be_same_name(one.name, other.name)]
            bearers += kin
            rest = [other for other in rest if other not in kin]
        if any(_says(question, one.name) for one in bearers):
            yield bearers


def _says(question: str, name: str) -> bool:
    """Whether the question names somebody so: by the whole name, a person also by the surname."""
    if is_cjk(name):
        return name in question
    words, key = name_key(question), name_key(name)
    if looks_personal(name) and key[-1] in words:
        return True
    return any(words[start : start + len(key)] == key for start in range(len(words)))


@dataclass(frozen=True, slots=True)
class _Cues:
    """What a question says of the one it means, beyond the name."""

    words: frozenset[str]
    fields: frozenset[str]

    @classmethod
    def of(cls, question: str, bearers: Sequence[Entity]) -> _Cues:
        names = {word for one in bearers for word in name_key(one.name)}
        words = [word for word in name_key(question) if word not in names and word not in _NO_CUES]
        rest = question if any(is_cjk(one.name) for one in bearers) else " ".join(words)
        return cls(frozenset(_stem(word) for word in words), roles(rest))

    def fit(self, one: Entity, passages: Sequence[Passage]) -> int:
        """2 = by a word of the title, an occupation or the birth year, 1 = by the field of an occupation, 0 = not."""
        tag = split_title(one.title)[1]
        subjects = [subject_of(passages[number]) for number in one.passages]
        introduced = " ".join(found[0] for n in one.passages if (found := _INTRODUCED.search(passages[n].text[:400])))
        if self._said(tag) or self.names(introduced) or any(subject.born in self.words for subject in subjects):
            return 2
        return 1 if self.fields & roles(tag).union(*(subject.roles for subject in subjects)) else 0

    def names(self, text: str) -> bool:
        """Whether a text names an occupation that the question names."""
        told = {_stem(word) for word in name_key(text)}
        return any(word in told and (word in _OCCUPATIONS or _AGENT.fullmatch(word)) for word in self.words)

    def _said(self, tag: str) -> bool:
        if is_cjk(tag):
            return bool(self.fields & roles(tag))
        return any(_stem(word) in self.words for word in name_key(tag) if len(word) > 2 and word not in _NO_CUES)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _unmeant(bearers: Sequence[Entity], question: str, passages: Sequence[Passage]) -> set[int]:
    """Numbers of the passages of those that the question does not mean; empty where it does not tell."""
    cues = _Cues.of(question, bearers)
    fits = [cues.fit(one, passages) for one in bearers]
    best = max(fits)
    if best == 0:
        return set()
    others = [one for one, fit in zip(bearers, fits, strict=True) if fit < best]
    return {
        number
        for one in others
        for number in one.passages
        if split_title(passages[number].title or "")[1] or not cues.names(passages[number].text)
    }
