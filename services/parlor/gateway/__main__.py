"""`python -m parlor.gateway` serves the clients."""

from parlor.gateway.config import GatewayConfig
from parlor.gateway.serve import SERVICES, bind
from parlor.serving import run


def main() -> None:
    """Runs until told to stop."""
    run("gateway", GatewayConfig, bind, services=SERVICES)


if __name__ == "__main__":
    main()
