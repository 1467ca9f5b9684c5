#!/bin/sh
# Reviews a change with chatd and fails when the review finds something that must not be merged.
#
#   git diff main... | ./review.sh [REPORT]
#
# Needs CHATD_URL and CHATD_TOKEN. CHATD (the command), MODEL and LABELS may be set.
set -eu

report=${1:-review.md}
chatd=${CHATD:-chatd}
change=$(mktemp)
trap 'rm -f "$change"' EXIT
cat > "$change"

if [ ! -s "$change" ]; then
  echo 'There is no change to review.' | tee "$report"
  exit 0
fi

set -- run --quiet --timeout "${TIMEOUT:-600}" --label source=ci-reviewer \
  --system 'You review changes. Be brief. Name the file and the line of everything you find.'
[ -n "${MODEL:-}" ] && set -- "$@" --model "$MODEL"
for label in ${LABELS:-}; do set -- "$@" --label "$label"; done

status=0
$chatd "$@" --file "$change" --no-stdin \
  'Review the attached diff for bugs. If something must be fixed before it is merged, say BLOCK on a line of its own.' \
  > "$report" || status=$?

cat "$report"
case $status in
  0) ;;
  3) echo 'The review waits for a person.' >&2; exit 1 ;;
  6) echo 'chatd cannot be reached: the change was not reviewed.' >&2; exit 75 ;;
  *) echo "The review failed (exit code $status)." >&2; exit "$status" ;;
esac

if grep -q '^BLOCK$' "$report"; then
  echo 'The review found something that must be fixed first.' >&2
  exit 1
fi
