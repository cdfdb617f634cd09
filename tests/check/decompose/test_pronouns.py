"""Leading pronouns give way to whom they mean, where that is safe."""

import pytest

from guardrail.check.decompose import decompose
from tests.support.decomposed import texts


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        ("Marie Curie was born in Warsaw. She won two Nobel Prizes.", "Marie Curie won two Nobel Prizes."),
        ("Marie Curie was born in Warsaw. Her father taught physics.", "Marie Curie's father taught physics."),
        ("Barack Obama was born in Hawaii. In 2008, he was elected.", "In 2008, Barack Obama was elected."),
        ("The Eiffel Tower was built by Gustave Eiffel. It is 330 m tall.", "The Eiffel Tower is 330 m tall."),
        ("Apple Inc. is a company. It's based in Cupertino.", "Apple Inc. is based in Cupertino."),
        (
            "The Eiffel Tower is in Paris. It's painted every seven years.",
            "The Eiffel Tower is painted every seven years.",
        ),
        ("The Eiffel Tower is in Paris. It's been repainted.", "The Eiffel Tower has been repainted."),
        ("Barack Obama was born in Hawaii. He's written a book.", "Barack Obama has written a book."),
        ("Barack Obama was born in Hawaii. He's retired.", "Barack Obama is retired."),
        ("Barack Obama was born in Hawaii. He's a lawyer.", "Barack Obama is a lawyer."),
        ("Marie and Pierre Curie were physicists. They found radium.", "Marie and Pierre Curie found radium."),
        ("居里夫人于1867年出生于华沙。她获得了两次诺贝尔奖。", "居里夫人获得了两次诺贝尔奖。"),
        ("华为公司成立于1987年。该公司总部位于深圳。", "华为公司总部位于深圳。"),
        ("埃菲尔铁塔位于巴黎。其高度为330米。", "埃菲尔铁塔的高度为330米。"),
    ],
)
def test_leading_pronoun_gets_its_referent(answer, last):
    """The text names whom the pronoun means; the span still quotes the answer."""
    segment = decompose(answer).segments[-1]
    assert segment.text == last
    assert segment.span.of(answer) != last


@pytest.mark.parametrize(
    "answer",
    [
        "Marie Curie met Albert Einstein. They talked.",
        "Queen Victoria was born in London. He was tall.",
        "Paris and Rome are cities. The latter is in Italy.",
        "The company launched a phone. It has a large screen.",
        "Apple acquired Beats. It was founded in 2006.",
        "John was succeeded by Mark Twain. He died in 1910.",
        "John Smith's dog was big. He barked.",
        "The Eiffel Tower is in Paris. It is known that iron rusts.",
        "The Eiffel Tower is in Paris. It rained all day.",
        "李明和王芳是同事。他很高。",
        "埃菲尔铁塔位于巴黎。其中有很多人。",
    ],
)
def test_unsafe_pronoun_is_left_alone(answer):
    """A wrong referent is worse than none."""
    segment = decompose(answer).segments[-1]
    assert segment.text == segment.span.of(answer)


def test_question_names_the_subject():
    """A pronoun at the start means the one name in the question, if there is exactly one."""
    assert texts("He was born in 1990.", question="Who is Dick Hanley the swimmer?") == [
        "Dick Hanley was born in 1990."
    ]
    assert texts("He was born in 1990.", question="Did Bob Smith meet Ann Jones?") == ["He was born in 1990."]
    assert texts("他出生于绍兴。", question="鲁迅是谁？") == ["鲁迅出生于绍兴。"]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Does the X200 support gaming?", "X200"),
        ("Is Larkmoor Dam open?", "Larkmoor Dam"),
        ("Did Queen Victoria win a prize?", "it"),
        ("Tell me about Larkmoor Dam.", "Larkmoor Dam"),
        ("Can dogs enter the park?", "it"),
    ],
)
def test_the_verb_that_opens_a_question_is_no_part_of_its_subject(question, subject):
    [segment] = decompose("However, it does not open on Mondays.", question=question).segments
    assert segment.text == f"However, {subject} does not open on Mondays."
