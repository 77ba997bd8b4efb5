"""`python -m parlor.engine KIND` serves one kind of game."""

import argparse

from parlor.engine.advice.service import services_of
from parlor.engine.config import EngineConfig
from parlor.engine.host import Host
from parlor.engine.serve import SERVICES, engine_of
from parlor.rules.catalog import GAMES
from parlor.serving import from_env, run
from parlor.wire.catalog import WIRE


def main() -> None:
    """Runs until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m parlor.engine", description=__doc__)
    parser.add_argument("kind", choices=sorted(GAMES), help="the game to serve")
    kind = parser.parse_args().kind
    limits = from_env(EngineConfig, "ENGINE").room_limits
    host = Host(game=GAMES[kind], wire=WIRE[kind], limits=limits)
    run("engine", EngineConfig, engine_of(host), services=(*SERVICES, *services_of(kind)))


if __name__ == "__main__":
    main()
