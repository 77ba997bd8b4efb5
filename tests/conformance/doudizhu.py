"""The format of `doudizhu-examples.json`: one function per list of the file."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from parlor.rules.chance import Chance, ScriptedChance
from parlor.rules.doudizhu import DOUDIZHU, Config, State
from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Claim,
    Consent,
    Double,
    Pass,
    Play,
    Rob,
    Show,
    Surrender,
)
from parlor.rules.doudizhu.cards import (
    BIG,
    CARDS,
    LETTERS,
    LOWEST,
    VALUES,
    in_display_order,
    rank_counts,
)
from parlor.rules.doudizhu.clocks import CONSENT
from parlor.rules.doudizhu.combos import Reading, Shape, beats, combo_rules
from parlor.rules.doudizhu.config import Bidding, RuleSet, RunTop, Wings
from parlor.rules.doudizhu.events import (
    BidMade,
    Called,
    DoubleChosen,
    Event,
    OfferRefused,
    Passed,
    Played,
    Robbed,
)
from parlor.rules.doudizhu.playing import read
from parlor.rules.doudizhu.plays import plays
from parlor.rules.doudizhu.readings import readings
from parlor.rules.doudizhu.scoring import ending
from parlor.rules.doudizhu.state import with_hand
from parlor.rules.doudizhu.table import Act, EndReason, Spring, Table, Trick
from parlor.rules.game import IllegalAction, Seat, Transition

Example = dict[str, Any]
Case = tuple[str, Callable[[], None]]

_HEADER = {"version", "rules"}
_OPTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "runTop": ("run_top", lambda name: RunTop[name.upper()]),
    "wings": ("wings", lambda name: Wings[name.upper()]),
    "bidding": ("bidding", lambda name: Bidding[name.upper()]),
    "doubling": ("doubling", bool),
    "showCards": ("show_cards", bool),
    "baseScore": ("base_score", int),
    "stakeCap": ("stake_cap", int),
    "maxPassedDeals": ("max_passed_deals", int),
    "surrender": ("surrender", bool),
}


def cases(document: dict[str, Any]) -> Iterator[Case]:
    """Every example of the file, which need not have every list."""
    lists = {
        "recognise": _recognise,
        "compare": _compare,
        "moveCounts": _move_counts,
        "bidding": _bidding,
        "scoring": _scoring,
        "autoplay": _autoplay,
        "games": _game,
    }
    unknown = document.keys() - lists.keys() - _HEADER - {"cards", "values", "counts"}
    if unknown:
        raise ValueError(f"not in this format: {sorted(unknown)}")
    if "cards" in document or "values" in document:
        yield "cards", lambda: _cards(document)
    for name, expected in document.get("counts", {}).items():
        yield f"counts {name}", _bound(_counts, {"name": name, **expected})
    for name, check in lists.items():
        for example in document.get(name, ()):
            yield f"{name} {example['id']}", _bound(check, example)


def config_of(example: Example, **more: Any) -> Config:
    """The example's rule set and options."""
    options: dict[str, Any] = {}
    for name, value in example.get("options", {}).items():
        field, convert = _OPTIONS[name]
        options[field] = convert(value)
    rule_set = RuleSet[example.get("ruleSet", "standard").upper()]
    return replace(Config(rule_set=rule_set), **options, **more)


def _bound(check: Callable[[Example], None], example: Example) -> Callable[[], None]:
    return lambda: check(example)


def _same(got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"got {got}, wanted {wanted}")


def _shape(name: str) -> Shape:
    return Shape[name.replace("-", "_")]


def _reading(example: Example) -> Reading:
    return Reading(shape=_shape(example["type"]), value=example["value"], length=example["len"])


def _claim(example: Example | None) -> Claim | None:
    if example is None:
        return None
    return Claim(shape=_shape(example["type"]), value=example["value"])


def _cards(document: dict[str, Any]) -> None:
    columns = "A23456789TJQK"
    tokens = [suit + column for suit in "HDSC" for column in columns] + ["BJ", "RJ"]
    _same(document["cards"], tokens)
    _same(document["values"], list(VALUES))
    for token, value in zip(tokens[:52], VALUES, strict=False):
        _same(LETTERS[value - LOWEST], token[1])


