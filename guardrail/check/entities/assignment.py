"""The assignment problem: who gets whom, so that the total is greatest (the Hungarian algorithm)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def assign(scores: Sequence[Sequence[float]]) -> tuple[int | None, ...]:
    """Give rows different columns so that the sum of ``scores[row][column]`` is greatest.

    Shortest augmenting paths with potentials (Kuhn 1955; Jonker and Volgenant 1987), cubic in the longer side.

    Args:
        scores: One list per row, all of the same length; finite.

    Returns:
        The column of each row; None for the rows left over where there are more rows than columns.
    """
    rows, columns = len(scores), len(scores[0]) if scores else 0
    if rows > columns:
        row_of = assign([[scores[r][c] for r in range(rows)] for c in range(columns)])
        given = {row: column for column, row in enumerate(row_of)}
        return tuple(given.get(row) for row in range(rows))
    # Numbers count from 1 in here; column 0 stands for the row that is being added.
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner, came_from = [0] * (columns + 1), [0] * (columns + 1)
    for new in range(1, rows + 1):
        owner[0], column = new, 0
        slack, visited = [inf] * (columns + 1), {0}
        while owner[column]:
            row, nearest, step = owner[column], 0, inf
            for other in range(1, columns + 1):
                if other in visited:
                    continue
                cost = -scores[row - 1][other - 1] - of_row[row] - of_column[other]
                if cost < slack[other]:
                    slack[other], came_from[other] = cost, column
                if slack[other] < step:
                    nearest, step = other, slack[other]
            for other in range(columns + 1):
                if other in visited:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                else:
                    slack[other] -= step
            visited.add(nearest)
            column = nearest
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    column_of = {owner[column]: column - 1 for column in range(1, columns + 1) if owner[column]}
    return tuple(column_of[row] for row in range(1, rows + 1))
