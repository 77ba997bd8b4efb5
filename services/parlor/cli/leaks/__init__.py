"""Whether a player was shown what it may not know: an independent look at every frame received.

Nothing of the rules' views is used. `room.py` looks at what all games have in common and leaves the
rest to the module of the game, which says what a frame itself makes public from then on.
"""

from parlor.cli.leaks.room import LeakCheck

__all__ = ["LeakCheck"]
