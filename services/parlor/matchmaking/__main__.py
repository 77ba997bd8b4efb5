"""`python -m parlor.matchmaking`."""

from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES, bind
from parlor.serving import run

if __name__ == "__main__":
    run("matchmaking", MatchmakingConfig, bind, services=SERVICES)
