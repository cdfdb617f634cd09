"""Small edits of passage sentences: ones that keep the meaning, and ones that surely change it.

Written records pair reworded true claims with false ones that copy the passage, so a model trained on them alone takes
closeness to the passage for a sign of error. Real answers copy a lot; these edits give it close positives (and close
negatives made in the same way) to learn from.
"""

from __future__ import annotations

import random
import re

_SAME = [
    ("takes", "lasts"), ("begins", "starts"), ("began", "started"), ("ends", "finishes"), ("must be", "has to be"),
    ("because", "since"), ("about", "roughly"), ("about", "approximately"), ("more than", "over"),
    ("less than", "under"), ("at least", "no fewer than"), ("is located in", "lies in"), ("must", "has to"),
    ("employees", "staff members"), ("children", "kids"), ("per year", "a year"), ("each year", "every year"),
    ("each", "every"), ("before", "prior to"), ("cannot", "can not"), ("allowed", "permitted"),
    ("provided that", "as long as"), ("although", "even though"), ("owing to", "due to"), ("however", "still"),
    ("several", "a number of"), ("receives", "gets"), ("received", "got"), ("may", "can"), ("large", "big"),
    ("costs", "is priced at"), ("was built", "was constructed"), ("shows", "displays"), ("helps", "assists"),
    ("called", "named"), ("usually", "normally"), ("whereas", "while"), ("film", "movie"), ("per cent", "%"),
    ("percent", "%"), ("in addition to", "besides"), ("until", "till"), ("purchase", "buy"), ("require", "need"),
    ("requires", "needs"), ("required", "needed"), ("moved", "relocated"), ("opened", "was opened"),
    ("currently", "at present"), ("also", "too"), ("large", "sizeable"), ("reported", "said"), ("noted", "said"),
    ("said", "stated"), ("after", "following"), ("founded", "set up"), ("led", "headed"), ("many", "a lot of"),
    ("but", "yet"), ("though", "although"), ("use", "employ"), ("used", "employed"),
    ("and", "as well as"), ("won", "gained"), ("wrote", "penned"), ("died", "passed away"),
    ("the", "this"), ("gave", "handed"), ("kept", "retained"), ("keep", "retain"), ("show", "display"),
    ("replaced", "superseded"), ("so", "therefore"), ("against", "to counter"), ("forced", "compelled"),
    ("both", "the two"), ("main", "chief"), ("stop", "cease"),
    ("within", "inside"), ("sold", "marketed"), ("asked", "requested"), ("joined", "entered"), ("wanted", "wished"),
    ("lets", "allows"), ("rise", "increase"), ("fell", "dropped"), ("rose", "climbed"), ("near", "close to"),
    ("made", "produced"), ("found", "discovered"), ("needs", "requires"), ("with", "together with"),
    ("charge", "fee"), ("hours", "h"), ("minutes", "min"), ("kilograms", "kg"), ("kilometres", "km"), ("metres", "m"),
]  # fmt: skip
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_LOWERABLE = frozenset(
    "The A An In On At It Its They Their This These That For From All Both Each Every Some Most No If When While "
    "Because Since Although After Before Until Only Guests Visitors Staff Members Employees Children".split()
)
_LEADS = ("According to the passage, ", "Note that ", "In short, ", "In fact, ", "Yes: ", "The text says that ")
_TAILS = re.compile(r"(?:; |, (?:but|and|although|while|whereas|so|which|who|including|with) )")
_ORDER = re.compile(
    r"^(?P<main>[^,;]{15,}?),? (?P<word>because|since|if|when|although|after|before|unless) (?P<side>[^,;]{8,})\.$"
)
_BE = re.compile(r"\b(is|are|was|were|may|can|must|will|should|has|have|had|does|did)\b(?! not| never| no\b)")
_NUMBER = re.compile(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})*(?![\w:/-]|[.,]\d)")


def same_meaning(sentence: str, rng: random.Random) -> str:
    """The sentence with up to four edits that keep it true; few sentences allow all of them."""
    edits = [_swap, _swap, _swap, _swap, _turn, _drop, _digits, _lead, _brackets]
    wanted = rng.choice((1, 2, 3, 4))
    for edit in rng.sample(edits, len(edits)):
        changed = edit(sentence, rng)
        wanted -= changed != sentence
        sentence = changed
        if wanted == 0:
            break
    return sentence


