"""Which play serves a seat best: what is left of its hand, who gets the lead, who may go out.

Everything is a cost, counted in leads: 1 is a weak play, for which the lead has to be won first. A hand
costs what its cheapest split does; the play on the table adds what it risks. The weights were chosen
by playing against a simpler policy; none of them matters by much.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from parlor.rules.doudizhu.candidates import Candidate, candidates, chosen_wings, less, part_of
from parlor.rules.doudizhu.cards import ACE, RANKS, Counts, rank_counts, seat_after
from parlor.rules.doudizhu.combos import Reading, combo_rules
from parlor.rules.doudizhu.decomposition import IMPOSSIBLE, ROCKET, Part, Split, Splitter
from parlor.rules.doudizhu.opposition import Opposition
from parlor.rules.doudizhu.unseen import holdings
from parlor.rules.doudizhu.view import View
from parlor.rules.game import Seat

_BOMB: Final = -1.0
_ROCKET: Final = -1.3
"""A bomb takes a lead whenever it is wanted, so it pays for a weak play."""
_FOUR_WITH_WINGS: Final = 1.2
"""What it sheds is rarely worth a bomb."""

_FOLLOWS: Final = 0.4
"""A middling card often goes on somebody's lower one."""
_STANDS: Final = 0.8
"""A play that stands keeps the lead, so that it costs little."""
_CONTROLS: Final = 0.9
"""A high single or pair not only stands but takes the lead from others."""

_TEMPO: Final = (0.0, 6.0, 4.0, 2.0, 1.4, 1.0, 0.8)
"""What it costs to leave the lead to an opponent with so many cards; with more, the next line."""
_TEMPO_EARLY: Final = 0.7
_LEAD: Final = 0.5
"""So much less it costs a leader, who must give the lead away sooner or later."""
_LOST: Final = 8.0
"""What it costs that the game is lost."""
_CLOSING: Final = 1.5
"""What a likely lead is worth to a hand that then goes out."""
_LENGTH: Final = 0.03
"""Among equals a lead sheds many cards."""

_OVER_MATE: Final = 0.7
"""What it costs at least to beat a mate."""
_STRONG: Final = 0.6
"""A mate's play that stands more likely is left alone."""
_LONG: Final = 5
"""So is one of so many cards."""
_MATE_FEW: Final = 3
"""A mate with so few cards is left alone."""
_FEED_ACROSS: Final = 0.4
_FEED: Final = 4.0
"""What it is worth that a mate goes out, who might have done so later."""

_LONG_HAND: Final = 10
_NEAR: Final = 4
"""The opponent's cards from which on down any lead may be the right one."""

_ABOUT_TO_GO_OUT: Final = 2
_FAR_FROM_OUT: Final = 6
"""Cards of an opponent and of the own side between which a game is lost without a way to stop it."""
_EVEN: Final = 0.5

_LOST_FROM: Final = 1.5
"""A split below this has one play at most that can be beaten: each costs 1, and wings a little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A play that is complete."""

    candidate: Candidate
    wings: tuple[int, ...]
    split: Split
    """What is left."""
    rest: Counts


