"""Names, compared leniently, and quotations, which evidence must hold literally."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.text.facts.fact import Fact, FactKind
from guardrail.text.facts.units import UNITS
from guardrail.text.words import STOP_WORDS, Word, is_cjk
from guardrail.types import Span

_LINKS = frozenset("of de van von der den del da di du la le el al bin and & for".split())
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays jan feb mar apr jun
    jul aug sep sept oct nov dec""".split()
)
_TITLES = frozenset(
    """mr mrs ms miss dr prof professor sir dame lord lady st saint president king queen prince princess captain judge
    minister inc ltd plc llc gmbh co corp corporation company am pm bc ad ok tv id faq pdf url i'm i've i'd i'll
    baker chef doctor engineer nurse director mayor officer sergeant councillor""".split()
)
_GENERAL = frozenset(
    """english european american british western eastern northern southern internet earth christian christmas easter
    celsius fahrenheit spanish french german italian chinese latin greek roman asian african arabic python linux windows
    unix ram wifi usb pc app api http https sql json cpu gpu gdp uk us usa eu un""".split()
)
_ENDINGS = frozenset(("", *"s n a y i e o an ian ean ese ish ic ia is er ers al ern ans ns land ie ies ine".split()))
_LONGEST = 12  # words in one name; also bounds the work on shouted text
_CLOSE = re.compile(r"[.!?:;\"“”«»()\[\]\n—–/•]\s*$")
_QUOTE = re.compile(
    r"“([^“”\n]{2,300})”|\"([^\"\n]{2,300})\"|「([^「」\n]{2,300})」|『([^『』\n]{2,300})』|《([^《》\n]{1,80})》|«([^«»\n]{2,300})»"
)
_LOOSE = re.compile(r"[\W_]+")


def _capital(text: str, word: Word) -> bool:
    return text[word.start].isupper()


def _at_start(text: str, word: Word) -> bool:
    if (
        text[word.start - 2 : word.start] == ". "
        and word.start > 5
        and text[: word.start - 2].rsplit(None, 1)[-1].lower() in _TITLES
    ):
        return False
    return (
        word.start == 0
        or not text[: word.start].strip()
        or bool(_CLOSE.search(text, max(0, word.start - 3), word.start))
    )


def _runs(text: str, words: tuple[Word, ...]) -> Iterable[list[Word]]:
    run: list[Word] = []
    links: list[Word] = []
    for word in words:
        if run:
            gap = text[(links or run)[-1].end : word.start]
            joined = gap in {" ", "-", ". ", "' ", "’s ", " & ", "’ "}
            if len(run) < _LONGEST and joined and _capital(text, word) and word.form not in _CALENDAR:
                run += [*links, word]
                links = []
                continue
            if joined and word.form in _LINKS and len(links) < 2:
                links.append(word)
                continue
            yield run
            run, links = [], []
        if _capital(text, word) and not is_cjk(text[word.start]) and word.form not in _CALENDAR:
            run = [word]
    if run:
        yield run


def read_names(text: str, words: tuple[Word, ...], taken: Iterable[Span]) -> list[Fact]:
    """Names of the text; a capitalised first word of a sentence counts only as part of a longer name or an acronym."""
    capitals = [w for w in words if text[w.start].isupper()]
    chinese = sum(map(is_cjk, text[:60])) > 5
    latin = [w for w in words if w.end - w.start > 1 and not w.form[0].isdigit()]
    if not capitals or (not chinese and len(capitals) > 0.6 * len(latin) and len(latin) > 6):
        return []  # a heading or shouted text says nothing by its capitals
    dated = {place for span in taken for place in range(*span)}
    found = []
    for run in _runs(text, tuple(w for w in words if w.start not in dated)):
        acronym = text[run[0].start + 1 : run[0].start + 2].isupper()
        opens = not chinese and not acronym and _at_start(text, run[0])
        core = [word for word in (run[1:] if opens else run) if _carries(word, text)]
        value = " ".join(word.form for word in core)
        if len(value) > 1:
            span = Span(core[0].start, core[-1].end)
            found.append(Fact(kind=FactKind.NAME, span=span, value=value, surface=span.of(text)))
    return found


def _carries(word: Word, text: str) -> bool:
    """Whether a word of a name tells who is meant: no title, no link, no unit."""
    if word.form in STOP_WORDS or word.form in _TITLES or word.form in _LINKS:
        return False
    size = word.end - word.start
    return size > 1 and not (text[word.start : word.end] in UNITS and size <= 3)


def initials_of(text: str, words: tuple[Word, ...]) -> frozenset[str]:
    """The acronyms that the capitalised sequences of the text would have."""
    found = set()
    for run in _runs(text, words):
        if len(run) > 1:
            for begin in range(min(2, len(run) - 1)):
                part = run[begin:]
                found.add("".join(w.form[0] for w in part if w.form not in _LINKS))
                found.add("".join(w.form[0] for w in part))
    return frozenset(found)


def _same_but_ending(one: str, two: str) -> bool:
    """Whether two tokens differ in an ending only ("Italian", "Italy")."""
    size = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        size += 1
    return size >= 4 and one[size:] in _ENDINGS and two[size:] in _ENDINGS


def missing_tokens(name: str, surface: str, forms: frozenset[str], acronyms: frozenset[str]) -> list[str]:
    """The tokens of a name that the evidence has in no form."""
    tokens = name.split()
    lacking = [t for t in tokens if t not in forms]
    if not lacking:
        return []
    if len(tokens) == 1 and surface.isupper() and tokens[0] in acronyms:
        return []
    if len(tokens) > 1 and "".join(t[0] for t in tokens) in forms:
        return []
    # Four shared letters at least, so a cheap look at the beginning spares most comparisons.
    heads = {t[:3] for t in lacking}
    near = [f for f in forms if f[:3] in heads]
    lacking = [t for t in lacking if not any(_same_but_ending(t, f) for f in near)]
    return [t for t in lacking if t.removesuffix("s") not in forms and t + "s" not in forms]


def name_weight(name: str, lacking: list[str]) -> float:
    """How sure it is that a name with these missing tokens is not in the evidence at all."""
    tokens = name.split()
    telling = [t for t in lacking if t not in _GENERAL]
    if not telling:
        return 0.3
    if len(lacking) < len(tokens):
        return 0.55 if len(tokens) == 2 and lacking[-1] == tokens[-1] else 0.4
    return 0.75 if len(tokens) > 1 else 0.65


def normal_quote(text: str) -> str:
    """Letters and digits only, case-folded, words set apart by one blank (none between Chinese characters)."""
    folded = _LOOSE.sub(" ", text.casefold().replace("’", "'").replace("'s ", " ")).strip()
    return folded if folded.isascii() else re.sub(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", folded)


def read_quotes(text: str) -> list[Fact]:
    """Quotations of two words or four Chinese characters and more; shorter Chinese titles are names."""
    if '"' not in text and text.isascii():
        return []
    found = []
    for match in _QUOTE.finditer(text):
        inner = next(i for i in range(1, 7) if match[i] is not None)
        value = normal_quote(match[inner])
        size = sum(map(is_cjk, value))
        title = inner == 5
        if not value or (size < 4 and len(value.split()) < 2 and not title):
            continue
        kind = FactKind.NAME if title and size < 4 else FactKind.QUOTE
        found.append(Fact(kind=kind, span=Span(*match.span(inner)), value="«" + value, surface=match[inner]))
    return found
