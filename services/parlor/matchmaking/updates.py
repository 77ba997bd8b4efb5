"""Tickets and parties as the messages that their players are sent."""

from typing import Final

from parlor.matchmaking.parties import Party
from parlor.matchmaking.tickets import ASSIGNED, CANCELLED, MATCHED, WAITING, TicketRecord
from parlor.v1.matchmaking_pb2 import PartyMember, PartyUpdate, TicketState, TicketUpdate
from parlor.wire.times import write_timestamp

_STATES: Final[dict[str, "TicketState.ValueType"]] = {
    WAITING: TicketState.TICKET_STATE_WAITING,
    MATCHED: TicketState.TICKET_STATE_MATCHED,
    ASSIGNED: TicketState.TICKET_STATE_ASSIGNED,
    CANCELLED: TicketState.TICKET_STATE_CANCELLED,
}


def ticket_update(ticket: TicketRecord) -> TicketUpdate:
    """A ticket as it stands."""
    update = TicketUpdate()
    write_ticket(ticket, update)
    return update


def write_ticket(ticket: TicketRecord, update: TicketUpdate) -> None:
    """Writes a ticket as it stands into an empty message: one that is made where it belongs need not
    be copied there.
    """
    update.ticket_id = ticket.ticket
    update.state = _STATES[ticket.state]
    update.ahead = ticket.ahead
    for member in ticket.members:
        update.players.append(member.player)
    write_timestamp(ticket.since_ms, update.create_time)
    if ticket.state == ASSIGNED:
        update.room_id = ticket.room_id
    elif ticket.state == WAITING and ticket.estimate_s is not None:
        update.estimated_wait.seconds = ticket.estimate_s


def is_news(ticket: TicketRecord, last: TicketRecord) -> bool:
    """Whether the ticket's update says something else than its last one did."""
    return _told(ticket) != _told(last)


def _told(ticket: TicketRecord) -> tuple[str, int, str, int | None]:
    """Of what is told of a ticket, all that ever changes."""
    estimate_s = ticket.estimate_s if ticket.state == WAITING else None
    return ticket.state, ticket.ahead, ticket.room_id, estimate_s


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
