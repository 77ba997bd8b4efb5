"""A Redis Cluster for each worker, and the way to it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from parlor.serving.redis import Batch, Cluster, open_batch, reach
from tests.integration.redis_forms.cluster import RunningCluster, cluster


@pytest.fixture(scope="session")
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """The worker's cluster; whoever breaks something of it waits until it is whole again."""
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def servers(running_cluster: RunningCluster) -> RunningCluster:
    """The cluster, empty."""
    running_cluster.flush()
    return running_cluster


@pytest.fixture
async def redis_cluster(servers: RunningCluster) -> AsyncIterator[Cluster]:
    """The cluster as a service reaches it."""
    async with reach(servers.url) as reached:
        assert isinstance(reached, Cluster)
        yield reached


@pytest.fixture
async def batch(redis_cluster: Cluster) -> AsyncIterator[Batch]:
    """Commands to it."""
    commands = open_batch(redis_cluster)
    yield commands
    await commands.aclose()
