"""Conversations in a passage: each turn's sentences as statements that name who speaks and who is spoken to.

"Agent: I can credit you 10 euros." says "The agent can credit the customer 10 euros.": a claim in the third person is
compared with what the words mean, not with whose "I" happens to stand nearby.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sentencex import segment

from guardrail.text.records.statement import Statement
from guardrail.types import Span

_TURN = re.compile(
    r"[ \t>*_-]{0,6}(?:[(\[]?\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[)\]]?[ \t]*[-–]?[ \t]*)?"
    r"[*_]{0,3}"
    r"(?P<speaker>[A-Z][\w.'’-]{0,24}(?:[ \t][\w(][\w.'’)-]{0,19}){0,3})[*_]{0,3}:[*_]{0,3}[ \t]+(?=\S)"
)
_LEAST_TURNS, _LEAST_SPEAKERS = 3, 2
_PERSON = re.compile(r"\b(?:I|I['’]\w+|me|my|mine|you|you['’]\w+|your)\b")
_NO_SPEAKERS = frozenset("q a question answer note example warning tip step e.g".split())

_ROLES = frozenset(
    """agent customer client caller user assistant advisor adviser clerk support operator patient doctor nurse
    pharmacist therapist physician interviewer interviewee host guest moderator reporter journalist candidate recruiter
    applicant teacher student pupil parent tutor professor lawyer
    attorney witness judge officer dispatcher passenger driver pilot
    manager employee landlord tenant seller buyer vendor librarian reader visitor technician engineer mechanic analyst
    receptionist chef resident member owner chair chairman chairwoman chairperson speaker bot chatbot representative rep
    helpdesk staff shop""".split()
)
"""Speakers that are roles, with an article in a sentence: "the agent"; all others are names."""

_BE_HAVE = {
    "am": "is", "'m": " is", "are": "is", "'re": " is", "have": "has", "'ve": " has", "'ll": " will", "'d": " would",
    "do": "does", "don't": "doesn't", "haven't": "hasn't", "aren't": "isn't", "were": "was", "weren't": "wasn't",
}  # fmt: skip
_VERBS = frozenset(
    """want need think know see work live like use get take feel pay believe hope mean own run sell buy eat sleep drink
    remember understand love hate prefer expect plan start stop keep come leave give offer suggest recommend agree help
    call speak play write read ask stay wish hold look make say find miss drive travel train teach study drop lose
    send""".split()
)  # fmt: skip
"""Verbs that take an -s after a speaker's name; any other word stays as it is."""

_PRONOUN = re.compile(
    r"(?P<before>\b(?:[Aa]m|[Aa]re|[Ww]ere|[Ww]as|[Hh]ave|[Hh]ad|[Dd]o|[Dd]id|[Dd]on['’]t|[Cc]an|[Cc]ould|[Ww]ill|[Ww]ould"
    r"|[Ss]hould|[Mm]ay|[Mm]ust|[Ss]hall)\s)?"
    r"\b(?P<word>I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Yy]ou|[Yy]our|[Yy]ours|[Yy]ourself)\b"
    r"(?P<short>['’](?:m|re|ve|ll|d)\b)?(?:(?P<space>\s)(?P<after>[a-z]+(?:['’]t)?)\b)?"
)
_FIXED = re.compile(r"\b(?:[Tt]hank(?:s to)?|[Ss]ee|[Nn]ice to meet|[Ee]xcuse|[Tt]o|[Dd]ear)\s$")
_QUOTED = re.compile(r"[\"“][^\"”]{0,400}[\"”]")


@dataclass(frozen=True, slots=True)
class _Turn:
    speaker: str
    label: str
    start: int
    said: int
    end: int


