"""What a view of Jinxian Mahjong must be like."""

from collections.abc import Iterable
from itertools import chain

from parlor.engine.advice.checks import malformed
from parlor.engine.advice.jinxian_checks import (
    by_field,
    check_copies,
    check_jing,
    check_kinds,
    check_meld,
    check_size,
)
from parlor.rules.game import Seat
from parlor.rules.jinxian.melds import MeldType, added_kongs, chows
from parlor.rules.jinxian.table import Question
from parlor.rules.jinxian.tiles import COPIES, TILES, in_order
from parlor.rules.jinxian.view import Prompt, View

_ON_TURN = (Question.TURN, Question.DISCARD)


def check_view(view: View) -> None:
    """Refuses a view that no seat could have received, as far as answers depend on it."""
    prompt = view.prompt
    if prompt is None or prompt.question is Question.CONTINUE:
        return
    if view.seat is None:
        raise malformed("view.prompt", "spectators are asked nothing")
    _check_tiles(view, prompt, Seat(view.seat))
    _check_options(view, prompt, Seat(view.seat))


def _check_tiles(view: View, prompt: Prompt, seat: Seat) -> None:
    table = view.table
    if table.jing is None:
        raise malformed("view.table.jing", "must be set while a round runs")
    check_jing(table.jing, "view.table.jing")
    river = [discard.tile for discard in table.river]
    check_kinds(view.hand, "view.hand")
    check_kinds(river, "view.table.river", most=TILES)
    groups: dict[str, Iterable[int]] = {"view.hand": view.hand}
    for owner, melds in enumerate(table.melds):
        path = f"view.table.melds[{owner}].melds"
        for place, meld in enumerate(melds):
            is_hidden = meld.type is MeldType.CONCEALED_KONG and owner != seat and not meld.kinds
            if not is_hidden:
                check_meld(meld, f"{path}[{place}]", view.config.scoring)
        groups |= by_field(melds, path)
    lying = (discard.tile for discard in table.river if not discard.claimed)
    check_copies({**groups, "view.table.river": lying})
    has_drawn = check_size(view.hand, table.melds[seat], "view.hand", or_with_drawn=True)
    if has_drawn != (prompt.question in _ON_TURN):
        raise malformed("view.hand", "has one tile more on the own turn, and only then")


def _check_options(view: View, prompt: Prompt, seat: Seat) -> None:
    options, field = prompt.options, "view.prompt.options"
    check_kinds(options.kongs, f"{field}.kongs")
    check_kinds(chain.from_iterable(options.chows), f"{field}.chows", most=COPIES * 2)
    if prompt.question is Question.CLAIM:
        _check_claims(view, prompt)
        return
    if options.pong or options.chows:
        raise malformed(field, "on the own turn nothing is claimed")
    kongs = {*added_kongs(view.hand, view.table.melds[seat])}
    kongs |= {kind for kind in view.hand if view.hand.count(kind) == COPIES}
    if not kongs.issuperset(options.kongs):
        raise malformed(f"{field}.kongs", "must be kongs of the hand")


def _check_claims(view: View, prompt: Prompt) -> None:
    options, field, hand = prompt.options, "view.prompt.options", view.hand
    claims_discard = options.kongs or options.pong or options.chows
    if not claims_discard:
        return
    if not view.table.river:
        raise malformed("view.table.river", "must end with the tile that is offered")
    tile = view.table.river[-1].tile
    if any(kind != tile or hand.count(kind) < 3 for kind in options.kongs):
        raise malformed(f"{field}.kongs", "must be the tile that is offered, thrice in the hand")
    if options.pong and hand.count(tile) < 2:
        raise malformed(f"{field}.pong", "needs the tile that is offered twice in the hand")
    possible = chows(hand, tile, honour_chow=view.config.scoring.honour_chow)
    if any(in_order(pair) not in possible for pair in options.chows):
        raise malformed(f"{field}.chows", "must be tiles of the hand that make chows")
