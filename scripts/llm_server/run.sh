#!/usr/bin/env bash
# Summaries, probes, next actions and judgements by a server that nobody here wrote: LiteLLM's proxy with mock answers, through
# all three protocols, streamed and not; then again from what was recorded, with the server gone. Needs Python 3.10 or newer and its package registry.
# Usage: run.sh PROGRAM FOLDER    the program, and a folder for the virtual environment, which is kept
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="$(realpath "$1")"
mkdir -p "$2"
folder="$(realpath "$2")"
exec </dev/null

venv="$folder/venv"
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" || { echo "no virtual environment: python3 with its venv module is needed" >&2; exit 1; }
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" \
        || { echo "the proxy cannot be installed: the protocols were NOT checked against a real server" >&2; exit 1; }
    cp "$here/requirements.txt" "$venv/installed.txt"
fi

work="$(mktemp -d)"
server=""
stop() {
    [[ -z "$server" ]] || kill "$server" 2>/dev/null || true
    [[ -z "$server" ]] || wait "$server" 2>/dev/null || true
    server=""
}
trap 'stop; rm -rf "$work"' EXIT

port="$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
export CUTPOINT_TEST_URL="http://127.0.0.1:$port/v1" CUTPOINT_TEST_KEY="sk-test-0123456789abcdef"
# Nothing is fetched and nothing told.
LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_TELEMETRY=False \
    "$venv/bin/litellm" --config "$here/config.yaml" --host 127.0.0.1 --port "$port" >"$work/server.log" 2>&1 &
server=$!
ready() { "$venv/bin/python" -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$port/health/liveliness', timeout=2)" 2>/dev/null; }
for ((second = 0; ; second++)); do
    ready && break
    kill -0 "$server" 2>/dev/null && ((second < 240)) || { tail -30 "$work/server.log" >&2; echo "the proxy did not start" >&2; exit 1; }
    sleep 1
done

# One run with a few probes; the server's answers are made up, so that they are read, and not right.
ask() {
    local mode="$1" model="$2" name="$3"
    shift 3
    printf '%s\n' "name = \"$name\"" "transcripts = [\"$PWD/datasets/debug-flaky-cache\"]" 'strategies = ["pi"]' 'replicates = 1' \
        '[probes]' 'per_kind = 1' 'negatives = 1' 'runs = 1' 'search = true' 'next_actions = 1' >"$work/$name.toml"
    "$program" run --config "$work/$name.toml" --llm "$model" --llm-url "$CUTPOINT_TEST_URL" \
        --llm-key-env CUTPOINT_TEST_KEY --llm-mode "$mode" --llm-store "$work/store-$name" --out "$work/$mode" "$@" \
        >"$work/$mode-$name.txt"
}
# A judge that gives 0 to everything must be refused, and its grades must have been read: cases that deserve 0 are graded right.
refuse() {
    local mode="$1" model="$2" name="$3" code=0
    shift 3
    "$program" judge check --llm "$model" --llm-url "$CUTPOINT_TEST_URL" --llm-key-env CUTPOINT_TEST_KEY --llm-mode "$mode" \
        --llm-store "$work/store-$name" "$@" >"$work/judge-$mode-$name.txt" 2>"$work/judge.err" || code=$?
    [[ "$code" == 3 ]] && grep -q 'ok    inverted-rule' "$work/judge-$mode-$name.txt" && grep -q 'WRONG right' "$work/judge-$mode-$name.txt" \
        || { cat "$work/judge-$mode-$name.txt" "$work/judge.err" >&2; echo "$name: the judge was not refused as it should be" >&2; exit 1; }
}
cd "$here/../.."
models=(chat:mock-model messages:mock-messages responses:mock-responses)
for model in "${models[@]}"; do
    "$program" llm check --llm "$model" --llm-url "$CUTPOINT_TEST_URL" --llm-key-env CUTPOINT_TEST_KEY
    for way in streamed whole; do
        options=()
        [[ "$way" == streamed ]] || options=(--llm-no-stream)
        ask record "$model" "${model%%:*}-$way" "${options[@]}"
        refuse record "$model" "${model%%:*}-$way" "${options[@]}"
    done
done
stop
# No key is needed, and nothing listens any more.
key="$CUTPOINT_TEST_KEY"
unset CUTPOINT_TEST_KEY

for model in "${models[@]}"; do
    for way in streamed whole; do
        name="${model%%:*}-$way"
        ask replay "$model" "$name"
        refuse replay "$model" "$name"
        cmp "$work/judge-record-$name.txt" "$work/judge-replay-$name.txt"
        cmp "$work/record/$name/cells.jsonl" "$work/replay/$name/cells.jsonl"
        cmp "$work/record/$name/events.jsonl" "$work/replay/$name/events.jsonl"
        grep -q 'A made-up answer of a real server' "$work/record/$name/events.jsonl" \
            || { echo "$name: the server's answer is in no summary" >&2; exit 1; }
        for verdict in full,0,abstained view,0,abstained search,0,abstained; do
            grep -q ",$verdict," "$work/record/$name/probes.csv" || { echo "$name: no probe is $verdict" >&2; exit 1; }
        done
        # Whole answers make their call through the tool fields of the protocol; the proxy streams only the one in its text.
        called='bash pwd'
        [[ "$way" == whole ]] || called='bash ls'
        grep -q "$called,file,protocol" "$work/record/$name/next_actions.csv" || { echo "$name: no next action was read" >&2; exit 1; }
    done
done
if grep -rqF "$key" "$work/record" "$work/replay" "$work"/store-*; then
    echo "the key was written to a file" >&2
    exit 1
fi
echo "3 protocols, streamed and not, recorded and replayed: $(find "$work"/store-* -name '*.json' | wc -l) answers"
