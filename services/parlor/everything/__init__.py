"""All of Parlor on one machine: `python -m parlor.everything`, which is what `make up` runs.

A private real redis-server unless PARLOR_REDIS_URL names one, and every service as a process of its
own, as in production: what works here works there. A process that dies is started again on its
ports. Everything that is written down goes to one folder, `.run`.
"""

from parlor.everything.config import EverythingConfig
from parlor.everything.failure import NotStarted
from parlor.everything.stack import Everything, Gateway

__all__ = ["Everything", "EverythingConfig", "Gateway", "NotStarted"]
