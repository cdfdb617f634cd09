"""Frames: wordings of premises and claims with slots, and which claim is true of which state of affairs.

A frame file holds blocks. ``# name topic option...`` opens one; ``1 text`` is a wording of the premise in state 1,
``TF text`` is a claim that is true in state 1 and false in state 2 (T true, F contradicted, N not settled, U not
supported, ``-`` not to be asked). ``[a|b]`` leaves a choice, ``{person1}`` draws from the lexicon, ``{n:3-9}`` counts.

Options: ``fill=kind:quantity`` (fillers.py), ``twin`` (state 2 has the near value: a and b change places), ``swap=x/y``
(state 2 has these slots changed), ``mirror=U`` (label of a changed claim), ``alone`` (nothing alike beside it),
``cols=key:x:y`` (a table, tables.py).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from training.elementary.fillers import fill
from training.elementary.tables import table_slots

FOLDER = Path(__file__).parent
NAMES = frozenset("person firm place team medicine device work body project thing".split())
"""Slots whose filling tells one statement's subject from another's."""

LINKED = {"act": ("past", "gerund"), "crime": ("charge",)}
"""Lexicons whose entries are forms of each other, line by line: {act1}, {past1} and {gerund1} agree."""

_SLOT = re.compile(r"\{(\w+?)(?::(\d+)-(\d+))?(?:\.(\w+))?\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_START = re.compile(r"(^|(?<![ap]\.m)[.!?]\s+)([a-zé])")
_VOWEL = re.compile(r"\b([Aa]) (?=(?!uni|use|one|eu|UNI|U[A-Z])[aeiouAEIOU])")


@dataclass(frozen=True, slots=True)
class Frame:
    """One reading to learn, in all its wordings."""

    name: str
    kind: str
    topic: str
    options: dict[str, str]
    states: tuple[tuple[str, ...], ...]
    claims: tuple[tuple[str, str], ...]

    @property
    def keyed(self) -> bool:
        """Whether every claim names its subject, so that the same thing may be said of others beside it."""
        return "alone" not in self.options and all(names_in(text) for _, text in self.claims)


def names_in(text: str) -> bool:
    """Whether a name slot occurs."""
    return any(m.group(1).rstrip("0123456789") in NAMES for m in _SLOT.finditer(text))


@cache
def lexicon() -> dict[str, tuple[str, ...]]:
    """Lists of fillers by slot type."""
    lines = (FOLDER / "lexicon.txt").read_text(encoding="utf-8").splitlines()
    return {k: tuple(v.strip().split(", ")) for k, v in (line.split(":", 1) for line in lines if line)}


@cache
def frames() -> tuple[Frame, ...]:
    """All frames; the file's name is the kind."""
    found = [f for path in sorted((FOLDER / "frames").glob("*.txt")) for f in _read(path)]
    names = [f.name for f in found]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise ValueError(f"frames named twice: {sorted(twice)}")
    return tuple(found)


def _read(path: Path) -> list[Frame]:
    blocks = re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_frame(block, re.sub(r"_\d+$", "", path.stem)) for block in blocks]


def _frame(block: str, kind: str) -> Frame:
    head, *lines = block.strip().splitlines()
    name, topic, *rest = head.split()
    options = {k: v for k, _, v in (option.partition("=") for option in rest)}
    states: dict[int, list[str]] = {}
    claims: list[tuple[str, str]] = []
    for line in lines:
        mark, _, text = line.partition(" ")
        if mark.isdigit():
            states.setdefault(int(mark), []).append(text)
        elif re.fullmatch(r"[TFNU-]+", mark):
            claims.append((mark, text))
        elif line.strip():
            raise ValueError(f"frame {name}: {line!r}")
    pairs = dict([tuple(options["swap"].split("/"))] if "swap" in options else [])
    if "twin" in options:
        pairs |= {"a": "b", "a2": "b2"}
    if pairs:
        _mirror(states, claims, pairs, options)
    if any(len(codes) != len(states) for codes, _ in claims) or not states:
        raise ValueError(f"frame {name}: a claim does not have one label per state")
    return Frame(name, kind, topic, options, tuple(tuple(s) for _, s in sorted(states.items())), tuple(claims))


def _mirror(
    states: dict[int, list[str]], claims: list[tuple[str, str]], pairs: dict[str, str], options: dict[str, str]
) -> None:
    """Add the state in which the slots have changed places, and the claims that are true of it."""
    both = pairs | {v: k for k, v in pairs.items()}
    wrong = options.get("mirror", "F")

    def changed(text: str) -> str:
        return _SLOT.sub(lambda m: m.group(0).replace(m.group(1), both.get(m.group(1), m.group(1)), 1), text)

    one_state = "cols" in options  # a table's rows stay where they are
    if not one_state:
        states[2] = [changed(text) for text in states[1]]
    given = claims.copy()
    claims.clear()
    for code, text in given:
        other = changed(text)
        known = code == "T" and other != text
        if one_state:
            claims += [(code, text)] + [(wrong, other)] * known
        elif known:
            claims += [("T" + wrong, text), (wrong + "T", other)]
        elif other == text:
            claims.append((code + code, text))
        else:
            claims += [(code + "-", text), ("-" + code, other)]


class Filling:
    """What the slots of one draw stand for; grows as texts ask for slots."""

    def __init__(self, frame: Frame, rng: random.Random, taken: set[str]) -> None:
        self.rng, self.taken = rng, taken
        self.slots: dict[str, str] = {}
        if "fill" in frame.options:
            self.slots = fill(frame.options["fill"], rng)
        if "cols" in frame.options:
            self.slots |= table_slots(frame.options["cols"], rng, self.new)

    def text(self, wording: str) -> str:
        """The wording with choices made and slots filled, as a sentence."""
        while True:
            made = _CHOICE.sub(lambda m: self.rng.choice(m.group(1).split("|")), wording)
            if made == wording:
                break
            wording = made
        made = _SLOT.sub(self._value, wording).replace("\\n", "\n")
        made = _VOWEL.sub(r"\1n ", re.sub(r" +(?=[ .,;])|(?<=\.)\.$", "", made).strip())
        return _START.sub(lambda m: m.group(1) + m.group(2).upper(), made)

    def _value(self, match: re.Match[str]) -> str:
        name, low, high, part = match.groups()
        if name not in self.slots:
            if low:
                self.slots[name] = str(self.rng.randint(int(low), int(high)))
            else:
                self._draw(name)
        value = self.slots[name]
        return value.split()[-1] if part == "last" else value

    def _draw(self, name: str) -> None:
        base, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
        for head, forms in LINKED.items():
            if base in (head, *forms):
                entry = self.new(head)
                at = lexicon()[head].index(entry)
                self.slots |= {f"{form}{number}": lexicon()[form][at] for form in (head, *forms)}
                return
        self.slots[name] = self.new(base)

    def new(self, kind: str) -> str:
        """An entry that nothing else in this draw has."""
        for _ in range(200):
            if kind == "person":
                entry = f"{self.rng.choice(lexicon()['first'])} {self.rng.choice(lexicon()['last'])}"
            elif kind in {"firm", "place"}:
                gap = " " if kind == "firm" else ""
                entry = self.rng.choice(lexicon()[kind + "stem"]) + gap + self.rng.choice(lexicon()[kind + "end"])
            else:
                entry = self.rng.choice(lexicon()[kind])
            parts = {entry, *entry.split()} if kind in {"person", "firm"} else {entry}
            if not parts & self.taken - {"and"}:
                self.taken |= parts
                return entry
        raise ValueError(f"too few entries of {kind}")
