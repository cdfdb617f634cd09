"""Rewording that keeps an English sentence true: words, digits, clause order, connectives, dropped asides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Source, like
from guardrail.evaluation.stress.clauses import has_pronoun, read_pair, read_two, sentence
from guardrail.evaluation.stress.inversion import compared
from guardrail.evaluation.stress.wording import lowered, split_subject

# Safe in every context, one direction each; a pattern guards words with several senses or forms.
_RULES = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\beven though\b", "although"),
        (r"(?<!as )\balthough\b", "even though"),
        (r"\bprior to\b", "before"),
        (r"\bapproximately\b", "roughly"),
        (r"\broughly\b", "approximately"),
        (r"\babout (?=\d)", "around "),
        (r"\baround (?=\d)", "about "),
        (r"\bmore than (?=\d)", "over "),
        (r"\bat least (?=\d+ [a-z]+s\b)", "a minimum of "),
        (r"\bless than (?=\d)", "under "),
        (r"\bowing to\b", "because of"),
        (r"\bbecause of\b", "owing to"),
        (r"\bdue to\b(?= (?:the|a|an|its|their) )", "owing to"),
        (r"\bis located in\b", "lies in"),
        (r"\bper year\b", "a year"),
        (r"\beach year\b", "every year"),
        (r"\bevery year\b", "each year"),
        (r"\beach month\b", "every month"),
        (r"\bevery month\b", "each month"),
        (r"\beach day\b", "every day"),
        (r"\bprovided that\b", "as long as"),
        (r"\bwhereas\b", "while"),
        (r"\bmovie\b", "film"),
        (r"\bper ?cent\b", "%"),
        (r"(?<=\d)%", " percent"),
        (r"\bin addition to\b", "besides"),
        (r"\bcurrently\b", "at present"),
        (r"\bpermitted\b", "allowed"),
        (r"\ballowed(?= to\b| in\b| on\b|\.)", "permitted"),
        (r"\bmust(?= [a-z]+(?!ed\b)\b)(?! not| have| be\b| then| also| first)", "@must"),
        (r"\bmust be\b", "@mustbe"),
        (r"\bbegan\b", "started"),
        (r"\bbegins\b", "starts"),
        (r"\bbegin\b(?! by)", "start"),
        (r"\bpurchased\b", "bought"),
        (r"\bbought\b", "purchased"),
        (r"\bwas built\b", "was constructed"),
        (r"\bwere built\b", "were constructed"),
        (r"\busually\b", "normally"),
        (r"\bnormally\b", "usually"),
        (r"\bprohibited\b", "forbidden"),
        (r"\bforbidden\b", "not allowed"),
        (r"\bnearly\b(?= (?:\d|all|half|every))", "almost"),
        (r"\balmost\b(?= (?:\d|all|half|every))", "nearly"),
        (r"\bin order to\b", "to"),
        (r"\bassist\b", "help"),
        (r"\bshows that\b", "indicates that"),
        (r"\bfree of charge\b", "for free"),
        (r"\bat no charge\b", "free of charge"),
        (r"\bremain open\b", "stay open"),
        (r"\bremains\b(?= (?:open|closed|in force|valid|free|the same|unchanged))", "stays"),
        (r"\bcannot\b", "can not"),
        (r"\bdo not\b", "don't"),
        (r"\bdoes not\b", "doesn't"),
        (r"\bdid not\b", "didn't"),
        (r"\bis not\b", "isn't"),
        (r"\bwas not\b", "wasn't"),
        (r"\bare not\b", "aren't"),
        (r"\bwere not\b", "weren't"),
        (r"\bhas not\b", "hasn't"),
        (r"\bwill not\b", "won't"),
        (r"\bemployees\b", "staff members"),
        (r"(?<=\d) km(?= (?:of|per|a|on|in|at|and|or|from|to|long|away|north|south|east|west)\b|[.,;])", " kilometres"),
        (r"(?<=\d) kilometres\b(?! per)", " km"),
        (r"(?<=\d) kg(?= (?:of|per|a|on|in|at|and|or|more|less|heavier|lighter)\b|[.,;])", " kilograms"),
        (r"(?<=\d) kilograms\b", " kg"),
        (r"(?<=\d) hours\b(?= (?:or|of|per|a|after|before|at|on|in)\b|[.,;])", " h"),
        (r"(?<=\d) minutes\b(?= (?:or|of|after|before|at|on)\b|[.,;])", " min"),
        (r"(?<=\d) mm(?= (?:of|per|a|on|in|at|and|or|long|thick|deep|wide)\b|[.,;])", " millimetres"),
        (r"\bannually\b", "every year"),
        (r"\bonce a week\b", "weekly"),
        (r"\btwice a year\b", "two times a year"),
        (r"\btwice\b(?= (?:a|per) )", "two times"),
        (r"\bas soon as\b", "once"),
        (r"\bin spite of\b", "despite"),
        (r"\bdespite\b", "in spite of"),
        (r"\bunable to\b", "not able to"),
        (r"\bseveral\b(?= [a-z]+s\b)", "a number of"),
        (r"\bmany\b(?= [a-z]+s\b)(?<!how many)(?<!so many)(?<!as many)(?<!too many)(?<!many of)", "a lot of"),
        (r"\btherefore\b", "for this reason"),
        (r"\bfor this reason\b", "therefore"),
        (r"\bfor example\b", "for instance"),
        (r"\bfor instance\b", "for example"),
        (r"\bsuch as\b(?= [a-z])", "like"),
        (r"\boccurred\b", "took place"),
        (r"\bno longer than\b", "not longer than"),
        (r"\bthroughout\b(?= the (?:year|day|night|week|summer|winter))", "during the whole of"),
        (r"\ba third of\b", "one third of"),
        (r"\ba quarter of\b", "one quarter of"),
        (r"\ba half\b", "one half"),
        (r"\bunless\b", "except if"),
        (r"\bexcept for\b", "apart from"),
        (r"\bsubsequently\b", "later"),
        (r"\bshut\b(?= down)", "closed"),
        (r"\bbiggest\b", "largest"),
        (r"\blargest\b", "biggest"),
    )
)
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SMALL = re.compile(
    rf"(?<![\w.,:/$£€-])(?<!to )(?<!or )(?<!and )(?P<word>{'|'.join(_NUMBERS[2:])})(?= "
    rf"[a-z]{{3,}}s\b)(?! (?:times|others|years-))"
)
_DIGIT = re.compile(r"(?<![\w.,:/$£€=–-])(?<![A-Z][a-z] )(?P<digit>[2-9]|1[0-2])(?= [a-z]{4,}s\b)(?<!No\. )")
_BRACKETS = re.compile(r" \((?![^()]*\b(?:not|except|only|unless|if|but)\b)[^()]{2,80}\)")
_WHICH = re.compile(r", (?:which|who|where) (?:[^,;:()]|(?<=\d),(?=\d)){6,120}\.$")
_HALF = re.compile(r"^(?P<one>[^;:()\"“”?]{25,220}); (?P<two>[^;:()\"“”?]{20,220})\.$")
_LEADS = (
    "According to the passage, ",
    "According to the source, ",
    "As stated in the text, ",
    "The text says that ",
    "Based on the information given, ",
    "In short, ",
)
_PASSIVE = re.compile(
    r"^(?P<one>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?) (?P<verb>beat|defeated|succeeded|"
    r"replaced|bought|acquired|hired|overtook|"
    r"appointed|invited|founded|designed|restored|commissioned|translated|built|wrote|painted|discovered|composed) "
    r"(?P<two>(?:the )?[A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,3})(?P<rest>(?: (?:in|on) [^,;.]{3,40})?)\.$"
)
_PARTICIPLE = {"beat": "beaten", "wrote": "written"}
_SEMI_BAD = re.compile(
    r"^(?:but|and|or|otherwise|however|so|then|the (?:former|latter|rest|others?)|"
    r"others?|half|one|two|both|neither|none|afterwards|later|there|here|instead|"
    r"by contrast|after that|before that|until then|since then|each|all|some|"
    r"most|only|even|still|also|in (?:that|this) case|this|that|"
    r"these|those)\b"
)


def reword_words(source: Source, rng: Random) -> Iterator[str]:
    """One to three words or numbers said otherwise."""
    text = source.sentence
    usable = [(pattern, new) for pattern, new in _RULES if pattern.search(text)]
    if usable:
        picked = rng.sample(usable, min(len(usable), rng.choice((1, 1, 2, 3))))
        changed = text
        for pattern, new in picked:
            found = pattern.search(changed)
            if found is not None:
                changed = changed[: found.start()] + _as(found[0], new, source) + changed[found.end() :]
        yield changed
    match = _SMALL.search(text)
    if match:
        yield text[: match.start()] + str(_NUMBERS.index(match["word"])) + text[match.end() :]
    match = _DIGIT.search(text)
    if match and not re.search(
        r"[A-Z][\w.]* $|\b(?:page|type|level|grade|class|step|day|week|version|room|gate)s? $", text[: match.start()]
    ):
        yield text[: match.start()] + _NUMBERS[int(match["digit"])] + text[match.end() :]


def _as(old: str, new: str, source: Source) -> str:
    if new == "@must":
        clause = split_subject(source.sentence)
        return ("have to" if clause.plural else "has to") if clause is not None and clause.verb == "must" else old
    if new == "@mustbe":
        clause = split_subject(source.sentence)
        return ("have to be" if clause.plural else "has to be") if clause is not None and clause.verb == "must" else old
    return like(old, new)


def reword_order(source: Source, _: Random) -> Iterator[str]:
    """Clauses turned round their connective, or the same relation in another form."""
    two = read_two(source)
    if two is not None and not (two.ahead and has_pronoun(two.main)) and two.word != "only if":
        yield sentence(f"{two.main} {two.word} {two.side}" if two.ahead else f"{two.word} {two.side}, {two.main}")
    if two is not None and not has_pronoun(two.side) and not two.ahead:
        if two.word == "because":
            yield sentence(f"{two.side}, so {two.main}")
        if two.word in {"although", "even though"}:
            yield sentence(f"{two.side}, but {two.main}")
    pair = read_pair(source)
    if pair is not None:
        main = lowered(pair.first, source)
        if pair.word == "so" and main is not None:
            yield sentence(f"because {main}, {pair.second}")
        if pair.word == "but" and main is not None and not re.match(r"(?:not|only|never|then|no)\b", pair.second):
            yield sentence(f"although {main}, {pair.second}")
        if pair.word in {"while", "whereas"} and main is not None and not has_pronoun(pair.second):
            yield sentence(f"{pair.second}, {pair.word} {main}")
        if pair.word in {"and", "but"} and not re.search(
            r"\b(?:if|only|unless|when|not|until|may|neither|both|between|either)\b", pair.first
        ):
            yield pair.first + "."
    turned = compared(source)
    if turned is not None:
        yield turned
    match = _PASSIVE.match(source.sentence)
    if match and not match["one"].startswith(("They", "He", "She", "It", "Who", "We")):
        verb = _PARTICIPLE.get(match["verb"], match["verb"])
        first = match["two"][0].upper() + match["two"][1:]
        yield f"{first} was {verb} by {match['one']}{match['rest']}."


def reword_parts(source: Source, rng: Random) -> Iterator[str]:
    """An aside left out, or one half of a sentence with a semicolon; or a lead-in before it."""
    text = source.sentence
    match = _BRACKETS.search(text)
    if match:
        yield text[: match.start()] + text[match.end() :]
    match = _WHICH.search(text)
    if (
        match
        and len(text[: match.start()].split()) >= 6
        and not re.search(r"\b(?:if|not|only|unless|no|few|when)\b|,", text[: match.start()])
    ):
        yield text[: match.start()] + "."
    match = _HALF.match(text)
    if match and not re.search(r":", text):
        yield match["one"] + "."
        if (
            not _SEMI_BAD.match(match["two"])
            and not has_pronoun(match["two"])
            and not re.match(r"(?:if|when|from|in|at|on)\b", match["two"])
        ):
            yield sentence(match["two"])
        if not _SEMI_BAD.match(match["two"]) and not re.match(r"(?:If|When|Neither|Either)\b", text):
            yield f"{match['one']}, and {match['two']}."
    if ":" not in text and rng.random() < 0.5:
        body = lowered(text, source)
        if body is not None:
            yield rng.choice(_LEADS) + body
