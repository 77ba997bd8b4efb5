"""What happened, as an audience observed it."""

from typing import assert_never

from parlor.rules.doudizhu import events as ev
from parlor.rules.doudizhu.events import Event
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.doudizhu.values import (
    CAUSES,
    QUESTIONS,
    ending_from,
    ending_to,
    flags_from,
    flags_to,
    hands_from,
    hands_to,
    reading_from,
    reading_to,
)
from parlor.wire.seats import seat, seats, three
from parlor.wire.times import duration, instant, milliseconds, timestamp


def event_to(event: Event) -> pb.DouDizhuEvent:
    """The observed event. Fields that only complete events have are no part of the message."""
    match event:
        case ev.Dealt():
            return pb.DouDizhuEvent(dealt=_dealt_to(event))
        case ev.Asked():
            return pb.DouDizhuEvent(asked=_asked_to(event))
        case ev.BidMade() | ev.Called() | ev.Robbed():
            return _word_to(event)
        case ev.LandlordChosen():
            chosen = pb.DouDizhuLandlordChosen(seat=event.seat, bid=event.bid, bottom=event.bottom)
            return pb.DouDizhuEvent(landlord_chosen=chosen)
        case ev.DoubleChosen():
            choice = pb.DouDizhuDoubleChosen(
                seat=event.seat, double_stake=event.double, auto=event.auto
            )
            return pb.DouDizhuEvent(double_chosen=choice)
        case ev.Doubled():
            doubled = pb.DouDizhuDoubled(doubled=flags_to(event.doubled))
            return pb.DouDizhuEvent(doubled=doubled)
        case ev.CardsShown():
            shown = pb.DouDizhuCardsShown(seat=event.seat, cards=event.cards)
            return pb.DouDizhuEvent(cards_shown=shown)
        case ev.Played():
            return pb.DouDizhuEvent(played=_played_to(event))
        case ev.Passed():
            return pb.DouDizhuEvent(passed=pb.DouDizhuPassed(seat=event.seat, auto=event.auto))
        case ev.OfferMade() | ev.OfferRefused():
            return _offer_to(event)
        case ev.AutoplayChanged():
            return pb.DouDizhuEvent(autoplay_changed=_autoplay_to(event))
        case ev.PresenceChanged():
            presence = pb.DouDizhuPresenceChanged(seat=event.seat, online=event.online)
            return pb.DouDizhuEvent(presence_changed=presence)
        case ev.SeatLeft():
            return pb.DouDizhuEvent(seat_left=pb.DouDizhuSeatLeft(seat=event.seat))
        case ev.ClocksMoved():
            moved = pb.DouDizhuClocksMoved(lost=duration(event.lost_ms))
            return pb.DouDizhuEvent(clocks_moved=moved)
        case ev.Ended():
            ended = pb.DouDizhuEnded(ending=ending_to(event.ending), hands=hands_to(event.hands))
            return pb.DouDizhuEvent(ended=ended)
        case _:
            assert_never(event)


def event_from(message: pb.DouDizhuEvent) -> Event:
    """The observed event; raises `Malformed` where none is set."""
    match message.WhichOneof("event"):
        case "dealt":
            return _dealt_from(message.dealt)
        case "asked":
            return _asked_from(message.asked)
        case "bid_made" | "called" | "robbed":
            return _word_from(message)
        case "landlord_chosen":
            return ev.LandlordChosen(
                seat=seat(message.landlord_chosen.seat, "landlord_chosen.seat"),
                bid=message.landlord_chosen.bid,
                bottom=tuple(message.landlord_chosen.bottom),
            )
        case "double_chosen":
            return ev.DoubleChosen(
                seat=seat(message.double_chosen.seat, "double_chosen.seat"),
                double=message.double_chosen.double_stake,
                auto=message.double_chosen.auto,
            )
        case "doubled":
            return ev.Doubled(doubled=flags_from(message.doubled.doubled, "doubled"))
        case "cards_shown":
            return ev.CardsShown(
                seat=seat(message.cards_shown.seat, "cards_shown.seat"),
                cards=tuple(message.cards_shown.cards),
            )
        case "played":
            return _played_from(message.played)
        case "passed":
            return ev.Passed(
                seat=seat(message.passed.seat, "passed.seat"), auto=message.passed.auto
            )
        case "offer_made" | "offer_refused":
            return _offer_from(message)
        case "autoplay_changed":
            return _autoplay_from(message.autoplay_changed)
        case "presence_changed":
            return ev.PresenceChanged(
                seat=seat(message.presence_changed.seat, "presence_changed.seat"),
                online=message.presence_changed.online,
            )
        case "seat_left":
            return ev.SeatLeft(seat=seat(message.seat_left.seat, "seat_left.seat"))
        case "clocks_moved":
            lost_ms = milliseconds(message.clocks_moved.lost, "clocks_moved.lost")
            return ev.ClocksMoved(lost_ms=lost_ms)
        case "ended":
            return ev.Ended(
                ending=ending_from(message.ended.ending),
                hands=hands_from(message.ended.hands, "ended.hands"),
            )
        case None:
            raise Malformed("event", "one must be set")


