"""Which language a text is in: by script, and between Latin scripts by common words."""

import pytest

from guardrail.text.language import (
    UNKNOWN,
    is_english_among,
    language,
    language_among,
    language_of,
    may_be_english,
)


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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The mill was built in 1900.", "en"),
        ("42", "en"),
        ("Die Mühle wurde 1900 gebaut und ist nicht alt.", "de"),
        ("La mairie est fermée le lundi et le mardi.", "fr"),
        ("La oficina está cerrada los lunes y los martes.", "es"),
        ("O moinho não está aberto aos domingos.", "pt"),
        ("磨坊很古老。", "zh"),
        ("この水車は古い。", "ja"),
        ("물레방아는 오래되었다.", "ko"),
        ("โรงสีเก่าแก่", UNKNOWN),
    ],
)
def test_the_language_of_a_text_is_english_one_of_those_known_or_cannot_be_told(text, code):
    assert language_of(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "Die Bibliothek bleibt nur sonntags zu und wird nicht beheizt.",
        "Le tarif réduit coûte 4 €.",
        "Die Bibliothek öffnet dienstags bis sonntags um 10 Uhr. Montags bleibt sie zu.",
    ],
)
def test_short_texts_of_other_languages_are_told(text):
    assert not may_be_english(text)


@pytest.mark.parametrize(
    ("text", "whole", "english"),
    [
        (
            "Intensiv verbraucht 4,5 Liter mehr.",
            "Der Modus Eco ist sparsam. Intensiv verbraucht 4,5 Liter mehr.",
            False,
        ),
        ("The Eco mode is frugal.", "The Eco mode is frugal. Der Modus Intensiv ist es nicht.", True),
        ("Eco: 9.5 litres", "Eco mode is frugal. Eco: 9.5 litres", True),
        ("La mairie est fermée le lundi.", "The town hall: La mairie est fermée le lundi.", False),
    ],
)
def test_a_part_without_english_words_is_in_the_language_of_the_rest(text, whole, english):
    assert is_english_among(text, whole) is english


@pytest.mark.parametrize(
    "text",
    [
        "Mac OS supports external drives.",
        "Med students study hard.",
        "FRA airport handles cargo.",
        "Par value: 5 USD per share.",
        "Comment by José García: approved.",
        "Standard EN 13432 covers compostable packaging.",
        "UN forces left Mali yesterday.",
        "IM injections require trained nurses.",
    ],
)
def test_acronyms_and_names_are_no_words_of_another_language(text):
    assert language_of(text) == "en"
    assert is_english_among(text, f"The notes are in English. {text}")
