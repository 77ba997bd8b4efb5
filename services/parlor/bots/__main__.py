"""`python -m parlor.bots`."""

from parlor.bots.config import BotsConfig
from parlor.bots.replica import bind
from parlor.serving import run

if __name__ == "__main__":
    run("bots", BotsConfig, bind)
