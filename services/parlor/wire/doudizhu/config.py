"""Options and limits."""

from parlor.rules.doudizhu.config import Bidding, Config, RuleSet, RunTop, Wings
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire.enums import EnumNumbers
from parlor.wire.times import duration, milliseconds

RULE_SETS = EnumNumbers(
    RuleSet, lambda name: pb.DouDizhuRuleSet.Value(f"DOU_DIZHU_RULE_SET_{name}")
)
RUN_TOPS = EnumNumbers(RunTop, lambda name: pb.DouDizhuRunTop.Value(f"DOU_DIZHU_RUN_TOP_{name}"))
WINGS = EnumNumbers(Wings, lambda name: pb.DouDizhuWings.Value(f"DOU_DIZHU_WINGS_{name}"))
BIDDINGS = EnumNumbers(Bidding, lambda name: pb.DouDizhuBidding.Value(f"DOU_DIZHU_BIDDING_{name}"))

_DEFAULTS = Config()


def config_to(config: Config) -> pb.DouDizhuConfig:
    """The options, every one of them set."""
    return pb.DouDizhuConfig(
        rule_set=RULE_SETS.number(config.rule_set),
        run_top=RUN_TOPS.number(config.run_top),
        wings=WINGS.number(config.wings),
        bidding=BIDDINGS.number(config.bidding),
        doubling=config.doubling,
        show_cards=config.show_cards,
        base_score=config.base_score,
        stake_cap=config.stake_cap,
        max_passed_deals=config.max_passed_deals,
        surrender=config.surrender,
        autoplay_after=config.autoplay_after,
        bid_limit=duration(config.bid_ms),
        double_limit=duration(config.double_ms),
        play_limit=duration(config.play_ms),
        consent_limit=duration(config.consent_ms),
        autoplay_delay=duration(config.autoplay_ms),
        ready_limit=duration(config.ready_ms),
    )


def config_from(message: pb.DouDizhuConfig) -> Config:
    """The options; what is absent has its default."""
    default = _DEFAULTS
    return Config(
        rule_set=RULE_SETS.member_or(message.rule_set, "rule_set", default.rule_set),
        run_top=RUN_TOPS.member_or(message.run_top, "run_top", default.run_top),
        wings=WINGS.member_or(message.wings, "wings", default.wings),
        bidding=BIDDINGS.member_or(message.bidding, "bidding", default.bidding),
        doubling=message.doubling if message.HasField("doubling") else default.doubling,
        show_cards=message.show_cards if message.HasField("show_cards") else default.show_cards,
        base_score=message.base_score if message.HasField("base_score") else default.base_score,
        stake_cap=message.stake_cap if message.HasField("stake_cap") else default.stake_cap,
        max_passed_deals=message.max_passed_deals
        if message.HasField("max_passed_deals")
        else default.max_passed_deals,
        surrender=message.surrender if message.HasField("surrender") else default.surrender,
        autoplay_after=message.autoplay_after
        if message.HasField("autoplay_after")
        else default.autoplay_after,
        bid_ms=milliseconds(message.bid_limit, "bid_limit")
        if message.HasField("bid_limit")
        else default.bid_ms,
        double_ms=milliseconds(message.double_limit, "double_limit")
        if message.HasField("double_limit")
        else default.double_ms,
        play_ms=milliseconds(message.play_limit, "play_limit")
        if message.HasField("play_limit")
        else default.play_ms,
        consent_ms=milliseconds(message.consent_limit, "consent_limit")
        if message.HasField("consent_limit")
        else default.consent_ms,
        autoplay_ms=milliseconds(message.autoplay_delay, "autoplay_delay")
        if message.HasField("autoplay_delay")
        else default.autoplay_ms,
        ready_ms=milliseconds(message.ready_limit, "ready_limit")
        if message.HasField("ready_limit")
        else default.ready_ms,
    )
