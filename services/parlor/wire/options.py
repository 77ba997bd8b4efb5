"""What is wrong with an option, in the words of the message that holds it."""

from google.protobuf.message import Message

from parlor.rules.game import InvalidConfig
from parlor.wire import Malformed


def misfit(message: Message, error: InvalidConfig | Malformed) -> tuple[str, str]:
    """The option's name in the game's message, and the problem in words that begin with that name.

    A limit is called after its unit in the rules, and after what it limits in the message.

    >>> from parlor.v1.doudizhu_pb2 import DouDizhuConfig
    >>> misfit(DouDizhuConfig(), InvalidConfig("bid_ms", "must be 1000..300000"))
    ('bid_limit', 'bid_limit: must be 1000..300000 ms')
    """
    known = message.DESCRIPTOR.fields_by_name
    bare = error.field.removesuffix("_ms")
    names = (error.field, bare, f"{bare}_limit", f"{bare}_delay", f"{bare}_pause")
    name = next((name for name in names if name in known), error.field)
    unit = " ms" if error.field.endswith("_ms") else ""
    return name, f"{name}{str(error).removeprefix(error.field)}{unit}"
