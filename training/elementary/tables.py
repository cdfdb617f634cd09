"""Small tables in several notations, with slots for what can be said about their rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from training.elementary.values import QUANTITIES

SHAPES = ("markdown", "bars", "commas", "tabs", "lines", "json", "blocks", "prose")


def table_slots(spec: str, rng: random.Random, new: Callable[[str], str]) -> dict[str, str]:
    """Slots of ``Key=type,Column=quantity,...``: ``table``, row keys ``k1``.., values ``x1``.. (first column), ``y1``..

    ``xkmax`` and ``xkmin`` are the rows with the largest and smallest x, ``rows`` counts them; their order is random.
    """
    (head, kind), *columns = [part.split("=") for part in spec.replace("_", " ").split(",")]
    count = rng.randint(3, 5)
    keys = [new(kind) for _ in range(count)]
    values: list[list[str]] = []
    found: dict[str, str] = {}
    for letter, (_, quantity) in zip("xyz", columns, strict=False):
        if quantity in QUANTITIES:
            drawn = QUANTITIES[quantity].ordered(rng, count)
            rng.shuffle(drawn)
            cells = [QUANTITIES[quantity].forms(v)[0] for v in drawn]
            for i, (value, cell) in enumerate(zip(drawn, cells, strict=True), 1):
                found[f"{letter}{i}f"] = QUANTITIES[quantity].form(rng, value, cell)
            largest, smallest = drawn.index(max(drawn)), drawn.index(min(drawn))
            found |= {f"{letter}kmax": keys[largest], f"{letter}kmin": keys[smallest]}
            middle = rng.choice([i for i in range(count) if i not in {largest, smallest}])
            found |= {f"{letter}kmid": keys[middle], f"{letter}max": cells[largest], f"{letter}min": cells[smallest]}
            if drawn[0] < drawn[1]:
                found |= {f"{letter}less": keys[0], f"{letter}more": keys[1]}
            else:
                found |= {f"{letter}less": keys[1], f"{letter}more": keys[0]}
        elif quantity == "yesno":
            cells = ["yes", "no", *(rng.choice(("yes", "no")) for _ in range(count - 2))]
            found |= {f"{letter}yes": keys[0], f"{letter}no": keys[1]}
            found |= {f"{letter}count": str(cells.count("yes")), f"{letter}countw": str(cells.count("no") or count)}
            if cells.count("yes") == cells.count("no"):
                found[f"{letter}countw"] = str(count)
        else:
            cells = [new(quantity) for _ in range(count)]
        values.append(cells)
        found |= {f"{letter}{i + 1}": cell for i, cell in enumerate(cells)}
    found |= {f"k{i + 1}": key for i, key in enumerate(keys)}
    found |= {"rows": str(count), "rowsw": str(count + rng.choice((-1, 1, 2)))}
    order = rng.sample(range(count), count)
    rows = [[keys[i], *(cells[i] for cells in values)] for i in order]
    found["table"] = render([head, *(name for name, _ in columns)], rows, rng)
    return found


def render(heads: list[str], rows: list[list[str]], rng: random.Random) -> str:
    """The rows in one of the notations in which documents give them."""
    shape = rng.choice(SHAPES)
    if shape == "json":
        records = [dict(zip([h.lower().replace(" ", "_") for h in heads], row, strict=True)) for row in rows]
        return json.dumps(records, ensure_ascii=False, indent=rng.choice((None, 1, 2)))
    if shape == "lines":
        cells = [", ".join(f"{h} {v}" for h, v in zip(heads[1:], row[1:], strict=True)) for row in rows]
        return "\n".join(f"{row[0]}: {told}" for row, told in zip(rows, cells, strict=True))
    if shape == "blocks":
        return "\n\n".join("\n".join(f"{h}: {v}" for h, v in zip(heads, row, strict=True)) for row in rows)
    if shape == "prose":
        cells = [", ".join(f"{h.lower()}: {v}" for h, v in zip(heads[1:], row[1:], strict=True)) for row in rows]
        return "; ".join(f"{row[0]} ({told})" for row, told in zip(rows, cells, strict=True)) + "."
    if shape == "markdown":
        line = "|".join("---" for _ in heads)
        return "\n".join([f"| {' | '.join(heads)} |", f"|{line}|", *(f"| {' | '.join(row)} |" for row in rows)])
    gap = {"bars": " | ", "commas": "; ", "tabs": "\t"}[shape]
    return "\n".join(gap.join(row) for row in [heads, *rows])
