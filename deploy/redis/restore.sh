#!/bin/sh
# Makes a backup what the server starts with: restore.sh FILE [DIRECTORY]. FILE is an RDB, as redis-cli --rdb writes it,
# DIRECTORY the server's data. The server must not run. What it had is kept beside it.
set -eu

file=$1
data=${2:-/data}
aof=$data/appendonlydir

redis-check-rdb "$file" > /dev/null || { echo "restore.sh: $file is no whole RDB" >&2; exit 1; }
if [ -e "$aof" ]; then
  mv "$aof" "$aof.before.$(date +%s)"
fi
mkdir -p "$aof"
# A server with an append-only file takes no notice of a dump beside it, so the backup becomes the file's own beginning.
cp "$file" "$aof/appendonly.aof.1.base.rdb"
echo "file appendonly.aof.1.base.rdb seq 1 type b" > "$aof/appendonly.aof.manifest"
