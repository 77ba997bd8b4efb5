"""Plane Battle for the laws."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from hypothesis import strategies as st

from parlor.rules.game import AnyGame, Audience, IllegalAction, Seat
from parlor.rules.planes import Config, Planes, State
from parlor.rules.planes.actions import Action, Attack, Place, Proposal, Surrender
from parlor.rules.planes.attacks import plane_at, revealed_of, shot_result
from parlor.rules.planes.board import Direction, cell, cell_set, cells
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.events import AttackExecuted, Ended, Event
from parlor.rules.planes.fleets import FLEET_PLANES, FLEETS, Fleet, fleet_of, fleets, nth_fleet
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.table import BOTH, Board, Phase, ShotResult, opponent, with_item
from parlor.wire.game import WireGame
from parlor.wire.planes import PLANES as PLANES_WIRE

_EVERY = 97
"""A walk lists all that is legal at every step; all of 11,968 fleets would be most of its time."""

_REDEALT = 0.15
"""How often another fleet is looked for, which takes a moment."""


class SampledPlanes(Planes):
    """Plane Battle that lists some of the fleets and accepts all."""

    def legal_actions(self, state: State, seat: Seat) -> Iterator[Action]:
        if state.table.phase is not Phase.PLACING or state.table.placed[seat]:
            yield from super().legal_actions(state, seat)
            return
        for number in range(0, FLEETS, _EVERY):
            yield placing_of(nth_fleet(number), state.decisions[seat])
        yield Surrender()


class PlanesAdapter:
    """Both rules of destruction."""

    name = "planes"
    game: AnyGame = SampledPlanes()
    wire: WireGame = PLANES_WIRE
    zero_sum = True

    def configs(self) -> st.SearchStrategy[Config]:
        return st.builds(
            Config,
            destroy_rule=st.sampled_from(DestroyRule),
            head_reveal=st.sampled_from(HeadReveal),
            max_timeouts=st.integers(2, 4),
            turn_ms=st.sampled_from((3_000, 30_000)),
            placing_ms=st.sampled_from((5_000, 120_000)),
            game_ms=st.sampled_from((60_000, 1_800_000)),
            pause_budget_ms=st.sampled_from((0, 5_000, 120_000)),
        )

    def weigh(self, action: Action) -> float:
        """Surrender ends the game, so it is rare."""
        return 0.01 if isinstance(action, Surrender) else 1

    def conserved(self, state: State) -> bool:
        """Every fleet is whole, every shot is counted once, and so is every fallen plane."""
        table = state.table
        if any(table.placed[seat] != bool(state.fleets[seat]) for seat in BOTH):
            return False
        if (table.phase is Phase.BATTLING) != (table.turn is not None):
            return False
        return all(self._adds_up(state, seat) for seat in BOTH)

    def _adds_up(self, state: State, seat: Seat) -> bool:
        board, tally = state.table.boards[seat], state.table.tallies[opponent(seat)]
        fleet, results = state.fleets[seat], [shot.result for shot in board.shots]
        destroyed = results.count(ShotResult.DESTROY)
        hits = destroyed + results.count(ShotResult.HIT)
        return (
            (not fleet or fleet_of(placing_of(fleet, 0).planes) == fleet)
            and board.attacked().bit_count() == len(results) == tally.attacks
            and (tally.hits, tally.destroyed) == (hits, destroyed)
            and len(board.revealed) == destroyed <= FLEET_PLANES
            and 0 <= tally.pause_budget_ms <= state.config.pause_budget_ms
        )

    def redeal(self, state: State, audience: Audience, rng: Random) -> State:
        """Fleets that the audience does not see, replaced by others that answer every shot alike."""
        if state.table.phase is Phase.OVER:
            return state
        for seat in BOTH:
            if seat != audience and state.fleets[seat] and rng.random() < _REDEALT:
                fleet = another_fleet(state, seat, rng)
                state = replace(state, fleets=with_item(state.fleets, seat, fleet))
        return state

    def discloses(self, events: Sequence[Event]) -> bool:
        return any(isinstance(event, AttackExecuted | Ended) for event in events)

    def unseen(self, state: State, audience: Audience) -> Iterator[tuple[Seat, Action, bool]]:
        """Nothing: where a seat places is hidden, that it does is not."""
        return iter(())

    def mutated(self, state: State, seat: Seat, rng: Random) -> Iterator[Action]:
        newest = state.decisions[seat]
        for number in (newest, newest + 1, newest - 1):
            for _ in range(4):
                yield Attack(decision=number, x=rng.randrange(10), y=rng.randrange(10))
            yield Attack(decision=number, x=rng.choice((-1, 10, None)), y=rng.randrange(10))
            for count in (0, 2, 3, 3, 3, 4):
                yield Place(decision=number, planes=tuple(_proposal(rng) for _ in range(count)))
            yield placing_of(rng.choice(_all_fleets()), number)
        yield Surrender(decision=newest + 1)

    def is_among(self, action: Action, listed: Sequence[Action], state: State, seat: Seat) -> bool:
        """A fleet stands for every order of its planes, and those listed for those left out."""
        if isinstance(action, Surrender):
            return Surrender() in listed
        if isinstance(action, Attack):
            return action in listed
        if not any(isinstance(a, Place) and a.decision == action.decision for a in listed):
            return False
        try:
            fleet_of(action.planes)
        except IllegalAction:
            return False
        return True


def another_fleet(state: State, seat: Seat, rng: Random) -> Fleet:
    """A random fleet, in a random order, that gives every answer that the seat's own has given."""
    board = state.table.boards[seat]
    candidates = fleets_meeting(board)
    while True:
        fleet = rng.choice(candidates)
        if answers(state.config, fleet, board) == board:
            return tuple(rng.sample(fleet, FLEET_PLANES))


def fleets_meeting(board: Board) -> list[Fleet]:
    """The fleets that are met by the shots that met a plane, and by no other shot."""
    shots = [(cell(shot.x, shot.y), shot.result is ShotResult.MISS) for shot in board.shots]
    misses = cell_set(place for place, missed in shots if missed)
    hits = cell_set(place for place, missed in shots if not missed)
    return [
        fleet
        for fleet, covered in zip(_all_fleets(), _all_covered(), strict=True)
        if not covered & misses and not hits & ~covered
    ]


def answers(config: Config, fleet: Fleet, asked: Board) -> Board:
    """The board as it would be if `fleet` stood on it and the same cells were shot at in order."""
    board = Board()
    for x, y, _ in asked.shots:
        plane = plane_at(fleet, x, y)
        result = shot_result(config, board, plane, x, y)
        revealed = board.revealed
        if plane is not None and result is ShotResult.DESTROY:
            revealed = tuple(sorted((*revealed, revealed_of(config, plane)), key=lambda r: r[:2]))
        board = Board(
            shots=(*board.shots, asked.shots[len(board.shots)]._replace(result=result)),
            revealed=revealed,
        )
    return board


@cache
def _all_fleets() -> tuple[Fleet, ...]:
    return tuple(fleets())


@cache
def _all_covered() -> tuple[int, ...]:
    return tuple(cells(one) | cells(two) | cells(three) for one, two, three in _all_fleets())


def _proposal(rng: Random) -> Proposal:
    return Proposal(
        x=rng.choice((None, *range(-1, 11))),
        y=rng.randrange(-1, 11),
        direction=rng.choice((None, *Direction, *Direction)),
    )


ADAPTERS = (PlanesAdapter(),)