def _counts(expected: Example) -> None:
    rule_set, option = expected["name"].split("/")
    name = "wings" if rule_set == "standard" else "runTop"
    rules = combo_rules(config_of({"ruleSet": rule_set, "options": {name: option}}))
    found = list(plays(rank_counts(range(CARDS)), rules))
    by_type = Counter(reading.shape for _, reading in found)
    by_length = Counter((reading.shape, reading.length) for _, reading in found)
    multisets = {tuple(sorted(ranks)): set[Reading]() for ranks, _ in found}
    for ranks, reading in found:
        multisets[tuple(sorted(ranks))].add(reading)
    _same(len(found), expected["encodings"])
    _same(len(multisets), expected["multisets"])
    _same(len({reading for _, reading in found}), expected["keys"])
    _same(by_type, {_shape(kind): n for kind, n in expected["byType"].items()})
    for kind, n in expected["byTypeAndLen"].items():
        shape, length = kind.split(":")
        _same(by_length[_shape(shape), int(length)], n)
    for ranks, expected_readings in multisets.items():
        counts = tuple(ranks.count(value) for value in range(BIG + 1))
        _same(set(readings(counts, rules)), expected_readings)


def _recognise(example: Example) -> None:
    rules = combo_rules(config_of(example))
    state = _with_hand(config_of(example), tuple(range(CARDS)))
    cards = example["cards"]
    answer = _answer_of(
        state, Play(decision=1, cards=tuple(cards), claim=_claim(example.get("as")))
    )
    if "error" in example:
        _same(answer, example["error"])
        return
    _same(answer, None)
    parses = [_reading(parse) for parse in example["parses"]]
    _same([read(tuple(cards), _claim(example.get("as")), None, rules)], parses[:1])
    if "as" not in example:
        _same(list(readings(rank_counts(cards), rules)), parses)


def _with_hand(config: Config, hand: tuple[int, ...]) -> State:
    """Seat 0 leads with `hand`, which need not be a hand that was dealt."""
    state = _playing(config)
    return replace(state, hands=with_hand(state.hands, Seat(0), in_display_order(hand)))


def _playing(config: Config) -> State:
    """A game in which seat 0 leads; in the standard rule set it is landlord."""
    config = replace(config, bidding=Bidding.SCORE, doubling=False)
    state = DOUDIZHU.initial(config, ScriptedChance({("first",): [0]}), 0).state
    if config.rule_set is RuleSet.STANDARD:
        state = DOUDIZHU.apply(state, Seat(0), Bid(decision=1, bid=3), 1).state
        place = replace(state.places[0], decision=1)
        state = replace(state, places=(place, *state.places[1:]))
    return state


def _answer_of(state: State, action: Action) -> str | None:
    try:
        DOUDIZHU.apply(state, Seat(0), action, 2)
    except IllegalAction as refusal:
        return refusal.reason.value
    return None


def _compare(example: Example) -> None:
    rules = combo_rules(config_of(example))
    led = read(tuple(example["lastCards"]), _claim(example.get("lastAs")), None, rules)
    new = tuple(example["newCards"])
    try:
        reading = read(new, _claim(example.get("newAs")), led, rules)
    except IllegalAction as refusal:
        _same((False, refusal.reason.value), (example["beats"], "DOES_NOT_BEAT"))
    else:
        _same((True, beats(reading, led)), (example["beats"], True))


def _move_counts(example: Example) -> None:
    rules = combo_rules(config_of(example))
    led = example["last"] and _reading(example["last"])
    found = list(plays(rank_counts(example["hand"]), rules, led))
    _same(len(found), example["encodings"])
    _same(len({tuple(sorted(ranks)) for ranks, _ in found}), example["multisets"])
    by_type = Counter(reading.shape for _, reading in found)
    _same(by_type, {_shape(kind): n for kind, n in example["byType"].items()})


