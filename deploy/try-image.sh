#!/bin/sh
# The steps of the Dockerfile without a container engine: the wheel is built and installed into an empty environment, a study is made, served and asked.
# Usage: deploy/try-image.sh [PYTHON]       needs Node, as the build does; leaves nothing behind
set -eu
source="$(cd "$(dirname "$0")/.." && pwd)"
python="${1:-python3}"
work="$(mktemp -d)"
server=""
trap '[ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }; rm -rf "$work"' EXIT
"$python" -m venv "$work/build"
"$work/build/bin/pip" install --quiet build
for package in referee referee-lab; do "$work/build/bin/python" -m build --wheel --outdir "$work/wheels" "$source/packages/$package"; done
"$python" -m venv "$work/image"
sh "$source/deploy/versions.sh" "$source/requirements.lock" > "$work/versions.txt"
"$work/image/bin/pip" install --quiet --constraint "$work/versions.txt" "$work"/wheels/referee-[0-9]*.whl "$(ls "$work"/wheels/referee_lab-*.whl)[postgres]"
cd "$work"
env -i PATH="$work/image/bin:/usr/bin:/bin" HOME="$work" referee study demo "$work/study"
env -i PATH="$work/image/bin:/usr/bin:/bin" HOME="$work" referee study serve "$work/study" --port "${PORT:-8917}" --no-qr > "$work/log" 2>&1 &
server=$!
for _ in $(seq 60); do
  "$work/image/bin/python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:${PORT:-8917}/health', timeout=2)" 2>/dev/null && break
  sleep 1
done
"$work/image/bin/python" -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${PORT:-8917}/health', timeout=8).read().decode())"
"$work/image/bin/python" -c "import urllib.request as u; assert b'participant' in u.urlopen('http://127.0.0.1:${PORT:-8917}/s/study/', timeout=8).read()"
env -i PATH="$work/image/bin:/usr/bin:/bin" HOME="$work" referee study doctor "$work/study" --public-url "http://127.0.0.1:${PORT:-8917}"
echo "the image's steps work"
