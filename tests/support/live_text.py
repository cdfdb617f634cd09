"""Deltas of a stream, both kinds."""

from __future__ import annotations

import asyncio

DELTAS = ("The dam was closed ", "in May. The crack was ", "mended. It reopened in July ", "because of the crack.")


async def adeltas():
    for delta in DELTAS:
        yield delta
        await asyncio.sleep(0)
