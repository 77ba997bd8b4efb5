"""The games of Dou Dizhu that are written down."""

from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU, Config, State, legal_plays
from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Consent,
    Double,
    Pass,
    Rob,
    SetAutoplay,
    Show,
    Surrender,
)
from parlor.rules.doudizhu.combos import BOMBS
from parlor.rules.doudizhu.config import Bidding, RuleSet
from parlor.rules.doudizhu.table import Phase
from parlor.rules.game import Seat
from parlor.wire.catalog import WIRE
from tests.golden.transcript import Choose, Scenario
from tests.property.walks import Act, Input, Outage, Presence, Tick

THINKING_MS = 1_200

Line = str
"""Who does what, such as `turn bid 2` or `landlord show`. `turn` is the seat on turn, `next` the one
after the landlord, `last` the one before him; `clock` alone lets the earliest clock run out."""


def follow(*lines: Line) -> Choose:
    """Follows the lines, then plays the game to its end."""
    ahead = iter(lines)

    def choose(state: State) -> tuple[Input, int] | None:
        if state.table.phase is Phase.OVER:
            return None
        line = next(ahead, None)
        return (simple_play(state) if line is None else _input(state, line)), THINKING_MS

    return choose


def simple_play(state: State) -> Act:
    """Leads the most cards that a combination takes, and answers with the least that beats the
    table; only the landlord answers with bombs."""
    assert state.table.deadline is not None
    (seat,) = state.table.deadline.seats
    view = DOUDIZHU.view(state, seat)
    plays = list(legal_plays(view))
    if state.table.trick is None:
        return Act(seat=seat, action=max((play for play, _ in plays), key=lambda p: len(p.cards)))
    for play, reading in plays:
        if reading.shape not in BOMBS or seat == state.table.landlord:
            return Act(seat=seat, action=play)
    return Act(seat=seat, action=Pass(decision=view.decision))


def _input(state: State, line: Line) -> Input:
    who, *words = line.split()
    match [who, *words]:
        case ["clock"]:
            return Tick()
        case ["outage", lost_ms]:
            return Outage(lost_ms=int(lost_ms))
        case [_, "offline" | "online" as word]:
            return Presence(seat=_seat(state, who), online=word == "online")
        case [_, "plays"]:
            return simple_play(state)
    seat = _seat(state, who)
    return Act(seat=seat, action=_action(state, seat, words))


def _seat(state: State, who: str) -> Seat:
    landlord = state.table.landlord
    if who == "turn":
        assert state.table.deadline is not None
        return state.table.deadline.seats[0]
    if who.isdigit():
        return Seat(int(who))
    assert landlord is not None, f"there is no {who} before the landlord is known"
    return Seat((landlord + {"landlord": 0, "next": 1, "last": 2}[who]) % 3)


def _action(state: State, seat: Seat, words: list[str]) -> Action:
    place = state.places[seat]
    match words:
        case ["bid", bid]:
            return Bid(decision=place.decision, bid=int(bid))
        case ["call", word]:
            return Call(decision=place.decision, call=word == "yes")
        case ["rob", word]:
            return Rob(decision=place.decision, rob=word == "yes")
        case ["double", word]:
            return Double(decision=place.decision, double=word == "yes")
        case ["consent", word]:
            return Consent(decision=place.consent, consent=word == "yes")
        case ["autoplay", word]:
            return SetAutoplay(on=word == "on")
        case ["show"]:
            return Show()
        case ["surrender"]:
            return Surrender()
        case ["passes"]:
            return Pass(decision=place.decision)
    raise ValueError(f"no such line: {words}")


def _scenario(name: str, title: str, seed: int, config: Config, *lines: Line) -> Scenario:
    return Scenario(
        name=f"doudizhu-{name}",
        title=title,
        game=DOUDIZHU,
        wire=WIRE["doudizhu"],
        config=config,
        chance=Chance(seed=bytes([seed]) * 32, entropy=b""),
        choose=lambda: follow(*lines),
    )


def scenarios() -> list[Scenario]:
    """All of them."""
    return [
        _scenario(
            "standard",
            "a passed deal, doubling in secret, a shown hand, a refused offer, an outage",
            1,
            Config(doubling=True, show_cards=True),
            "turn bid 0",
            "turn bid 0",
            "turn bid 0",
            "turn bid 1",
            "turn bid 2",
            "turn bid 0",
            "last double yes",
            "landlord show",
            "landlord double yes",
            "next double no",
            "landlord plays",
            "turn plays",
            "last surrender",
            "outage 2500",
            "next consent no",
        ),
        _scenario(
            "call",
            "calls and robs, timeouts, autoplay, and the peasants surrender",
            3,
            Config(bidding=Bidding.CALL),
            "turn call no",
            "turn call yes",
            "turn rob yes",
            "turn rob yes",
            *["turn plays"] * 9,
            "next autoplay on",
            *["clock"] * 8,
            "next autoplay off",
            "turn plays",
            "next surrender",
            "last consent yes",
        ),
        _scenario(
            "classic",
            "each for himself: a lost connection, a timeout, and the first seat out",
            4,
            Config(rule_set=RuleSet.CLASSIC),
            "turn plays",
            "turn offline",
            "clock",
            "turn passes",
            "clock",
            "turn plays",
        ),
    ]
