#!/bin/sh
# Starts Postgres on a volume, and makes its database first where there is none: whole, or not at all. Needs nothing of an image
# but the programs of Postgres and a user of the number that it runs as. With the word "ready", says whether it can be used.
set -eu
for folder in /usr/lib/postgresql/*/bin /usr/local/bin; do
  if [ -x "$folder/postgres" ]; then PATH="$folder:$PATH"; fi
done

if [ "${1:-}" = ready ]; then
  exec pg_isready --quiet --host=/var/run/postgresql --username=trellis --dbname=trellis
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  made="$PGDATA.making"
  rm -rf "$made"
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --pgdata="$made" --username=trellis --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 \
    --encoding=UTF8 --locale=C.UTF-8 --data-checksums
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$made/pg_hba.conf"
  echo 'CREATE DATABASE trellis' | postgres --single -D "$made" postgres >/dev/null
  mv "$made" "$PGDATA"
fi

# A pod is told to end by SIGTERM, which to Postgres means to wait until all clients have gone: they would outlast the pod's grace,
# and it would be killed. By SIGINT it sends them away, writes down what it has, and ends.
postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@" &
server=$!
trap 'kill -INT "$server"' TERM INT
code=0
wait "$server" || code=$?
# A signal ends the wait before the server has ended.
while kill -0 "$server" 2>/dev/null; do
  code=0
  wait "$server" || code=$?
done
exit "$code"
