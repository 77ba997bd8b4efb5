"""Where Redis is, as a setting says it."""

from pathlib import Path

import pytest
from redis.asyncio.connection import SSLConnection

from parlor.serving import BadConfig
from parlor.serving.redis import connect
from parlor.serving.redis_url import FORMS, cluster_options, connection_options
from parlor.serving.sentinel import Primary, PrimaryConnection


def test_sentinels_are_named_with_their_service() -> None:
    options = connection_options("redis+sentinel://me:p%40ss@a:1,[::1]:2,c/tables/3")
    assert options == {
        "connection_class": PrimaryConnection,
        "primary": Primary("tables", (("a", 1), ("::1", 2), ("c", 26379))),
        "username": "me",
        "password": "p@ss",
        "db": 3,
    }


def test_the_database_is_the_first_unless_named() -> None:
    assert connection_options("redis+sentinel://a/tables")["db"] == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:6379",
        "http://127.0.0.1",
        "redis://h:port/0",
        "redis://h/zero",
        "redis+cluster://h:1",
        "redis+sentinel://h:1",
        "redis+sentinel://h:1,/tables",
        "redis+sentinel://h:x/tables",
        "redis+sentinel://h:1/tables/zero",
        "redis+sentinel://h:1/tables/0/more",
        "redis+sentinel://h:1/tables?db=1",
    ],
)
def test_another_form_is_refused_with_those_that_are_known(url: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_REDIS_URL") as refusal:
        connect(url)
    assert all(form in str(refusal.value) for form in FORMS)


def test_a_cluster_is_named_by_some_of_its_servers() -> None:
    seeds, options = cluster_options(
        "redis+cluster://ann:p%40ss@[::1]:7000,b.example,10.0.0.1:7001"
    )
    assert seeds == (("::1", 7000), ("b.example", 6379), ("10.0.0.1", 7001))
    assert options == {"username": "ann", "password": "p@ss"}


def test_a_clusters_servers_may_speak_tls(tmp_path: Path) -> None:
    (authority := tmp_path / "ca.pem").touch()
    seeds, options = cluster_options(f"rediss+cluster://:pw@a,b:7000/?ssl_ca_certs={authority}")
    assert seeds == (("a", 6379), ("b", 7000))
    assert options["connection_class"] is SSLConnection
    assert (options["password"], options["ssl_ca_certs"]) == ("pw", str(authority))


def test_a_file_that_is_missing_is_no_lost_connection() -> None:
    with pytest.raises(BadConfig, match="ssl_ca_certs names no file"):
        cluster_options("rediss+cluster://a/?ssl_ca_certs=/nowhere/ca.pem")


@pytest.mark.parametrize(
    "url",
    [
        "redis+cluster://",
        "redis+cluster://h:1,",
        "redis+cluster://h:x",
        "redis+cluster://h:1/2",
        "redis+cluster://h:1/tables",
        "redis+cluster://h:1?db=2",
        "rediss+cluster://h:1/1",
        "redis://h:1",
    ],
)
def test_another_form_is_no_clusters(url: str) -> None:
    with pytest.raises(BadConfig, match="PARLOR_REDIS_URL") as refusal:
        cluster_options(url)
    assert all(form in str(refusal.value) for form in FORMS)


def test_a_refusal_does_not_repeat_the_password() -> None:
    with pytest.raises(BadConfig) as refusal:
        connect("redis://:secret@h:port/0")
    assert "secret" not in str(refusal.value)
