"""Quotes of a judge: found in the passage word for word, or void.

A judge that was talked into a verdict, or that dreams, has nothing to quote. So a verdict in favour of a claim stands
only on words that are in the passage, that speak of what the claim speaks of, and that are no orders to the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from guardrail.engines.llm.derived_values import SCALE, DerivedValues
from guardrail.engines.llm.made_up_cases import case_of, lies_within
from guardrail.engines.llm.question import Question, words_and_figures
from guardrail.engines.llm.verbatim import EDGES, ELLIPSIS, SearchedText, as_compared, long_enough, search
from guardrail.engines.llm.workings import any_holds, both_ways, gives, numbers_in
from guardrail.text.facts import VALUE_KINDS, FactKind, extract, missing_facts
from guardrail.text.facts.fact import Amount, Bound, Facts, Moment
from guardrail.text.facts.small_words import in_digits
from guardrail.text.language import language, may_be_english
from guardrail.text.orders import gives_orders
from guardrail.text.passages import around, sentences
from guardrail.text.words import content_words
from guardrail.types import Passage, Span

_SPEAKS = 0.15
"""Share of a claim's content words that the quoted sentences and their title must have; paraphrases have far more."""

_SPEAKS_BESIDE_ORDERS = 0.6
_TITLE_SPEAKS = 0.7
"""A quote of a title that says the claim by itself has more than this share of its content words."""

_CONTEXT = 2
"""Sentences before a quoted one that may name what its pronouns mean."""

_MINUS = re.compile(r"^(?:minus|less)\s+|^[-−–]\s?", re.IGNORECASE)
_OPENS = re.compile(r"^$|[.:!?|>•\n。：！？]$")

_FIGURES = re.compile(r"(?<![\d./-])(?!24/7)(?P<one>[0-3]?\d)/(?P<two>[0-3]?\d)(?:/(?P<year>\d{4}|\d\d))?(?![\d/-])")
"""A date in figures, without or with its year: "07/03"."""

_HARD = 0.55
"""Weight from which a missing fact speaks: about 1 of 140 true claims of the written training records has one."""


