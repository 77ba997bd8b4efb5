"""How the public side of a game follows its events.

The one place where an event becomes a public fact: the state and every audience's view go through
`after`, so that events and views cannot drift apart.
"""

from dataclasses import replace
from typing import assert_never

from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.combos import BOMBS
from parlor.rules.doudizhu.events import (
    Asked,
    AutoplayChanged,
    BidMade,
    Called,
    CardsShown,
    ClocksMoved,
    Dealt,
    DoubleChosen,
    Doubled,
    Ended,
    Event,
    LandlordChosen,
    OfferMade,
    OfferRefused,
    Passed,
    Played,
    PresenceChanged,
    Robbed,
    SeatLeft,
)
from parlor.rules.doudizhu.table import (
    NOBODY,
    Act,
    Deadline,
    Entry,
    Phase,
    Question,
    Table,
    Trick,
    raised,
    with_flag,
)

PASSES_TO_CLEAR = SEATS - 1


def after(table: Table, event: Event) -> Table:
    """The table once `event` has happened; complete and observed events give the same."""
    match event:
        case Dealt():
            return _dealt(table, event)
        case Asked():
            return _asked(table, event)
        case BidMade() | Called() | Robbed():
            return _spoken(table, event)
        case LandlordChosen():
            return replace(
                table,
                landlord=event.seat,
                bid=event.bid,
                bottom=event.bottom,
                counts=raised(table.counts, event.seat, len(event.bottom)),
                deadline=None,
            )
        case Doubled():
            return replace(table, doubled=event.doubled, deadline=None)
        case CardsShown():
            return replace(table, shown=True)
        case Played():
            return _played(table, event)
        case Passed():
            return _passed(table, event)
        case DoubleChosen() | OfferMade() | OfferRefused():
            return table
        case AutoplayChanged():
            flags = with_flag(table.autoplay, event.seat, event.on)
            return _due(replace(table, autoplay=flags), event.due)
        case PresenceChanged():
            return replace(table, online=with_flag(table.online, event.seat, event.online))
        case SeatLeft():
            return replace(table, left=with_flag(table.left, event.seat, True))
        case ClocksMoved():
            running = table.deadline
            return _due(table, None if running is None else running.due + event.lost_ms)
        case Ended():
            return replace(table, phase=Phase.OVER, deadline=None, ending=event.ending)
        case _:
            assert_never(event)


def _dealt(table: Table, event: Dealt) -> Table:
    entry = Entry(act=Act.DEAL, seat=event.first, number=event.deal)
    return replace(
        table,
        deal=event.deal,
        first=event.first,
        counts=event.counts,
        spoken=NOBODY,
        deadline=None,
        history=(*table.history, entry),
    )


def _asked(table: Table, event: Asked) -> Table:
    phase = {Question.PLAY: Phase.PLAYING, Question.DOUBLE: Phase.DOUBLING}
    return replace(
        table,
        phase=phase.get(event.question, Phase.BIDDING),
        deadline=Deadline(question=event.question, seats=event.seats, due=event.due),
    )


def _spoken(table: Table, event: BidMade | Called | Robbed) -> Table:
    """A word in the bidding. Who calls has not had his last word: he may take back a rob."""
    match event:
        case BidMade():
            number, act, last_word = event.bid, Act.BID, True
        case Called():
            number, act, last_word = int(event.call), Act.CALL, not event.call
        case Robbed():
            number, act, last_word = int(event.rob), Act.ROB, True
    entry = Entry(act=act, seat=event.seat, number=number, auto=event.auto)
    return replace(
        table,
        spoken=with_flag(table.spoken, event.seat, last_word),
        bidder=event.seat if number else table.bidder,
        bid=max(table.bid, number),
        robs=table.robs + (number if act is Act.ROB else 0),
        deadline=None,
        history=(*table.history, entry),
    )


def _played(table: Table, event: Played) -> Table:
    entry = Entry(
        act=Act.PLAY,
        seat=event.seat,
        cards=event.cards,
        reading=event.reading,
        auto=event.auto,
    )
    return replace(
        table,
        counts=raised(table.counts, event.seat, -len(event.cards)),
        plays=raised(table.plays, event.seat, 1),
        bombs=table.bombs + (event.reading.shape in BOMBS),
        trick=Trick(seat=event.seat, cards=event.cards, reading=event.reading),
        passes=0,
        deadline=None,
        history=(*table.history, entry),
    )


def _passed(table: Table, event: Passed) -> Table:
    """A pass; when both others have passed, the table is cleared (RULES.md 4.3)."""
    cleared = table.passes + 1 == PASSES_TO_CLEAR
    return replace(
        table,
        trick=None if cleared else table.trick,
        passes=0 if cleared else table.passes + 1,
        deadline=None,
        history=(*table.history, Entry(act=Act.PASS, seat=event.seat, auto=event.auto)),
    )


def _due(table: Table, due: int | None) -> Table:
    if due is None or table.deadline is None:
        return table
    return replace(table, deadline=replace(table.deadline, due=due))
