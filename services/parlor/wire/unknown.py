"""Fields of another release."""

from google.protobuf.message import Message


def has_unknown(message: Message) -> bool:
    """Whether the message holds, at any depth, fields that this release does not know.

    Passed over, an option would become a game that nobody asked for.
    """
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return known.ByteSize() != message.ByteSize()
