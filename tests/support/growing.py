"""Answers of every shape, cut anywhere, for what is read again as it grows."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = (
    "Larkmoor Dam was closed on 4 May 2021.",
    "Dr. Lark of Lark & Co. Ltd. found it at 3.5 m, i.e. near the gate",
    "He said that it cost 2.3 million euros. She did not.",
    "Consequently, the village had to move.",
    "However, the mayor stayed",
    "It was built by Rita Holm in St. Louis (see [1]).",
    '"The dam broke. It was late,',
    'she said."',
    "The passages do not mention the price.",
    "They say nothing about it.",
    "Certainly.",
    "**The costs**",
    "## Repairs",
    "The repair took:",
    "- eleven weeks",
    "1. The gate was new. It held.",
    "> As they wrote, it held.",
    "| Dam | Height |",
    "|---|---|",
    "| Larkmoor | 64 m |",
    "===",
    "```python",
    "x = f(1)",
    "```",
    "    print(x)",
    "大坝于2021年关闭。",
    "因此，下游的村庄不得不搬走。它很高",
    "他说：“坝坏了。我们走。”",
    "References:",
    '[1] Holm, "On dams" (2021), p. 3',
    "Answer 2: The dam is 64 m high [^2].",
    "It is <b>high</b>. *It* held. 😀",
    "\ud800 Why? Who knows?",
)

answers = st.lists(
    st.tuples(st.sampled_from(_PIECES), st.sampled_from((" ", " ", "\n", "\n\n", ""))), min_size=1, max_size=14
).map(lambda pairs: "".join(piece + end for piece, end in pairs))
"""Sentences, lists, tables, code, headings and sources, in an order that makes sense or not."""


@st.composite
def cut_answers(draw: st.DrawFn) -> list[str]:
    """The pieces of an answer as a stream might bring them."""
    text, pieces = draw(answers), []
    while text:
        size = draw(st.integers(1, 40))
        pieces.append(text[:size])
        text = text[size:]
    return pieces
