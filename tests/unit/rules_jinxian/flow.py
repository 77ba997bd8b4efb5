"""Rounds set up in notation, and a table at which they are played."""

from collections.abc import Mapping
from typing import Any

import pytest

from parlor.rules.chance import Chance, ScriptedChance
from parlor.rules.game import Audience, IllegalAction, Seat, Transition
from parlor.rules.jinxian import JINXIAN, Config, ScoringOptions, State, View
from parlor.rules.jinxian.actions import (
    Action,
    Chow,
    Continue,
    Discard,
    Kong,
    Pass,
    Pong,
    StopAutoplay,
    Win,
)
from parlor.rules.jinxian.events import Event
from parlor.rules.jinxian.table import Table
from parlor.rules.jinxian.tiles import (
    COPIES,
    HONOURS,
    TILES,
    in_order,
    kind,
    kinds,
    name,
    next_kind,
    text,
)
from parlor.rules.jinxian.wall import DEALT, dealing_start, dealt_places, replacement_place
from parlor.rules.reasons import Reason

BEGAN = 1_700_000_000_000
DICE = (1, 2)
JING_DICE = (6, 6)
TURNED = 112
"""Place of the turned tile under these dice: far from what a short round draws."""

IDLE = ""
"""A hand that is far from a win and can claim no tile of a suit, made of what the others leave."""
WAITS_8S = "123456m123p2267s"
"""Complete with 8s or 5s."""
HAS_79S = "147m258p1479s116z"
HAS_88S = "369m147p2588s113z"
HAS_888S = "147m258p3888s224z"


def wall(
    hands: Mapping[int, str], *, dealer: int = 0, drawn: str, draws: str, tail: str, jing: str
) -> list[int]:
    """136 kinds in draw order; whatever is not prescribed is anything that is left."""
    order: list[int | None] = [None] * TILES
    hands = _with_idle_hands(hands, kinds(drawn + draws + tail + jing), kind(jing))
    for seat, places in enumerate(dealt_places(Seat(dealer))):
        held = kinds(hands[seat])
        assert len(held) == 13, f"seat {seat} has {len(held)} tiles"
        for place, tile in zip(places, held, strict=False):
            order[place] = tile
    order[DEALT - 1] = kind(drawn)
    for place, tile in enumerate(kinds(draws), DEALT):
        order[place] = tile
    for number, tile in enumerate(kinds(tail)):
        order[replacement_place(number)] = tile
    order[TURNED] = kind(jing)
    # From the end: the suits first, then honours, and the dragon that is often the jing last.
    left = [tile for tile in (*reversed(HONOURS), *reversed(range(27))) for _ in range(COPIES)]
    for prescribed in order:
        if prescribed is not None:
            assert prescribed in left, f"a fifth {name(prescribed)}"
            left.remove(prescribed)
    return [left.pop() if tile is None else tile for tile in order]


def _with_idle_hands(
    hands: Mapping[int, str], others: tuple[int, ...], turned: int
) -> Mapping[int, str]:
    """The hands with every idle one filled."""
    left = [COPIES] * 34
    for tile in (*others, *kinds("".join(hands.values()))):
        left[tile] -= 1
    left[turned] = left[next_kind(turned)] = 0
    return {seat: held or _idle(left) for seat, held in hands.items()}


def _idle(left: list[int]) -> str:
    """Ranks of each suit that are three apart, and two pairs of honours; takes them from `left`."""
    held: list[int] = []
    for suit in range(3):
        classes = [range(9 * suit + first, 9 * suit + 9, 3) for first in range(3)]
        held += max(classes, key=lambda ranks: min(left[rank] for rank in ranks))
    for honour in sorted(range(27, 33), key=lambda honour: -left[honour])[:2]:
        held += (honour, honour)
    for tile in held:
        left[tile] -= 1
    assert min(left) >= 0, "too little is left for an idle hand"
    return text(held)


def shuffle(order: list[int], dealer: int) -> list[int]:
    """The shuffle that gives this draw order under `DICE`."""
    copies: dict[int, int] = {}
    tiles = []
    for tile in order:
        copies[tile] = copies.get(tile, -1) + 1
        tiles.append(tile * COPIES + copies[tile])
    start = 2 * dealing_start(Seat(dealer), DICE)
    return tiles[TILES - start :] + tiles[: TILES - start]


