"""The settings of an engine."""

import pytest

from parlor.engine.config import EngineConfig
from parlor.serving import BadConfig


def test_a_replicated_step_is_confirmed_by_somebody() -> None:
    with pytest.raises(BadConfig, match="PARLOR_ENGINE_CONFIRMATIONS"):
        EngineConfig(confirmations=0)
