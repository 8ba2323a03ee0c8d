#!/usr/bin/env bash
# Compares the only run below cutpoint-reports with a baseline, writes the summary of the job, and ends as the job shall end.
# Settings come from the environment, never from the text of the script: CUTPOINT, BASELINE, GATE, INCONCLUSIVE (docs/ci.md).
set -uo pipefail
shopt -s nullglob

cutpoint=${CUTPOINT:-cutpoint}
runs=(cutpoint-reports/*/manifest.json)
if [ ${#runs[@]} -ne 1 ] || [ ! -f "${runs[0]}" ]; then
  echo "expected one run below cutpoint-reports (run --out cutpoint-reports), found ${#runs[@]}" >&2
  exit 2
fi
gates=()
for gate in ${GATE:-}; do
  gates+=(--gate "$gate")
done
"$cutpoint" compare "baseline:${BASELINE:-main}" "$(dirname "${runs[0]}")" ${gates[@]+"${gates[@]}"} \
  --markdown cutpoint-comment.md --junit cutpoint-junit.xml --json cutpoint-verdict.json
code=$?
case $code in
  0) verdict=pass ;;
  1) verdict=regress ;;
  3) verdict=inconclusive ;;
  4) verdict=void ;;
  *) exit $code ;;
esac
[ -n "${GITHUB_OUTPUT:-}" ] && echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
[ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat cutpoint-comment.md >> "$GITHUB_STEP_SUMMARY"
if { [ $code -eq 3 ] || [ $code -eq 4 ]; } && [ "${INCONCLUSIVE:-warn}" = warn ]; then
  echo "::warning::compaction: $verdict"
  exit 0
fi
exit $code
