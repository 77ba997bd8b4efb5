#!/bin/sh
# Starts a Redis server: start.sh CONF [--option value …].
#
# Alone where SENTINELS is empty. Otherwise as what two of the sentinels say that it is, the primary or a replica of it;
# nothing is guessed before two agree, for a server that wrongly takes itself for the primary makes the others copy it.
#
#   SENTINELS  hosts of the sentinels, separated by spaces
#   SERVERS    hosts of all servers, this one too
#   ME         the host by which the others reach this server
#   SERVICE    what sentinels call the primary (parlor)
#   REDIS_PASSWORD  asked of clients and of replicas; empty: none is
set -eu

conf=$1
shift
data=${DATA:-/data}
port=${PORT:-6379}

said() { echo "start.sh: $*" >&2; }

ask() { # ask HOST PORT COMMAND…: what the server answers, within a second
  host=$1 asked=$2
  shift 2
  timeout 1 redis-cli -h "$host" -p "$asked" --raw "$@" 2>/dev/null || true
}

agreed() { # the host that two sentinels name as the primary
  for sentinel in $SENTINELS; do
    ask "${sentinel%:*}" "${sentinel##*:}" sentinel get-master-addr-by-name "${SERVICE:-parlor}" | paste -s -d : -
  done | sort | uniq -c | awk '$1 >= 2 && $2 != "" {print $2; exit}'
}

others_have_keys() {
  for server in $SERVERS; do
    [ "$server" = "$ME:$port" ] && continue
    keys=$(REDISCLI_AUTH=${REDIS_PASSWORD:-} ask "${server%:*}" "${server##*:}" dbsize)
    case $keys in '' | 0 | *[!0-9]*) ;; *) return 0 ;; esac
  done
  return 1
}

set -- --dir "$data" --port "$port" "$@"
if [ -n "${REDIS_PASSWORD:-}" ]; then
  set -- --requirepass "$REDIS_PASSWORD" --masterauth "$REDIS_PASSWORD" "$@"
fi
if [ -n "${SENTINELS:-}" ]; then
  set -- --replica-announce-ip "$ME" --replica-announce-port "$port" "$@"
  while :; do
    primary=$(agreed)
    if [ -z "$primary" ]; then
      said "waiting for two sentinels to agree"
    elif [ "$primary" != "$ME:$port" ]; then
      said "a replica of $primary"
      set -- --replicaof "${primary%:*}" "${primary##*:}" "$@"
      break
    elif [ ! -d "$data/appendonlydir" ] && others_have_keys; then
      # It has lost its disk. As the primary it would make the replicas as empty as itself; while it stays away, the
      # sentinels promote one of them.
      said "named the primary, with nothing on disk: left to a replica that has the rooms"
    else
      said "the primary"
      break
    fi
    sleep 1
  done
fi
# A kill in the middle of a write leaves the beginning of a transaction behind, which Redis passes over at this start and
# may carry out at the next one. In the file it is to end before that.
manifest=$data/appendonlydir/appendonly.aof.manifest
if [ -f "$manifest" ] && command -v redis-check-aof >/dev/null; then
  yes 2>/dev/null | redis-check-aof --fix "$manifest" >&2 || said "the append-only file is damaged: left to Redis"
fi
# Sentinel has servers write what it made of them into their file. Of that nothing is to be kept: what this one is, it
# asks again at every start.
cp "$conf" "$data/redis.conf"
exec redis-server "$data/redis.conf" "$@"
