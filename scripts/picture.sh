#!/usr/bin/env bash
# Takes the picture of the README: the report of the default experiment, in headless Chromium.
# Usage: scripts/picture.sh [run folder]    Needs chromium (Debian package of that name).
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:-reports/default}
if [ ! -f "$run/index.html" ]; then
    echo "error: $run/index.html is not there" >&2
    echo "hint: cargo run --release makes it" >&2
    exit 2
fi
chromium --headless --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --window-size=1320,3150 \
    --screenshot="$PWD/reports/picture.png" "file://$(realpath "$run")/index.html" 2>/dev/null
echo "reports/picture.png"