class Judge:
    """How one seat sees its chances at one moment."""

    def __init__(self, seen: View, seat: Seat) -> None:
        self._seat = seat
        self._rules = combo_rules(seen.config)
        self._counts = rank_counts(seen.hands[seat])
        self._table = seen.table
        others = holdings(seen, seat, self._rules)
        landlord = seen.table.landlord
        is_peasant = landlord is not None and landlord != seat
        against = {other for other in others if not is_peasant or other == landlord}
        self._enemies = Opposition([others[other] for other in against])
        self._mates = {other: others[other] for other in others if other not in against}
        self._splitter = Splitter(self._rules, self._price)
        self._certain = Splitter(self._rules, self._beatable)

    @cached_property
    def hand_cost(self) -> float:
        """What the whole hand costs."""
        return self._splitter.cost(self._counts)

    def best(self) -> Choice | None:
        """The play that serves best; None where that is to pass."""
        led = self._table.trick.reading if self._table.trick else None
        choices = [
            choice
            for candidate in self._worth_a_look(led)
            if (choice := self._complete(candidate)) is not None
        ]
        certain = self._winning(choices)
        if certain:
            return max(certain, key=lambda choice: choice.candidate.part.size)
        if not choices:
            return None
        best = min(choices, key=self._value)
        if led is not None and self._passing() <= self._value(best):
            return None
        return best

    def is_hopeless(self) -> bool:
        """Whether an opponent is about to go out and this side has neither a way to stop it nor to
        go out first.
        """
        own = min([sum(self._counts), *(holding.size for holding in self._mates.values())])
        far = own >= _FAR_FROM_OUT and self._enemies.fewest <= _ABOUT_TO_GO_OUT
        return far and not any(map(self._stops, self._held()))

    def _held(self) -> list[Part]:
        """Every play in hand, wings aside."""
        return [candidate.part for candidate in candidates(self._counts, self._rules, None)]

    def _stops(self, part: Part) -> bool:
        """Whether the part takes the lead from who leads some of his last cards."""
        return part.body.group == 4 or (
            part.size <= self._enemies.fewest and self._enemies.stands(part) >= _EVEN
        )

    def _worth_a_look(self, led: Reading | None) -> list[Candidate]:
        """The plays to compare; of a long hand's leads only those of its cheapest split.

        Any other lead would leave a dearer hand, which only pays when somebody is about to go out.
        """
        found = list(candidates(self._counts, self._rules, led))
        if led is None and sum(self._counts) > _LONG_HAND and self._enemies.fewest > _NEAR:
            parts = self._splitter.split(self._counts).parts
            return [candidate for candidate in found if candidate.part in parts]
        return found

    def _complete(self, candidate: Candidate) -> Choice | None:
        """The candidate with the wings that its rest misses least; None without fitting ones."""
        split = self._splitter.split(candidate.rest, candidate.part)
        if split.cost >= IMPOSSIBLE:
            return None
        wings = chosen_wings(candidate.part, split.wings, self._rules)
        if wings is None:
            return None
        rest = less(candidate.rest, wings)
        return Choice(candidate=candidate, wings=wings, split=split, rest=rest)

    def _winning(self, choices: list[Choice]) -> list[Choice]:
        """The plays after which nobody can keep the seat from going out.

        Of the plays that follow at most one can be beaten, and that one is kept for the last. No
        rest is better in this than the whole hand, which is looked at first.
        """
        safe = [choice for choice in choices if not self._certain.price(choice.candidate.part)]
        if not safe or self._certain.cost(self._counts) >= _LOST_FROM:
            return []
        return [choice for choice in safe if self._certain.cost(choice.rest) < _LOST_FROM]

    def _value(self, choice: Choice) -> float:
        """The cost of having made this play."""
        part, trick = choice.candidate.part, self._table.trick
        stands = self._enemies.stands(part)
        lost = self._tempo - _LEAD * (trick is None)
        cost = choice.split.cost + lost * (1 - stands) + _LOST * self._enemies.may_go_out_on(part)
        if choice.split.cost < _LOST_FROM:
            cost -= _CLOSING * stands
        if trick is None:
            return cost - _LENGTH * part.size - self._feeds(part)
        if trick.seat in self._mates:
            cost += self._disturbs(part_of(trick.reading))
        return cost

    def _passing(self) -> float:
        """The cost of a pass."""
        trick = self._table.trick
        assert trick is not None, "who leads does not pass"
        if trick.seat not in self._mates:
            return self.hand_cost + self._tempo
        part = part_of(trick.reading)
        if self._settled:
            return self.hand_cost
        return (
            self.hand_cost
            + self._tempo * (1 - self._enemies.stands(part))
            + _LOST * self._enemies.may_go_out_on(part)
        )

    @property
    def _settled(self) -> bool:
        """Whether the opponent has passed on the mate's play, which only this seat could still beat."""
        return self._table.passes > 0

    def _disturbs(self, part: Part) -> float:
        """What it costs to beat a mate's play: too much unless it is weak and the mate has time."""
        few = any(holding.size <= _MATE_FEW for holding in self._mates.values())
        strong = (
            part.size >= _LONG or self._enemies.stands(part) > _STRONG or part.body.value >= ACE
        )
        if self._settled or strong or few:
            return _OVER_MATE + _LOST
        return _OVER_MATE

    def _feeds(self, part: Part) -> float:
        """What a lead is worth that the mate may go out on."""
        for mate, holding in self._mates.items():
            if holding.size == part.size:
                likely = holding.odds(part)
                # Else the landlord plays first, and most often higher than the mate can.
                return _FEED * likely * (1.0 if mate == seat_after(self._seat) else _FEED_ACROSS)
        return 0.0

    @cached_property
    def _tempo(self) -> float:
        """What it costs to leave the lead to an opponent."""
        cards = self._enemies.fewest
        return _TEMPO[cards] if cards < len(_TEMPO) else _TEMPO_EARLY

    def _beatable(self, part: Part) -> float:
        """1 where some opponent may be able to beat the part, else 0."""
        return float(self._enemies.may_beat(part))

    def _price(self, part: Part) -> float:
        """The price of a part still in hand, by what it may do later."""
        body = part.body
        if body.group == 4:
            return _FOUR_WITH_WINGS if part.wing else _ROCKET if body == ROCKET else _BOMB
        stands = self._enemies.stands(part)
        price = 1.0 - _STANDS * stands
        if body.length == 1:
            price -= _FOLLOWS * (1 - stands) * (body.value - RANKS.start) / len(RANKS)
        if body.value >= ACE and body.group <= 2 and body.length == 1:
            price -= _CONTROLS * stands
        return price
