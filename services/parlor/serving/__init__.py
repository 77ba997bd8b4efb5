"""The plumbing of a Parlor process: run, drain, health, metrics, logs, errors, Redis.

No word of any game stands here, and nothing of Parlor is imported but the generated `ErrorReason`.
A service is

    run("engine", EngineConfig, bind, services=["parlor.v1.EngineService"])

where `bind` is an async context manager that registers what the service serves and, when left, has
drained it.
"""

from parlor.serving.app import App, Bind, run, serving
from parlor.serving.config import BadConfig, Common, Secret, from_env
from parlor.serving.errors import ServiceError

__all__ = [
    "App",
    "BadConfig",
    "Bind",
    "Common",
    "Secret",
    "ServiceError",
    "from_env",
    "run",
    "serving",
]