def other_meaning(sentence: str, rng: random.Random) -> str | None:
    """The sentence with one number or one polarity changed; None where neither can be."""
    edits = [_renumber, _negate, _exchange]
    rng.shuffle(edits)
    for edit in edits:
        changed = edit(sentence, rng)
        if changed is not None and changed != sentence:
            return changed
    return None


def lowered(sentence: str) -> str:
    """The sentence to stand after other words: its first letter small, unless it may be a name."""
    first = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if first in _LOWERABLE else sentence


def raised(sentence: str) -> str:
    """The first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def _swap(sentence: str, rng: random.Random) -> str:
    usable = [pair for pair in _SAME if any(re.search(rf"\b{re.escape(w)}(?!\w)", sentence) for w in pair)]
    if not usable:
        return sentence
    one, two = rng.choice(usable)
    if not re.search(rf"\b{re.escape(one)}(?!\w)", sentence):
        one, two = two, one
    return re.sub(rf"\b{re.escape(one)}(?!\w)", two, sentence, count=1)


def _turn(sentence: str, _: random.Random) -> str:
    """B because A -> Because A, B."""
    match = _ORDER.match(sentence)
    if match is None:
        return sentence
    return f"{raised(match['word'])} {match['side']}, {lowered(match['main'])}."


def _drop(sentence: str, rng: random.Random) -> str:
    """Leave out what follows the first clause."""
    ends = [m.start() for m in _TAILS.finditer(sentence) if len(sentence[: m.start()].split()) >= 5]
    if not ends or re.match(
        r"(?:If|When|While|Because|Since|Although|After|Before|Unless|Until|Once|Neither)\b", sentence
    ):
        return sentence
    return sentence[: rng.choice(ends)] + "."


def _digits(sentence: str, rng: random.Random) -> str:
    """Small numbers as words or digits."""
    found = [n for n in range(2, 13) if re.search(rf"(?<![\w.,:/-])(?:{_NUMBERS[n]}|{n})(?![\w:/-]|[.,]\d)", sentence)]
    if not found:
        return sentence
    number = rng.choice(found)
    pattern = rf"(?<![\w.,:/-])({_NUMBERS[number]}|{number})(?![\w:/-]|[.,]\d)"
    return re.sub(pattern, lambda m: str(number) if m[1].isalpha() else _NUMBERS[number], sentence, count=1)


def _lead(sentence: str, rng: random.Random) -> str:
    return rng.choice(_LEADS) + lowered(sentence) if rng.random() < 0.3 else sentence


def _brackets(sentence: str, _: random.Random) -> str:
    return re.sub(r" \([^()]*\)", "", sentence, count=1)


def _renumber(sentence: str, rng: random.Random) -> str | None:
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = rng.choice(found)
    value = int(match[0].replace(",", ""))
    if 1500 < value < 2100 and "," not in match[0]:
        other = value + rng.choice((-11, -5, -3, -2, 2, 3, 6, 10))
        return sentence[: match.start()] + str(other) + sentence[match.end() :]
    step = max(1, value // rng.choice((2, 3, 5)))
    other = value + step if rng.random() < 0.6 or value <= step else value - step
    return sentence[: match.start()] + (f"{other:,}" if "," in match[0] else str(other)) + sentence[match.end() :]


def _negate(sentence: str, rng: random.Random) -> str | None:
    found = list(_BE.finditer(sentence))
    if re.search(r"\b(?:not|no|never|only|nor|neither)\b", sentence):
        return re.sub(r"\b(is|are|was|were|may|can|must|will|does|did) not\b", r"\1", sentence, count=1)
    match = rng.choice(found) if found else None
    return sentence[: match.end()] + " not" + sentence[match.end() :] if match else None


def _exchange(sentence: str, rng: random.Random) -> str | None:
    """Two numbers of the sentence change places."""
    found = list(_NUMBER.finditer(sentence))
    if len(found) < 2:
        return None
    one, two = sorted(rng.sample(found, 2), key=lambda m: m.start())
    if one[0] == two[0]:
        return None
    return sentence[: one.start()] + two[0] + sentence[one.end() : two.start()] + one[0] + sentence[two.end() :]
