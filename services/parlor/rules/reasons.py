"""Why an action is refused: one closed set for the rules, gRPC, WebSocket and the browser.

Each name stands in `error_reason.proto` with the prefix `ERROR_REASON_`.
"""

import enum


class Reason(enum.Enum):
    """A refusal by the rules of a game."""

    WRONG_PHASE = "WRONG_PHASE"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    DECISION_OVER = "DECISION_OVER"
    BAD_ACTION = "BAD_ACTION"
    # Dou Dizhu
    MUST_LEAD = "MUST_LEAD"
    EMPTY = "EMPTY"
    BAD_CARD = "BAD_CARD"
    DUPLICATE_CARD = "DUPLICATE_CARD"
    NOT_IN_HAND = "NOT_IN_HAND"
    NOT_A_COMBINATION = "NOT_A_COMBINATION"
    BAD_CLAIM = "BAD_CLAIM"
    DOES_NOT_BEAT = "DOES_NOT_BEAT"
    BAD_BID = "BAD_BID"
    BID_TOO_LOW = "BID_TOO_LOW"
    ALREADY_CHOSEN = "ALREADY_CHOSEN"
    NOT_LANDLORD = "NOT_LANDLORD"
    NO_OFFER = "NO_OFFER"
    DISABLED = "DISABLED"
    # Plane Battle
    ALREADY_PLACED = "ALREADY_PLACED"
    BAD_COUNT = "BAD_COUNT"
    BAD_PLANE = "BAD_PLANE"
    OUT_OF_BOARD = "OUT_OF_BOARD"
    OVERLAP = "OVERLAP"
    BAD_POSITION = "BAD_POSITION"
    ALREADY_ATTACKED = "ALREADY_ATTACKED"
    # Jinxian
    BAD_TILE = "BAD_TILE"
    NOT_A_WIN = "NOT_A_WIN"
    WIN_LOCKED = "WIN_LOCKED"
    CANNOT_CLAIM = "CANNOT_CLAIM"
    MUST_DISCARD = "MUST_DISCARD"
    NOT_A_KONG = "NOT_A_KONG"
    WALL_SPENT = "WALL_SPENT"
