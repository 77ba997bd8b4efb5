"""Tickets and parties as the messages that their players are sent."""

from typing import Final

from parlor.matchmaking.parties import Party
from parlor.matchmaking.tickets import ASSIGNED, CANCELLED, MATCHED, WAITING, TicketRecord
from parlor.v1.matchmaking_pb2 import PartyMember, PartyUpdate, TicketState, TicketUpdate
from parlor.wire.times import timestamp

_STATES: Final[dict[str, "TicketState.ValueType"]] = {
    WAITING: TicketState.TICKET_STATE_WAITING,
    MATCHED: TicketState.TICKET_STATE_MATCHED,
    ASSIGNED: TicketState.TICKET_STATE_ASSIGNED,
    CANCELLED: TicketState.TICKET_STATE_CANCELLED,
}


def ticket_update(ticket: TicketRecord) -> TicketUpdate:
    """A ticket as it stands."""
    update = TicketUpdate(
        ticket_id=ticket.ticket,
        state=_STATES[ticket.state],
        ahead=ticket.ahead,
        room_id=ticket.room_id if ticket.state == ASSIGNED else "",
        players=[member.player for member in ticket.members],
        create_time=timestamp(ticket.since_ms),
    )
    if ticket.state == WAITING and ticket.estimate_ms is not None:
        # Whole seconds: what moves with every match would be told with every match.
        update.estimated_wait.FromSeconds(-(-ticket.estimate_ms // 1000))
    return update


def party_update(party: Party | None) -> PartyUpdate:
    """A party as it stands; one without members is none."""
    if party is None or not party.members:
        return PartyUpdate()
    return PartyUpdate(
        code=party.code,
        members=[PartyMember(player=m.player, name=m.name) for m in party.members],
        ticket_id=party.ticket,
        version=party.version,
    )
