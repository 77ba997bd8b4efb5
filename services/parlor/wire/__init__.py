"""Messages to the dataclasses of the rules and back: only here do protobuf and rules meet."""


class Malformed(ValueError):
    """A message that does not say anything in the rules' language; `field` names the offender, by its
    path in the game's own message.

    Caught where a request is decoded, which answers INVALID_ARGUMENT. What the rules can judge (a
    card that does not exist, a bid too high) is no matter of form and passes.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
