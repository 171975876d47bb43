#!/bin/sh
# Starts Postgres on a volume. If the volume has no database yet, creates one atomically: an interrupted start creates it again. The
# image only needs the programs of Postgres and a user with the id that it runs as. The argument "ready" checks readiness instead.
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

# Kubernetes stops a pod by SIGTERM, on which Postgres waits until all clients have disconnected: the grace period would end before, and
# Postgres would be killed. On SIGINT it disconnects clients, flushes its data and exits.
postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@" &
server=$!
trap 'kill -INT "$server"' TERM INT
code=0
wait "$server" || code=$?
# A signal interrupts the wait before the server has exited.
while kill -0 "$server" 2>/dev/null; do
  code=0
  wait "$server" || code=$?
done
exit "$code"
