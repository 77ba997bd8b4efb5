"""Every process is restarted under load, and no game and no client takes notice."""

import pytest

from tests.chaos.faults import Fault
from tests.chaos.history import History, Met
from tests.chaos.proof import prove
from tests.chaos.rolling import Resumes, resumes
from tests.chaos.run import Campaign, run

HERE, THERE = "http://here", "http://there"
LEFT = [
    (HERE, Fault("restart gateway", 10_000, 20_000)),
    (THERE, Fault("restart gateway", 30_000, 40_000)),
]


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_rolling_restart_of_everything_drops_no_game() -> None:
    campaign = Campaign(
        seconds=0,
        seed=4,
        tables=3,
        least=60,
        settling_s=120,
        to_the_end=False,
        rolling=True,
        leave_ms=1_000,
        served_s=0.5,
    )
    report = await run(campaign)
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert figures["faults"] == 10
    assert figures["resumes"] >= 8
    assert figures["resumes_over"] == 0
    assert figures["acknowledged"] > 50


@pytest.mark.parametrize(
    ("met", "expected"),
    [
        pytest.param([Met(0, HERE), Met(12_000, THERE), Met(35_000, HERE)], 0, id="twice moved"),
        pytest.param([Met(0, THERE), Met(39_000, HERE)], 0, id="once moved"),
        pytest.param([Met(0, HERE), Met(12_000, THERE), Met(13_000, THERE)], 1, id="cut there"),
        pytest.param([Met(0, THERE), Met(12_000, HERE)], 1, id="sent away by the other's restart"),
        pytest.param([Met(0, HERE), Met(11_000, HERE), Met(12_000, THERE)], 1, id="sent back"),
    ],
)
def test_a_client_that_comes_back_without_its_gateway_restarted_is_counted(
    met: list[Met], expected: int
) -> None:
    assert resumes([History("ann", met=met)], LEFT) == Resumes(len(met) - 1, expected)
