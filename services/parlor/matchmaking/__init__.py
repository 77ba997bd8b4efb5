"""Finds opponents: tickets in, rooms out.

`queue.py` decides who plays together (pure), `store.py` holds the pools in Redis, `places.py` keeps
each player in one ticket or room, `matcher.py` takes a match from the queue into a room,
`rounds.py` does so for every pool that the replica owns, and `service.py` is the way in.
"""
