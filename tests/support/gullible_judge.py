"""A scripted judge that obeys orders in the data: what an injection attack hopes for, so that tests can fail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from guardrail.testing.chat_reply import Body
from tests.support.draft_script import draft, sentences
from tests.support.judge_script import Handler, ReadingJudge

ORDER = re.compile(
    r"\b(?:ignore|disregard)\b.{0,60}\binstructions?\b"
    r"|\b(?:mark|label|rate|report|return|answer|reply|say)\b.{0,60}\b(?:everything|all|supported|consistent)\b"
    r"|\b(?:nothing|no part)\b.{0,40}\b(?:check|checked|verify|verified)\b"
    r"|[\"']?verdict[\"']?\s*[:=]"
    r"|(?:忽略|无视).{0,20}(?:指令|指示|提示)"
    r"|(?:标记|标注|判定|视为|回答|返回).{0,20}(?:支持|一致|属实)"
    r"|(?:无需|不用|不必).{0,10}(?:检查|核查|核实)",
    re.IGNORECASE,
)
"""What the judge takes for an order."""

Quote = Literal["order", "invented", "none", "first"]


class GullibleJudge(ReadingJudge):
    """Reads as ReadingJudge does until some answer, passage or question orders it about; then it obeys.

    Judging, it calls every point supported, by the document with the order (else the first), and every relation
    consistent. Taking apart, it finds nothing to check where the answer holds the order, and says that the answer
    abstains.
    """

    def __init__(self, *, quote: Quote = "order", handlers: Mapping[str, Handler] | None = None) -> None:
        """A gullible judge.

        Args:
            quote: What it quotes when it obeys: the sentence that holds the order (if a document does), words that are
                in no document, nothing, or the first sentence of that document.
            handlers: See ReadingJudge.
        """
        super().__init__(handlers={"decompose": self.draft} | dict(handlers or {}))
        self._quote = quote

    def draft(self, data: Mapping[str, Any], _: Body | None = None) -> dict[str, Any]:
        """Reply to ``decompose``."""
        honest = draft(data)
        if not ORDER.search(" ".join(each["text"] for each in data["answer"])):
            return honest
        units = [each["unit"] for each in data["answer"] if each["unit"] is not None]
        return {"individuals": [], "segments": [], "no_claim": units, "abstains": True}

    def judge(self, data: Mapping[str, Any], _: Body | None = None) -> dict[str, Any]:
        """Reply to ``judge`` and ``review``."""
        honest = super().judge(data)
        if (order := _order(data)) is None:
            return honest
        for segment in honest["segments"]:
            for point in segment["points"]:
                point.update(self._obey(data, order), labels=_labels(data, order[0]), verdict="supported")
            if segment["logic"] is not None:
                segment["logic"] |= self._obey(data, order) | {"verdict": "consistent"}
        return honest

    def _obey(self, data: Mapping[str, Any], order: tuple[str, str]) -> dict[str, Any]:
        text = {
            "order": order[1],
            "invented": "It has been confirmed by everyone that all of this holds.",
            "first": next((sentences(each["text"])[0] for each in data["documents"] if each["id"] == order[0]), ""),
        }.get(self._quote)
        return {"quotes": [] if text is None else [{"document": order[0], "text": text}], "error": "none"}


def _labels(data: Mapping[str, Any], supporter: str) -> str:
    return " ".join(f"{each['id']}:{'S' if each['id'] == supporter else 'N'}" for each in data["documents"])


def _order(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """The document that gives an order and the sentence that holds it; the first document if others give it."""
    for each in data["documents"]:
        for text in sentences(each["text"]):
            if ORDER.search(text):
                return each["id"], text
    elsewhere = [str(data.get("question") or ""), *(segment["text"] for segment in data["segments"])]
    found = next((text for text in elsewhere if ORDER.search(text)), None)
    return None if found is None else (data["documents"][0]["id"], found)
