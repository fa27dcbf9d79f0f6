#!/bin/sh
# Every day a dump that `pg_restore` reads, checked by listing it; those of the last two weeks stay. With an argument: once, into that folder.
set -eu
folder="${1:-/backups}"
mkdir -p "$folder"
umask 077
while true; do
  name="$folder/$(date -u +%Y-%m-%dT%H%M%SZ).dump"
  if pg_dump --format=custom --file="$name.unfinished" && pg_restore --list "$name.unfinished" >/dev/null; then
    mv "$name.unfinished" "$name"
    find "$folder" -name '*.dump' -mtime +14 -delete
  else
    echo "the backup failed; the old ones stay" >&2
    rm -f "$name.unfinished"
    [ $# -eq 0 ] || exit 1
  fi
  [ $# -eq 0 ] || exit 0
  sleep 86400
done