class Documents:
    """The passages of one request as the judge calls them: "d1", "d2", ...

    Args:
        passages: In the order of the matrix.
        beside: What else the judge reads of strangers: question, segments.
        question: What was asked, if known.
        answer: What the spans of segments are offsets into; "" if not known.
    """

    def __init__(
        self, passages: Sequence[Passage], beside: Iterable[str] = (), *, question: str = "", answer: str = ""
    ) -> None:
        self._beside = tuple(beside)
        self._question = Question(question)
        self._answer = answer
        self.passages = tuple(passages)
        self.ids = tuple(f"d{number}" for number in range(1, len(passages) + 1))
        self._texts = [SearchedText(passage.text) for passage in passages]

    def number(self, ident: str) -> int | None:
        """Position of a document; None for an id that was never given."""
        return self.ids.index(ident) if ident in self.ids else None

    def locate(self, number: int, quote: str) -> tuple[Span, ...]:
        """Where the passage says these words: one span, or one per part around an ellipsis; () if it does not.

        Case, typographic quotes, dashes, line ends, borders of table cells and emphasis marks may differ. A part that
        is the title's stands nowhere.
        """
        found = self._texts[number].locate(quote)
        parts = [] if found else [part for part in ELLIPSIS.split(quote) if part.strip(EDGES)]
        rest = [part for part in parts if not self.titled(number, part)]
        return self._texts[number].locate(" ... ".join(rest)) if len(rest) < len(parts) else found

    def bears(self, claim: str, evidence: Sequence[tuple[int, Span]], segment: str = "") -> bool:
        """Whether the quoted sentences speak of what the claim, or the segment that makes it, speaks of.

        Words say nothing about a claim in another script; there the quote alone must do. Where some text gives the
        judge orders, its word counts for less: the quotes must hold most of the claim's words.
        """
        words = set(content_words(claim))
        quoted = " ".join(
            f"{self.passages[number].title or ''} {around(self.passages[number].text, span, _CONTEXT)}"
            for number, span in evidence
        )
        if not words or language(claim) != language(quoted):
            return not self.hostile
        told = set(content_words(quoted))
        if self.hostile:
            return len(words & told) >= _SPEAKS_BESIDE_ORDERS * len(words)
        return len(words.union(content_words(segment)) & told) >= max(1, int(_SPEAKS * len(words)))

    def linked(
        self,
        number: int,
        spans: Sequence[Span],
        claim: str,
        segment: str,
        pairs: Sequence[tuple[str, str]],
        *,
        twice: bool = False,
    ) -> bool:
        """Whether a judge that quotes quite other words says which of them stand for words of the claim.

        "illnesses you already have = pre-existing conditions": the words of one side are the claim's or its segment's,
        those of the other the quoted sentences'; or a sum that gives a number of the claim, or, where two looks agree
        (``twice``), a sum with a number beside the quote ("The title is settled": 29 + 2 x 2 = 33). Never where some
        text gives the judge orders.
        """
        if self.hostile:
            return False
        passage = self.passages[number]
        own, around_it = words_and_figures(claim), words_and_figures(f"{claim} {segment}")
        quoted = words_and_figures(
            " ".join([passage.title or "", *(around(passage.text, span, _CONTEXT) for span in spans)])
        )
        for one, other in both_ways(pairs):
            ours, theirs = words_and_figures(one), words_and_figures(other)
            if ours == theirs or not (long_enough(one) and long_enough(other)):
                continue
            words = any(not word[0].isdigit() for word in ours | theirs)
            if words and ours & own and ours <= around_it and theirs and theirs <= quoted:
                return True
        here = numbers_in(" ".join(around(passage.text, span, _CONTEXT) for span in spans)) if twice else set()
        speaks = self._question.words | set(content_words(f"{passage.title or ''} {passage.text}"))
        sums = [pair for pair in pairs if numbers_in(pair[0]) & here]
        if not speaks.isdisjoint(content_words(claim)) and any_holds(sums, self._derived.numbers):
            return True
        values = (fact.surface for fact in extract(claim).facts if isinstance(fact.value, Amount))
        return any(gives(value, pairs, self._derived.numbers) for value in values)

    def works_out(
        self, claim: str, workings: Sequence[tuple[str, str]], beside: Sequence[tuple[str, str]] = ()
    ) -> bool:
        """Whether a claim has values that no document has, and all of them follow from workings."""
        lost = [m for m in missing_facts(extract(claim), [self._question.facts, *self._facts]) if m.kind in VALUE_KINDS]
        return bool(lost) and all(self._follows(m.claim_value, claim, workings, beside) for m in lost)

    def enters(self, number: int, spans: Sequence[Span], workings: Sequence[tuple[str, str]]) -> bool:
        """Whether a number of quoted sentences, or of their title, is one that a working starts from."""
        passage = self.passages[number]
        quoted = " ".join([passage.title or "", *(around(passage.text, span) for span in spans)])
        return any(numbers_in(quoted) & numbers_in(left) for left, _ in workings)

    def is_foreign(self, number: int, text: str) -> bool:
        """Whether a passage is in another language than a text, so that words tell nothing; never beside orders."""
        passage = self.passages[number].text
        differ = language(text) != language(passage) or may_be_english(text) != may_be_english(passage)
        return differ and not self.hostile

    def mention(self, label: str) -> bool:
        """Whether passages and question have the words of a label, but for one. Never beside orders to the judge."""
        lost = set(content_words(label)) if not self.hostile else None
        return lost is not None and len(lost.difference(self._question.words, *self._words)) <= 1

    def titled(self, number: int, words: str) -> bool:
        """Whether a document's title has these words."""
        return (
            search(as_compared(self.passages[number].title or "")[0], as_compared(words)[0].strip(EDGES), 0) is not None
        )

    def opening(
        self, number: int, quote: str, claim: str, workings: Sequence[tuple[str, str]] = ()
    ) -> tuple[Span, ...]:
        """The first sentence of a document whose title is quoted for what it says by itself; else ().

        It stands for the title, which is no part of the passage's text. The quote must have most words of the claim, or
        words and a figure of it, or a unit of it and a figure from which workings lead to it ("20 mg/ml" for "8 x 20 =
        160 mg"). Never beside orders to the judge.
        """
        passage = self.passages[number]
        words = set(content_words(claim))
        told = words.intersection(content_words(quote))
        named = any(not word.isdigit() for word in told)
        figures = numbers_in(quote)
        used = any(figures & numbers_in(left) for left, _ in workings) and bool(_units(quote) & _units(claim))
        used = used and self.works_out(claim, workings)
        says = len(told) > _TITLE_SPEAKS * len(words) or (named and bool(figures & numbers_in(claim))) or used
        if self.hostile or not (says and long_enough(quote)):
            return ()
        return tuple(sentence.span for sentence in sentences(passage.text)[:1])

    def written(self, span: Span) -> str:
        """What the answer has there; "" if the answer is not known."""
        return span.of(self._answer)

    @cached_property
    def _words(self) -> tuple[frozenset[str], ...]:
        """Content words of each passage and its title."""
        return tuple(frozenset(content_words(f"{p.title or ''} {p.text}")) for p in self.passages)

    def asked(
        self,
        claim: str,
        workings: Sequence[tuple[str, str]],
        notes: Sequence[str] = (),
        *,
        agreed: bool,
        part: bool = False,
        backed: bool = True,
    ) -> bool:
        """Whether a claim says again what the question says of the reader's own case, or what follows from it.

        Each of its values must be the question's or the result of workings. And the judge must quote the question in
        its ``notes``, as "less than two years old = bought last year (question)", or the claim share enough words with
        it: both, unless two looks ``agreed``. Where a document says a ``part``, it must quote, or show how a value
        comes about; where that document's words do not speak of the claim (not ``backed``), the claim must share
        words, or a value of it come about. Never beside orders to the judge.
        """
        if self.hostile or not content_words(claim):
            return False
        is_quoted = self._question.is_quoted(notes)
        rests = is_quoted or (agreed and part)  # then "two years" may be a document's
        told = [self._question.facts, *(self._facts if rests else ())]
        missing = [one for one in missing_facts(extract(claim), told) if one.kind in self._compared(claim, claim)]
        if not all(
            one.kind in VALUE_KINDS
            and (
                self._follows(one.claim_value, claim, workings)
                or (agreed and self._follows_twice(one.claim_value, workings))
            )
            for one in missing
        ):
            return False
        worked_out = any(self._derived.follow_from_question(one.claim_value, workings) for one in missing)
        says = self._question.says(claim, workings, worked_out=worked_out)
        if not agreed:
            return is_quoted and says
        if part and not backed:
            return bool(missing) or says
        return is_quoted or (bool(missing) if part else says)  # what is missing was worked out

    def lacks(
        self,
        claim: str,
        written: Span | None = None,
        aliases: Sequence[tuple[str, str]] = (),
        *,
        twice: bool = False,
        beside: Sequence[tuple[str, str]] = (),
    ) -> str | None:
        """A hard fact of the claim (a number, date, name, quotation) that no passage supports; None if there is none.

        A judge that calls such a claim supported is not believed. Names and quotations are compared only where claim
        and passages are in one script and, if it is Latin, in English, where capitals tell names; numbers everywhere.
        Not demanded is what the answer does not write there, or not as a name (another piece of it, a heading or the
        question brought it; "Let" opens a sentence) or not as exactly, what the question has or what follows from it,
        and a name that the judge names another name for which some passage has; beside orders it may not name any.
        Values of a case that the claim makes up, to apply a rule to it, are its own.

        Args:
            claim: What is claimed.
            written: Where the answer says it.
            aliases: Pairs that the judge takes for the same: names, or a sum and its result.
            twice: Two looks call it supported: then a word that only opens a clause need be no name ("Price: Partly.").
            beside: Workings of other segments, from whose results those of ``aliases`` may start.
        """
        facts = extract(claim)
        if not facts.facts:
            return None
        named = {FactKind.NAME, FactKind.QUOTE}
        said = written.of(self._answer) if written and self._answer else ""
        kinds = self._compared(claim, said or claim)
        own = said.casefold()
        names = {fact.surface.casefold() for fact in extract(said).facts if fact.kind in named}
        case = case_of(own or claim.casefold())
        for missing in missing_facts(facts, self._facts):
            surface = missing.claim_value.casefold()
            if missing.kind in VALUE_KINDS and (surface in case or self._has_unscaled(missing.claim_value)):
                continue
            if missing.kind in VALUE_KINDS and (
                _is_hedged(missing.claim_value, said) or self._has_subtrahend(missing.claim_value, said)
            ):
                continue
            if missing.kind in named and twice and _only_opens(missing.claim_value, said):
                continue
            if missing.kind in VALUE_KINDS and self._follows(missing.claim_value, said or claim, aliases, beside):
                continue
            if missing.kind in VALUE_KINDS and (
                self._is_same_number(missing.claim_value, aliases)
                or self._is_same_day(missing.claim_value, aliases)
                or (twice and self._follows_twice(missing.claim_value, [*beside, *aliases]))
                or (twice and self._is_verbatim(missing.claim_value, aliases))
                or (twice and not self.hostile and self._question.has_of(missing.claim_value, aliases))
                or (twice and not self.hostile and self._is_case_within(missing.claim_value, said, aliases))
            ):
                continue
            if missing.kind not in kinds or missing.weight < _HARD or (own and surface not in own):
                continue
            if missing.kind in named and (
                surface in self._question.text.casefold() or self._is_alias(surface, aliases)
            ):
                continue
            if missing.kind in named and said and not any(surface in name or name in surface for name in names):
                continue
            return missing.claim_value
        return None

    def _has_unscaled(self, value: str) -> bool:
        """Whether a table has the bare number, or numbers that give it, where the claim counts in millions."""
        bare = SCALE.sub("", value)
        return bare != value and bool(self._tables) and not missing_facts(extract(bare), self._tables)

    def _has_subtrahend(self, value: str, said: str) -> bool:
        """Whether a passage has what the answer takes from another number: "48.00 minus 25% = 36.00"."""
        bare = _MINUS.sub("", value)
        taken = bare != value and re.search(rf"\d\S{{0,20}}\s{{1,5}}{re.escape(value)}", said) is not None
        return taken and not missing_facts(extract(bare), self._facts)

    def _is_same_number(self, value: str, aliases: Sequence[tuple[str, str]]) -> bool:
        """Whether the judge says where a passage has a bare number in other words: "a 256-bit key = AES-256"."""
        amounts = [fact.value for fact in extract(value).facts]
        if self.hostile or not all(isinstance(one, Amount) and _is_bare(one, value) for one in amounts):
            return False
        return any(
            value.casefold() in one.casefold() and numbers_in(value) <= numbers_in(other) and self._mentions(other)
            for one, other in both_ways(aliases)
        )

    def _is_same_day(self, value: str, aliases: Sequence[tuple[str, str]]) -> bool:
        """Whether the judge says where a passage has a date in figures: "7 de marzo = 07/03"."""
        found = [fact.value for fact in extract(value).facts]
        day = found[0] if len(found) == 1 else None
        if self.hostile or not isinstance(day, Moment) or not (day.month and day.day):
            return False
        written = (_FIGURES.search(other) for one, other in both_ways(aliases) if value.casefold() in one.casefold())
        return any(
            figures["year"] in (str(day.years[0]), str(day.years[0])[2:]) if day.years else True
            for figures in written
            if figures and self._mentions(figures.group()) and (day.day, day.month) in self._days(figures)
        )

    def _is_case_within(self, value: str, said: str, aliases: Sequence[tuple[str, str]]) -> bool:
        """Whether the answer makes up a case of that value, which keeps a limit that the judge shows in a passage."""
        return lies_within(value, said, aliases, [passage.text for passage in self.passages])

    def _is_verbatim(self, value: str, aliases: Sequence[tuple[str, str]]) -> bool:
        """Whether the judge says which words of a passage give the value, with its figures: "1 November = the 1st"."""
        if self.hostile:
            return False
        figures = numbers_in(value)
        told = (other for one, other in both_ways(aliases) if one.strip(EDGES).casefold() == value.casefold())
        return any(
            bool(numbers_in(other)) and numbers_in(other) <= figures and any(text.locate(other) for text in self._texts)
            for other in told
        )

    def _days(self, figures: re.Match[str]) -> set[tuple[int, int]]:
        """Day and month of a date in figures, either way round where no date of the passages tells the order."""
        pairs = [(int(each["one"]), int(each["two"])) for p in self.passages for each in _FIGURES.finditer(p.text)]
        first, second = any(one > 12 for one, _ in pairs), any(two > 12 for _, two in pairs)
        one, two = int(figures["one"]), int(figures["two"])
        return {*([(one, two)] if first or not second else []), *([(two, one)] if second or not first else [])}

    @cached_property
    def _derived(self) -> DerivedValues:
        return DerivedValues(self._question.text, self.passages, self._facts)

    def _follows(
        self, value: str, said: str, workings: Sequence[tuple[str, str]], beside: Sequence[tuple[str, str]] = ()
    ) -> bool:
        """Whether workings give a value; ``beside`` may say what they start from, not end in it."""
        if self.hostile or self._derived.follow(value, said, workings):
            return not self.hostile
        figures, stated = numbers_in(value), extract(value)
        sides = [side for pair in workings for side in pair]
        states = any(figures & numbers_in(side) or not missing_facts(stated, [extract(side)]) for side in sides)
        return states and bool(beside) and self._derived.follow(value, said, [*beside, *workings])

    def _follows_twice(self, value: str, workings: Sequence[tuple[str, str]]) -> bool:
        return not self.hostile and self._derived.follow_twice(value, workings)

    def _is_alias(self, name: str, aliases: Sequence[tuple[str, str]]) -> bool:
        """Whether the judge says that a name stands for words that some passage or title has."""
        return not self.hostile and any(
            name in one.casefold() and long_enough(other) and self._mentions(other) and not self._mentions(one)
            for one, other in both_ways(aliases)
        )

    def _mentions(self, words: str) -> bool:
        titles = (as_compared(passage.title or "")[0] for passage in self.passages)
        return any(self.locate(n, words) for n in range(len(self.passages))) or any(
            search(title, as_compared(words)[0], 0) is not None for title in titles
        )

    def _compared(self, claim: str, said: str) -> frozenset[FactKind]:
        """The kinds of facts that tell: names and quotations only in one script, and in English if that is Latin."""
        tell = self._scripts <= {language(claim)} and self._names_tell(said)
        return VALUE_KINDS | {FactKind.NAME, FactKind.QUOTE} if tell else VALUE_KINDS

    def _names_tell(self, claim: str) -> bool:
        """Whether capitals are names: not in German, and a translated name need not look the same."""
        return language(claim) != "en" or (may_be_english(self._answer or claim) and self._some_english)

    @cached_property
    def _some_english(self) -> bool:
        return any(may_be_english(passage.text) for passage in self.passages)

    @cached_property
    def _scripts(self) -> set[str]:
        return {language(passage.text) for passage in self.passages if passage.text.strip()}

    @cached_property
    def _facts(self) -> list[Facts]:
        titles = [extract(passage.title) for passage in self.passages if passage.title]
        told = [f for passage in self.passages for s in sentences(passage.text) for f in s.all_facts]
        foreign = (s.text for p in self.passages if not may_be_english(p.text) for s in sentences(p.text))
        words = ((text, in_digits(text)) for text in foreign)
        return [*titles, *told, *(extract(digits) for text, digits in words if digits != text)]

    @cached_property
    def _tables(self) -> list[Facts]:
        """What rows of tables state: a cell need not say in which unit it counts."""
        return [f for p in self.passages for s in sentences(p.text) if s.cells for f in s.all_facts]

    @cached_property
    def hostile(self) -> bool:
        """Whether some text that the judge reads gives it orders."""
        return any(map(gives_orders, self._beside)) or any(map(self.ordering, range(len(self.passages))))

    def ordering(self, number: int) -> bool:
        """Whether a passage or its title gives the judge orders."""
        passage = self.passages[number]
        return gives_orders(passage.text) or gives_orders(passage.title or "")

    def orders(self, evidence: Sequence[tuple[int, Span]]) -> bool:
        """Whether a quote is, or stands in a sentence that is, an order to the judge rather than a statement."""
        return any(gives_orders(around(self.passages[number].text, span)) for number, span in evidence)


def _units(text: str) -> set[str]:
    """Units of the amounts of a text."""
    return {fact.value.unit for fact in extract(text).facts if isinstance(fact.value, Amount) and fact.value.unit}


def _is_bare(amount: Amount, written: str) -> bool:
    """Whether it is a number without a unit, or a share in words ("a quarter = the four towns split the rest")."""
    return not amount.unit or (amount.unit == "%" and not any(map(str.isdigit, written)))


def _is_hedged(value: str, said: str) -> bool:
    """Whether an answer says a value less exactly than the claim made of it: "a bit over 19 hours"."""
    same = [fact.value for fact in extract(said).facts if fact.surface == value and isinstance(fact.value, Amount)]
    return bool(same) and all(amount.bound is not Bound.EXACT for amount in same)


def _only_opens(word: str, said: str) -> bool:
    """Whether a single word stands nowhere but at the beginning of a sentence, a cell or what a colon introduces."""
    found = list(re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", said))
    before = (said[max(0, match.start() - 20) : match.start()].rstrip(" \t*_") for match in found)
    return bool(found) and " " not in word and all(_OPENS.search(text) for text in before)
