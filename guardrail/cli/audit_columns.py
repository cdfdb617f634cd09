"""Columns of a source as the command line names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail.errors import UsageError

if TYPE_CHECKING:
    from guardrail.audit import Columns


def read_columns(column: list[str] | None, label: list[str] | None) -> Columns:
    """Of ``--column NAME=COLUMN`` and ``--label LABEL=COLUMN`` or ``COLUMN``.

    Raises:
        UsageError: one is not of that form.
    """
    from guardrail.audit import Columns

    return Columns(names=_pairs(column, "--column"), labels=_pairs(label, "--label"))


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    pairs = {}
    for one in given or ():
        name, equals, column = one.partition("=")
        if not equals and option == "--column":
            raise UsageError(f"{option} must be NAME=COLUMN, got {one!r}.")
        pairs[name] = column if equals else name
    return pairs
