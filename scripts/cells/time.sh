#!/usr/bin/env bash
# Times experiments of 500 and of 1,000 cells: 50 strategies that differ in trigger and cut, on 10 and on 20 real sessions, with
# estimators by length and the mock. Usage: scripts/cells/time.sh FOLDER_OF_SESSIONS [PROGRAM]
set -euo pipefail

sessions=$(realpath "$1")
program=$(realpath "${2:-target/release/cutpoint}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The files that hold one session and nothing else, the longest first.
"$program" inspect --json "$sessions" > sessions.json 2> /dev/null
find "$sessions" -type f > files
list() {
  python3 - "$1" <<'PYTHON'
import json, os, sys
paths = {}
for path in open("files").read().splitlines():
    paths.setdefault(os.path.basename(path).split(".")[0], []).append(path)
sessions = json.load(open("sessions.json"))["sessions"]
many = {one["name"].split("#")[0].split("/")[0] for one in sessions if "#" in one["name"] or "/" in one["name"]}
sessions.sort(key=lambda one: (-one["requests"], one["name"]))
chosen = [paths[one["name"]][0] for one in sessions if one["name"] not in many and len(paths.get(one["name"], [])) == 1]
assert len(chosen) >= int(sys.argv[1]), "too few sessions"
print("\n".join(f"  {json.dumps(path)}," for path in chosen[: int(sys.argv[1])]))
PYTHON
}
for count in 10 20; do
  {
    echo "name = \"cells-$count\""
    echo "strategies = ["
    for template in pi pi-three-part; do
      echo "  { name = \"$template\", stages = { estimator = { kind = \"chars\", per_token = 4.0 }, trigger = { kind = \"threshold\" }," \
        "cut = { kind = \"tail\" }, summarizer = { kind = \"pi\", template = \"$template\" } } },"
    done
    echo "]"
    echo "transcripts = ["; list "$count"; echo "]"
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
