"""How the public side of a game follows its events.

The one place where an event becomes a public fact: the state and every audience's view go through
`after`, so that events and views cannot drift apart.
"""

from dataclasses import replace
from typing import assert_never

from parlor.rules.game import Seat
from parlor.rules.jinxian.events import (
    Answered,
    Asked,
    AutoplayChanged,
    Booked,
    ClocksMoved,
    Continued,
    DealerChosen,
    Dealt,
    Discarded,
    Drawn,
    Ended,
    Event,
    JingTurned,
    KongDeclared,
    Melded,
    PhaseChanged,
    PresenceChanged,
    Reminded,
    RoundEnded,
    SeatLeft,
)
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.payments import NOTHING, add
from parlor.rules.jinxian.table import (
    Deadline,
    Discard,
    FourOf,
    Melds,
    RoundRecord,
    Table,
    Tally,
    with_item,
)
from parlor.rules.jinxian.tiles import TILES
from parlor.rules.jinxian.wall import DEALT

FROM_HAND = {
    MeldType.CHOW: 2,
    MeldType.PONG: 2,
    MeldType.KONG: 3,
    MeldType.ADDED_KONG: 1,
    MeldType.CONCEALED_KONG: 4,
}
"""How many tiles a meld takes from the hand."""


def after(table: Table, event: Event) -> Table:
    """The table once `event` has happened; complete and observed events give the same."""
    match event:
        case DealerChosen():
            return replace(table, dealer=event.dealer, active=event.dealer)
        case PhaseChanged():
            return replace(table, phase=event.phase, deadline=None)
        case Dealt():
            return _dealt(table, event)
        case JingTurned():
            return replace(
                table,
                jing_dice=event.dice,
                turned=event.place,
                jing=event.jing,
                lower_jing=event.lower,
            )
        case Drawn():
            return _drawn(table, event)
        case Asked():
            asked = Deadline(
                question=event.question, seats=event.seats, due=event.due, remind=event.remind
            )
            return replace(table, deadline=asked)
        case Reminded():
            return _timed(table, remind=event.remind)
        case Discarded():
            laid = Discard(seat=event.seat, tile=event.tile, auto=event.auto)
            return replace(
                table,
                counts=_raised(table, event.seat, -1),
                river=(*table.river, laid),
                deadline=None,
            )
        case Answered():
            return table
        case KongDeclared():
            return replace(table, adding=event.tile, deadline=None)
        case Melded():
            return _melded(table, event)
        case Booked():
            return replace(table, booked=add(table.booked, event.deltas))
        case RoundEnded():
            return _round_ended(table, event)
        case Continued():
            return _continued(table, event.seat)
        case AutoplayChanged():
            flags = with_item(table.autoplay, event.seat, event.on)
            table = replace(table, autoplay=flags)
            return _timed(table, event.due, event.remind) if event.due is not None else table
        case PresenceChanged():
            return replace(table, online=with_item(table.online, event.seat, event.online))
        case SeatLeft():
            return replace(table, left=with_item(table.left, event.seat, True))
        case ClocksMoved():
            return _moved(table, event.lost_ms)
        case Ended():
            return replace(table, deadline=None, ending=event.ending)
        case _:
            assert_never(event)


def replaced_pong(melds: Melds, meld: Meld) -> Melds:
    """The melds with `meld` at their end, or for an added kong in the place of its pong."""
    if meld.type is not MeldType.ADDED_KONG:
        return (*melds, meld)
    kind = meld.kinds[0]
    return tuple(
        meld if old.type is MeldType.PONG and old.kinds[0] == kind else old for old in melds
    )


def _dealt(table: Table, event: Dealt) -> Table:
    return replace(
        table,
        round=event.round,
        dealer=event.dealer,
        active=event.dealer,
        dice=event.dice,
        jing=None,
        lower_jing=None,
        remaining=TILES - DEALT,
        replaced=0,
        counts=event.counts,
        melds=((), (), (), ()),
        river=(),
        adding=None,
        booked=NOTHING,
        shown=None,
        deadline=None,
    )


def _drawn(table: Table, event: Drawn) -> Table:
    return replace(
        table,
        active=event.seat,
        counts=_raised(table, event.seat, 1),
        remaining=table.remaining - 1,
        replaced=table.replaced + event.replacement,
        deadline=None,
    )


def _melded(table: Table, event: Melded) -> Table:
    seat, meld = event.seat, event.meld
    is_claimed = FROM_HAND[meld.type] < len(meld.kinds) and meld.type is not MeldType.ADDED_KONG
    return replace(
        table,
        active=seat,
        counts=_raised(table, seat, -FROM_HAND[meld.type]),
        melds=with_item(table.melds, seat, replaced_pong(table.melds[seat], meld)),
        river=_last_claimed(table) if is_claimed else table.river,
        adding=None,
        deadline=None,
    )


def _last_claimed(table: Table) -> tuple[Discard, ...]:
    return (*table.river[:-1], table.river[-1]._replace(claimed=True))


def _round_ended(table: Table, event: RoundEnded) -> Table:
    record = event.record
    first, second, third, fourth = (
        _tallied(tally, Seat(seat), record) for seat, tally in enumerate(table.tallies)
    )
    counts = tuple(len(hand) for hand in event.hands)
    return replace(
        table,
        counts=(counts[0], counts[1], counts[2], counts[3]),
        melds=event.melds,
        river=_last_claimed(table) if record.by is WinBy.DISCARD else table.river,
        adding=None,
        shown=event.hands,
        tallies=(first, second, third, fourth),
        deadline=None,
        history=(*table.history, record),
    )


def _tallied(tally: Tally, seat: Seat, record: RoundRecord) -> Tally:
    won = record.winner == seat
    return Tally(
        score=tally.score + record.deltas[seat],
        round_score=record.deltas[seat],
        wins=tally.wins + won,
        self_draws=tally.self_draws + (won and record.by is WinBy.SELF_DRAW),
        losses=tally.losses + (record.loser == seat),
    )


def _continued(table: Table, seat: Seat) -> Table:
    asked = table.deadline
    if asked is None:
        return table
    waiting = tuple(other for other in asked.seats if other != seat)
    return replace(table, deadline=replace(asked, seats=waiting))


def _timed(table: Table, due: int | None = None, remind: int | None = None) -> Table:
    """The table with another reminder to come, and where `due` is given another deadline."""
    if table.deadline is None:
        return table
    due = table.deadline.due if due is None else due
    return replace(table, deadline=replace(table.deadline, due=due, remind=remind))


def _moved(table: Table, lost_ms: int) -> Table:
    running = table.deadline
    if running is None:
        return table
    remind = running.remind and running.remind + lost_ms
    return _timed(table, running.due + lost_ms, remind)


def _raised(table: Table, seat: Seat, by: int) -> FourOf[int]:
    return with_item(table.counts, seat, table.counts[seat] + by)