def turns(text: str, lines: Sequence[Span]) -> Iterator[Statement]:
    """The sentences of a conversation, as who says them; none if the lines are no conversation.

    A conversation has three turns of two speakers, one of whom comes back, and says "I" or "you". Pronouns of the
    second person are read only where there are two speakers; those inside quotation marks stay.

    Args:
        text: A passage.
        lines: Its lines, without those of tables and JSON values.
    """
    found = _turns(text, lines)
    speakers = Counter(turn.speaker for turn in found)
    if len(found) < _LEAST_TURNS or len(speakers) < _LEAST_SPEAKERS or len(found) == len(speakers):
        return
    if not any(_PERSON.search(text, turn.said, turn.end) for turn in found):
        return
    for turn in found:
        others = [name for name in speakers if name != turn.speaker]
        listener = _noun(others[0]) if len(others) == 1 else ""
        at = turn.said
        for piece in segment("en", text[turn.said : turn.end]):
            kept = piece.strip()
            if kept:
                start = turn.start if at == turn.said else at + len(piece) - len(piece.lstrip())
                span = Span(start, at + len(piece.rstrip()))
                yield Statement(span, _told(kept, turn.label, _noun(turn.speaker), listener), spoken=True)
            at += len(piece)


def _turns(text: str, lines: Sequence[Span]) -> list[_Turn]:
    found: list[_Turn] = []
    open_turn = False
    for line in lines:
        match = _TURN.match(text, line.start, line.end)
        label = " ".join(match["speaker"].split()) if match else ""
        if match and label.lower() not in _NO_SPEAKERS:
            found.append(_Turn(label.split(" (")[0], label, line.start, match.end(), line.end))
            open_turn = True
        elif open_turn and line.start < line.end and line.start <= found[-1].end + 2:  # the turn goes on
            last = found[-1]
            found[-1] = _Turn(last.speaker, last.label, last.start, last.said, line.end)
        else:
            open_turn = False
    return found


def _noun(speaker: str) -> str:
    return f"the {speaker.lower()}" if speaker.lower() in _ROLES else speaker


def _told(sentence: str, label: str, speaker: str, listener: str) -> str:
    """The sentence in the third person; one that does not open with a speaker keeps the label before it."""
    parts, at = [], 0
    for quoted in _QUOTED.finditer(sentence):
        parts += [_resolved(sentence[at : quoted.start()], speaker, listener), quoted.group()]
        at = quoted.end()
    told = "".join([*parts, _resolved(sentence[at:], speaker, listener)])
    opens = any(name and told.startswith(name) for name in (speaker, listener))
    if not opens or told.endswith("?"):
        return f"{label}: {told[0].upper()}{told[1:]}"
    return told[0].upper() + told[1:]


def _resolved(text: str, speaker: str, listener: str) -> str:
    def name(match: re.Match[str]) -> str:
        word = match["word"].lower()
        who = speaker if word in {"i", "me", "my", "mine", "myself"} else listener
        if not who or (word == "you" and _FIXED.search(text, max(0, match.start() - 15), match.start())):
            return match.group()
        after = f"{match['space']}{match['after']}" if match["after"] else ""
        if word in {"my", "mine", "your", "yours"}:
            return f"{match['before'] or ''}{who}'s{after}"
        if word not in {"i", "you"}:
            return f"{match['before'] or ''}{who}{after}"
        before = match["before"] or ""
        if before:
            auxiliary = before.strip().replace("’", "'").lower()
            return f"{_BE_HAVE.get(auxiliary, auxiliary)} {who}{after}"
        short = _BE_HAVE[match["short"].replace("’", "'")] if match["short"] else ""
        return f"{who}{short}{match['space'] or ''}{_agreeing(match['after'] or '', bool(short))}"

    return _PRONOUN.sub(name, text)


def _agreeing(verb: str, settled: bool) -> str:
    if settled:
        return verb
    plain = verb.replace("’", "'")
    if plain in _BE_HAVE:
        return _BE_HAVE[plain]
    if verb not in _VERBS:
        return verb
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeou" else f"{verb}s"
