"""Jinxian Mahjong for the laws, in the standard and the fast mode."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from parlor.rules.game import AnyGame, Audience, Seat
from parlor.rules.jinxian import JINXIAN, Config, ScoringOptions, State
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
from parlor.rules.jinxian.claims import claimants, pending
from parlor.rules.jinxian.config import DealerOnDraw, PassedWinLock
from parlor.rules.jinxian.events import Dealt, Drawn, Event, Melded, Options, RoundEnded
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.options import (
    Bawang,
    JingSettlement,
    JingVariant,
    JingZones,
    RobKongPays,
)
from parlor.rules.jinxian.state import ALL_SEATS, Place
from parlor.rules.jinxian.table import Phase, Table
from parlor.rules.jinxian.tiles import COPIES, KINDS, in_order
from parlor.rules.jinxian.wall import next_place, replacement_place, undrawn
from parlor.wire.game import WireGame
from parlor.wire.jinxian import JINXIAN as JINXIAN_WIRE


class JinxianAdapter:
    """One mode."""

    game: AnyGame = JINXIAN
    wire: WireGame = JINXIAN_WIRE
    zero_sum = True

    def __init__(self, *, fast: bool) -> None:
        self.name = f"jinxian-{'fast' if fast else 'standard'}"
        self._fast = fast

    def configs(self) -> st.SearchStrategy[Config]:
        """Few rounds, so that a game has some hundred steps."""
        return st.builds(
            Config,
            total_rounds=st.sampled_from((1, 1, 2)),
            fast=st.just(self._fast),
            scoring=_scoring(),
            passed_win_lock=st.sampled_from(PassedWinLock),
            dealer_on_draw=st.sampled_from(DealerOnDraw),
            concealed_kong_hidden=st.booleans(),
            auto_win=st.booleans(),
            turn_ms=st.sampled_from((3_000, 30_000)),
            fast_turn_ms=st.sampled_from((3_000, 15_000)),
            show_ms=st.sampled_from((0, 3_000)),
            offline_ms=st.sampled_from((5_000, 60_000)),
            abandoned_ms=st.sampled_from((60_000, 600_000)),
        )

    def weigh(self, action: Action) -> float:
        """Claims and kongs are rare and lead to the most."""
        match action:
            case Win():
                return 6
            case Kong() | Pong():
                return 20
            case Chow():
                return 3
            case StopAutoplay():
                return 0.1
            case _:
                return 1

    def conserved(self, state: State) -> bool:
        """Each of the 136 tiles is in a hand, a meld, the river or the wall, once."""
        table = state.table
        if tuple(map(len, state.hands)) != table.counts:
            return False
        tiles = Counter(undrawn(state.wall, table.remaining, table.replaced))
        for seat in ALL_SEATS:
            tiles.update(state.hands[seat])
            for meld in table.melds[seat]:
                tiles.update(meld.kinds)
        tiles.update(discard.tile for discard in table.river if not discard.claimed)
        tiles.update(_won_from_another(table))
        return tiles == Counter(dict.fromkeys(range(KINDS), COPIES))

    def redeal(self, state: State, audience: Audience, rng: Random) -> State:
        """Shuffles the hands that the audience does not see with the undrawn tiles, and changes
        what the others have answered, may answer, and are locked by."""
        table = state.table
        if table.shown is not None or table.phase is Phase.GAME_END:
            return state
        places = _hidden_places(state, audience)
        hidden = [seat for seat in ALL_SEATS if seat != audience]
        pool = [*(state.wall[place] for place in places)]
        pool += [kind for seat in hidden for kind in state.hands[seat]]
        if table.adding is not None and table.active != audience:
            pool.remove(table.adding)
        rng.shuffle(pool)
        wall = bytearray(state.wall)
        for place in places:
            wall[place] = pool.pop()
        hands = list(state.hands)
        for seat in hidden:
            shown = [table.adding] if table.adding is not None and seat == table.active else []
            size = len(hands[seat]) - len(shown)
            hands[seat] = in_order([*shown, *(pool.pop() for _ in range(size))])
        drawn = state.drawn
        if drawn is not None and table.active != audience:
            drawn = rng.choice(hands[table.active])
        state = replace(
            state,
            hands=(hands[0], hands[1], hands[2], hands[3]),
            wall=bytes(wall),
            drawn=drawn,
        )
        return _asked_otherwise(state, audience, rng)

    def discloses(self, events: Sequence[Event]) -> bool:
        """Draws, melds and what ends a round depend on hidden tiles; that a window opens is
        public and whom it asks is not."""
        return any(isinstance(event, Dealt | Drawn | Melded | RoundEnded) for event in events)

    def unseen(self, state: State, audience: Audience) -> Iterator[tuple[Seat, Action, bool]]:
        """Passes that leave a window open, and claims that others could still beat."""
        waiting = pending(state) if state.table.phase is Phase.RESPONDING else ()
        for seat in waiting:
            if seat == audience or state.table.left[seat]:
                continue
            for action in JINXIAN.legal_actions(state, seat):
                if isinstance(action, StopAutoplay):
                    continue
                after = JINXIAN.apply(state, seat, action, state.began).state
                if after.table.deadline == state.table.deadline:
                    yield seat, action, False

    def mutated(self, state: State, seat: Seat, rng: Random) -> Iterator[Action]:
        place = state.places[seat]
        stranger = rng.randrange(-2, KINDS + 2)
        hand = state.hands[seat]
        for number in (place.decision, place.decision + 1, place.decision - 1):
            for tile in (stranger, rng.choice(hand)):
                yield Discard(decision=number, tile=tile)
                yield Kong(decision=number, tile=tile)
                yield Chow(decision=number, tiles=in_order((tile, rng.choice(hand))))  # type: ignore[arg-type]
            yield Win(decision=number)
            yield Pong(decision=number)
            yield Pass(decision=number)
            yield Continue(decision=number)
        yield StopAutoplay()

    def is_among(self, action: Action, listed: Sequence[Action], state: State, seat: Seat) -> bool:
        """Whether it is listed as it is: tiles are named by kind, so nothing stands for others."""
        return action in listed


def _scoring() -> st.SearchStrategy[ScoringOptions]:
    settlements = st.sampled_from(
        (
            (JingSettlement.WINNER_ONLY, JingVariant.SINGLE),
            (JingSettlement.ALL_PLAYERS, JingVariant.SINGLE),
            (JingSettlement.ALL_PLAYERS, JingVariant.SHANG_XIA),
        )
    )
    options = st.builds(
        ScoringOptions,
        honour_chow=st.booleans(),
        jing_zones=st.sampled_from(JingZones),
        qidui_no_jing_base=st.sampled_from((64, 16)),
        bawang=st.sampled_from(Bawang),
        rob_kong_pays=st.sampled_from(RobKongPays),
        bystanders_pay=st.booleans(),
        any_tile_wait_discard_win=st.booleans(),
        plain_jing_discard_win=st.booleans(),
        kong_score=st.booleans(),
        chaozhuang=st.booleans(),
    )
    return st.builds(
        lambda scoring, pair: replace(scoring, jing_settlement=pair[0], jing_variant=pair[1]),
        options,
        settlements,
    )


def _won_from_another(table: Table) -> tuple[int, ...]:
    """The tile of the round's win, which lies in no hand unless the winner drew it."""
    if table.shown is None or not table.history:
        return ()
    last = table.history[-1]
    return () if last.win is None or last.by is WinBy.SELF_DRAW else (last.win.tile,)


def _hidden_places(state: State, audience: Audience) -> list[int]:
    """The undrawn places of the wall, without the turned tile, which lies open."""
    table = state.table
    taken = {replacement_place(drawn) for drawn in range(table.replaced)}
    turned = {table.turned, table.turned + 1 if table.lower_jing is not None else table.turned}
    head = next_place(table.remaining, table.replaced)
    return [p for p in range(head, len(state.wall)) if p not in taken and p not in turned]


def _asked_otherwise(state: State, audience: Audience, rng: Random) -> State:
    """What the others are asked, as their new tiles would have it; their counts differ too."""
    options: dict[Seat, Options] = {}
    if state.table.phase is Phase.RESPONDING:
        options = claimants(state)
    elif state.table.active != audience:
        options = {state.table.active: Options()}
    places: list[Place] = list(state.places)
    for seat in ALL_SEATS:
        if seat != audience:
            places[seat] = replace(
                places[seat],
                decision=places[seat].decision + rng.randrange(3),
                options=options.get(seat),
                answer=None,
                passed=rng.choice((0, 13)),
                woke=False,
            )
    return replace(state, places=(places[0], places[1], places[2], places[3]))


ADAPTERS = (JinxianAdapter(fast=False), JinxianAdapter(fast=True))
