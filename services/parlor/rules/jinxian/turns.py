"""Drawing a tile, and what the seat on turn may do (RULES.md 5.2, 5.3)."""

from parlor.rules.game import Seat
from parlor.rules.jinxian.deadlines import ask
from parlor.rules.jinxian.events import Drawn, Options
from parlor.rules.jinxian.melds import added_kongs, concealed_kongs
from parlor.rules.jinxian.settling import draw_round
from parlor.rules.jinxian.state import State, Step, then
from parlor.rules.jinxian.table import Question
from parlor.rules.jinxian.wall import next_place, replacement_place
from parlor.rules.jinxian.wins import self_drawn


def draw(step: Step, seat: Seat, at: int) -> Step:
    """The seat draws and is asked; with nothing left to draw the round is drawn (流局)."""
    table = step.state.table
    if table.drawable == 0:
        return draw_round(step, at)
    tile = step.state.wall[next_place(table.remaining, table.replaced)]
    return ask_turn(then(step, Drawn(seat=seat, tile=tile)), at)


def draw_replacement(step: Step, seat: Seat, at: int) -> Step:
    """The seat draws from the tail after a kong, which needs a drawable tile, and goes on."""
    tile = step.state.wall[replacement_place(step.state.table.replaced)]
    return ask_turn(then(step, Drawn(seat=seat, tile=tile, replacement=True)), at)


def ask_turn(step: Step, at: int, *, pause_ms: int = 0) -> Step:
    """Asks the active seat what it does with the tile that it has drawn."""
    state = step.state
    options = {state.table.active: turn_options(state)}
    return ask(step, Question.TURN, options, at, pause_ms=pause_ms)


def ask_discard(step: Step, at: int) -> Step:
    """Asks the active seat for a discard; after a chow or pong it may do nothing else."""
    return ask(step, Question.DISCARD, {step.state.table.active: Options()}, at)


def turn_options(state: State) -> Options:
    """What the active seat may do besides discarding."""
    seat, win = state.table.active, self_drawn(state)
    return Options(win=win.total if win else 0, kongs=own_kongs(state, seat))


def own_kongs(state: State, seat: Seat) -> tuple[int, ...]:
    """The kinds of which the seat may declare a concealed or added kong, ascending."""
    if state.table.drawable == 0:
        return ()
    hand, melds = state.hands[seat], state.table.melds[seat]
    return tuple(sorted(concealed_kongs(hand) + added_kongs(hand, melds)))
