"""Lists of sources below an answer, and lines that only say where something was read: no claims.

A line that may be a claim is none of a source. A bare title ("Coal") counts as a source only where a passage bears it,
or where a source that is one for sure stands above it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple, Protocol

from guardrail.check.decompose.blocks import Kind
from guardrail.check.decompose.predicates import predicates, title_claims
from guardrail.text.words import has_words
from guardrail.types import Span

CITATION = "citation"
HEADING = "heading"

URL = re.compile(r"(?:https?://|www\.)[^\s<>）)】]{1,2000}|\bdoi:\s?\S{1,200}", re.IGNORECASE)
_WORKS = r"works\ cited|bibliography|further\ reading|citations|参考文献|参考资料|參考資料"
_OPENS = re.compile(
    rf"\W*(?:(?:references?|sources?)(?:\ (?:used|cited|consulted))?|{_WORKS}|来源|引用|资料来源|引用来源)\W*$",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:sources?|references?|来源|参考资料|参考文献|资料来源)(?:\s?#?\d{1,3})?\s*[:：]\s*(.{0,200})$", re.IGNORECASE
)
_NOTE = re.compile(r"\s*\[\^?\w{1,4}\]\s*:?\s*(?=\S)")
_MARK = re.compile(r"\W*(?:\d{1,3}[.)\]】:]\W*)?")
_YEAR = re.compile(r"[(（]\d{4}[a-z]?[)）]|\bISBN\b[\s:]?[\d-]{0,20}", re.IGNORECASE)
_BARE_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TITLE = re.compile(r"《[^《》]{1,200}》|\"[^\"]{1,200}\"|“[^“”]{1,200}”")
_FILE = re.compile(
    r"[^\s,;:()\[\]]{1,120}\.(?:pdf|docx?|odt|rtf|md|rst|txt|html?|pptx?|xlsx?|csv|jsonl?|xml|ya?ml|epub|ipynb)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:pp?\.?|pages?|sections?|sec\.|chapters?|ch\.|lines?|slides?|sheets?|chunks?|vol\.|no\.)\s?\d{1,4}"
    r"(?:\s?[-–]\s?\d{1,4})?(?![\w%])|§\s?\d{1,4}|第?\s?\d{1,4}\s?[页頁]",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[;,，；、]|\band\b")
_MOST_WORDS = 12
_LONGEST = 600


class Line(Protocol):
    """What is read of a sentence here."""

    span: Span
    text: str
    block: int
    kind: Kind
    citations: tuple[str, ...]
    skipped: str | None


def known_names(names: Collection[str]) -> frozenset[str]:
    """Titles and ids of passages as they are compared: also the last part of a path, also without its ending."""
    found: set[str] = set()
    for name in names:
        last = re.split(r"[/\\]", name)[-1]
        found.update(map(_key, (name, last, last.rpartition(".")[0])))
    return frozenset(found - {""})


def is_reference(raw: str, names: Collection[str] = frozenset()) -> bool:
    """Whether a line below the title of a list of sources names a work or an address, rather than making a claim.

    Args:
        raw: The line as written.
        names: What ``known_names`` makes of the passages' titles and ids.
    """
    if len(raw) > _LONGEST:
        return False
    bare = _TITLE.sub("", URL.sub("", _YEAR.sub("", raw)))
    if _is_work(bare, names):
        return True
    if predicates(bare):
        return False
    return URL.search(raw) is not None or _YEAR.search(raw) is not None or (bare != raw and len(bare.split()) <= 8)


def is_source_line(text: str, names: Collection[str] = frozenset()) -> bool:
    """Whether a (plain) line is "Source:" with addresses, files or titles of passages, and no claim."""
    line = _LINE.match(text)
    if line is None:
        return False
    said = line[1]
    if not has_words(said) or _is_work(said, names) or all(_is_work(p, names) for p in _PARTS.split(said)):
        return True
    bare = _YEAR.sub("", URL.sub("", said))
    return bare != said and len(bare.split()) <= 8 and not title_claims(bare) and not predicates(bare)


def is_source_note(raw: str) -> bool:
    """Whether a line is the text of a footnote that names a file, page, address or work: "[^1]: handbook.pdf, p. 3"."""
    note = _NOTE.match(raw)
    if note is None:
        return False
    said = raw[note.end() :]
    title = _TITLE.search(said)
    if title is not None and not predicates(said) and not re.search(r"\d", said):
        return len(said.split()) <= _MOST_WORDS
    return _is_work(URL.sub(" x.html ", said), ())


def opens_references(line: str) -> bool:
    """Whether the line is the title of a list of sources."""
    return len(line) < 60 and _OPENS.match(line) is not None


class Listing(NamedTuple):
    """Whether a list of sources goes on here; ``block``: that of its last source, -1 before the first."""

    open: bool = False
    sure: bool = False
    block: int = -1


def skip_reference(sentence: Line, raw: str, names: Collection[str], listing: Listing) -> Listing:
    """Skip the title of a list of sources, or what the list holds but for claims; returns the list behind it."""
    text, (is_open, sure, block) = sentence.text, listing
    if opens_references(text) and not sentence.citations:
        sentence.skipped = HEADING
        return Listing(True, re.fullmatch(rf"\W*(?:references?|{_WORKS})\W*", text, re.IGNORECASE) is not None, -1)
    if sentence.kind is Kind.HEADING:
        is_open = False
    if not is_open or sentence.skipped is not None:
        return Listing(is_open, sure, block)
    below = sentence.block == block or (sure and sentence.kind is Kind.ITEM)
    if is_reference(raw, names) or (below and not title_claims(_BARE_YEAR.sub("", text))):
        sentence.skipped = CITATION
        return Listing(True, True, sentence.block)
    if sentence.block != block and not (block >= 0 and sentence.kind is Kind.ITEM) and raw[0] not in "[【":
        is_open = False  # running text again
    return Listing(is_open, sure, block)


def _is_work(said: str, names: Collection[str]) -> bool:
    """Whether nothing is said but a file, a page, or a title of a passage, perhaps with words beside it."""
    if _key(said) in names:
        return True
    bare = _PLACE.sub(" ", said)
    placed = _FILE.sub(" ", bare)
    if _key(placed) in names or _key(bare) in names:
        return True
    rest = _BARE_YEAR.sub("", placed[_mark_end(placed) :])
    return placed != said and len(rest.split()) <= _MOST_WORDS and not re.search(r"\d", rest) and not predicates(rest)


def _mark_end(text: str) -> int:
    found = _MARK.match(text)
    return found.end() if found else 0


def _key(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name[_mark_end(name) :].casefold()))
