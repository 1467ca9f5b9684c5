#!/bin/sh
# Reviews a diff with chatd. Fails if the review finds a blocking issue.
#
#   git diff main... | ./review.sh [REPORT]
#
# Required: CHATD_URL, CHATD_TOKEN. Optional: CHATD (the command), MODEL, LABELS, TIMEOUT.
set -eu

report=${1:-review.md}
chatd=${CHATD:-chatd}
change=$(mktemp)
trap 'rm -f "$change"' EXIT
cat > "$change"

if [ ! -s "$change" ]; then
  echo 'No changes to review.' | tee "$report"
  exit 0
fi

set -- run --quiet --timeout "${TIMEOUT:-600}" --label source=ci-reviewer \
  --system 'You are a code reviewer. Be brief. Give the file and line of each finding.'
[ -n "${MODEL:-}" ] && set -- "$@" --model "$MODEL"
for label in ${LABELS:-}; do set -- "$@" --label "$label"; done

status=0
$chatd "$@" --file "$change" --no-stdin \
  'Review the attached diff for bugs. If an issue must be fixed before merging, write BLOCK on a separate line.' \
  > "$report" || status=$?

cat "$report"
case $status in
  0) ;;
  3) echo 'The review waits for an approval or an answer.' >&2; exit 1 ;;
  6) echo 'chatd cannot be reached. The diff was not reviewed.' >&2; exit 75 ;;
  *) echo "The review failed (exit code $status)." >&2; exit "$status" ;;
esac

if grep -q '^BLOCK$' "$report"; then
  echo 'The review found an issue that must be fixed before merging.' >&2
  exit 1
fi
