"""Which language a text is in: by script, and between Latin scripts by common words."""

import pytest

from guardrail.text.language import language, language_among, may_be_english


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The mill is old.", "en"),
        ("Die Mühle ist alt.", "en"),
        ("", "en"),
        ("12 %", "en"),
        ("磨坊很古老。", "zh"),
        ("GDP是3.5万亿元。", "zh"),
        ("この水車は古い。", "ja"),
        ("물레방아는 오래되었다.", "ko"),
        ("Мельница старая.", "ru"),
        ("الطاحونة قديمة", "ar"),
    ],
)
def test_the_script_tells_the_language(text, code):
    """English stands for every language in Latin script."""
    assert language(text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Who built the mill?", "en"),
        ("Wer hat die Mühle gebaut?", "de"),
        ("Qui est le maire et où est la mairie ?", "fr"),
        ("¿Quién es el alcalde y dónde está?", "es"),
        ("Chi è il sindaco e dove sono gli uffici?", "it"),
        ("磨坊是谁建的？", "zh"),
        ("Кто это?", "en"),
        ("Xyzzy?", "en"),
    ],
)
def test_one_of_the_wanted_languages_or_english(text, code):
    assert language_among(["de", "fr", "es", "it", "zh"], text) == code


@pytest.mark.parametrize(
    "text",
    [
        "The mill was built in 1900.",
        "42",
        "Paris",
        "The dish is called crème de la crème.",
        "See Keel et al., p. 7.",
    ],
)
def test_english_and_texts_without_signs_may_be_english(text):
    assert may_be_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Die Mühle wurde 1900 für den Ort gebaut.",
        "El molino fue construido por los vecinos y está abierto.",
        "Le moulin est dans la ville et il est ouvert avec les bureaux.",
        "Het huis is niet van hout, zijn dak ook niet.",
        "Kvarnen är inte öppen och det är synd.",
        "这座磨坊很古老。",
        "この水車は古い。",
    ],
)
def test_other_languages_are_told(text):
    assert not may_be_english(text)
