"""A chain whose answer comes in pieces, and what has left before an error."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.runnables import RunnableGenerator

FACT, INVENTED, END = "The garage opens at 6:00.", "Parking was invented by a duke.", "A day costs 14 euros."


RAW = f"{FACT} {INVENTED} {END}"


QUESTION = "When does the garage open?"


def generating(pieces):
    """A chain's last step that streams what ``pieces()`` yields, sync and async."""

    async def apieces(_):
        for piece in pieces(_):
            yield piece

    return RunnableGenerator(pieces, apieces)


def parts_before(error, chain, given, how):
    """What leaves before a stream fails with an error that says so."""
    parts = []
    keep = parts.append

    async def collect():
        async for part in chain.astream(given):
            keep(part)

    def work():
        if how == "astream":
            return asyncio.run(collect())
        for part in chain.stream(given):
            keep(part)
        return None

    with pytest.raises(type(error), match=str(error)):
        work()
    return parts


BOTH = pytest.mark.parametrize("how", ["stream", "astream"])
