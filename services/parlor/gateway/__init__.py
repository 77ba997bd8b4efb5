"""The gateway: every client's way in.

It knows who a client is, keeps one session per connection, hands each command to the engine replica
that owns the room's shard, and gives the room's entries to the seats connected here. It keeps
nothing that another gateway would need, and opens no game's payload.

- `websocket.py`, `connect.py`, `rpc.py`, `web.py`: the four ways in; all sessions are one class, `session.py`.
- `following.py`, `followed.py`, `resume.py`: from the feed of a room to its followers.
- `routing.py`, `relay.py`: from a command to an engine and back.
- `rules.py`: questions about the rules, passed on as they are.
- `tokens.py`, `limits.py`, `checks.py`: who may do what, how often, and in what shape.

A *follower* is one session's interest in one room, as a seat or as a spectator. A *position* is the
number and token of the last entry that a follower was given. A *payload* is one server frame for
any number of recipients.
"""
