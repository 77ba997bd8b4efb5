"""The engine runtime: hosts any `Game` in rooms that Redis holds.

`record.py` is what a room is, `commands.py` and `turns.py` what may happen to it (pure), `store.py` how that is
committed, `lanes.py` the one queue of each room, `clocks.py` who wakes it, `shards.py` which replica
looks after it, and `service.py` the way in.
"""
