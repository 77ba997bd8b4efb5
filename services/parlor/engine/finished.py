"""What the archive is told of a game that has ended."""

from parlor.engine.events import result_message
from parlor.engine.host import Host
from parlor.engine.record import Result, RoomRecord
from parlor.rules.game import Outcome
from parlor.v1.finished_pb2 import FinishedGame, FinishedSeat, FinishedSide
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.times import timestamp


def finished_game(
    host: Host, record: RoomRecord, outcome: Outcome, result: Result, at: int
) -> bytes:
    """The encoded `FinishedGame`; `record` is the room while it still knows those who had left."""
    config = host.config(record.config)
    game = FinishedGame(
        room_id=record.room_id,
        game_no=record.game_no,
        rules=record.rules,
        config=GameConfig.FromString(record.config),
        seats=[
            FinishedSeat(
                player=seat.player, name=seat.name, bot=seat.bot, took_over=bool(seat.took_over)
            )
            for seat in record.seats
        ],
        result=result_message(result),
        end_time=timestamp(at),
        ladder=host.game.ladder(config),
        sides=[
            FinishedSide(seats=side.seats, rank=side.rank)
            for side in host.game.standings(config, outcome)
        ],
    )
    return game.SerializeToString()
