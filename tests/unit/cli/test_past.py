"""What `parlor history` and `parlor leaderboard` print."""

import pytest

from parlor.cli import main
from parlor.cli.past import history_lines, leaderboard_lines
from parlor.v1.history_pb2 import LeaderboardEntry, PastGame, PastSeat, Rating
from parlor.wire.times import timestamp


def test_a_game_is_a_line() -> None:
    seats = [
        PastSeat(player="ann", name="Ann", score=2, won=True),
        PastSeat(player="r2", name="Robot", bot=True, score=-1),
        PastSeat(player="erased-1f", score=-1),
    ]
    game = PastGame(
        room_id="s1-doudizhu-aaaaaa",
        game_no=3,
        reason="OUT",
        end_time=timestamp(1_764_547_200_000),
        seats=seats,
    )
    assert history_lines([game]) == [
        "2025-12-01 00:00  s1-doudizhu-aaaaaa/3  OUT  Ann +2  Robot (bot) -1  (nobody known) -1"
    ]


def test_a_player_is_a_line() -> None:
    rating = Rating(player="ann", name="小明", ordinal=7.249, games=12, wins=5)
    assert leaderboard_lines([LeaderboardEntry(rank=2, rating=rating)]) == [
        "    2     7.25     12 games      5 won  小明 (ann)"
    ]


def test_a_gateway_that_is_away_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    # Nobody listens on port 1, and the token spares the login, which is tried for longer.
    with pytest.raises(SystemExit) as ended:
        main(["history", "ann", "--url", "http://127.0.0.1:1", "--token", "x", "--limit", "1"])
    assert ended.value.code == 1
    assert "127.0.0.1:1" in capsys.readouterr().err
