"""Checks of a service that do not block its event loop, and guards by name."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from guardrail import Passage, Policy
from guardrail.service import Service, Settings
from guardrail.service.errors import NotAllowed, TooLarge, Unknown
from guardrail.service.keys import Client, client
from tests.support.services import ENGINES


def test_others_go_on_while_an_answer_is_regenerated():
    asked = threading.Event()

    async def main(service):
        upstream = asyncio.get_running_loop().create_future()

        async def regenerate(_):
            asked.set()
            return await upstream

        policy = Policy(actions={"contradicted": "regenerate"})
        guard = service.guard()
        new = asyncio.ensure_future(
            service.run(guard, answer="It is wrong.", passages=["p"], policy=policy, regenerate=regenerate)
        )
        await asyncio.to_thread(asked.wait, 30)
        report = await service.check(guard, answer="It is quick.", passages=["p"])
        assert report.verdict == "supported"
        assert not new.done()
        upstream.set_result("It is right.")
        assert (await new).text == "It is right."
        assert service.pool.threads.idle

    settings = Settings(guards={"default": {"engine": ENGINES + "fake"}}, limits={"threads": 1})
    asyncio.run(main(Service(settings)))


GUARDS = {"b": {"engine": ENGINES + "fake"}, "a": {"engine": ENGINES + "fake"}, "main": {"engine": ENGINES + "fake"}}


@pytest.fixture
def service() -> Service:
    return Service(Settings(guards=GUARDS, default_guard="main", limits={"passages": 2, "large": 100}))


@pytest.fixture
def tenant() -> Iterator[None]:
    """A client whose key is for the guard ``a`` only."""
    token = client.set(Client("tenant", ("a",)))
    yield
    client.reset(token)


def test_the_default_guard_comes_first(service: Service) -> None:
    assert service.guard_names == ("main", "a", "b")
    assert service.guard() is service.guard("main")
    with pytest.raises(Unknown, match=r"no guard 'c'. Known: main, a, b\."):
        service.guard("c")


@pytest.mark.usefixtures("tenant")
def test_a_client_hears_of_its_own_guards_only(service: Service) -> None:
    assert service.guard_names == ("a",)
    assert service.guard("a").judge.name == "fake"
    for name in (None, "b", "no such"):
        with pytest.raises(NotAllowed, match=r"It is for: a\.") as refused:
            service.guard(name)
        assert refused.value.status == 403


def test_what_a_check_will_take_is_told_by_its_characters(service: Service) -> None:
    small = service.work("x" * 40, ["y" * 60])
    assert (small.cost, small.large) == (pytest.approx(1.1), False)
    forms = service.work("x" * 41, [Passage(text="y" * 30), {"text": "z" * 30}])
    assert (forms.cost, forms.large) == (pytest.approx(1.101), True)
    assert service.work("", [{"title": "no text"}]).cost == 1


def test_more_passages_than_the_limit_are_refused(service: Service) -> None:
    with pytest.raises(TooLarge, match="3 passages, and the limit is 2"):
        asyncio.run(service.check(service.guard(), answer="It is so.", passages=["a", "b", "c"]))
    report = asyncio.run(service.check(service.guard(), answer="It is so.", passages=["a", "b"]))
    assert report.verdict == "supported"


def test_an_answer_taken_apart_is_what_the_guard_takes_apart(service: Service) -> None:
    draft = asyncio.run(service.extract(service.guard(), answer="It is long. It is wide."))
    assert draft == service.guard().draft("It is long. It is wide.", None)
    assert [segment.text for segment in draft.parts.segments] == ["It is long.", "It is wide."]