class Game:
    """A game that is played by the names of things, and checked against its views on the way."""

    def __init__(self, config: Config, chance: Chance) -> None:
        self.at = BEGAN
        self._take(JINXIAN.initial(config, chance, self.at))

    @property
    def table(self) -> Table:
        return self.state.table

    def act(self, seat: int, action: Action) -> list[Event]:
        return self._take(JINXIAN.apply(self.state, Seat(seat), action, self.at))

    def discard(self, seat: int, tile: str) -> list[Event]:
        return self.act(seat, Discard(decision=self.number(seat), tile=kind(tile)))

    def kong(self, seat: int, tile: str) -> list[Event]:
        return self.act(seat, Kong(decision=self.number(seat), tile=kind(tile)))

    def toss(self, *seats: int) -> None:
        """The seats discard what they have drawn, each on its turn."""
        for seat in seats:
            assert self.state.drawn is not None
            self.discard(seat, name(self.state.drawn))

    def win(self, seat: int) -> list[Event]:
        return self.act(seat, Win(decision=self.number(seat)))

    def chow(self, seat: int, tiles: str) -> list[Event]:
        first, second = kinds(tiles)
        return self.act(seat, Chow(decision=self.number(seat), tiles=(first, second)))

    def pong(self, seat: int) -> list[Event]:
        return self.act(seat, Pong(decision=self.number(seat)))

    def pass_claim(self, seat: int) -> list[Event]:
        return self.act(seat, Pass(decision=self.number(seat)))

    def ready(self, seat: int) -> list[Event]:
        return self.act(seat, Continue(decision=self.number(seat)))

    def stop_autoplay(self, seat: int) -> list[Event]:
        return self.act(seat, StopAutoplay())

    def refuses(self, reason: Reason, seat: int, action: Action) -> None:
        with pytest.raises(IllegalAction) as caught:
            JINXIAN.apply(self.state, Seat(seat), action, self.at)
        assert caught.value.reason is reason

    def clock(self) -> str:
        """Lets the earliest clock run out; its kind."""
        clock = JINXIAN.clocks(self.state)[0]
        self.at = clock.due
        self._take(JINXIAN.advance(self.state, self.at))
        return clock.kind

    def dues(self) -> dict[str, int]:
        """The running clocks, by kind, in ms from now."""
        return {clock.kind: clock.due - self.at for clock in JINXIAN.clocks(self.state)}

    def online(self, seat: int, online: bool) -> list[Event]:
        return self._take(JINXIAN.on_presence(self.state, Seat(seat), online, self.at))

    def leave(self, seat: int) -> list[Event]:
        return self._take(JINXIAN.on_leave(self.state, Seat(seat), self.at))

    def outage(self, lost_ms: int) -> list[Event]:
        self.at += lost_ms
        return self._take(JINXIAN.on_outage(self.state, lost_ms, self.at))

    def view(self, audience: int | None) -> View:
        return JINXIAN.view(self.state, None if audience is None else Seat(audience))

    def number(self, seat: int) -> int:
        return self.state.places[seat].decision

    def hand(self, seat: int) -> str:
        return text(self.state.hands[seat])

    def may(self, seat: int) -> set[str]:
        """What the seat may do besides discarding, in words."""
        return {
            word
            for action in JINXIAN.legal_actions(self.state, Seat(seat))
            if (word := _word(action))
        }

    def _take(self, step: Transition[State, Event]) -> list[Event]:
        self.state = step.state
        self.events = list(step.events)
        return self.events


def _word(action: Action) -> str:
    match action:
        case Kong():
            return f"kong {name(action.tile)}"
        case Chow():
            return f"chow {text(action.tiles)}"
        case Discard():
            return ""
        case _:
            return type(action).__name__.lower()


def game(
    *hands: str,
    dealer: int = 0,
    drawn: str = "9m",
    draws: str = "",
    tail: str = "",
    jing: str = "7z",
    scoring: ScoringOptions | None = None,
    **options: Any,
) -> Game:
    """A game whose first round has these hands of thirteen, by seat; idle ones for those left out.

    `drawn` is the dealer's fourteenth tile, `draws` come next, `tail` replaces kongs.
    """
    chance = scripted(*hands, dealer=dealer, drawn=drawn, draws=draws, tail=tail, jing=jing)
    options = {"total_rounds": 2, "show_ms": 0} | options
    return Game(Config(scoring=scoring or ScoringOptions(), **options), chance)


def scripted(
    *hands: str,
    dealer: int = 0,
    drawn: str = "9m",
    draws: str = "",
    tail: str = "",
    jing: str = "7z",
) -> Chance:
    """The chance of such a first round; later rounds are drawn from the seed."""
    held = dict(enumerate(hands)) | dict.fromkeys(range(len(hands), 4), IDLE)
    order = wall(held, dealer=dealer, drawn=drawn, draws=draws, tail=tail, jing=jing)
    draw: dict[tuple[str | int, ...], list[int]] = {("wall", 1): shuffle(order, dealer)}
    for seat in range(4):
        for number in range(2):
            draw["dealer", 0, seat, number] = [6 if seat == dealer else 1]
    for number in range(2):
        draw["deal", 1, number] = [DICE[number]]
        draw["jing", 1, number] = [JING_DICE[number]]
    return ScriptedChance(draw)


def seen(events: list[Event], audience: Audience) -> list[Event]:
    """What the audience observes of the events."""
    found = (JINXIAN.observe(event, audience) for event in events)
    return [event for event in found if event is not None]


def ordered(tiles: str) -> str:
    """The tiles as a hand shows them."""
    return text(in_order(kinds(tiles)))
