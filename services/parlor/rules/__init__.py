"""The rules of the games: pure state machines on the standard library alone.

Nothing here reads a clock, does I/O, draws ambient randomness or knows a wire format: time and
chance enter as data. `game.py` says what a game is, `chance.py` how its draws are derived.
"""
