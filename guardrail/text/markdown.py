"""Plain text behind inline Markdown and HTML, and same-length masks for finding sentence boundaries."""

from __future__ import annotations

import html
import re

from guardrail.text.citations import Index, blank_final_marks, take_citations

_SURROGATE = re.compile("[\ud800-\udfff]")
# Only real tags with real attributes are markup: what else stands in angle brackets, the reader sees.
_TAGS = (
    "address article aside a abbr audio blockquote body br button b caption center cite code colgroup col dd del"
    " details dfn div dl dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 header head hr html iframe img"
    " input ins i kbd label legend link li main mark meta nav ol option pre p q samp script section select small source"
    " span strike strong style sub summary sup s table tbody td textarea tfoot thead th time title tr tt ul u"
    " var video wbr"
).split()
_TAG = re.compile(
    rf"<!--(?:(?!<!--).){{0,2000}}?-->|</?({'|'.join(sorted(_TAGS, reverse=True))})"
    r"(?:\s{1,4}(?:[a-zA-Z][\w:-]{0,30}=(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}'|[^\s\"'<>=]{1,200})"
    r"|open|checked|disabled|hidden|controls|reversed)){0,12}\s{0,4}/?>",
    re.DOTALL | re.IGNORECASE,
)
_BLOCK_TAGS = frozenset(
    """address article blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p
    section table tbody td th thead tr ul""".split()
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,400})\]\([^()\s]{0,1000}(?:\s\"[^\"\n]{0,200}\")?\)")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,1000})>")
_STARS = re.compile(r"(?<![\s*])\*{1,3}|\*{1,3}(?![\s*])")
_UNDERSCORES = re.compile(r"(?<!\w)_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?!\w)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]#+.!|>~-])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SPACE_BEFORE_STOP = re.compile(r"[ \u3000]{1,4}(?=[.,;:!?。，；：！？](?!\w))")
_SPECIAL = re.compile("[*_`~<&\\[\\](（【［\\\\\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u206f\ufeff]")


def without_surrogates(answer: str) -> str:
    """The answer with lone surrogates replaced one for one, so that offsets hold and native code can read it."""
    return answer if answer.isascii() else _SURROGATE.sub("\ufffd", answer)


_HOLE = "\x01"
_HOLES_BEFORE_STOP = re.compile(f"(?<!{_HOLE})({_HOLE}{{1,80}})([.!?]{{1,3}})")


def _hole(match: re.Match[str]) -> str:
    return _HOLE * (match.end() - match.start())


def mask(run: str, index: Index) -> str:
    """Same-length copy without line breaks, tags, emphasis and final citation marks: only sentences are left to see."""
    masked = run.replace("\r", " ").replace("\n", " ").replace("*", _HOLE)
    if "<" in masked:
        masked = _TAG.sub(_hole, masked)
    if _HOLE in masked:  # "**Paris**." must still end in a full stop
        masked = _HOLES_BEFORE_STOP.sub(r"\2\1", masked).replace(_HOLE, " ")
    return blank_final_marks(masked, index)


def _tag_text(match: re.Match[str]) -> str:
    return " " if (match[1] or "br").lower() in _BLOCK_TAGS else ""


def plain(text: str, index: Index) -> tuple[str, tuple[str, ...]]:
    """What a reader sees of ``text``, on one line, and the passage ids that its citation marks name."""
    citations: tuple[str, ...] = ()
    if _SPECIAL.search(text):
        if "<" in text:
            text = _TAG.sub(_tag_text, _AUTOLINK.sub(r"\1", text))
        text, citations = take_citations(text, index)
        if "](" in text:
            text = _LINK.sub(r"\1", text)
        if "&" in text:
            text = _SURROGATE.sub("\ufffd", html.unescape(text))
        text = _STARS.sub("", text.replace("`", "").replace("~~", ""))
        if "_" in text:
            text = _UNDERSCORES.sub("", text)
        if "\\" in text:
            text = _ESCAPED.sub(r"\1", text)
        text = _CONTROL.sub(" ", _INVISIBLE.sub("", text))
    text = " ".join(text.split())
    return (_SPACE_BEFORE_STOP.sub("", text) if citations else text), citations
