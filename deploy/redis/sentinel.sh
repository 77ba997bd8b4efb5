#!/bin/sh
# Starts a sentinel that keeps what it learns in DATA: which server is the primary must outlive all of them.
#
#   FIRST  host:port of the server that is the primary before anybody knows better
#   ME     the host by which the other sentinels reach this one
#   SERVICE, REDIS_PASSWORD  as for start.sh
set -eu

conf=${DATA:-/data}/sentinel.conf
service=${SERVICE:-parlor}

if [ ! -f "$conf" ]; then
  cat > "$conf.new" <<END
# Names instead of addresses, which change whenever a container starts again.
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $ME
sentinel monitor $service ${FIRST%:*} ${FIRST##*:} 2
# Less than 1500 would take a new primary for dead: a sentinel connects to it once a second.
sentinel down-after-milliseconds $service ${DOWN_AFTER_MS:-3000}
# Twice that passes before sentinels vote again where none got enough votes, and until then nobody can move.
sentinel failover-timeout $service 5000
sentinel parallel-syncs $service 1
END
  mv "$conf.new" "$conf"
fi
# The password may have changed since.
sed -i '/^sentinel auth-pass /d' "$conf"
if [ -n "${REDIS_PASSWORD:-}" ]; then
  echo "sentinel auth-pass $service $REDIS_PASSWORD" >> "$conf"
fi
exec redis-server "$conf" --sentinel --dir "${DATA:-/data}" --port "${PORT:-26379}" --protected-mode no
