#!/bin/sh
# Puts a dump of backup-postgres.sh back: all of it or, where anything fails, nothing. Stop the study server first (docker compose stop server).
# Usage: restore-postgres.sh FILE.dump       connects as pg_restore does: PGHOST, PGUSER, PGDATABASE, PGPASSWORD
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FILE.dump" >&2; exit 2; }
file="$1"
[ -f "$file" ] || { echo "there is no dump $file" >&2; exit 2; }
pg_restore --list "$file" >/dev/null || { echo "$file is no dump that can be read; nothing was changed" >&2; exit 2; }
# Whoever serves a study holds an advisory lock; a restore under a running server would take the ground from under it.
held="$(psql --no-psqlrc --tuples-only --no-align --command "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")"
[ "$held" -eq 0 ] || { echo "a study server has this database open: stop it first; nothing was changed" >&2; exit 1; }
pg_restore --clean --if-exists --exit-on-error --single-transaction --no-owner --dbname="${PGDATABASE:-${PGUSER:-postgres}}" "$file"
echo "restored $file"
