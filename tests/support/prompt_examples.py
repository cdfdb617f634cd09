"""The examples of the prompt files, as requests and replies."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from guardrail.engines.llm.prompts import instructions
from guardrail.engines.llm.short_forms import ShortDraft, ShortJudgement, ShortReview
from tests.support.fences import unfence

FORMS = {"decompose": ShortDraft, "judge": ShortJudgement, "review": ShortReview}

KINDS = {
    "logical connection": "logic",
    "逻辑联系": "logic",
    "pronoun substitution": "pronoun",
    "代词替换": "pronoun",
    "unique format": "format",
    "特殊格式": "format",
    "one individual": "one",
    "一个对象": "one",
    "several individuals": "several",
    "几个对象": "several",
}
EXAMPLE = re.compile(
    r"^(?:Example|示例)(?:[:：] ?(?P<kinds>.*))?\n(?P<data>(?:<data .*\n.*\n</data>\n+)+)(?:Reply:|回复：)\n(?P<reply>\{.*\})$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Example:
    """One example of a file: the user message, its data, and the reply as text and as form."""

    kinds: tuple[str, ...]
    user: str
    data: dict[str, Any]
    text: str
    reply: Any


def examples(name, language):
    text = instructions(name, language).text
    found = []
    for match in EXAMPLE.finditer(text):
        kinds = tuple(KINDS[kind] for kind in re.split(r"[,，] ?", match["kinds"])) if match["kinds"] else ()
        form = FORMS[name].model_validate(json.loads(match["reply"]))
        found.append(Example(kinds, match["data"].strip(), unfence(match["data"]), match["reply"], form))
    assert len(found) == len(re.findall("^(?:Example|示例)", text, re.MULTILINE)) > 0
    assert text.count("</data>") == sum(len(example.data) for example in found)  # none was overlooked
    return found


def prose(name, language):
    """The instructions without the examples."""
    return EXAMPLE.sub("", instructions(name, language).text)
