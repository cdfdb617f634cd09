"""A scripted judge that reads our prompts: a test double of what a model says, by words and numbers alone.

Everything around it is real (HTTP, JSON, fences, parsing, the checks of its quotes). It knows no meaning: it takes for
supported what a document says in nearly the same words. Figures measured with it are figures of the plumbing, never of
accuracy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from guardrail.testing.chat_reply import Body, Reply, Script
from tests.support.draft_script import draft, sentences
from tests.support.prompt_names import prompt_name, request_data
from tests.support.short_replies import shortened

Label = Literal["S", "P", "C", "N"]
Reader = Callable[[str, str], Label]
"""What a sentence of a document (second) says of a point (first): all, a part, the contrary, nothing."""

Handler = Callable[[dict[str, Any], Body], "Mapping[str, Any] | str"]
"""From the data blocks of a prompt, and the whole request, to the reply: an object or a text."""

_NEARLY, _PARTLY, _SIDES = 0.8, 0.4, 0.5
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W\d_]+")
_EMPTY = frozenset(
    "a an and are as at be been being but by did do does for from had has have he her his i if in is it its my not of "
    "on or our she so than that the their them they this to was we were which who will with you your".split()
)


def read(point: str, sentence: str) -> Label:
    """The default reader: the same words and numbers support, the same words with other numbers contradict."""
    share = shared_words(point, sentence)
    if share < _PARTLY:
        return "N"
    if share < _NEARLY:
        return "P"
    wanted, found = set(_NUMBER.findall(point)), set(_NUMBER.findall(sentence))
    return "S" if wanted <= found else "C" if found else "P"


def shared_words(point: str, sentence: str) -> float:
    """Share (0..1) of the point's content words that the sentence has; Chinese counts pairs of characters."""
    wanted = _words(point)
    return len(wanted & _words(sentence)) / len(wanted) if wanted else 0.0


class ReadingJudge:
    """A script that answers the prompts decompose, judge and review; handlers write the long forms.

    The same request gets the same reply, from any thread.
    """

    def __init__(self, *, read: Reader = read, handlers: Mapping[str, Handler] | None = None) -> None:
        """A judge.

        Args:
            read: What a sentence says of a point.
            handlers: By name of a prompt, what answers it; for prompts of other names, or instead of the judge's own.
        """
        self._read = read
        own: dict[str, Handler] = {"decompose": draft, "judge": self.judge, "review": self.judge}
        self._handlers = own | dict(handlers or {})

    def __call__(self, body: Body) -> Reply:
        """Reply to a request; status 400 for one that is none of our prompts."""
        name = prompt_name(body)
        if name not in self._handlers:
            return Reply("This is no prompt that the scripted judge knows.", status=400)
        said = shortened(name, self._handlers[name](request_data(body), body))
        return Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))

    def judge(self, data: Mapping[str, Any], _: Body | None = None) -> dict[str, Any]:
        """Reply to ``judge`` and ``review``, in the long form of both."""
        documents = _read_documents(data)
        return {"segments": [self._segment(segment, documents) for segment in data["segments"]]}

    def point(self, text: str, documents: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
        """A PointReply without its id; documents are ids and sentences."""
        labels, quotes = {}, []
        for ident, lines in documents:
            found = [(self._read(text, line), line) for line in lines]
            label, line = min(found, key=lambda pair: "SCPN".index(pair[0]), default=("N", ""))
            labels[ident] = label
            if label != "N":
                quotes.append({"document": ident, "text": line})
        said = set(labels.values())
        verdict = "supported" if "S" in said else "contradicted" if "C" in said else "unsupported"
        return {
            "analysis": f"compared with {len(documents)} documents word by word",
            "quotes": quotes,
            "labels": " ".join(f"{ident}:{label}" for ident, label in labels.items()),
            "verdict": verdict,
            "confidence": "high",
            "error": {"supported": "none", "contradicted": "contradiction"}.get(verdict, "hallucination"),
        }

    def _segment(self, segment: Mapping[str, Any], documents: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
        points = [{"id": each["id"], **self.point(each["text"], documents)} for each in segment["points"]]
        relation = segment["relation"]
        logic = None if relation is None else self._relation(segment["text"], relation["words"], documents)
        return {"id": segment["id"], "points": points, "logic": logic}

    def _relation(self, text: str, words: str, documents: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
        """Consistent where a sentence that shares half of the segment's words has the connective too."""
        connectives = [part.casefold() for part in re.split(r"\s*[/;]\s*", words)]
        speaks = [(d, s) for d, lines in documents for s in lines if shared_words(text, s) >= _SIDES]
        fits = [(d, s) for d, s in speaks if any(word in s.casefold() for word in connectives)]
        return {
            "quotes": [{"document": ident, "text": line} for ident, line in (fits or speaks)[:2]],
            "comparison": "the connective was looked for in the sentences that share the segment's words",
            "verdict": "consistent" if fits else "unlicensed",
            "error": "none" if fits else "other_logic",
        }


class ByPrompt:
    """A script made of scripts, by name of the prompt."""

    def __init__(self, scripts: Mapping[str, Script], default: Script) -> None:
        """``default`` answers the prompts that have no script, and requests that are no prompts of ours."""
        self._scripts = dict(scripts)
        self._default = default

    def __call__(self, body: Body) -> str | Reply:
        """Reply to a request."""
        return self._scripts.get(prompt_name(body) or "", self._default)(body)


def _read_documents(data: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    return [(each["id"], sentences(each["text"])) for each in data["documents"]]


def _words(text: str) -> frozenset[str]:
    words = {w.casefold() for w in _WORD.findall(_CJK.sub(" ", text))} - _EMPTY
    pairs = {run[i : i + 2] for run in _CJK.findall(text) for i in range(max(1, len(run) - 1))}
    return frozenset(words | pairs)
