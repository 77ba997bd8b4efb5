"""What pays beside the win where the options say so (RULES.md 13)."""

import pytest

from parlor.rules.jinxian import ScoringOptions
from parlor.rules.jinxian.options import Bawang, JingSettlement, JingVariant
from parlor.rules.jinxian.table import Phase
from parlor.rules.jinxian.tiles import kind
from tests.unit.rules_jinxian.flow import IDLE, Game, game

ALL_PLAYERS = ScoringOptions(jing_settlement=JingSettlement.ALL_PLAYERS)
CHAOZHUANG = ScoringOptions(chaozhuang=True)


def four_discards(*tiles: str, drawn: str) -> Game:
    """The dealer discards `drawn`, the others what they draw."""
    play = game(drawn=drawn, draws="".join(tiles), scoring=CHAOZHUANG)
    play.toss(0, 1, 2, 3)
    return play


@pytest.mark.parametrize(
    ("tiles", "paid"),
    [
        pytest.param(("9p", "9p", "9p"), (-15, 5, 5, 5), id="13.5 four alike"),
        pytest.param(("9p", "9p", "9m"), (0, 0, 0, 0), id="13.5 three alike"),
    ],
)
def test_four_first_discards_alike_cost_the_dealer(
    tiles: tuple[str, str, str], paid: tuple[int, int, int, int]
) -> None:
    play = four_discards(*tiles, drawn="9p")
    assert play.table.booked == paid
    assert play.table.phase is Phase.PLAYING


def test_nothing_of_it_without_the_option() -> None:
    play = game(drawn="9p", draws="9p9p9p")
    play.toss(0, 1, 2, 3)
    assert play.table.booked == (0, 0, 0, 0)


def test_a_claim_in_between_spares_the_dealer() -> None:
    """13.5"""
    play = game(IDLE, "258m14789p147s22z", drawn="9p", draws="9p9p", scoring=CHAOZHUANG)
    play.toss(0)
    play.chow(1, "78p")
    play.discard(1, "9p")
    play.toss(2, 3)
    assert [discard.tile for discard in play.table.river] == [kind("9p")] * 4
    assert play.table.booked == (0, 0, 0, 0)


def test_all_jing_pay_at_the_end_of_a_drawn_round() -> None:
    """13.3"""
    hands = ("147m258p369s117z5z", "258m369p147s225z6z", "369m147p258s3344z")
    play = game(*hands, jing="7z", scoring=ALL_PLAYERS)
    while play.table.phase is not Phase.ROUND_END:
        play.clock()
    record = play.table.history[-1]
    points = [_points(play, seat) for seat in range(4)]
    assert points[0] >= 3
    assert sum(record.deltas) == 0
    assert record.deltas == record.extras
    assert record.deltas[0] > 0


def _points(play: Game, seat: int) -> int:
    hand = play.state.hands[seat]
    return 2 * hand.count(kind("7z")) + hand.count(kind("5z"))


def test_a_win_has_no_jing_score_where_all_jing_pay() -> None:
    """13.3"""
    hands = ("123456m123p267s7z", IDLE, IDLE, IDLE)
    play = game(*hands, drawn="8s", scoring=ALL_PLAYERS)
    play.win(0)
    record = play.table.history[-1]
    assert record.win is not None
    assert (record.win.jing_points, record.win.jing_score) == (2, 0)
    # Two points, doubled for the only seat with jing, from each other seat.
    assert record.extras == (12, -4, -4, -4)


def test_the_lower_tile_gives_a_second_pair() -> None:
    """13.4"""
    scoring = ScoringOptions(
        jing_settlement=JingSettlement.ALL_PLAYERS, jing_variant=JingVariant.SHANG_XIA
    )
    play = game(scoring=scoring)
    lower = play.table.lower_jing
    assert lower is not None
    assert lower.zheng == play.state.wall[play.table.turned + 1]
    assert game().table.lower_jing is None


@pytest.mark.parametrize(
    ("other", "score"),
    [
        pytest.param(IDLE, 4, id="13.1 alone"),
        pytest.param("258m369p147s225z6z", 2, id="13.1 another seat has one"),
    ],
)
def test_a_winner_who_alone_has_jing(other: str, score: int) -> None:
    scoring = ScoringOptions(bawang=Bawang.X2)
    play = game("123456m123p267s7z", other, drawn="8s", scoring=scoring)
    play.win(0)
    win = play.table.history[-1].win
    assert win is not None
    assert win.jing_score == score
