"""Giving up alone or by consent (RULES.md 5.4, 6.3 and 8.2)."""

import pytest

from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.actions import Consent, SetAutoplay, Surrender
from parlor.rules.doudizhu.config import RuleSet
from parlor.rules.doudizhu.events import OfferMade, OfferRefused
from parlor.rules.doudizhu.table import EndReason, Phase, Spring
from parlor.rules.game import Seat
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import Game, deal

PACK = deal("3456789", "3456789", "3456789", bottom="222")


def playing(config: Config | None = None) -> Game:
    """Seat 0 is landlord with bid 3 and has played once; seat 1 is on turn."""
    game = Game(config or Config(), first=0, deal_1=PACK)
    game.bid(0, 3)
    game.play(0, "3")
    return game


def refusal_of_consent(game: Game, seat: int) -> Reason:
    return game.refusal(seat, Consent(decision=game.state.places[seat].consent, consent=True))


def answer(game: Game, seat: int, agrees: bool) -> None:
    game.act(seat, Consent(decision=game.state.places[seat].consent, consent=agrees))


def test_the_landlord_surrenders_alone_even_out_of_turn() -> None:
    """RULES.md 6.3.2 and 6.4.2."""
    game = playing()
    game.act(0, Surrender())
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.spring) == (EndReason.SURRENDER, Spring.ANTI_SPRING)
    assert ending.scores == (-12, 6, 6)


def test_peasants_surrender_by_consent() -> None:
    """RULES.md 6.3.2."""
    game = playing()
    game.act(1, Surrender())
    assert game.state.table.phase is Phase.PLAYING
    answer(game, 2, agrees=True)
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.seat, ending.winners) == (EndReason.SURRENDER, 1, (0,))


def test_a_refused_offer_is_the_only_one() -> None:
    """RULES.md 6.3.2."""
    game = playing()
    game.act(1, Surrender())
    answer(game, 2, agrees=False)
    assert game.state.table.phase is Phase.PLAYING
    for peasant in (1, 2):
        assert game.refusal(peasant, Surrender()) is Reason.ALREADY_CHOSEN
    assert refusal_of_consent(game, 2) is Reason.NO_OFFER


def test_only_the_other_peasant_answers() -> None:
    """RULES.md 6.3.2."""
    game = playing()
    assert refusal_of_consent(game, 2) is Reason.NO_OFFER
    game.act(1, Surrender())
    for seat in (0, 1):
        assert refusal_of_consent(game, seat) is Reason.NO_OFFER


def test_a_consent_to_nothing_is_told_so_whatever_decision_it_names() -> None:
    """RULES.md 6.3.2."""
    game = playing()
    turn = Consent(decision=game.number(1), consent=True)
    assert game.refusal(1, turn) is Reason.NO_OFFER
    game.act(2, Surrender())
    assert game.refusal(1, turn) is Reason.DECISION_OVER
    offer = Consent(decision=game.state.places[1].consent, consent=True)
    game.clock("consent")
    assert game.refusal(1, offer) is Reason.NO_OFFER
    assert game.refusal(1, turn) is Reason.NO_OFFER


def test_silence_refuses() -> None:
    """RULES.md 6.3.2 and 7.1."""
    game = playing()
    game.act(1, Surrender())
    offered = game.at
    (refused,) = game.clock("consent")
    assert refused == OfferRefused(seat=Seat(1), mate=Seat(2), auto=True)
    assert game.at == offered + 15_000


def test_an_offer_to_a_seat_on_autoplay_or_offline_is_refused_at_once() -> None:
    """RULES.md 6.3.2."""
    away, offline = playing(), playing()
    away.act(2, SetAutoplay(on=True))
    offline.presence(2, False)
    for game in (away, offline):
        made, refused = game.act(1, Surrender())
        assert isinstance(made, OfferMade)
        assert isinstance(refused, OfferRefused)


def test_an_open_offer_is_refused_when_the_other_peasant_drops_out() -> None:
    """RULES.md 6.3.2."""
    game = playing()
    game.act(1, Surrender())
    game.presence(2, False)
    assert game.state.offer is None


def test_the_landlord_and_spectators_never_learn_of_an_offer() -> None:
    """RULES.md 8.2."""
    game = playing()
    before = [DOUDIZHU.view(game.state, audience) for audience in (Seat(0), None)]
    events = game.act(2, Surrender()) + game.act(
        1, Consent(decision=game.state.places[1].consent, consent=False)
    )
    for audience, view in zip((Seat(0), None), before, strict=True):
        assert [DOUDIZHU.observe(event, audience) for event in events] == [None, None]
        assert DOUDIZHU.view(game.state, audience) == view
    assert DOUDIZHU.view(game.state, Seat(1)).offered


def test_an_offer_leaves_autoplay_as_it_was() -> None:
    """RULES.md 8.2: its end would show the landlord that the seat did something."""
    game = playing()
    game.act(2, SetAutoplay(on=True))
    game.act(2, Surrender())
    assert game.state.table.autoplay == (False, False, True)


def test_a_seat_may_face_an_offer_and_its_turn_at_the_same_time() -> None:
    game = playing()
    turn = game.number(1)
    game.act(2, Surrender())
    view = DOUDIZHU.view(game.state, Seat(1))
    assert view.prompt is not None
    assert view.offer is not None
    assert (view.prompt.decision, view.offer.decision) == (turn, turn + 1)
    game.pass_turn(1)
    assert DOUDIZHU.view(game.state, Seat(1)).offer == view.offer
    answer(game, 1, agrees=True)
    assert game.state.table.phase is Phase.OVER


def test_an_offer_raises_no_number_that_the_landlord_sees() -> None:
    """RULES.md 8.4."""
    plain, offered = playing(), playing()
    offered.act(2, Surrender())
    for game in (plain, offered):
        game.pass_turn(1)
        game.pass_turn(2)
    assert plain.number(0) == offered.number(0)


def test_anybody_surrenders_alone_in_classic() -> None:
    """RULES.md 5.4 and 5.5."""
    game = Game(Config(rule_set=RuleSet.CLASSIC, base_score=5), first=0)
    game.act(2, Surrender())
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.scores, ending.winners) == ((5, 5, -10), (0, 1))


@pytest.mark.parametrize("rule_set", RuleSet)
def test_nobody_surrenders_where_the_option_is_off(rule_set: RuleSet) -> None:
    """RULES.md 5.4 and 6.3.2."""
    game = Game(Config(rule_set=rule_set, surrender=False), first=0)
    assert game.refusal(0, Surrender()) is Reason.DISABLED


def test_nobody_surrenders_while_bidding() -> None:
    assert Game().refusal(0, Surrender()) is Reason.WRONG_PHASE
