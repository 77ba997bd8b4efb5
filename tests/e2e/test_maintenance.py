"""What players see of a maintenance that an operator plans, moves, and calls off."""

import asyncio
import os
import re
import sys

from playwright.async_api import expect

from tests.e2e.conftest import PHONE, People
from tests.e2e.stack import Stack
from tests.e2e.test_access import faults


async def test_a_maintenance_is_told_in_the_players_language_until_it_is_called_off(
    people: People, parlor: Stack
) -> None:
    ada = await people("Ada", bypass_csp=True, timezone_id="UTC")
    ming = await people(
        "小明", locale="zh-CN", viewport=PHONE, bypass_csp=True, timezone_id="Asia/Shanghai"
    )
    try:
        at = ("2999-12-01T02:00:00Z", "--until", "2999-12-01T03:30:00Z")
        await _maintenance(parlor, "on", "--at", *at)
        planned = ada.get("banner")
        await expect(planned).to_contain_text(
            re.compile(r"Maintenance from 1 Dec 2999, 02:00.* ends at 1 Dec 2999, 03:30")
        )
        await expect(ming.get("banner")).to_contain_text(
            re.compile(r"2999年12月1日 10:00 起维护.*预计 2999年12月1日 11:30 结束")
        )
        for person in (ada, ming):
            assert await faults(person) == []
            assert await person.overflow() == 0
        await _maintenance(parlor, "on")
        await expect(planned).to_contain_text("Maintenance: no new game begins now.")
        await expect(ming.get("banner")).to_contain_text("正在维护")
        await ada.get("open-room").click()
        await expect(ada.get("toast")).to_contain_text("aintenance")
        await ada.page.reload()
        await ada.until_usable()
        await expect(planned).to_contain_text("Maintenance: no new game begins now.")
    finally:
        await _maintenance(parlor, "off")
    for person in (ada, ming):
        await expect(person.get("banner")).to_have_count(0)


async def _maintenance(parlor: Stack, *words: str) -> None:
    """`parlor maintenance`, as an operator types it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "parlor.cli", "maintenance", *words),
        env=os.environ | parlor.environment,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate()
    assert process.returncode == 0, complaint.decode()
