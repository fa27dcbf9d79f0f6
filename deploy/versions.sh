#!/bin/sh
# The versions of a lock file without its hashes, as constraints: pip takes hashes for all packages or for none, and the wheel that was just built has none.
# Usage: deploy/versions.sh requirements.lock
set -eu
sed -n 's/^\([A-Za-z0-9._-]*\)\(\[[^]]*\]\)\{0,1\}\(==[^\\]*[^ \\]\) *\\*$/\1\3/p' "$1"