def _bidding(example: Example) -> None:
    config = replace(config_of(example), bidding=Bidding[example["bidding"].upper()])
    run = _Run(config, ScriptedChance({("first",): [example["first"]]}))
    for action in example["actions"]:
        run.do(action)
    table, expected = run.state.table, example["result"]
    if "next" in expected:
        asked = table.deadline and table.deadline.seats[0]
        _same((table.deal, asked), (expected["next"]["deal"], expected["next"]["turn"]))
        _same(table.landlord, None)
        _same(_passed_deals(table), expected["passedDeals"])
        return
    got = {"landlord": table.landlord, "bid": table.bid, "robs": table.robs}
    _same(got, {name: expected[name] for name in got})
    _same(_passed_deals(table), expected["passedDeals"])


def _passed_deals(table: Table) -> int:
    """How many deals nobody wanted, the last one included where its first bidder was made landlord."""
    wanted = any(entry.number for entry in table.history if entry.act in (Act.BID, Act.CALL))
    return table.deal - (wanted or table.landlord is None)


def _scoring(example: Example) -> None:
    landlord, wins = Seat(example["landlord"]), example["winner"] == "landlord"
    plays_made = [2, 2, 2]
    if example["spring"]:
        plays_made = [2 if (seat == landlord) == wins else int(not wins) for seat in range(3)]
    first, second, third = plays_made
    table = Table(
        phase=_playing(Config()).table.phase,
        landlord=landlord,
        bid=example["bid"],
        robs=example["robs"],
        bombs=example["bombs"],
        shown=example["shown"],
        doubled=tuple(example["doubled"]),
        plays=(first, second, third),
    )
    config = Config(base_score=example["baseScore"], stake_cap=example["stakeCap"])
    out = landlord if wins else Seat((landlord + 1) % 3)
    result = ending(config, table, EndReason.OUT, out)
    _same(
        (result.unit, list(result.scores), result.spring is not Spring.NONE),
        (example["unit"], example["scores"], example["spring"]),
    )


def _autoplay(example: Example) -> None:
    config = config_of(example)
    if example["phase"] == "playing":
        state = _with_hand(config, tuple(example["hand"]))
        if example["last"]:
            value = LETTERS.index(example["last"]) + LOWEST
            led = Reading(shape=Shape.ONE, value=value, length=1)
            trick = Trick(seat=Seat(2), cards=(VALUES.index(value),), reading=led)
            state = replace(state, table=replace(state.table, trick=trick))
    else:
        state = _asking(example)
    clock = DOUDIZHU.clocks(state)[0]
    step = DOUDIZHU.advance(state, clock.due)
    wanted = example["action"]
    if "play" in wanted:
        wanted = {"play": list(in_display_order(wanted["play"]))}
    _same(_effect(step.events[0]), wanted)


def _asking(example: Example) -> State:
    """A game that stands where a bid, a call, a rob or a choice to double is asked for."""
    calls = example.get("bidding") == "call"
    options = {"bidding": "call" if calls else "score", "doubling": True}
    run = _Run(config_of({"options": options}), ScriptedChance({("first",): [0]}))
    if example["phase"] == "bidding/rob":
        run.do({"seat": 0, "call": True})
    if example["phase"] == "doubling":
        run.do({"seat": 0, "bid": 3})
    return run.state


def _game(example: Example) -> None:
    deals = example["deals"]
    draws: dict[tuple[str | int, ...], list[int]] = {("first",): [deals[0]["first"]]}
    for number, deal in enumerate(deals, start=1):
        draws["deal", number] = [c for hand in deal["hands"] for c in hand] + deal.get("bottom", [])
    run = _Run(config_of(example), ScriptedChance(draws))
    for action in example["actions"]:
        run.do(action)
    dealt = [entry.seat for entry in run.state.table.history if entry.act is Act.DEAL]
    _same(dealt, [deal["first"] for deal in deals])
    _same(list(run.state.table.plays), example["plays"])
    _check_result(run.state, example["result"])


