"""Each line of the sheet of reserve has its sentence: what it is read as, and what it governs there."""

from __future__ import annotations

import pytest

from guardrail.text.facts.reserve_cues import read_reserves
from guardrail.text.facts.reserve_sheet import CLAUSES, LETTERS, PREDICATES, WORLD

SENTENCES = {
    "said to": ("He was said to have sold it.", "sold it"),
    "allegedly": ("He reportedly sold it.", "sold it"),
    "accused": ("He is accused by her of selling it.", "selling it"),
    "on trial": ("He is on trial for selling it.", "selling it"),
    "denied doing": ("He denied reports of selling it.", "selling it"),
    "plans to": ("He promised to sell it.", "sell it"),
    "due to": ("It is due to open.", "open"),
    "is to": ("It is to open.", "open"),
    "ordered": ("She ordered the clerk to sell it.", "sell it"),
    "will": ("He will sell it.", "sell it"),
    "plan doing": ("He considered selling it.", "selling it"),
    "draft would": ("The bill says that it would ban cars.", "ban cars"),
    "would have": ("It would have been held there.", "held there"),
    "may": ("It might cure him.", "cure him"),
    "may have": ("It may have cured him.", "cured him"),
    "perhaps": ("It perhaps cured him.", "cured him"),
    "tried to": ("He attempted to sell it.", "sell it"),
    "failed to": ("He failed to sell it.", "sell it"),
    "nearly": ("The wall almost collapsed.", "collapsed"),
    "kept from": ("She kept him from selling it.", "selling it"),
    "no success in": ("He had no success in selling it.", "selling it"),
    "without": ("He left without selling it.", "selling it"),
    "used to": ("He used to own it.", "own it"),
    "former": ("He is the former owner.", "owner"),
    "until": ("He was the owner until 2001.", "the owner"),
    "it is said": ("It is rumoured that he sold it.", "he sold it"),
    "alleges": ("She alleges that he sold it.", None),
    "believes": ("She believes that he sold it.", "he sold it"),
    "argues": ("She argues that he sold it.", "he sold it"),
    "rumour": ("Rumour has it that he sold it.", "he sold it"),
    "unconfirmed": ("According to unverified reports, he sold it.", "he sold it"),
    "denied": ("He denied that he sold it.", "he sold it"),
    "no evidence": ("There is no proof that he sold it.", "he sold it"),
    "untrue": ("It is a myth that he sold it.", "he sold it"),
    "wrongly": ("She wrongly said that he sold it.", "he sold it"),
    "contrary to": ("Contrary to the belief that he sold it, he kept it.", "he sold it"),
    "are false": ("Reports that he sold it are false.", "he sold it are false"),
    "dream": ("In his dream, he sold it.", "he sold it"),
    "struck": ("~~He sold it.~~ He kept it.", "He sold it."),
    "fiction": ("In the novel by Roth, he sold it.", "he sold it"),
    "forecasts": ("They forecast that he sells it.", "he sells it"),
    "draft": ("Under the draft, cars are banned.", "cars are banned"),
    "if": ("If he sold it, she would leave.", "he sold it"),
    "wish": ("They wish that he had sold it.", "he had sold it"),
    "had": ("Had he sold it, she would have left.", "he sold it"),
    "is possible": ("It is unlikely that he sold it.", "he sold it"),
    "whether": ("They asked whether he sold it.", "he sold it"),
    "nicht wahr": ("Es ist nicht wahr, dass er Geld genommen hat.", "er Geld genommen hat"),
    "并非": ("并非所有游客都可以免费入园。", "所有游客都可以免费入园"),
    "angeblich": ("Er hat angeblich Geld genommen.", "Geld genommen"),
    "selon des rumeurs": ("Selon des rumeurs, il a vendu.", "il a vendu"),
    "bestreitet": ("Er bestreitet, dass er Geld nahm.", "er Geld nahm"),
    "ob": ("Sie fragte, ob er Geld nahm.", "er Geld nahm"),
    "据称": ("据称他卖了它。", "他卖了它"),
    "否认": ("他否认卖了它。", "卖了它"),
    "计划": ("他打算卖它。", "卖它"),
    "如果": ("如果他卖它，她就走。", "他卖它"),
    "未能": ("他未能卖它。", "卖它"),
    "是否": ("他是否卖了它。", "卖了它"),
}


@pytest.mark.parametrize("row", [*PREDICATES, *CLAUSES, *WORLD], ids=lambda row: row[0])
def test_each_line_reads_its_sentence(row: tuple[str, str, str]) -> None:
    text, scope = SENTENCES[row[0]]
    [cue] = [cue for cue in read_reserves(text) if cue.key == row[0]]
    assert cue.reserve == row[1]
    assert scope is None or cue.scope.of(text).strip() == scope


def test_letters_are_looked_for_of_lines_that_are_there() -> None:
    """A key that no line has would be looked for by the default letters, and its line be slow."""
    assert set(LETTERS) <= {key for key, _, _ in (*PREDICATES, *CLAUSES, *WORLD)}


@pytest.mark.parametrize(
    "text",
    [
        "The claimant Ann Lee won the race.",
        "The speculator won.",
        "The alleged_by field is empty.",
        "In the drafty house he sold it.",
    ],
)
def test_words_that_only_begin_like_a_cue_are_none(text: str) -> None:
    assert [cue for cue in read_reserves(text) if cue.key in ("alleges", "draft")] == []


@pytest.mark.parametrize(
    "text",
    [
        "Claims must be filed within 30 days.",
        "All claims are settled in 30 days.",
        "The insurer pays claims within a month.",
        "Your claim is closed.",
        "The suspect was arrested in Ulm.",
        "The claim form must be signed.",
        "She claims a pension.",
        "You can claim expenses up to 50 euros.",
        "Warranty claims expire after two years.",
    ],
)
def test_a_claim_that_is_filed_asserts_nothing_less(text: str) -> None:
    assert read_reserves(text) == ()


@pytest.mark.parametrize(
    "text", ["Rivals claim that Ann won.", "He claims he sold it.", "Rivals claim the cup was stolen."]
)
def test_a_claim_that_is_made_does(text: str) -> None:
    assert [cue.key for cue in read_reserves(text)] == ["alleges"]


def test_a_draft_governs_what_follows_its_own_words() -> None:
    [cue] = read_reserves("Under the draft rule on traffic, cars are banned.")
    assert cue.scope.of("Under the draft rule on traffic, cars are banned.") == "cars are banned"
