#!/usr/bin/env bash
# Times experiments of 500 and of 1,000 cells: 50 strategies that differ in trigger and cut, on 10 and on 20 real sessions, with
# estimators by length and the mock. Usage: scripts/cells/time.sh FOLDER_OF_SESSIONS [PROGRAM]
set -euo pipefail

sessions=$(realpath "$1")
program=$(realpath "${2:-target/release/cutpoint}")
longest=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/longest.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for count in 10 20; do
  {
    echo "name = \"cells-$count\""
    echo "strategies = ["
    for template in pi pi-three-part; do
      echo "  { name = \"$template\", stages = { estimator = { kind = \"chars\", per_token = 4.0 }, trigger = { kind = \"threshold\" }," \
        "cut = { kind = \"tail\" }, summarizer = { kind = \"pi\", template = \"$template\" } } },"
    done
    echo "]"
    echo "transcripts = ["; python3 "$longest" "$sessions" "$program" "$count" | sed 's/.*/  "&",/'; echo "]"
    echo "models = [{ name = \"32k\", window_tokens = 32000 }]"
    echo "[grid]"
    echo '"trigger.share" = [0.5, 0.6, 0.7, 0.8, 0.9]'
    echo '"cut.keep_tokens" = [2000, 4000, 6000, 8000, 10000]'
  } > "cells-$count.toml"
  for round in 1 2 3; do
    start=$(date +%s.%N)
    "$program" run --config "cells-$count.toml" --fresh > /dev/null 2> errors || { cat errors >&2; exit 1; }
    end=$(date +%s.%N)
    cells=$(wc -l < "reports/cells-$count/cells.jsonl")
    echo "$count sessions, round $round: $cells cells in $(echo "$end - $start" | bc) s"
  done
done