def _dealt_to(event: ev.Dealt) -> pb.DouDizhuDealt:
    return pb.DouDizhuDealt(
        deal=event.deal, first=event.first, counts=event.counts, hands=hands_to(event.hands)
    )


def _dealt_from(message: pb.DouDizhuDealt) -> ev.Dealt:
    return ev.Dealt(
        deal=message.deal,
        first=seat(message.first, "dealt.first"),
        counts=three(message.counts, "dealt.counts"),
        hands=hands_from(message.hands, "dealt.hands"),
    )


def _asked_to(event: ev.Asked) -> pb.DouDizhuAsked:
    return pb.DouDizhuAsked(
        question=QUESTIONS.number(event.question),
        seats=event.seats,
        start_time=timestamp(event.at),
        expire_time=timestamp(event.due),
        decision=event.decision,
    )


def _asked_from(message: pb.DouDizhuAsked) -> ev.Asked:
    return ev.Asked(
        question=QUESTIONS.member(message.question, "asked.question"),
        seats=seats(message.seats, "asked.seats"),
        at=instant(message.start_time),
        due=instant(message.expire_time),
        decision=message.decision,
    )


def _word_to(event: ev.BidMade | ev.Called | ev.Robbed) -> pb.DouDizhuEvent:
    match event:
        case ev.BidMade():
            bid = pb.DouDizhuBidMade(seat=event.seat, bid=event.bid, auto=event.auto)
            return pb.DouDizhuEvent(bid_made=bid)
        case ev.Called():
            called = pb.DouDizhuCalled(seat=event.seat, call=event.call, auto=event.auto)
            return pb.DouDizhuEvent(called=called)
        case ev.Robbed():
            robbed = pb.DouDizhuRobbed(seat=event.seat, rob=event.rob, auto=event.auto)
            return pb.DouDizhuEvent(robbed=robbed)


def _word_from(message: pb.DouDizhuEvent) -> Event:
    if message.HasField("bid_made"):
        bid = message.bid_made
        return ev.BidMade(seat=seat(bid.seat, "bid_made.seat"), bid=bid.bid, auto=bid.auto)
    if message.HasField("called"):
        called = message.called
        return ev.Called(seat=seat(called.seat, "called.seat"), call=called.call, auto=called.auto)
    robbed = message.robbed
    return ev.Robbed(seat=seat(robbed.seat, "robbed.seat"), rob=robbed.rob, auto=robbed.auto)


def _played_to(event: ev.Played) -> pb.DouDizhuPlayed:
    return pb.DouDizhuPlayed(
        seat=event.seat,
        cards=event.cards,
        reading=reading_to(event.reading),
        auto=event.auto,
    )


def _played_from(message: pb.DouDizhuPlayed) -> ev.Played:
    return ev.Played(
        seat=seat(message.seat, "played.seat"),
        cards=tuple(message.cards),
        reading=reading_from(message.reading, "played.reading"),
        auto=message.auto,
    )


def _offer_to(event: ev.OfferMade | ev.OfferRefused) -> pb.DouDizhuEvent:
    if isinstance(event, ev.OfferRefused):
        refused = pb.DouDizhuOfferRefused(seat=event.seat, mate=event.mate, auto=event.auto)
        return pb.DouDizhuEvent(offer_refused=refused)
    made = pb.DouDizhuOfferMade(
        seat=event.seat,
        mate=event.mate,
        expire_time=timestamp(event.due),
        decision=event.decision,
    )
    return pb.DouDizhuEvent(offer_made=made)


def _offer_from(message: pb.DouDizhuEvent) -> Event:
    if message.HasField("offer_refused"):
        refused = message.offer_refused
        return ev.OfferRefused(
            seat=seat(refused.seat, "offer_refused.seat"),
            mate=seat(refused.mate, "offer_refused.mate"),
            auto=refused.auto,
        )
    made = message.offer_made
    return ev.OfferMade(
        seat=seat(made.seat, "offer_made.seat"),
        mate=seat(made.mate, "offer_made.mate"),
        due=instant(made.expire_time),
        decision=made.decision,
    )


def _autoplay_to(event: ev.AutoplayChanged) -> pb.DouDizhuAutoplayChanged:
    return pb.DouDizhuAutoplayChanged(
        seat=event.seat,
        on=event.on,
        cause=CAUSES.number(event.cause),
        change_time=timestamp(event.at),
        expire_time=None if event.due is None else timestamp(event.due),
    )


def _autoplay_from(message: pb.DouDizhuAutoplayChanged) -> ev.AutoplayChanged:
    return ev.AutoplayChanged(
        seat=seat(message.seat, "autoplay_changed.seat"),
        on=message.on,
        cause=CAUSES.member(message.cause, "autoplay_changed.cause"),
        at=instant(message.change_time),
        due=instant(message.expire_time) if message.HasField("expire_time") else None,
    )
