"""Turns are shared fairly, and what cannot have one soon is told so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import HTTPException

from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.interfaces.web.limits.uploads import SMALL_FILE, Inspections
from outflank.players.built_in import built_in_file

ROOMY = QueueLimits(
    running=1, running_each=1, waiting=100, waiting_each=60, wait_seconds=60.0, retry_seconds=7
)


class Shop:
    """Serves whoever has a turn, one after another; notes in what order."""

    def __init__(self, limits: QueueLimits = ROOMY) -> None:
        self.queue = FairQueue(limits, "we are busy")
        self.order: list[str] = []
        self.running = self.most_running = 0
        self.go_on = asyncio.Event()

    async def customer(self, *clients: str) -> None:
        async with self.queue.turn(*clients):
            self.order.append(clients[-1])
            self.running += 1
            self.most_running = max(self.running, self.most_running)
            await self.go_on.wait()
            await asyncio.sleep(0)
            self.running -= 1


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(30):
            await test()

    asyncio.run(limited())


async def come(shop: Shop, *customers: tuple[str, ...]) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(shop.customer(*one)) for one in customers]
    await asyncio.sleep(0.01)
    return tasks


def test_one_with_fifty_waiting_delays_another_by_one() -> None:
    async def test() -> None:
        shop = Shop()
        tasks = await come(shop, *[("greedy",)] * 50, ("other",), ("third",), ("other",))
        shop.go_on.set()
        await asyncio.gather(*tasks)
        assert shop.order[:5] == ["greedy", "other", "third", "greedy", "other"]
        assert len(shop.order) == 53

    run(test)


def test_newcomers_go_before_those_who_had_many_turns() -> None:
    async def test() -> None:
        shop = Shop()
        shop.go_on.set()
        for _ in range(3):
            for client in ("a", "b", "c"):
                await shop.customer(client)
        shop.go_on.clear()
        tasks = await come(shop, ("a",), ("b",), ("c",), ("new",))
        shop.go_on.set()
        await asyncio.gather(*tasks)
        assert shop.order[9:] == ["a", "new", "b", "c"]  # a was served when nobody else had come

    run(test)


def test_neither_many_keys_nor_many_addresses_help() -> None:
    async def test() -> None:
        shop = Shop()
        many_keys = [("address 1", f"key {number}") for number in range(10)]
        many_addresses = [(f"address {number}", "key x") for number in range(2, 12)]
        tasks = await come(
            shop, *many_keys, *many_addresses, ("address 20", "key y"), ("address 21", "key z")
        )
        shop.go_on.set()
        await asyncio.gather(*tasks)
        assert shop.order[:4] == ["key 0", "key x", "key y", "key z"]

    run(test)


def test_keys_behind_one_address_take_turns() -> None:
    async def test() -> None:
        shop = Shop()
        tasks = await come(shop, *[("school", "ada")] * 3, *[("school", "grace")] * 2)
        shop.go_on.set()
        await asyncio.gather(*tasks)
        assert shop.order == ["ada", "grace", "ada", "grace", "ada"]

    run(test)


def test_a_client_runs_no_more_than_its_share() -> None:
    async def test() -> None:
        shop = Shop(replace(ROOMY, running=3, running_each=2))
        tasks = await come(shop, *[("greedy",)] * 10)
        assert shop.running == 2
        tasks += await come(shop, ("other",))
        assert shop.running == 3
        shop.go_on.set()
        await asyncio.gather(*tasks)
        assert shop.most_running == 3
        assert shop.queue._free == 3
        assert not +shop.queue._running

    run(test)


@pytest.mark.parametrize("limits", [replace(ROOMY, waiting=2), replace(ROOMY, waiting_each=2)])
def test_a_full_queue_refuses(limits: QueueLimits) -> None:
    async def test() -> None:
        shop = Shop(limits)
        tasks = await come(shop, *[("greedy",)] * 3)
        with pytest.raises(HTTPException) as caught:
            shop.queue.refuse_if_full("greedy")
        assert (caught.value.status_code, caught.value.headers) == (503, {"Retry-After": "7"})
        with pytest.raises(HTTPException):
            await shop.customer("greedy")
        if limits.waiting > 2:
            shop.queue.refuse_if_full("other")
        shop.go_on.set()
        await asyncio.gather(*tasks)
        await shop.customer("greedy")

    run(test)


def test_who_waits_too_long_or_leaves_gives_up_its_place() -> None:
    async def test() -> None:
        shop = Shop(replace(ROOMY, wait_seconds=0.2))
        first, second, third = await come(shop, ("a",), ("b",), ("c",))
        third.cancel()
        with pytest.raises(HTTPException, match="we are busy"):
            await second
        first.cancel()  # while it has its turn
        await asyncio.gather(first, third, return_exceptions=True)
        shop.go_on.set()
        await shop.customer("d")
        assert shop.order == ["a", "d"]

    run(test)


def test_small_players_do_not_wait_for_large_ones(tmp_path: Path) -> None:
    small = built_in_file("all-2")
    large = tmp_path / "large.player"
    large.write_text(small.read_text() + " " * SMALL_FILE)

    async def test() -> None:
        inspections = Inspections()
        large_one = inspections.queue(large.stat().st_size)
        async with large_one.turn("first"), large_one.turn("second"):
            assert (await inspections.inspect(small, "inversion", "third", "key")).cost is not None
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await inspections.inspect(large, "inversion", "third", "key")
        assert (await inspections.inspect(large, "inversion", "third", "key")).cost is not None

    run(test)
