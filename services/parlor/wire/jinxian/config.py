"""Options and limits."""

from google.protobuf.duration_pb2 import Duration

from parlor.rules.jinxian.config import Config, DealerOnDraw, PassedWinLock
from parlor.rules.jinxian.options import (
    Bawang,
    JingSettlement,
    JingVariant,
    JingZones,
    RobKongPays,
    ScoringOptions,
)
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.enums import EnumNumbers
from parlor.wire.times import duration, milliseconds

JING_ZONES = EnumNumbers(
    JingZones, lambda name: pb.JinxianJingZones.Value(f"JINXIAN_JING_ZONES_{name}")
)
BAWANGS = EnumNumbers(Bawang, lambda name: pb.JinxianBawang.Value(f"JINXIAN_BAWANG_{name}"))
ROB_KONG_PAYS = EnumNumbers(
    RobKongPays, lambda name: pb.JinxianRobKongPays.Value(f"JINXIAN_ROB_KONG_PAYS_{name}")
)
LOCKS = EnumNumbers(
    PassedWinLock, lambda name: pb.JinxianPassedWinLock.Value(f"JINXIAN_PASSED_WIN_LOCK_{name}")
)
DEALERS = EnumNumbers(
    DealerOnDraw, lambda name: pb.JinxianDealerOnDraw.Value(f"JINXIAN_DEALER_ON_DRAW_{name}")
)
SETTLEMENTS = EnumNumbers(
    JingSettlement, lambda name: pb.JinxianJingSettlement.Value(f"JINXIAN_JING_SETTLEMENT_{name}")
)
VARIANTS = EnumNumbers(
    JingVariant, lambda name: pb.JinxianJingVariant.Value(f"JINXIAN_JING_VARIANT_{name}")
)

_DEFAULT = Config()


def config_to(config: Config) -> pb.JinxianConfig:
    """The options, every one of them set."""
    scoring = config.scoring
    return pb.JinxianConfig(
        total_rounds=config.total_rounds,
        fast=config.fast,
        honour_chow=scoring.honour_chow,
        jing_restore=scoring.jing_restore,
        qixing_real_honours=scoring.qixing_real_honours,
        jing_zones=JING_ZONES.number(scoring.jing_zones),
        qidui_no_jing_base=scoring.qidui_no_jing_base,
        chongguan_base=scoring.chongguan_base,
        bawang=BAWANGS.number(scoring.bawang),
        rob_kong_pays=ROB_KONG_PAYS.number(scoring.rob_kong_pays),
        tian_di_hu_min=scoring.tian_di_hu_min,
        bystanders_pay=scoring.bystanders_pay,
        any_tile_wait_discard_win=scoring.any_tile_wait_discard_win,
        plain_jing_discard_win=scoring.plain_jing_discard_win,
        passed_win_lock=LOCKS.number(config.passed_win_lock),
        dealer_on_draw=DEALERS.number(config.dealer_on_draw),
        concealed_kong_hidden=config.concealed_kong_hidden,
        auto_win=config.auto_win,
        kong_score=scoring.kong_score,
        jing_settlement=SETTLEMENTS.number(scoring.jing_settlement),
        jing_variant=VARIANTS.number(scoring.jing_variant),
        chaozhuang=scoring.chaozhuang,
        turn_limit=duration(config.turn_ms),
        claim_limit=duration(config.claim_ms),
        fast_turn_limit=duration(config.fast_turn_ms),
        fast_claim_limit=duration(config.fast_claim_ms),
        show_pause=duration(config.show_ms),
        settle_limit=duration(config.settle_ms),
        autoplay_delay=duration(config.autoplay_ms),
        offline_limit=duration(config.offline_ms),
        abandoned_limit=duration(config.abandoned_ms),
        ready_limit=duration(config.ready_ms),
    )


def config_from(message: pb.JinxianConfig) -> Config:
    """The options; what is absent has its default."""
    default, options = _DEFAULT, _Given(message)
    return Config(
        total_rounds=options.number("total_rounds", default.total_rounds),
        fast=options.flag("fast", default.fast),
        scoring=_scoring_from(message, options, default.scoring),
        passed_win_lock=LOCKS.member_or(
            message.passed_win_lock, "passed_win_lock", default.passed_win_lock
        ),
        dealer_on_draw=DEALERS.member_or(
            message.dealer_on_draw, "dealer_on_draw", default.dealer_on_draw
        ),
        concealed_kong_hidden=options.flag("concealed_kong_hidden", default.concealed_kong_hidden),
        auto_win=options.flag("auto_win", default.auto_win),
        turn_ms=options.ms("turn_limit", default.turn_ms),
        claim_ms=options.ms("claim_limit", default.claim_ms),
        fast_turn_ms=options.ms("fast_turn_limit", default.fast_turn_ms),
        fast_claim_ms=options.ms("fast_claim_limit", default.fast_claim_ms),
        show_ms=options.ms("show_pause", default.show_ms),
        settle_ms=options.ms("settle_limit", default.settle_ms),
        autoplay_ms=options.ms("autoplay_delay", default.autoplay_ms),
        offline_ms=options.ms("offline_limit", default.offline_ms),
        abandoned_ms=options.ms("abandoned_limit", default.abandoned_ms),
        ready_ms=options.ms("ready_limit", default.ready_ms),
    )


def _scoring_from(
    message: pb.JinxianConfig, options: "_Given", default: ScoringOptions
) -> ScoringOptions:
    return ScoringOptions(
        honour_chow=options.flag("honour_chow", default.honour_chow),
        jing_restore=options.flag("jing_restore", default.jing_restore),
        qixing_real_honours=options.flag("qixing_real_honours", default.qixing_real_honours),
        jing_zones=JING_ZONES.member_or(message.jing_zones, "jing_zones", default.jing_zones),
        qidui_no_jing_base=options.number("qidui_no_jing_base", default.qidui_no_jing_base),
        chongguan_base=options.number("chongguan_base", default.chongguan_base),
        bawang=BAWANGS.member_or(message.bawang, "bawang", default.bawang),
        rob_kong_pays=ROB_KONG_PAYS.member_or(
            message.rob_kong_pays, "rob_kong_pays", default.rob_kong_pays
        ),
        tian_di_hu_min=options.number("tian_di_hu_min", default.tian_di_hu_min),
        bystanders_pay=options.flag("bystanders_pay", default.bystanders_pay),
        any_tile_wait_discard_win=options.flag(
            "any_tile_wait_discard_win", default.any_tile_wait_discard_win
        ),
        plain_jing_discard_win=options.flag(
            "plain_jing_discard_win", default.plain_jing_discard_win
        ),
        kong_score=options.flag("kong_score", default.kong_score),
        jing_settlement=SETTLEMENTS.member_or(
            message.jing_settlement, "jing_settlement", default.jing_settlement
        ),
        jing_variant=VARIANTS.member_or(message.jing_variant, "jing_variant", default.jing_variant),
        chaozhuang=options.flag("chaozhuang", default.chaozhuang),
    )


class _Given:
    """The fields of a message that are set; the others give a default."""

    def __init__(self, message: pb.JinxianConfig) -> None:
        self._set = {field.name: value for field, value in message.ListFields()}

    def flag(self, field: str, default: bool) -> bool:
        """A yes or no."""
        return bool(self._set.get(field, default))

    def number(self, field: str, default: int) -> int:
        """A number."""
        return int(self._set.get(field, default))

    def ms(self, field: str, default: int) -> int:
        """A duration; raises `Malformed` where it is no whole number of ms."""
        given = self._set.get(field)
        return milliseconds(given, field) if isinstance(given, Duration) else default