def _check_result(state: State, expected: Example) -> None:
    table = state.table
    result = table.ending
    assert result is not None, "the game has not ended"
    if table.landlord is None:
        winner: object = result.winners[0]
    else:
        winner = "landlord" if table.landlord in result.winners else "peasants"
    got = {
        "reason": result.reason.value,
        "winner": winner,
        "scores": list(result.scores),
        "landlord": table.landlord,
        "bid": table.bid,
        "robs": table.robs,
        "bombs": table.bombs,
        "shown": table.shown,
        "doubled": list(table.doubled or (False, False, False)),
        "unit": result.unit,
        "spring": {
            Spring.NONE: None,
            Spring.SPRING: "spring",
            Spring.ANTI_SPRING: "anti-spring",
        }[result.spring],
    }
    _same({name: got[name] for name in expected}, expected)


class _Run:
    """A game driven by the file's actions."""

    def __init__(self, config: Config, chance: Chance) -> None:
        DOUDIZHU.check_config(config)
        self.at = 1_000
        self.late: list[Event] = []
        """What the clock just did and no line has named yet: in doubling it acts for several seats at once."""
        self.state = DOUDIZHU.initial(config, chance, self.at).state

    def do(self, example: Example) -> None:
        """One line: an action, or the clock for a seat."""
        seat = Seat(example["seat"])
        if example.get("timeout"):
            self._time_out(seat, example["effect"])
            return
        self.late.clear()
        action = self._action(seat, example)
        self.at += 10
        try:
            step = DOUDIZHU.apply(self.state, seat, action, self.at)
        except IllegalAction as refusal:
            _same(refusal.reason.value, example.get("error"))
            return
        _same(None, example.get("error"))
        self.state = step.state

    def _time_out(self, seat: Seat, effect: Example) -> None:
        """The limit of `seat` runs out, and before it whatever is due sooner, such as an offer."""
        while not any(_seat_of(event) == seat for event in self.late):
            waiting = DOUDIZHU.clocks(self.state)
            asked = (clock.seats for clock in waiting if clock.kind != CONSENT)
            assert any(seat in seats for seats in asked), f"no clock runs for seat {seat}"
            self.at = waiting[0].due
            step: Transition[State, Event] = DOUDIZHU.advance(self.state, self.at)
            self.state = step.state
            self.late = [event for event in step.events if _is_of_clock(event)]
        done = next(event for event in self.late if _seat_of(event) == seat)
        self.late.remove(done)
        wanted = dict(effect)
        if "play" in wanted:
            wanted["play"] = list(in_display_order(wanted["play"]))
        _same(_effect(done), wanted)

    def _action(self, seat: Seat, example: Example) -> Action:
        place = self.state.places[seat]
        number = place.decision
        match example:
            case {"bid": bid}:
                return Bid(decision=number, bid=bid)
            case {"call": call}:
                return Call(decision=number, call=call)
            case {"rob": rob}:
                return Rob(decision=number, rob=rob)
            case {"double": double}:
                return Double(decision=number, double=double)
            case {"play": cards}:
                return Play(decision=number, cards=tuple(cards), claim=_claim(example.get("as")))
            case {"pass": True}:
                return Pass(decision=number)
            case {"consent": consent}:
                return Consent(decision=place.consent, consent=consent)
            case {"surrender": True}:
                return Surrender()
            case {"show": True}:
                return Show()
        raise ValueError(f"no action: {example}")


def _is_of_clock(event: Event) -> bool:
    """Whether the clock answered the table for a seat; an offer that nobody answered is no such answer."""
    return getattr(event, "auto", False) and not isinstance(event, OfferRefused)


def _seat_of(event: Event) -> Seat | None:
    return getattr(event, "seat", None)


def _effect(event: Event) -> Example:
    """What the clock did, in the words of the file."""
    match event:
        case BidMade(bid=bid, auto=True):
            return {"bid": bid}
        case Called(call=call, auto=True):
            return {"call": call}
        case Robbed(rob=rob, auto=True):
            return {"rob": rob}
        case DoubleChosen(double=double, auto=True):
            return {"double": double}
        case Played(cards=cards, auto=True):
            return {"play": list(cards)}
        case Passed(auto=True):
            return {"pass": True}
    raise AssertionError(f"not the clock's doing: {event}")
