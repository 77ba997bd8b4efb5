"""Options and limits."""

from parlor.rules.planes.config import Config, DestroyRule, HeadReveal
from parlor.v1 import planes_pb2 as pb
from parlor.wire.enums import EnumNumbers
from parlor.wire.times import duration, milliseconds

DESTROY_RULES = EnumNumbers(
    DestroyRule, lambda name: pb.PlanesDestroyRule.Value(f"PLANES_DESTROY_RULE_{name}")
)
HEAD_REVEALS = EnumNumbers(
    HeadReveal, lambda name: pb.PlanesHeadReveal.Value(f"PLANES_HEAD_REVEAL_{name}")
)

_DEFAULTS = Config()


def config_to(config: Config) -> pb.PlanesConfig:
    """The options, every one of them set."""
    return pb.PlanesConfig(
        destroy_rule=DESTROY_RULES.number(config.destroy_rule),
        head_reveal=HEAD_REVEALS.number(config.head_reveal),
        max_timeouts=config.max_timeouts,
        turn_limit=duration(config.turn_ms),
        placing_limit=duration(config.placing_ms),
        game_limit=duration(config.game_ms),
        pause_budget=duration(config.pause_budget_ms),
        ready_limit=duration(config.ready_ms),
    )


def config_from(message: pb.PlanesConfig) -> Config:
    """The options; what is absent has its default."""
    default = _DEFAULTS
    return Config(
        destroy_rule=DESTROY_RULES.member_or(
            message.destroy_rule, "destroy_rule", default.destroy_rule
        ),
        head_reveal=HEAD_REVEALS.member_or(message.head_reveal, "head_reveal", default.head_reveal),
        max_timeouts=message.max_timeouts
        if message.HasField("max_timeouts")
        else default.max_timeouts,
        turn_ms=milliseconds(message.turn_limit, "turn_limit")
        if message.HasField("turn_limit")
        else default.turn_ms,
        placing_ms=milliseconds(message.placing_limit, "placing_limit")
        if message.HasField("placing_limit")
        else default.placing_ms,
        game_ms=milliseconds(message.game_limit, "game_limit")
        if message.HasField("game_limit")
        else default.game_ms,
        pause_budget_ms=milliseconds(message.pause_budget, "pause_budget")
        if message.HasField("pause_budget")
        else default.pause_budget_ms,
        ready_ms=milliseconds(message.ready_limit, "ready_limit")
        if message.HasField("ready_limit")
        else default.ready_ms,
    )
