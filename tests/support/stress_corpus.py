"""Passages of two languages, with namesakes, to make answers from."""

from __future__ import annotations

from guardrail import Passage

LIBRARY = Passage(
    id="library",
    title="Town library",
    text=(
        "The town library has 84 seats. Some readers may borrow maps, but the novels stay in the hall. "
        "Debit cards are accepted only if the reader has a permit. The old reading room closed because the roof leaked. "
        "Mara Quist designed the hall, while Leo Brandt painted the ceiling. All books are lent free except the atlases. "
        "The choir sang before the mayor opened the hall. Fines usually rise in autumn."
    ),
)


MILL = Passage(
    id="mill",
    title="Astra Mill",
    text=(
        "Paolo Verdi bought the Astra Mill in 1901. Nadia Kron beat Paolo Verdi in the council election of 1911. "
        "The mill burned for three days although the brigade came at once. A ticket costs 6 euros, while a guided tour "
        "costs 15 euros. Visitors pay nothing if they live in the valley."
    ),
)


POND = Passage(
    id="池",
    title="青池",
    text="青池水深12米。因为桥面结冰，所以渡船停航。只有会员才能借阅地图。有些居民反对这项计划。除雨天外，店铺每天都营业。",
)


SWIMMER = Passage(
    id="h1",
    title="Dick Hanley (swimmer)",
    text="Dick Hanley was an American swimmer from Chicago. He won a silver medal in 1956. He later coached in Michigan.",
)


COACH = Passage(
    id="h2",
    title="Dick Hanley (American football)",
    text="Dick Hanley was an American football coach born in 1894. He led Northwestern for eight years. He joined the Marines.",
)


CORPUS = [LIBRARY, MILL, POND, SWIMMER, COACH]
