"""Citation marks: which bracketed texts are marks, which passages they name, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_CANDIDATE = re.compile(
    r"\s{0,3}(?:[\[［]([^\[\]［］\n]{1,80})[\]］](?:\([^()\s]{1,400}\))?|【([^【】\n]{1,80})】"
    r"|[（(]([^()（）\n]{1,80})[)）])"
)
_LABEL = re.compile(
    r"(?:(?:see|cf\.?|参见|见)\s*)?(?:sources?|passages?|documents?|docs?|refs?|references?|citations?|cite|context"
    r"|chunk|"
    r"snippet|来源|资料|文档|段落|文献|引用|参考资料|参考文献|参考|出处)(?:\s*[:：#-]\s*|\s+|(?=\d))",
    re.IGNORECASE,
)
_PART = re.compile(r"\^?(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")
_SHORT_ID = re.compile(r"(?:p|d|s|doc|ref|src|id)[-_ ]?\d{1,4}", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:[,，、;；&]|\band\b|和)\s*")
_MAX_RANGE = 20
_SENTENCE_START = re.compile(r"[\"'“‘(（《「]?[^\Wa-z_]|\s*$")

Index = Mapping[str, str]
"""From what a mark may say to a passage id."""


def citation_index(passage_ids: Sequence[str]) -> Index:
    """Exact ids win over ids in other case, and those over 1-based numbers."""
    index = {passage_id: passage_id for passage_id in passage_ids if passage_id}
    for passage_id in passage_ids:
        if passage_id:
            index.setdefault(passage_id.casefold(), passage_id)
    for number, passage_id in enumerate(passage_ids, 1):
        if passage_id:
            index.setdefault(str(number), passage_id)
    return index


def _part(part: str, index: Index, *, labelled: bool) -> tuple[str, ...] | None:
    if (known := index.get(part) or index.get(part.casefold())) is not None:
        return (known,)
    if numbers := _PART.fullmatch(part):
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if not 0 < first <= last < first + _MAX_RANGE:
            return None
        return tuple(index.get(str(n), str(n)) for n in range(first, last + 1))
    if _SHORT_ID.fullmatch(part):
        return (index.get(re.sub(r"\D", "", part).lstrip("0"), part),)
    # "(Source: Annual report)": a label makes a mark of any short name.
    return (part,) if labelled and len(part.split()) <= 4 and len(part) <= 40 else None


def _marks(content: str, index: Index, *, round_brackets: bool) -> tuple[str, ...] | None:
    """The ids that a bracketed text names; None if it is no citation mark."""
    content = content.strip().split("†", 1)[0]
    if content in index and (not round_brackets or (re.search(r"\d", content) and not content.isdigit())):
        return (index[content],)
    label = _LABEL.match(content)
    if round_brackets and not label:
        return None
    ids: list[str] = []
    for part in _SEPARATOR.split(content[label.end() :] if label else content):
        named = _part(
            _LABEL.sub("", part).strip(), index, labelled=label is not None and ":" in label[0].replace("：", ":")
        )
        if named is None:
            return None
        ids += named
    return tuple(ids)


def take_citations(text: str, index: Index) -> tuple[str, tuple[str, ...]]:
    """The text without its citation marks, and the ids that they name, each once, in order."""
    if not any(c in text for c in "[［【(（"):
        return text, ()
    found: dict[str, None] = {}

    def remove(match: re.Match[str]) -> str:
        content = match[1] or match[2] or match[3]
        ids = _marks(content, index, round_brackets=match[3] is not None)
        if ids is None:
            return match[0]
        found.update(dict.fromkeys(ids))
        return ""

    return _CANDIDATE.sub(remove, text), tuple(found)


def blank_final_marks(text: str, index: Index) -> str:
    """Same-length text for finding sentence ends: marks that follow a full stop are blank.

    "It stands.[1] Next." cites for the sentence before; "It stands. [1] says so." opens a sentence.
    """
    if not any(c in text for c in "[［【(（"):
        return text

    after = 0  # end of the mark blanked last: marks come in rows

    def blank(match: re.Match[str]) -> str:
        nonlocal after
        start = match.start()
        closes = start == after or text[max(0, start - 2) : start].rstrip(" \"'”’」』)")[-1:] in tuple(".!?。！？…")
        content = match[1] or match[2] or match[3]
        if start == 0 or not closes or _marks(content, index, round_brackets=match[3] is not None) is None:
            return match[0]
        if not _SENTENCE_START.match(text[match.end() : match.end() + 8].lstrip()) and not _CANDIDATE.match(
            text, match.end()
        ):
            mark = match[0].lstrip()
            return " " * (len(match[0]) - len(mark)) + "X" * len(mark)  # reads as the subject of the next sentence
        after = match.end()
        return " " * len(match[0])

    return _CANDIDATE.sub(blank, text)
